/** Matching: slices add up, and nobody gets less than the limit. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as Market from "../../src/domain/Market.ts"
import * as Matching from "../../src/sandbox/core/orders/OrderLife.ts"

const market: Market.Market = {
  name: "BTC/USDC",
  base: { symbol: "BTC", id: "btc", decimals: 8 },
  quote: { symbol: "USDC", id: "usdc", decimals: 6 }
}
const natural = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 }))
const sides = ["BUY", "SELL"] as const

const termsOf = (side: Market.Side, quantity: bigint, price: Market.Price): Matching.MatchTerms => ({
  side,
  quantity,
  inputAmount: Market.inputAmount(market, side, quantity, price),
  outputAmount: Market.outputAmount(market, side, quantity, price)
})

describe("Matching", () => {
  it.prop(
    "makes slices that add up to exactly the whole, none worse than the limit",
    [natural, natural, natural],
    ([q, p, cut]) => {
      for (const side of sides) {
        const terms = termsOf(side, BigInt(q), Decimal.make(BigInt(p), 3))
        const middle = (terms.quantity * BigInt(cut)) / 1_000_000_000n
        const first = Matching.sliceAt(terms, 0n, middle)
        const second = Matching.sliceAt(terms, middle, terms.quantity)
        assert.strictEqual(first.amountIn + second.amountIn, terms.inputAmount)
        assert.strictEqual(first.amountOut + second.amountOut, terms.outputAmount)
        assert.isTrue(first.amountOut * terms.inputAmount >= terms.outputAmount * first.amountIn)
      }
    }
  )

  it.prop(
    "executes at no worse price than the terms at another price",
    [natural, natural, natural],
    ([q, p, other]) => {
      for (const side of sides) {
        const terms = termsOf(side, BigInt(q), Decimal.make(BigInt(p), 3))
        const execution = Matching.wholeAt(market, terms, Decimal.make(BigInt(other), 3))
        assert.isTrue(execution.amountIn <= terms.inputAmount && execution.amountOut >= terms.outputAmount)
      }
    }
  )

  it("reaches a limit when the path touches it", () => {
    assert.isTrue(Matching.isReached("SELL", 100, 90, 100))
    assert.isFalse(Matching.isReached("SELL", 100, 90, 99.99))
    assert.isTrue(Matching.isReached("BUY", 100, 100, 110))
    assert.isFalse(Matching.isReached("BUY", 100, 100.01, 110))
    assert.isTrue(Matching.isMarketable("BUY", 100, 99))
    assert.isFalse(Matching.isMarketable("SELL", 100, 99))
  })
})
