/** From a backtest's result to what its HTML report shows. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { DateTime, Effect, FileSystem } from "effect"
import type * as Backtest from "../backtest/Backtest.ts"
import * as EquityCurve from "../backtest/EquityCurve.ts"
import { describe, notModelled } from "../backtest/FillModel.ts"
import * as FillRows from "../backtest/FillRows.ts"
import * as RoundTrips from "../backtest/RoundTrips.ts"
import { closeTime, gaps, openTime } from "../backtest/TimeAxis.ts"
import { format } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import * as HtmlReport from "../report/HtmlReport.ts"
import * as BacktestSummary from "./BacktestSummary.ts"

const points = 2000

const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))
const day = (millis: number): string => iso(millis).slice(0, 10)
const percent = (ratio: number): string => `${(ratio * 100).toFixed(2)} %`
const number = (value: number): string => value.toFixed(3)

/** Fall of each value from the highest before it. */
const drawdowns = (equity: ReadonlyArray<number>): ReadonlyArray<number> => {
  let peak = Number.NEGATIVE_INFINITY
  return equity.map((value) => {
    peak = Math.max(peak, value)
    return peak > 0 ? value / peak - 1 : 0
  })
}

const monthsOf = (result: BacktestSummary.Result, side: Backtest.Side) => {
  const { candles, strategy } = result
  const conditions = { market: strategy.market, budget: strategy.limits.budget }
  const ends = EquityCurve.periodEnds(candles, 86_400_000)
  const lastOfMonth = new Map<string, number>()
  const daily = EquityCurve.at(side.outcome, candles, conditions, [0, ...ends])
  for (const { time, equity } of daily) lastOfMonth.set(day(time - 1).slice(0, 7), equity)
  let before = daily[0]?.equity ?? 0
  return [...lastOfMonth].map(([month, equity]): readonly [string, number] => {
    const ratio = before > 0 ? equity / before - 1 : 0
    before = equity
    return [month, ratio]
  })
}

/** Mean share of equity that is held in base. */
const exposureOf = (curve: ReadonlyArray<EquityCurve.EquityPoint>): number =>
  curve.reduce((sum, { base, close, equity }) => sum + (equity > 0 ? (base * close) / equity : 0), 0) /
  Math.max(1, curve.length)

const sideOf = (
  result: BacktestSummary.Result,
  side: Backtest.Side,
  curve: ReadonlyArray<EquityCurve.EquityPoint>
): HtmlReport.ReportSide => {
  const statistics = BacktestSummary.statisticsOf(result, side)
  const equity = curve.map((point) => point.equity)
  const trips = RoundTrips.of(side.outcome, result.candles)
  const { counts, fills } = side.outcome
  return {
    name: side.mode,
    facts: BacktestSummary.sideFacts(result, side),
    statistics: [
      ["total return", percent(statistics.totalReturn)],
      ["yearly return", percent(statistics.yearlyReturn)],
      ["yearly volatility", percent(statistics.volatility)],
      ["Sharpe", number(statistics.sharpe)],
      ["Sortino", number(statistics.sortino)],
      ["Calmar", number(statistics.calmar)],
      ["probability that the Sharpe ratio is above 0", percent(statistics.probabilisticSharpe)],
      ["skew, kurtosis of returns", `${number(statistics.skew)}, ${number(statistics.kurtosis)}`],
      ["round trips, of these won", `${trips.trips}, ${percent(trips.trips === 0 ? 0 : trips.won / trips.trips)}`],
      ["profit factor", trips.grossLoss === 0 ? "no loss" : number(trips.grossProfit / trips.grossLoss)],
      ["exposure: share of equity in base", percent(exposureOf(curve))],
      ["fills per order placed", percent(counts.placed === 0 ? 0 : fills.count / counts.placed)]
    ],
    rules: describe(side.rules),
    equity,
    drawdown: drawdowns(equity),
    months: monthsOf(result, side)
  }
}

const fillsOf = (result: BacktestSummary.Result): HtmlReport.ReportFills => {
  const { strategy, candles, shown } = result
  const { base, quote } = strategy.market
  const rows = [...FillRows.rows(shown.outcome, candles)]
  return {
    time: rows.map(({ openTime }) => openTime / 1000),
    buys: rows.map(({ side }) => side === "BUY"),
    slot: rows.map(({ slot }) => slot),
    price: rows.map(({ price }) => Decimal.toNumber(price)),
    reached: rows.map(({ side, bar }) => (side === "BUY" ? candles.low[bar] : candles.high[bar]) ?? 0),
    base: rows.map(({ side, input, output }) => format(side === "BUY" ? output : input, base.decimals)),
    quote: rows.map(({ side, input, output }) => format(side === "BUY" ? input : output, quote.decimals))
  }
}

const slotsOf = ({ shown, candles }: BacktestSummary.Result): ReadonlyArray<HtmlReport.ReportSlot> => {
  const { bySlot } = RoundTrips.of(shown.outcome, candles)
  return shown.outcome.slotNames.map((slot, index) => {
    const trips = bySlot.get(slot)
    const why = shown.outcome.slotReasons[index] ?? ""
    return { slot, why, buys: trips?.buys ?? 0, sells: trips?.sells ?? 0, gained: (trips?.gained ?? 0).toFixed(2) }
  })
}

/** Lowest low and highest high of the bars up to each of these, from the one before. */
const extremes = ({ candles }: BacktestSummary.Result, bars: ReadonlyArray<number>) => {
  const [low, high]: [Array<number>, Array<number>] = [[], []]
  for (const [index, end] of bars.entries()) {
    let [least, greatest] = [Number.POSITIVE_INFINITY, 0]
    for (let bar = (bars[index - 1] ?? -1) + 1; bar <= end; bar++) {
      least = Math.min(least, candles.low[bar] ?? least)
      greatest = Math.max(greatest, candles.high[bar] ?? greatest)
    }
    low.push(least)
    high.push(greatest)
  }
  return { low, high }
}

export const report = (result: BacktestSummary.Result): HtmlReport.Report => {
  const { strategy, candles, band } = result
  const conditions = { market: strategy.market, budget: strategy.limits.budget }
  const bars = EquityCurve.spread(candles, points)
  const sides = band.low === band.high ? [band.low] : [band.high, band.low]
  const curves = sides.map((side) => EquityCurve.at(side.outcome, candles, conditions, bars))
  const first = curves[0] ?? []
  const [from, to] = [openTime(candles.time, 0), closeTime(candles.time, candles.bars - 1)]
  const missing = gaps(candles.time)
  const range = (factOf: (side: Backtest.Side) => string): string =>
    [...new Set([band.low, band.high].map(factOf))].join(" to ")
  return {
    title: `${strategy.name} on ${strategy.market.name}`,
    subtitle: `${strategy.kind} from ${strategy.file}, ${day(from)} to ${day(to)}, ${candles.bars} bars`,
    headline: [
      ["profit and loss", range((side) => BacktestSummary.pnlText(result, side))],
      ["the budget left alone", BacktestSummary.holdText(result, band.high)],
      ["largest drawdown", range(({ outcome }) => percent(outcome.maxDrawdown))],
      ["fills", range(({ outcome }) => `${outcome.fills.count}`)]
    ],
    facts: [
      ["strategy file", `${strategy.file}, SHA-256 ${strategy.hash}`],
      ["data", `${result.data}, SHA-256 ${result.sha256}`],
      ["gaps", `${missing.count}, ${missing.bars} bars missing`],
      ["time", `${iso(from)} to ${iso(to)}`],
      ["simulation", `${result.kernelMillis.toFixed(1)} ms`]
    ],
    sides: sides.map((side, index) => sideOf(result, side, curves[index] ?? [])),
    times: first.map(({ time }) => time / 1000),
    close: first.map(({ close }) => close),
    ...extremes(result, bars),
    hold: first.map(({ hold }) => hold),
    slots: slotsOf(result),
    fills: fillsOf(result),
    notModelled,
    warnings: result.warnings
  }
}

/** The chart library's files lie beside a bundled program, or in its package. */
const libraryFile = Effect.fnUntraced(function* (name: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const beside = join(import.meta.dirname, name)
  const found = (yield* fileSystem.exists(beside))
    ? beside
    : join(dirname(createRequire(import.meta.url).resolve("uplot")), name)
  return yield* fileSystem.readFileString(found)
})

/** The report as a file's content. */
export const html = Effect.fn("BacktestReport.html")(function* (result: BacktestSummary.Result) {
  const [script, style] = [yield* libraryFile("uPlot.iife.min.js"), yield* libraryFile("uPlot.min.css")]
  return HtmlReport.render(report(result), { script, style })
})
