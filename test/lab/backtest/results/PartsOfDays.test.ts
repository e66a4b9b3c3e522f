/** Data that begin and end within a day: what their statistics say beside those of whole days. */
import { assert, describe, it } from "@effect/vitest"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../../src/candles/Generate.ts"
import { dayMillis } from "../../../../src/domain/Durations.ts"
import { noCosts } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import * as BacktestStatistics from "../../../../src/lab/backtest/results/BacktestStatistics.ts"
import * as BandSide from "../../../../src/lab/backtest/results/BandSide.ts"
import * as EquityCurve from "../../../../src/lab/backtest/results/EquityCurve.ts"
import * as Statistics from "../../../../src/lab/backtest/results/Statistics.ts"
import { strategyOf } from "../../../strategy/support.ts"
import { runOneMarket } from "../../../world/oneMarket.ts"

const strategy = strategyOf(`name: test
market: BTC/USDC
kind: grid
limits: { budget: { base: 1, quote: 9000 } }
grid: { lower: 900, upper: 1100, levels: 21, size: { base: 0.1 } }
`)

/** So many hours from an hour of a day on. */
const found = (fromHour: number, hours: number) => {
  const startMillis = Date.UTC(2021, 0, 1, fromHour)
  const candles = Generate.generate({ bars: hours * 4, seed: 5, startMillis, stepMillis: 900_000, startPrice: 1_000 })
  const indices = CrossingIndex.linearIndices(candles)
  const side = runOneMarket(strategy, candles, indices, "optimistic", { costs: noCosts, changes: {} })
  const curve = BandSide.curve(side.parts, EquityCurve.sampleBars(candles, dayMillis))
  const returns = Statistics.returnsOf(EquityCurve.madeOf(curve))
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length
  const squares = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { ...BacktestStatistics.ofSide(side, 1), deviation: Math.sqrt(squares / (returns.length - 1)) }
}

describe("statistics of parts of days", () => {
  it("count a year as 365 days if the data begin and end at noon", () => {
    for (const [fromHour, hours, periods] of [
      [0, 40 * 24, 40],
      [12, 40 * 24, 41],
      [23, 38 * 24 + 2, 40]
    ] as const) {
      const of = found(fromHour, hours)
      assert.strictEqual(of.periods, periods)
      assert.closeTo(of.volatility, of.deviation * Math.sqrt(365), 1e-12)
      assert.closeTo(of.yearlyReturn, (1 + of.totalReturn) ** (365 / (hours / 24)) - 1, 1e-9)
    }
  })
})
