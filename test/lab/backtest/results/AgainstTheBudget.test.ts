/** Ratios of a strategy are those of what it made, and not of the market that its budget is in. */
import { assert, describe, it } from "@effect/vitest"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../../src/candles/Generate.ts"
import { noCosts } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import * as BacktestStatistics from "../../../../src/lab/backtest/results/BacktestStatistics.ts"
import * as BandSide from "../../../../src/lab/backtest/results/BandSide.ts"
import { efficiency, type WalkStep } from "../../../../src/lab/backtest/search/WalkForward.ts"
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
