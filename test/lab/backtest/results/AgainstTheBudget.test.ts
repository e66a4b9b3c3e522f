/** Ratios of a strategy are those of what it made, and not of the market that its budget is in. */
import { assert, describe, it } from "@effect/vitest"
import * as Candles from "../../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../../src/candles/Generate.ts"
import * as Backtest from "../../../../src/lab/backtest/Backtest.ts"
import { type FillMode, noCosts } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import * as BacktestStatistics from "../../../../src/lab/backtest/results/BacktestStatistics.ts"
import * as BandSide from "../../../../src/lab/backtest/results/BandSide.ts"
import { efficiency, type WalkStep } from "../../../../src/lab/backtest/search/WalkForward.ts"
import { isLong } from "../../../long.ts"
import { strategyOf } from "../../../strategy/support.ts"
import { runOneMarket } from "../../../world/oneMarket.ts"

const candles = Generate.generate({ ...Generate.defaults, bars: 40_000, seed: 4 })
const indices = CrossingIndex.buildIndices(candles)

const sideOf = (base: number, lower: number) =>
  runOneMarket(
    strategyOf(`name: test
market: BTC/USDC
kind: grid
limits: { budget: { base: ${base}, quote: 90000 } }
grid: { lower: ${lower}, upper: ${lower + 2000}, levels: 21, size: { quote: 100 } }
`),
    candles,
    indices,
    "optimistic",
    { costs: noCosts, changes: {} }
  )

describe("ratios of a strategy", () => {
  it("are zero while it trades nothing, whatever its base is worth", () => {
    const side = sideOf(2, 1000)
    assert.strictEqual(side.fills, 0)
    assert.notStrictEqual(side.pnlQuote, 0n)
    const { totalReturn, sharpe, deflatedSharpe, volatility } = BacktestStatistics.ofSide(side, 10)
    assert.deepStrictEqual([totalReturn, sharpe, volatility, deflatedSharpe], [0, 0, 0, 0.5])
    assert.strictEqual(new Set(BandSide.dailyMade(side)).size, 1)
  })

  it("are the profit divided by the equity at the start", () => {
    const side = sideOf(2, 39_000)
    assert.isAbove(side.fills, 0)
    const start = 90_000 + 2 * (candles.close[0] ?? 0)
    const { totalReturn } = BacktestStatistics.ofSide(side, 1)
    assert.closeTo(totalReturn, Number(BandSide.profitOf(side)) / 1e6 / start, 1e-9)
    const made = BandSide.dailyMade(side)
    assert.closeTo((made.at(-1) ?? 0) / (made[0] ?? 1) - 1, totalReturn, 1e-9)
  })
})

/** Orders of each are cancelled again and again. */
const kinds = {
  "market-making": "{ levels: 2, size: 0.01, maxInventory: 0.05, spread: 0.2%, step: 0.1%, requote: 0.1% }",
  grid: "{ lower: 36000, upper: 44000, levels: 41, size: { quote: 100 }, fundNearest: 2 }",
  bracket: "{ side: buy, size: { quote: 5000 }, entry: 0.5%, takeProfit: 1%, stop: 2%, expireAfter: 1h, times: 1000 }"
} as const

const flat = { base: 50n, quote: 20_000n }
const refundsOnly: Backtest.Options = { costs: { ...noCosts, refundFee: flat }, changes: {} }
const whole: Backtest.Options = {
  costs: { ...noCosts, feeBasisPoints: 5, refundFee: flat, withdrawFee: flat },
  changes: {}
}
/** So little volume that orders are cancelled after parts of them have filled, which charges their payouts. */
const inParts: Backtest.Options = { ...whole, changes: { volumeShare: 0.0005 } }

const barCount = isLong ? candles.bars : 8_000

const cancelling = (kind: keyof typeof kinds, mode: FillMode, options: Backtest.Options, bars = barCount) => {
  const strategy = strategyOf(`name: test
market: BTC/USDC
kind: ${kind}
limits: { budget: { base: 2, quote: 90000 } }
${kind}: ${kinds[kind]}
`)
  const part = Candles.slice(candles, 0, bars)
  return runOneMarket(strategy, part, CrossingIndex.buildIndices(part), mode, options)
}

const profitOf = (side: BandSide.BandSide): number => Number(BandSide.profitOf(side)) / 1e6

const gainedAt = ({ parts }: BandSide.BandSide, bar: number): number => {
  const [point] = BandSide.curve(parts, [bar])
  return point === undefined ? assert.fail() : point.equity - point.hold
}

/** Exact profit is rounded to units of quote at each of its ends. */
const unit = 2e-6

describe("the curve of a strategy that cancels orders", () => {
  for (const kind of ["market-making", "grid", "bracket"] as const)
    for (const mode of ["optimistic", "pessimistic"] as const)
      it(`ends at its profit after fees of refunds and payouts: ${kind}, ${mode}`, () => {
        const start = 90_000 + 2 * (candles.close[0] ?? 0)
        for (const options of [refundsOnly, whole, inParts]) {
          const side = cancelling(kind, mode, options)
          assert.isAbove(side.refunds.count, 0)
          assert.closeTo(gainedAt(side, barCount - 1), profitOf(side), unit)
          const made = BandSide.dailyMade(side)
          assert.closeTo((made.at(-1) ?? 0) - start, profitOf(side), unit)
          assert.closeTo(BacktestStatistics.ofSide(side, 1).totalReturn, profitOf(side) / start, 1e-9)
        }
      })

  for (const mode of ["optimistic", "pessimistic"] as const)
    it(`has each fee from its bar on: it passes the profits of shorter runs, ${mode}`, () => {
      const runOver = (bars: number) => cancelling("market-making", mode, inParts, bars)
      const side = runOver(10_000)
      const { bars } = side.outcome.charges
      assert.isAbove(bars.length, 50)
      for (const share of [0.2, 0.5, 0.8]) {
        const bar = bars[Math.floor(bars.length * share)] ?? 0
        for (const last of [bar - 1, bar]) assert.closeTo(gainedAt(side, last), profitOf(runOver(last + 1)), unit)
      }
    })

  it("has the fees of all its markets", () => {
    const strategy = strategyOf(`name: test
market: [BTC/USDC, ETH/USDC]
kind: rebalance
limits: { budget: { BTC: 1, ETH: 16, USDC: 40000 } }
rebalance: { targets: { BTC: 33%, ETH: 33% }, band: 1%, requote: 0.2% }
`)
    const bitcoin = Candles.slice(candles, 0, barCount)
    const ether = Generate.generate({ ...Generate.defaults, bars: barCount, seed: 5, startPrice: 2_500 })
    const inputOf = (series: Candles.Candles, base: bigint) => ({
      candles: series,
      indices: CrossingIndex.buildIndices(series),
      options: { costs: { ...noCosts, refundFee: { base, quote: flat.quote } }, changes: {} }
    })
    const inputs = [inputOf(bitcoin, flat.base), inputOf(ether, 8_000_000_000_000n)] as const
    for (const mode of ["optimistic", "pessimistic"] as const) {
      const side = Backtest.runAll(strategy, inputs, mode)
      for (const part of side.parts) assert.isAbove(part.refunds.count, 0, part.market.name)
      assert.closeTo(gainedAt(side, barCount - 1), profitOf(side), 2 * unit)
    }
  })
})

const figures = { pnlQuote: "0", feesQuote: "0", base: "0", quote: "0", fills: 1, maxDrawdown: 0, dailySharpe: 0 }
const trial = (profitQuote: string) => ({ trial: 0, values: [], profitQuote, ...figures })
const stepOf = (train: string, test: string): WalkStep => {
  const times = { from: 0, to: 10, end: 20, trainFrom: 0, testFrom: 0, testTo: 0 }
  return { ...times, train: trial(train), test: trial(test) }
}

describe("the out-of-sample share of the in-sample gain", () => {
  it("is a share of a gain", () => assert.strictEqual(efficiency([stepOf("10", "4"), stepOf("10", "-2")]), 0.1))

  it("is undefined if gains and losses in sample nearly cancel out", () =>
    assert.isUndefined(efficiency([stepOf("10", "-8"), stepOf("-9.5", "-0.5")])))

  it("is undefined if there is hardly a gain in sample", () => assert.isUndefined(efficiency([stepOf("0.5", "-8.51")])))
})
