/** Placements by swap under lost requests and kills: quoted anew when an answer is lost, paid once, accounted for to the end. */
import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import { run } from "./Torture.ts"

const count = Number(process.env["LIMITBOT_EPISODES"] ?? 1)
const first = Number(process.env["LIMITBOT_SEED"] ?? 1)

/** In and out by swaps all the time; the exit's limit is far enough away to be met soon. */
const strategy = `name: swapper
market: SOL/USDC
kind: rules
limits: { budget: { base: 5, quote: 1500 } }
rules:
  timeframe: 1m
  orders:
    in-and-out:
      when: mid > 1
      side: buy
      by: swap
      price: mid * (1 + 3%)
      size: { quote: 100 }
      pause: 1s
      then: { price: entry * (1 - 4.5%), by: swap }
    out-and-in:
      when: mid > 1
      side: sell
      by: swap
      price: mid * (1 - 3%)
      size: { base: 1 }
      pause: 1s
      then: { price: entry * (1 + 4.5%), by: swap }
`

describe("swaps in place of orders", () => {
  it("can be paid by a wallet on another chain", async () => {
    const { swaps } = await run({
      seed: 2,
      chaosMillis: 120_000,
      faultRate: 0.1,
      kills: 3,
      strategy,
      speed: 5,
      deposits: "ORIGIN_CHAIN",
      pace: { paymentVisibilityMillis: 90_000, swapLifetimeMillis: 120_000 }
    })
    assert.isAbove(swaps.filled, 0)
    process.stdout.write(`on chain: ${JSON.stringify(swaps)}\n`)
  })

  it(`keep both books in agreement in ${count} episodes of lost requests, refused swaps and kills`, {
    timeout: 180_000 + count * 20_000
  }, async () => {
    const total = { funded: 0, filled: 0, refunded: 0 }
    for (let seed = first; seed < first + count; seed += 1) {
      const { swaps } = await run({
        seed,
        chaosMillis: isLong ? 300_000 : 240_000,
        faultRate: 0.15,
        kills: 8,
        strategy,
        speed: 5,
        sandbox: { refundedSwapShare: 0.2 }
      })
      for (const key of Object.keys(total) as ReadonlyArray<keyof typeof total>) total[key] += swaps[key]
    }
    process.stdout.write(`${count} episodes from seed ${first}: ${JSON.stringify(total)}\n`)
    assert.isAbove(total.filled, 8 * count)
    assert.isAbove(total.refunded, count)
  })
})
