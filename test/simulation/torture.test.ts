import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import { run } from "./Torture.ts"

const count = Number(process.env["LIMITBOT_EPISODES"] ?? 1)
const first = Number(process.env["LIMITBOT_SEED"] ?? 1)

describe("the simulation", () => {
  it.skipIf(!isLong)("keeps the books in agreement without faults", async () => {
    const result = await run({ seed: 1, chaosMillis: 300_000, faultRate: 0, kills: 0 })
    assert.isAbove(result.fills, 0)
  })

  it(`funds nothing twice in ${count} episodes of lost requests and kills, and both books agree`, {
    timeout: 600_000 + count * 10_000
  }, async () => {
    const total = { fills: 0, orders: 0, funded: 0, events: 0, steps: 0, virtualMinutes: 0 }
    for (let seed = first; seed < first + count; seed += 1) {
      const result = await run({
        seed,
        chaosMillis: count > 1 ? 900_000 : isLong ? 420_000 : 200_000,
        faultRate: 0.15,
        kills: 6
      })
      for (const key of Object.keys(total) as ReadonlyArray<keyof typeof total>) total[key] += result[key]
    }
    process.stdout.write(`${count} episodes from seed ${first}: ${JSON.stringify(total)}\n`)
  })

  it("gives the same steps, requests and events for the same seed", async () => {
    const episode = { seed: 5, chaosMillis: isLong ? 90_000 : 40_000, faultRate: 0.2, kills: 2 }
    assert.deepStrictEqual(await run(episode), await run(episode))
  })
})
