/** From a backtest's result to what its HTML report shows. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { DateTime, Effect, FileSystem } from "effect"
import type * as Backtest from "../backtest/Backtest.ts"
import * as EquityCurve from "../backtest/EquityCurve.ts"
import { describe, notModelled } from "../backtest/FillModel.ts"
import type { OrderRow } from "../backtest/OrderTable.ts"
import * as RoundTrips from "../backtest/RoundTrips.ts"
import { closeTime, gaps, openTime } from "../backtest/TimeAxis.ts"
import { format } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import type * as HtmlPage from "../report/HtmlPage.ts"
import * as HtmlReport from "../report/HtmlReport.ts"
import * as BacktestStatistics from "./BacktestStatistics.ts"
import * as BacktestSummary from "./BacktestSummary.ts"

const points = 2000

const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))
const day = (millis: number): string => iso(millis).slice(0, 10)
const percent = (ratio: number): string => `${(ratio * 100).toFixed(2)} %`

/** Fall of each value from the highest before it. */
export const drawdowns = (equity: ReadonlyArray<number>): ReadonlyArray<number> => {
  let peak = Number.NEGATIVE_INFINITY
  return equity.map((value) => {
    peak = Math.max(peak, value)
    return peak > 0 ? value / peak - 1 : 0
  })
}

const monthsOf = (result: BacktestSummary.Result, side: Backtest.Side) => {
  const { candles, strategy } = result
  const conditions = { market: strategy.market, budget: strategy.limits.budget }
  const lastOfMonth = new Map<string, number>()
  const daily = EquityCurve.at(side.outcome, candles, conditions, EquityCurve.sampleBars(candles, 86_400_000))
  for (const { time, equity } of daily) lastOfMonth.set(day(time - 1).slice(0, 7), equity)
  let before = daily[0]?.equity ?? 0
  return [...lastOfMonth].map(([month, equity]): readonly [string, number] => {
    const ratio = before > 0 ? equity / before - 1 : 0
    before = equity
    return [month, ratio]
  })
}

const sideOf = (
  result: BacktestSummary.Result,
  side: Backtest.Side,
  curve: ReadonlyArray<EquityCurve.EquityPoint>
): HtmlReport.ReportSide => {
  const equity = curve.map((point) => point.equity)
  return {
    name: side.mode,
    facts: BacktestSummary.sideFacts(result, side),
    statistics: BacktestStatistics.facts(result, side, result.trials),
    rules: describe(side.rules),
    equity,
    drawdown: drawdowns(equity),
    months: monthsOf(result, side)
  }
}

/** Distinct orders once, and what happened to them by their index. */
const ordersOf = ({ strategy, candles, shown }: BacktestSummary.Result) => {
  const { base, quote } = strategy.market
  const { fills, stays, table } = shown.outcome
  const orders: Array<HtmlReport.ReportOrder> = []
  const known = new Map<OrderRow, number>()
  const indexOf = (row: OrderRow): number => {
    const found = known.get(row)
    if (found !== undefined) return found
    const buys = row.side === "BUY"
    const [bought, sold] = buys ? [row.output, row.input] : [row.input, row.output]
    const amounts = [format(bought, base.decimals), format(sold, quote.decimals)] as const
    known.set(row, orders.length)
    return orders.push([row.slot, buys ? 0 : 1, Decimal.toNumber(row.price), ...amounts]) - 1
  }
  const bars = fills.bars.slice(0, fills.count)
  const rows = Array.from(fills.orders.subarray(0, fills.count), (order) => table.rows[order])
  return {
    fills: {
      bar: bars,
      order: Int32Array.from(rows, (row) => (row === undefined ? 0 : indexOf(row))),
      reached: Float64Array.from(rows, (row, index) => {
        const bar = bars[index] ?? 0
        return (row?.side === "BUY" ? candles.low[bar] : candles.high[bar]) ?? 0
      })
    },
    stays: {
      from: Int32Array.from(stays, ({ from }) => from),
      to: Int32Array.from(stays, ({ to }) => to),
      order: Int32Array.from(stays, ({ row }) => indexOf(row))
    },
    orders
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

/** What is in the data, what was mended and what is missing. */
export const qualityOf = ({
  candles,
  data,
  sha256,
  repaired
}: Pick<BacktestSummary.Result, "candles" | "data" | "sha256" | "repaired">): HtmlPage.Facts => {
  const missing = gaps(candles.time)
  const mended = Object.entries(repaired).filter(([, count]) => count > 0)
  const [from, to] = [openTime(candles.time, 0), closeTime(candles.time, candles.bars - 1)]
  return [
    ["file", `${data}, SHA-256 ${sha256}`],
    ["candles", `${candles.bars} of ${candles.time.stepMillis / 1000} s, ${iso(from)} to ${iso(to)}`],
    [
      "gaps",
      missing.count === 0
        ? "none"
        : `${missing.count}, ${missing.bars} bars missing, the longest ${missing.longestMillis / 60_000} min`
    ],
    ["repaired", mended.length === 0 ? "nothing" : mended.map(([name, count]) => `${name} ${count}`).join(", ")]
  ]
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
  const range = (factOf: (side: Backtest.Side) => string): string => {
    const [low = "", high = ""] = [band.low, band.high]
      .map(factOf)
      .sort((a, b) => Number.parseFloat(a) - Number.parseFloat(b))
    const unit = /(?: \S+)?$/.exec(high)?.[0] ?? ""
    if (low === high) return high
    return `${low.endsWith(unit) ? low.slice(0, low.length - unit.length) : low} to ${high}`
  }
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
      ["simulation", `${result.kernelMillis.toFixed(1)} ms`]
    ],
    quality: qualityOf(result),
    sides: sides.map((side, index) => sideOf(result, side, curves[index] ?? [])),
    times: first.map(({ time }) => time / 1000),
    close: first.map(({ close }) => close),
    ...extremes(result, bars),
    hold: first.map(({ hold }) => hold),
    slots: slotsOf(result),
    shown: result.shown.mode,
    ...ordersOf(result),
    axis: {
      bars: [...candles.time.runBars],
      times: [...candles.time.runTimes].map((time) => time / 1000),
      step: candles.time.stepMillis / 1000
    },
    holdStatistics: BacktestStatistics.holdFacts(result, band.high, result.trials),
    calibrated: result.calibrated,
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

export const chartLibrary = Effect.gen(function* () {
  return { script: yield* libraryFile("uPlot.iife.min.js"), style: yield* libraryFile("uPlot.min.css") }
})

/** The report as a file's content. */
export const html = (result: BacktestSummary.Result) =>
  Effect.map(chartLibrary, (library) => HtmlReport.render(report(result), library))
