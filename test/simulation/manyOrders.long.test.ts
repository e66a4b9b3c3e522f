/**
 * More orders than a page of the venue's list shows: looks read only what can have changed, and still nothing is missed.
 * The torture is that of `torture.test.ts`; `LIMITBOT_EPISODES` makes it a campaign.
 */
import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import { run } from "./Torture.ts"

const firstSeed = Number(process.env["LIMITBOT_SEED"] ?? 1)
const count = Number(process.env["LIMITBOT_EPISODES"] ?? 1)

const strategy = `name: dense
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.2, quote: 12000 }, maxOpenOrders: 200 }
grid: { lower: 45000, upper: 75000, levels: 110, size: { base: 0.001 } }
`

describe("many open orders", () => {
  it.skipIf(!isLong)(
    `fund nothing twice in ${count} episodes of lost requests and kills, and both books agree`,
    {
      timeout: 180_000 + count * 60_000
    },
    async () => {
      for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
        const { fills, funded, steps } = await run({ seed, chaosMillis: 120_000, faultRate: 0.1, kills: 1, strategy })
        assert.isAbove(fills, 0)
        process.stdout.write(`many orders, seed ${seed}: ${JSON.stringify({ fills, funded, steps })}\n`)
      }
    }
  )
})
