/** Rounds that earn less than their fees are warned of, and percentage targets are earned after the venue's share of fills. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { closeAt } from "../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../src/candles/Generate.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { gainOf, netOfFills, roundOf } from "../../../src/domain/fees/RoundCost.ts"
import { noCosts } from "../../../src/lab/backtest/kernel/FillPresets.ts"
import * as BandSide from "../../../src/lab/backtest/results/BandSide.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import { parse } from "../../../src/strategy/StrategyFile.ts"
import { documentedCosts } from "../../../src/venue/profile/Charges.ts"
import { runOneMarket } from "../../world/oneMarket.ts"
import { markets, price, viewAt } from "../support.ts"

const cat = { symbol: "CAT", id: "nep141:cat", decimals: 0 }
const assets = [...markets.assets, cat]
const costs = documentedCosts(assets)
const offered = { ...markets, assets, costs }

const candles = Generate.generate({ ...Generate.defaults, bars: 20_000 })
const indices = CrossingIndex.buildIndices(candles)

const strategyOf = (kind: string, section: string, market = "BTC/USDC"): Strategy => {
  const text = `name: test
market: ${market}
kind: ${kind}
limits: { budget: { base: 90000, quote: 900000 } }
${kind}: ${section}
`
  return Result.getOrThrow(parse(text, "test.yaml", offered))
}

const warnings = (kind: string, section: string, market?: string): ReadonlyArray<string> =>
  (strategyOf(kind, section, market).warnings ?? []).map(({ message }) => message)

const wide: ReadonlyArray<readonly [kind: string, section: string]> = [
  ["grid", "{ lower: 50000, upper: 60000, levels: 11, size: { quote: 100 } }"],
  ["grid", "{ step: 1%, fundNearest: 2, size: { quote: 100 } }"],
  ["market-making", "{ levels: 1, spread: 0.6%, size: 0.01 }"],
  ["bracket", "{ side: buy, entry: 58000, takeProfit: 59000, stop: 57000, size: { base: 0.01 } }"],
  ["deals", "{ size: { quote: 100 }, takeProfit: 0.1% }"],
  [
    "rules",
    "{ orders: { in: { when: mid > 0, side: buy, price: mid, size: { base: 0.01 }, then: { price: entry * 1.01 } } } }"
  ]
]

const narrow: ReadonlyArray<readonly [kind: string, section: string, text: RegExp]> = [
  [
    "grid",
    "{ lower: 55000, upper: 65000, levels: 101, size: { quote: 100 } }",
    /^100 of 100 cells lose: between 64900 and 65000 it earns 0\.15\d* USDC and pays 0\.4\d* USDC in fees$/
  ],
  [
    "grid",
    "{ step: 0.3%, fundNearest: 2, size: { quote: 100 } }",
    /^a cell loses 0\.12 %: it earns 0\.30 % before fees/
  ],
  ["market-making", "{ levels: 2, spread: 0.3%, size: 0.01 }", /^a pair of quotes loses 0\.10 %/],
  [
    "bracket",
    "{ side: buy, entry: 58000, takeProfit: 58100, stop: 57000, size: { base: 0.01 } }",
    /^its take-profit loses: between 58000 and 58100 it earns 1 USDC and pays 2\.35\d* USDC in fees$/
  ],
  [
    "bracket",
    "{ side: sell, entry: 58000, takeProfit: 57900, stop: 59000, size: { base: 0.01 } }",
    /^its take-profit loses/
  ],
  ["deals", "{ size: { quote: 1 }, takeProfit: 1% }", /^its take-profit loses/],
  [
    "rules",
    "{ orders: { in: { when: mid > 0, side: buy, price: mid, size: { base: 0.01 }, then: { price: entry * 1.002 } } } }",
    /^its exit loses 0\.20 %/
  ],
  [
    "rules",
    "{ orders: { in: { when: mid > 0, side: buy, price: mid, size: { quote: 1 }, then: { price: entry * 1.01 } } } }",
    /^its exit loses 1\.\d\d %: it earns 1\.00 % before fees/
  ],
  [
    "rules",
    "{ orders: { in: { when: mid > 0, side: sell, price: mid, size: { base: 0.000001 }, then: { price: entry * 0.9 } } } }",
    /^its exit loses/
  ]
]

describe("a round", () => {
  it.each(wide)("of %s that earns more than its fees has no warning: %s", (kind, section) => {
    assert.deepStrictEqual(warnings(kind, section), [])
  })

  it.each(narrow)("of %s that earns less than its fees has a warning: %s", (kind, section, text) => {
    const found = warnings(kind, section)
    assert.strictEqual(found.length, 1, found.join("\n"))
    assert.match(found[0] ?? "", text)
  })

  it("costs the same with exact amounts and with ratios", () => {
    const { market } = strategyOf("dca", "{ every: 1d, times: 2, size: { quote: 60 } }")
    const quantity = 1_000_000n
    const [buy, sell] = [price("50000"), price("51000")].map((at) => ({ price: at, quantity }))
    assert.isDefined(buy)
    assert.isDefined(sell)
    const { fees, gain, spent } = roundOf(market, buy, sell, costs)
    const ratio = gainOf(market, { ratio: 1.02, bought: quantity, proceeds: 510_000_000n }, costs)
    assert.closeTo(Number(gain - fees) / Number(spent), ratio, 1e-6)
  })
})

describe("an order that loses half to fees", () => {
  const half = /^fees take 1 CAT of an order that brings [12] CAT$/
  it.each([
    ["grid", "{ lower: 100, upper: 200, levels: 3, size: { base: 2 } }"],
    ["dca", "{ every: 1d, times: 2, size: { base: 1 } }"],
    ["deals", "{ takeProfit: 90%, size: { base: 2 } }"],
    ["twap", "{ side: buy, limit: 1000, over: 1h, slices: 2, total: { base: 2 } }"],
    ["market-making", "{ levels: 1, spread: 190%, size: 2 }"]
  ])("has a warning in %s: a token without decimals", (kind, section) => {
    const found = warnings(kind, section, "CAT/USDC")
    assert.isTrue(
      found.some((text) => half.test(text)),
      found.join("\n")
    )
  })
})

describe("a deal", () => {
  const deal = (rest: string) => `{ size: { quote: 100 }, takeProfit: 2%, ${rest} }`
  const safety = (orders: number, more = "") =>
    `safety: { orders: ${orders}, size: { quote: 100 }, distance: 2% ${more} }`

  it("with safety orders beyond its stop has a warning that names the first of them", () => {
    assert.deepStrictEqual(warnings("deals", deal(`${safety(3)}, stop: 3%`)), [
      "safety order 2 of 3 lies beyond the stop: the deal has ended before its price is reached"
    ])
    assert.deepStrictEqual(warnings("deals", deal(`${safety(3)}, stop: 10%`)), [])
    assert.match(warnings("deals", deal(`side: sell, ${safety(3)}, stop: 3%`)).join(), /^safety order 3 of 3/)
  })

  it("with more active safety orders than exist has a warning", () => {
    assert.deepStrictEqual(warnings("deals", deal(safety(3, ", active: 5"))), [
      "active is 5, and there are 3 safety orders"
    ])
  })
})

describe("a percentage target", () => {
  const legsOf = (section: string, fillBasisPoints?: number, kind = "ladder") => {
    const strategy = strategyOf(kind, section)
    const view = viewAt(strategy, price("60000"))
    const seen = fillBasisPoints === undefined ? view : { ...view, fillBasisPoints }
    const [rung] = strategy.decide(seen, strategy.initialMemory).desired
    return (rung?.legs ?? []).map(({ price: at }) => Decimal.toNumber(at))
  }

  it("of a ladder is earned after the venue's share of both fills", () => {
    const buys = "{ side: buy, from: 50000, to: 50000, rungs: 1, total: { base: 1 }, takeProfit: 1% }"
    assert.deepStrictEqual(legsOf(buys), [50_000, 50_500])
    assert.deepStrictEqual(legsOf(buys, 20), [50_000, 50_702.61])
    const sells = "{ side: sell, from: 50000, to: 50000, rungs: 1, total: { base: 1 }, takeProfit: 1% }"
    assert.deepStrictEqual(legsOf(sells, 20), [50_000, 49_302.19])
  })

  it("of a bracket is earned after the venue's share of both fills; an expression is that price", () => {
    const bracket = (takeProfit: string) =>
      `{ side: buy, entry: 1%, takeProfit: ${takeProfit}, stop: 3%, size: { base: 1 } }`
    assert.deepStrictEqual(legsOf(bracket("1%"), 0, "bracket"), [59_400, 59_994])
    assert.deepStrictEqual(legsOf(bracket("1%"), 20, "bracket"), [59_400, 60_234.7])
    assert.deepStrictEqual(legsOf(bracket("entry * 1.01"), 20, "bracket"), [59_400, 59_994])
  })

  it("of deals is what their trades earn in a backtest", () => {
    const deals = "{ size: { base: 0.1 }, reach: 0.1%, takeProfit: 1%, times: 1 }"
    const earned = [0, 20].map((feeBasisPoints) => {
      const side = runOneMarket(strategyOf("deals", deals), candles, indices, "optimistic", {
        costs: { ...noCosts, feeBasisPoints },
        changes: {}
      })
      assert.strictEqual(side.fills, 2)
      return Number(BandSide.profitOf(side)) / (closeAt(candles, 0) * 1e6 * 0.1)
    })
    for (const share of earned) assert.closeTo(share, 0.01, 0.0002)
  })

  it("is earned exactly at its net price", () => {
    const { market } = strategyOf("dca", "{ every: 1d, times: 2, size: { quote: 60 } }")
    const quantity = 100_000_000n
    const buy = { price: price("50000"), quantity }
    const sell = { price: netOfFills(true, price("50500"), 20), quantity }
    const { fees, gain, spent } = roundOf(market, buy, sell, { fillBasisPoints: 20, payouts: new Map() })
    assert.closeTo(Number(gain - fees) / Number(spent), 0.01, 1e-7)
  })
})
