/** From a backtest's result to what its HTML report shows. */

import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { Clock, Effect, FileSystem } from "effect"
import * as Backtest from "../../../backtest/Backtest.ts"
import { describe, notModelled } from "../../../backtest/kernel/FillPresets.ts"
import type { OrderRow } from "../../../backtest/kernel/orders/OrderTable.ts"
import * as BacktestLimits from "../../../backtest/results/BacktestLimits.ts"
import * as BacktestStatistics from "../../../backtest/results/BacktestStatistics.ts"
import * as EquityCurve from "../../../backtest/results/EquityCurve.ts"
import * as RoundTrips from "../../../backtest/results/RoundTrips.ts"
import { falls } from "../../../backtest/results/Statistics.ts"
import { extremes } from "../../../candles/Candles.ts"
import { closeTime, gaps, openTime } from "../../../candles/TimeAxis.ts"
import { format } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { dayMillis } from "../../../domain/Durations.ts"
import type { Market } from "../../../domain/Market.ts"
import { grouped, iso, percent, utcDate } from "../../../domain/Text.ts"
import type * as HtmlPage from "../../../report/html/HtmlPage.ts"
import * as HtmlReport from "../../../report/html/HtmlReport.ts"
import { marketNames } from "../../../strategy/Strategy.ts"
import { version } from "../../../version.ts"
import type { BacktestResult } from "../BacktestRun.ts"
import type { Source } from "../RunCandles.ts"
import * as BacktestSummary from "./BacktestSummary.ts"
import * as WhatItSays from "./WhatItSays.ts"

const points = 2000

const monthsOf = ({ candles }: BacktestResult, { parts }: Backtest.BandSide) => {
  const lastOfMonth = new Map<string, number>()
  const daily = Backtest.curve(parts, EquityCurve.sampleBars(candles, dayMillis))
  for (const { time, equity } of daily) lastOfMonth.set(utcDate(time - 1).slice(0, 7), equity)
  let before = daily[0]?.equity ?? 0
  return [...lastOfMonth].map(([month, equity]): readonly [string, number] => {
    const ratio = before > 0 ? equity / before - 1 : 0
    before = equity
    return [month, ratio]
  })
}

const sideOf = (
  result: BacktestResult,
  { name, side }: { readonly name: string; readonly side: Backtest.BandSide },
  curve: ReadonlyArray<EquityCurve.EquityPoint>
): HtmlReport.ReportSide => {
  const equity = curve.map((point) => point.equity)
  return {
    name,
    facts: BacktestSummary.sideFacts(result, side),
    statistics: BacktestStatistics.facts(side, result.trials),
    rules: describe(side.rules),
    limits: BacktestLimits.sentences(name, side),
    equity,
    drawdown: falls(equity),
    months: monthsOf(result, side)
  }
}

/** Distinct orders of all markets, each once; events refer to them by index. */
const orderIndex = () => {
  const orders: Array<HtmlReport.ReportOrder> = []
  const known = new Map<OrderRow, number>()
  const indexOf = (row: OrderRow, { base, quote }: Market, market: number, firstSlot: number): number => {
    const found = known.get(row)
    if (found !== undefined) return found
    const buys = row.side === "BUY"
    const [bought, sold] = buys ? [row.output, row.input] : [row.input, row.output]
    const amounts = [format(bought, base.decimals), format(sold, quote.decimals)] as const
    known.set(row, orders.length)
    return orders.push([firstSlot + row.slot, buys ? 0 : 1, Decimal.toNumber(row.price), ...amounts, market]) - 1
  }
  return { orders, indexOf }
}

/** Fills in the order of their bars; within a bar, market by market. */
const ordersOf = ({ shown: { parts } }: BacktestResult) => {
  const { orders, indexOf } = orderIndex()
  const filled: Array<{ readonly bar: number; readonly order: number; readonly reached: number }> = []
  const rested: Array<{ readonly from: number; readonly to: number; readonly order: number }> = []
  let firstSlot = 0
  for (const [index, { market, candles, outcome }] of parts.entries()) {
    const { fills, stays, table, slotNames } = outcome
    for (let fill = 0; fill < fills.count; fill++) {
      const [bar, row] = [fills.bars[fill] ?? 0, table.rows[fills.orders[fill] ?? -1]]
      if (row === undefined) continue
      const reached = (row.side === "BUY" ? candles.low[bar] : candles.high[bar]) ?? 0
      filled.push({ bar, order: indexOf(row, market, index, firstSlot), reached })
    }
    for (const { row, from, to } of stays) rested.push({ from, to, order: indexOf(row, market, index, firstSlot) })
    firstSlot += slotNames.length
  }
  if (parts.length > 1) filled.sort((a, b) => a.bar - b.bar)
  return {
    fills: {
      bar: Int32Array.from(filled, ({ bar }) => bar),
      order: Int32Array.from(filled, ({ order }) => order),
      reached: Float64Array.from(filled, ({ reached }) => reached)
    },
    stays: {
      from: Int32Array.from(rested, ({ from }) => from),
      to: Int32Array.from(rested, ({ to }) => to),
      order: Int32Array.from(rested, ({ order }) => order)
    },
    orders
  }
}

const slotsOf = ({ shown }: BacktestResult): ReadonlyArray<HtmlReport.ReportSlot> =>
  shown.parts.flatMap(({ outcome, candles }) => {
    const bySlot = RoundTrips.bySlot(outcome, candles)
    const inventoryBySlot = RoundTrips.inventoryBySlot(outcome, candles)
    return outcome.slotNames.map((slot, index) => {
      const trips = bySlot.get(slot)
      const why = outcome.slotReasons[index] ?? ""
      const inventory = inventoryBySlot.get(slot)?.toFixed(2) ?? ""
      const gained = (trips?.gained ?? 0).toFixed(2)
      return { slot, why, buys: trips?.buys ?? 0, sells: trips?.sells ?? 0, gained, inventory }
    })
  })

/** What the data contains, what was repaired and what is missing; with several markets each is named. */
export const qualityOf = (sources: BacktestResult["sources"]): HtmlPage.Facts =>
  sources.length === 1
    ? qualityOfOne(sources[0])
    : sources.flatMap((source) =>
        qualityOfOne(source).map(([label, value]) => [`${source.market.name} ${label}`, value] as const)
      )

const qualityOfOne = ({ candles, data, sha256, repaired }: Source): HtmlPage.Facts => {
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

const figureOf = (text: string): number => Number.parseFloat(text.replaceAll(",", ""))

export const report = (result: BacktestResult, madeAt: number): HtmlReport.ReportPage => {
  const { strategy, candles, band } = result
  const bars = EquityCurve.spread(candles, points)
  const ends = BacktestSummary.endsOf(band)
  const curves = ends.map(({ side }) => Backtest.curve(side.parts, bars))
  const first = curves[0] ?? []
  const [from, to] = [openTime(candles.time, 0), closeTime(candles.time, candles.bars - 1)]
  const range = (factOf: (side: Backtest.BandSide) => string): string => {
    const [low = "", high = ""] = [band.low, band.high].map(factOf).sort((a, b) => figureOf(a) - figureOf(b))
    const unit = /(?: \S+)?$/.exec(high)?.[0] ?? ""
    if (low === high) return high
    return `${low.endsWith(unit) ? low.slice(0, low.length - unit.length) : low} to ${high}`
  }
  return {
    title: `${strategy.name} on ${marketNames(strategy)}`,
    subtitle: `${strategy.kind} from ${strategy.file}, ${utcDate(from)} to ${utcDate(to)}, ${grouped(`${candles.bars}`)} bars`,
    headline: [
      ["profit and loss", range((side) => BacktestSummary.profitText(result, side))],
      ...BacktestSummary.profitQuantiles(result),
      ...BacktestSummary.comparedFacts(result, band.high),
      ["largest drawdown", range(({ outcome }) => percent(outcome.maxDrawdown))],
      ["fills", range(({ fills }) => `${fills}`)]
    ],
    says: WhatItSays.ofOne(result),
    facts: [
      ["strategy file", `${strategy.file}, SHA-256 ${strategy.hash}`],
      ["fees", result.fees.sentence],
      ["made", `${iso(madeAt)} by limitbot ${version}`],
      ...BacktestSummary.simulationFacts(result),
      ["simulation", `${result.kernelMillis.toFixed(1)} ms`]
    ],
    badge: result.fees.isFree ? "no fees" : undefined,
    fees: result.fees.sentence,
    text: strategy.text,
    quality: qualityOf(result.sources),
    sides: ends.map((end, index) => sideOf(result, end, curves[index] ?? [])),
    times: first.map(({ time }) => time / 1000),
    markets: band.high.parts.map(({ candles, market }) => {
      const ranges = bars.map((end, index) => extremes(candles, (bars[index - 1] ?? -1) + 1, end + 1))
      return {
        name: market.name,
        close: bars.map((bar) => candles.close[bar] ?? 0),
        low: ranges.map(([low]) => low),
        high: ranges.map(([, high]) => high)
      }
    }),
    hold: first.map(({ hold }) => hold),
    slots: slotsOf(result),
    shown: ends.find(({ side }) => side === result.shown)?.name ?? "",
    ...ordersOf(result),
    axis: {
      bars: [...candles.time.runBars],
      times: [...candles.time.runTimes].map((time) => time / 1000),
      step: candles.time.stepMillis / 1000
    },
    holdStatistics: BacktestStatistics.holdFacts(band.high, result.trials),
    calibrated: result.calibrated,
    notModelled,
    warnings: result.warnings
  }
}

/** The chart library's files are beside a bundled program, or in its package. */
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
export const html = (result: BacktestResult) =>
  Effect.gen(function* () {
    const library = yield* chartLibrary
    return HtmlReport.render(report(result, yield* Clock.currentTimeMillis), library)
  })
