/** The bad world, in short: a few episodes of each profile, and that a seed is the whole of an episode. */
import { assert, describe, it } from "@effect/vitest"
import { run } from "./Episode.ts"
import { type EpisodeOptions, profiles } from "./Plan.ts"

/** Enough to notice that something broke; `npm run torture` is the campaign. */
const seeds: Readonly<Record<(typeof profiles)[number], ReadonlyArray<number>>> = {
  safety: [3, 4, 8],
  liveness: [4, 5, 7],
  hostile: [1, 6]
}

/** Seeds that show a defect: each becomes a test like any other when it is mended. */
const open: ReadonlyArray<EpisodeOptions & { readonly symptom: string }> = [
  { symptom: "a budget is left behind (I2) where the clock is 3 s slow", seed: 1, profile: "safety", minutes: 4 },
  { symptom: "a killed bot takes ten seconds to cancel (I18)", seed: 3, profile: "liveness", minutes: 2 },
  { symptom: "lies make it spend more than its budget (I2)", seed: 4, profile: "hostile", minutes: 2 }
]

describe("bad world", () => {
  for (const profile of profiles) {
    it(`no invariant falls in episodes of ${profile}`, { timeout: 120_000 }, async () => {
      for (const seed of seeds[profile]) {
        const { events } = await run({ seed, profile, minutes: 2 })
        assert.isAbove(events, 0)
      }
    })
  }

  for (const { symptom, ...options } of open) {
    it.fails(symptom, { timeout: 60_000 }, async () => {
      await run(options)
    })
  }

  it("the same seed gives the same steps, requests and events", { timeout: 60_000 }, async () => {
    const options = { seed: 7, profile: "safety", minutes: 1 } as const
    assert.deepStrictEqual(await run(options), await run(options))
  })
})
