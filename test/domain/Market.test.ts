import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as Market from "../../src/domain/Market.ts"

const market = (baseDecimals: number, quoteDecimals: number): Market.Market => ({
  name: "B/Q",
  base: { symbol: "B", id: "b", decimals: baseDecimals },
  quote: { symbol: "Q", id: "q", decimals: quoteDecimals }
})

const Places = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 24 }))
const Quantity = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 30n }))
const FewPlaces = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 }))
const FewDigits = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 8n }))
const Digits = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 18n }))

describe("Market", () => {
  it("agrees with the venue's example: 1 token of 24 decimals at 5 USDC of 6", () => {
    const pair = market(24, 6)
    const price = Decimal.make(5n)
    assert.strictEqual(Market.inputAmount(pair, "SELL", 10n ** 24n, price), 10n ** 24n)
    assert.strictEqual(Market.outputAmount(pair, "SELL", 10n ** 24n, price), 5_000_000n)
    assert.strictEqual(Market.inputAmount(pair, "BUY", 10n ** 24n, price), 5_000_000n)
    // A third of a smallest unit more still rounds up to a whole one, on both sides.
    assert.strictEqual(Market.inputAmount(pair, "BUY", 10n ** 24n + 1n, price), 5_000_001n)
  })

  it.prop(
    "rounds a quote amount by at most one unit",
    [Places, Places, Quantity, Digits, Places],
    ([base, quote, quantity, digits, scale]) => {
      const pair = market(base, quote)
      const price = Decimal.make(digits, scale)
      const up = Market.quoteAmount(pair, quantity, price, "up")
      const down = Market.quoteAmount(pair, quantity, price, "down")
      const exact = quantity * digits * 10n ** BigInt(quote)
      const unit = 10n ** BigInt(scale + base)
      assert.isTrue(up * unit >= exact && (up - 1n) * unit < exact)
      assert.isTrue(down * unit <= exact && (down + 1n) * unit > exact)
    }
  )

  it.prop(
    "rounds a quote amount of few digits by at most one unit",
    [Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 8n })), FewDigits, FewPlaces],
    ([quantity, digits, scale]) => {
      const price = Decimal.make(digits, scale)
      const exact = quantity * digits
      const unit = 10n ** BigInt(scale + 2)
      const up = Market.quoteAmount(market(8, 6), quantity, price, "up")
      const down = Market.quoteAmount(market(8, 6), quantity, price, "down")
      assert.deepStrictEqual([up, down], [(exact + unit - 1n) / unit, exact / unit])
    }
  )

  it.prop(
    "gains exactly more than an amount by a move that surely does so",
    [FewDigits, FewDigits, FewPlaces, Quantity, FewDigits],
    ([from, to, scale, quantity, amount]) => {
      const pair = market(8, 6)
      const [a, b] = [Decimal.make(from, scale), Decimal.make(to, scale)]
      if (!Market.surelyGainsMore(pair, a, b, quantity, amount)) return
      const gain = Market.gainOfMoving(pair, { price: a, quantity }, { price: b, quantity })
      assert.isTrue(gain > amount)
    }
  )

  it("says so of moves that gain a few units more, and of no other move", () => {
    const gains = (to: string, amount: bigint) =>
      Market.surelyGainsMore(market(8, 6), Decimal.make(40_000n), Decimal.parse(to) ?? Decimal.zero, 500_000n, amount)
    // 0.005 of the base at a price that is one cent higher: 50 units of the quote.
    assert.deepStrictEqual([gains("40000.01", 40n), gains("40000.01", 50n), gains("40000", 0n)], [true, false, false])
  })

  it.prop(
    "spends at most the budget on the quantity that the budget buys",
    [Places, Places, Quantity, Digits, Places],
    ([base, quote, budget, digits, scale]) => {
      const pair = market(base, quote)
      const price = Decimal.make(digits, scale)
      const quantity = Market.baseQuantity(pair, budget, price, "down")
      assert.isTrue(Market.inputAmount(pair, "BUY", quantity, price) <= budget)
    }
  )

  it.prop("moves a price away from the market by the tick", [Digits, Places, Digits], ([digits, scale, tick]) => {
    const price = Decimal.make(digits, scale)
    const pair = { ...market(8, 6), tick: Decimal.make(tick, 9) }
    assert.isAtMost(Decimal.compare(Market.toTick(pair, "BUY", price), price), 0)
    assert.isAtLeast(Decimal.compare(Market.toTick(pair, "SELL", price), price), 0)
  })
})
