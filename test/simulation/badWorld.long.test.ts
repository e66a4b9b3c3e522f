/** The bad world, in short: a few episodes of each profile, and that a seed is the whole of an episode. */
import { assert, describe, it } from "@effect/vitest"
import { firstOf, isLong } from "../long.ts"
import { run } from "./Episode.ts"
import { type EpisodeOptions, type Feature, profiles } from "./Plan.ts"

/** Enough to notice that something broke; `npm run torture` is the campaign. */
const seeds: Readonly<Record<(typeof profiles)[number], ReadonlyArray<number>>> = {
  // One more is played twice below.
  safety: isLong ? [4] : [],
  liveness: [3],
  hostile: [1]
}

type Regression = EpisodeOptions & { readonly symptom: string }

/** Seeds that reproduce a defect if it comes back. */
const mended: ReadonlyArray<Regression> = [
  { symptom: "an executed payment is paid again, beyond the budget (I2)", seed: 1, profile: "safety", minutes: 4 },
  { symptom: "a deposit that is always hidden frees its money (I2)", seed: 4, profile: "hostile", minutes: 2 },
  { symptom: "a killed bot takes seconds to cancel (I18)", seed: 4, profile: "liveness", minutes: 4 },
  {
    symptom: "fills beyond the deposit are booked and overdraw a wallet (I22)",
    seed: 1003,
    profile: "hostile"
  },
  { symptom: "a leg that may lose does not know it after a restart (I9)", seed: 1005, profile: "liveness" },
  {
    symptom: "two bots on one account fund one order (I4)",
    seed: 10,
    profile: "safety",
    minutes: 1,
    including: ["secondBot"],
    without: [
      "requestLate",
      "twice",
      "refused",
      "outages",
      "suspensions",
      "botClock",
      "clockSteps",
      "shortLives",
      "killSwitch",
      "edits"
    ]
  },
  {
    symptom: "two bots fund one order at a venue that drops milliseconds (I4)",
    seed: 36,
    profile: "safety",
    minutes: 1,
    including: ["secondBot", "droppedMillis"],
    without: ["answerLost", "requestLate", "answerLate", "stale", "botClock", "recognition", "killSwitch"]
  }
]

/** What one fault does in a short episode that has it, and what must have come up. */
const faults: ReadonlyArray<readonly [Feature, EpisodeOptions, string]> = [
  ["risingEstimates", { seed: 1, profile: "liveness" }, "estimate that rose"],
  ["advancedSwaps", { seed: 8, profile: "safety" }, "FundingAcknowledged"],
  ["pauses", { seed: 1, profile: "liveness" }, "paused by hand"],
  ["killsMidway", { seed: 3, profile: "liveness" }, "killed between send and answer"],
  ["tamperedQuotes", { seed: 4, profile: "liveness" }, "tampered quote"],
  ["wrongPrices", { seed: 4, profile: "liveness" }, "wrong price"],
  ["absentFields", { seed: 1, profile: "liveness" }, "absent fields"],
  ["oddSigner", { seed: 4, profile: "liveness" }, "odd signer"],
  ["deployed", { seed: 8, profile: "liveness" }, "PaidOut"],
  ["rotatedSalts", { seed: 8, profile: "liveness" }, "salts rotated"]
]

/** Features that came after the seeds above. */
const since: ReadonlyArray<Feature> = [
  "unhurried",
  "dust",
  "shortIntents",
  "signedQuotes",
  ...faults.map(([feature]) => feature)
]

describe("the bad world", () => {
  for (const profile of profiles) {
    it(`breaks no invariant in episodes of ${profile}`, async () => {
      for (const seed of seeds[profile]) {
        const { events } = await run({ seed, profile, minutes: 1 })
        assert.isAbove(events, 0)
      }
    })
  }

  for (const { symptom, ...options } of firstOf(1, mended)) {
    it(`excludes this defect: ${symptom}`, async () => {
      const without = [...(options.without ?? []), ...since]
      assert.isAbove((await run({ ...options, without })).events, 0)
    })
  }

  for (const [feature, options, what] of firstOf(3, faults)) {
    it(`breaks no invariant with ${feature}`, async () => {
      const { reached } = await run({ minutes: 1, ...options, including: [feature] })
      assert.isTrue(
        [...reached.keys()].some((each) => each.startsWith(what)),
        what
      )
    })
  }

  it("gives the same steps, requests and events for the same seed", async () => {
    const options = { seed: 3, profile: "safety", minutes: 1 } as const
    const played = await run(options)
    assert.isAbove(played.events, 0)
    assert.deepStrictEqual(await run(options), played)
  })
})
