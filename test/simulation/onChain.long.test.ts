/** Orders funded from another chain, under the same torture: a wallet whose payments cannot be told apart by a nonce. */
import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import { run } from "./Torture.ts"

const count = Number(process.env["LIMITBOT_EPISODES"] ?? 1)
const first = Number(process.env["LIMITBOT_SEED"] ?? 1)

/** A slow request arrives within a minute: later than this no payment shows any more. */
const onChain = { deposits: "ORIGIN_CHAIN", pace: { paymentVisibilityMillis: 90_000 } } as const

describe("funding from another chain", () => {
  it.skipIf(!isLong)("explains everything without faults, and the books agree", async () => {
    const result = await run({ seed: 1, chaosMillis: 600_000, faultRate: 0, kills: 0, ...onChain })
    assert.isAbove(result.fills, 0)
    assert.strictEqual(result.lost, 0)
  })

  it.skipIf(!isLong)(
    `pays no placement twice in ${count} episodes of lost payments and kills, and both books agree`,
    {
      timeout: 180_000 + count * 10_000
    },
    async () => {
      const total = { fills: 0, orders: 0, funded: 0, lost: 0, steps: 0 }
      for (let seed = first; seed < first + count; seed += 1) {
        const result = await run({ seed, chaosMillis: 900_000, faultRate: 0.1, kills: 8, ...onChain })
        for (const key of Object.keys(total) as ReadonlyArray<keyof typeof total>) total[key] += result[key]
      }
      assert.isAbove(total.lost, 0, "some payments were unclear and stayed so")
      process.stdout.write(`${count} episodes on chain from seed ${first}: ${JSON.stringify(total)}\n`)
    }
  )
})
