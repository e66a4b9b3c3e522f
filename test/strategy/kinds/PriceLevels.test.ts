/** Levels between two prices against fractions of whole numbers. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Market } from "../../../src/domain/Market.ts"
import { seeded } from "../../../src/domain/Seeded.ts"
import { between } from "../../../src/strategy/kinds/PriceLevels.ts"
import { price } from "../support.ts"

const free: Market = {
  name: "BTC/USDC",
  base: { symbol: "BTC", id: "btc", decimals: 8 },
  quote: { symbol: "USDC", id: "usdc", decimals: 6 }
}
const stepped: Market = { ...free, tick: price("0.05") }

describe("price levels", () => {
  it("in the middle of two prices are rounded up to a price, also without a price step", () => {
    // Ends of eight digits: the middle has nine or is one of them.
    const next = seeded(3)
    for (let pair = 0; pair < 2_000; pair++) {
      const scale = Math.floor(next() * 9)
      const first = 10_000_000n + BigInt(Math.floor(next() * 80_000_000))
      const last = first + 2n + BigInt(Math.floor(next() * 9_000_000))
      const [, middle] = between(free, Decimal.make(first, scale), Decimal.make(last, scale), 3, "arithmetic")
      const expected = Decimal.format(Decimal.make((first + last + 1n) / 2n, scale))
      assert.strictEqual(Decimal.format(middle ?? assert.fail()), expected)
    }
  })

  it("of a price step are the nearest ones, and the higher one halfway", () => {
    const next = seeded(4)
    for (let pair = 0; pair < 500; pair++) {
      const [first, levels] = [1_000n + BigInt(Math.floor(next() * 9_000_000)), 3 + Math.floor(next() * 60)]
      const last = first + BigInt(levels) * (1n + BigInt(Math.floor(next() * 500)))
      const [parts, inSteps] = [BigInt(levels - 1), (steps: bigint) => Decimal.format(Decimal.make(steps * 5n, 2))]
      const expected = Array.from({ length: levels }, (_, index) => {
        const whole = first * (parts - BigInt(index)) + last * BigInt(index)
        return inSteps((2n * whole + parts) / (2n * parts))
      })
      const found = between(stepped, price(inSteps(first)), price(inSteps(last)), levels, "arithmetic")
      assert.deepStrictEqual(found.map(Decimal.format), expected)
    }
  })
})
