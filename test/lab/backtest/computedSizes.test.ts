/** Computed sizes to the last unit, whatever the places of an asset: exact where the books are, else rounded down, never more than is free. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as CrossingIndex from "../../../src/candles/CrossingIndex.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { quoteAmount } from "../../../src/domain/Market.ts"
import { type Random, seeded } from "../../../src/domain/Seeded.ts"
import { noCosts } from "../../../src/lab/backtest/kernel/FillPresets.ts"
import * as FillRows from "../../../src/lab/backtest/results/FillRows.ts"
import { parse } from "../../../src/strategy/StrategyFile.ts"
import type { OwnState } from "../../../src/strategy/View.ts"
import { price, viewAt } from "../../strategy/support.ts"
import { runOneMarket } from "../../world/oneMarket.ts"
import { waves } from "./waves.ts"

const places = [0, 2, 6, 8, 18, 24]

const marketsOf = (decimals: number, ofQuote = 6) => ({
  assets: [
    { symbol: "XYZ", id: "xyz", decimals },
    { symbol: "USDC", id: "usdc", decimals: ofQuote }
  ],
  ticks: new Map()
})

const strategyOf = (orders: string, markets: ReturnType<typeof marketsOf>, budget = "base: 1, quote: 1000") =>
  Result.getOrThrow(
    parse(
      `name: t
market: XYZ/USDC
kind: rules
limits: { budget: { ${budget} }, maxPriceDeviation: 20% }
rules: { timeframe: 1m, orders: { ${orders} } }
`,
      "t.yaml",
      markets
    )
  )

/** The order of a rule, with so much money. */
const ordering = (rule: string, market: ReturnType<typeof marketsOf>) => {
  const strategy = strategyOf(`one: { when: mid > 1, price: mid, ${rule} }`, market)
  return (position: bigint, own: Partial<OwnState> = {}) => {
    const known = { openOrders: 0, freeBase: position, freeQuote: 0n, position, realisedProfit: 0n, ...own }
    return strategy.decide({ ...viewAt(strategy, price("1234.5678901")), own: known }, null).desired[0]?.legs[0]
  }
}

const quantities = (rule: string, market: ReturnType<typeof marketsOf>) => {
  const order = ordering(rule, market)
  return (position: bigint, own: Partial<OwnState> = {}): bigint => order(position, own)?.quantity ?? 0n
}

const digits = (next: Random, most: number): bigint =>
  BigInt(Array.from({ length: 1 + Math.floor(next() * most) }, () => Math.floor(next() * 10)).join(""))

describe.each(places)("a computed size of an asset with %i decimals", (decimals) => {
  const market = marketsOf(decimals)
  const next = seeded(decimals)
  const amounts = Array.from({ length: 25 }, () => digits(next, decimals + 4) + 1n)

  it("is all of a position to the unit", () => {
    for (const size of ["{ position: 100% }", "{ base: position }", "{ base: freeBase }"]) {
      const quantityOf = quantities(`side: sell, size: ${size}`, market)
      for (const held of amounts) assert.strictEqual(quantityOf(held), held, `${size} of ${held}`)
    }
  })

  it("is a share of a position, rounded down", () => {
    const quantityOf = quantities("side: sell, size: { position: 37.5% }", market)
    for (const held of amounts) assert.strictEqual(quantityOf(held), (held * 375n) / 1000n, `${held}`)
  })

  it("is at most the expression's value, and at most what is free", () => {
    const halfOf = quantities("side: sell, size: { base: position * 50% }", market)
    const twiceOf = quantities("side: sell, size: { base: position * 2 }", market)
    const allOf = quantities("side: sell, size: { position: 100% }", market)
    for (const held of amounts) {
      const half = halfOf(held)
      assert.isTrue(half * 2n <= held && half * 2n + 2n >= held - held / 10n ** 11n, `${half} of ${held}`)
      assert.strictEqual(twiceOf(held), held)
      assert.strictEqual(allOf(held, { freeBase: held / 2n }), held / 2n)
    }
  })

  it("buys with all the free quote, and not with more", () => {
    for (const ofQuote of places) {
      const both = marketsOf(decimals, ofQuote)
      const { market: traded } = strategyOf("one: { when: mid > 1, side: buy, price: mid, size: { base: 1 } }", both)
      for (const size of ["{ quote: freeQuote }", "{ quote: freeQuote * 2 }", "{ equity: 100% }"]) {
        const order = ordering(`side: buy, size: ${size}`, both)
        for (const freeQuote of amounts) {
          const leg = order(0n, { freeQuote })
          if (leg === undefined) continue
          const costOf = (quantity: bigint) => quoteAmount(traded, quantity, leg.price, "up")
          assert.isAtMost(Number(costOf(leg.quantity) - freeQuote), 0, `${size} of ${freeQuote}`)
          if (size !== "{ equity: 100% }")
            assert.isTrue(costOf(leg.quantity + 1n) > freeQuote, `${size} of ${freeQuote}`)
        }
      }
    }
  })

  it("shares the free money between the parts of an entry", () => {
    for (const [side, size] of [
      ["buy", "{ risk: 10% }"],
      ["buy", "{ quote: freeQuote * 2 }"],
      ["sell", "{ base: freeBase * 2 }"]
    ] as const) {
      const [near, far, stop] = side === "buy" ? ["1.01", "1.03", "0.995"] : ["0.99", "0.97", "1.005"]
      const targets = `[{ at: entry * ${near}, part: 50% }, { at: entry * ${far}, part: 50% }]`
      const exits = `then: { price: ${targets}, stop: entry * ${stop} }`
      const strategy = strategyOf(`one: { when: mid > 1, side: ${side}, price: mid, size: ${size}, ${exits} }`, market)
      const free = 10n ** BigInt(decimals + 3)
      const own = { openOrders: 0, freeBase: free, freeQuote: 10n ** 10n, position: 0n, realisedProfit: 0n }
      const { desired } = strategy.decide({ ...viewAt(strategy, price("1000")), own }, null)
      const entries = desired.flatMap(({ legs: [entry] }) => [entry])
      const sum = entries.reduce((all, { quantity }) => all + quantity, 0n)
      const used = side === "sell" ? sum : quoteAmount(strategy.market, sum, price("1000"), "up")
      assert.lengthOf(entries, 2, size)
      assert.strictEqual(entries[0]?.quantity, entries[1]?.quantity, size)
      assert.isTrue(used > 0n && used <= (side === "sell" ? free : own.freeQuote), `${size}: ${used}`)
    }
  })

  it("is sold by each backtest that has bought it", () => {
    const candles = waves([100, 101, 102, 101], 40)
    const fee = (basisPoints: number) => ({ ...noCosts, feeBasisPoints: basisPoints })
    for (const quote of [90, 123.45, 250, 337.7, 512.34, 640, 777, 900]) {
      const strategy = strategyOf(
        `in: { when: mid < 101.2, side: buy, price: mid * (1 + 0.1%), size: { quote: ${decimals === 0 ? quote + 110 : quote} }, times: 1 },
  out: { when: mid > 101.5, side: sell, price: mid * (1 - 0.1%), size: { position: 100% } }`,
        market,
        "quote: 2000"
      )
      // A fee of a whole unit may be all that was bought.
      for (const costs of decimals === 0 ? [noCosts] : [noCosts, fee(5)]) {
        const index = CrossingIndex.linearIndices(candles)
        const { outcome } = runOneMarket(strategy, candles, index, "optimistic", { costs, changes: {} })
        const sold = [...FillRows.rows(outcome, candles)].filter(({ side }) => side === "SELL")
        assert.isAbove(sold.length, 0, `${quote} with ${costs.feeBasisPoints} basis points`)
        assert.deepStrictEqual([outcome.counts.deniedFunds, outcome.base], [0, 0n], `${quote}`)
      }
    }
  })
})

describe("a double as an amount", () => {
  it("is rounded down to twelve digits, without floating-point noise", () => {
    const down = (value: number) => Decimal.format(Decimal.downFromNumber(value))
    assert.deepStrictEqual(
      [0.1 + 0.2, 0.7 + 0.1 + 0.2, 1.2345678901299, 2 / 3, 1.9999999999995, 123_456_789_012_345].map(down),
      ["0.3", "1", "1.23456789012", "0.666666666666", "1.99999999999", "123456789012000"]
    )
  })
})
