/** The statistics of a run as labelled figures, and those of its buy and hold by the same labels. */

import { closeTime, openTime } from "../../candles/TimeAxis.ts"
import { dayMillis, hourMillis } from "../../domain/Durations.ts"
import { percent } from "../../domain/Text.ts"
import * as Backtest from "../Backtest.ts"
import * as EquityCurve from "./EquityCurve.ts"
import * as Exposure from "./Exposure.ts"
import * as RoundTrips from "./RoundTrips.ts"
import * as Statistics from "./Statistics.ts"

/** Days, or hours when there are few days. Where candles are missing there are fewer of them in a year. */
const sampled = ({ parts }: Backtest.BandSide) => {
  const [{ candles }] = parts
  const spanMillis = closeTime(candles.time, candles.bars - 1) - openTime(candles.time, 0)
  const periodMillis = spanMillis >= 20 * dayMillis ? dayMillis : hourMillis
  const curve = Backtest.curve(parts, EquityCurve.sampleBars(candles, periodMillis))
  return { curve, periodsPerYear: ((curve.length - 1) * 365 * dayMillis) / spanMillis }
}

export interface SideStatistics extends Statistics.Statistics {
  /** After so many trials; see `Statistics.deflatedAfter`. */
  readonly deflatedSharpe: number
}

const statistics = (equity: ReadonlyArray<number>, periodsPerYear: number, trials: number): SideStatistics => ({
  ...Statistics.of(equity, periodsPerYear),
  deflatedSharpe: Statistics.deflatedAfter(Statistics.returnsOf(equity), trials)
})

export const ofSide = (side: Backtest.BandSide, trials: number): SideStatistics => {
  const { curve, periodsPerYear } = sampled(side)
  const equity = curve.map((point) => point.equity)
  const { maxDrawdown } = side.outcome
  const found = statistics(equity, periodsPerYear, trials)
  return { ...found, maxDrawdown, calmar: maxDrawdown > 0 ? found.yearlyReturn / maxDrawdown : 0 }
}

const number = (value: number): string => value.toFixed(3)

const ratios = (found: SideStatistics, trials: number): ReadonlyArray<readonly [string, string]> => [
  ["total return", percent(found.totalReturn)],
  ["yearly return", percent(found.yearlyReturn)],
  ["yearly volatility", percent(found.volatility)],
  ["Sharpe", number(found.sharpe)],
  ["Sortino", number(found.sortino)],
  ["Calmar", number(found.calmar)],
  ["probability that Sharpe > 0", percent(found.probabilisticSharpe)],
  [`deflated Sharpe after ${trials} ${trials === 1 ? "trial" : "trials"}`, percent(found.deflatedSharpe)],
  ["skew of returns", number(found.skew)],
  ["kurtosis of returns", number(found.kurtosis)]
]

/** Everything that is said of one side. */
export const facts = (side: Backtest.BandSide, trials: number): ReadonlyArray<readonly [string, string]> => {
  const { counts, openOrders } = side
  const filled = counts.placed - counts.cancelled - openOrders
  const byMarket = side.parts.map(({ outcome, candles }) => RoundTrips.of(outcome, candles))
  const sum = (of: (trips: RoundTrips.RoundTrips) => number): number =>
    byMarket.reduce((total, trips) => total + of(trips), 0)
  const trips = sum((found) => found.trips)
  const grossLoss = sum((found) => found.grossLoss)
  const exposure = Exposure.of(side.parts)
  return [
    ...ratios(ofSide(side, trials), trials),
    ["round trips", `${trips}`],
    ["winning round trips", percent(trips === 0 ? 0 : sum(({ won }) => won) / trips)],
    ["profit factor", grossLoss === 0 ? "no loss" : number(sum(({ grossProfit }) => grossProfit) / grossLoss)],
    ["exposure: equity in base", percent(exposure.meanShare)],
    ["time in market", percent(exposure.timeInMarket)],
    ["fill ratio: orders filled", percent(counts.placed === 0 ? 0 : filled / counts.placed)]
  ]
}

/** The buy and hold. */
export const holdFacts = (side: Backtest.BandSide, trials: number): ReadonlyArray<readonly [string, string]> => {
  const { curve, periodsPerYear } = sampled(side)
  return ratios(
    statistics(
      curve.map(({ hold }) => hold),
      periodsPerYear,
      trials
    ),
    trials
  )
}
