/** Renders the result of a backtest as a page with charts. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { Effect, FileSystem } from "effect"
import { extremes } from "../../../candles/Candles.ts"
import { closeTime, openTime } from "../../../candles/TimeAxis.ts"
import { format } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { dayMillis } from "../../../domain/Durations.ts"
import type { Market } from "../../../domain/Market.ts"
import { iso, percent, utcDate } from "../../../domain/Text.ts"
import * as Page from "../../../report/Page.ts"
import { marketNames } from "../../../strategy/Strategy.ts"
import { version } from "../../../version.ts"
import { describe } from "../../backtest/kernel/FillPresets.ts"
import type { OrderRow } from "../../backtest/kernel/orders/OrderTable.ts"
import * as BacktestLimits from "../../backtest/results/BacktestLimits.ts"
import * as BacktestStatistics from "../../backtest/results/BacktestStatistics.ts"
import * as BandSide from "../../backtest/results/BandSide.ts"
import * as EquityCurve from "../../backtest/results/EquityCurve.ts"
import { quantileNames } from "../../backtest/results/Quantiles.ts"
import * as RoundTrips from "../../backtest/results/RoundTrips.ts"
import { falls } from "../../backtest/results/Statistics.ts"
import * as BacktestParts from "../../html/BacktestParts.ts"
import type { BacktestResult } from "../BacktestRun.ts"
import * as BacktestSummary from "./BacktestSummary.ts"
import * as BandSummary from "./BandSummary.ts"
import * as DataSections from "./DataSections.ts"
import * as WhatItSays from "./WhatItSays.ts"

const points = 2000

const monthsOf = ({ candles }: BacktestResult, { parts }: BandSide.BandSide) => {
  const lastOfMonth = new Map<string, number>()
  const daily = BandSide.curve(parts, EquityCurve.sampleBars(candles, dayMillis))
  for (const { time, equity } of daily) lastOfMonth.set(utcDate(time - 1).slice(0, 7), equity)
  let before = daily[0]?.equity ?? 0
  return [...lastOfMonth].map(([month, equity]): readonly [string, number] => {
    const ratio = before > 0 ? equity / before - 1 : 0
    before = equity
    return [month, ratio]
  })
}

export const curves = (result: BacktestResult): BacktestParts.BacktestCurves => {
  const { candles, band } = result
  const bars = EquityCurve.spread(candles, points)
  const sides = BacktestSummary.endsOf(band).map(({ name, side }) => ({
    name,
    curve: BandSide.curve(side.parts, bars)
  }))
  const first = sides[0]?.curve ?? []
  return {
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
    sides: sides.map(({ name, curve }) => {
      const equity = curve.map((point) => point.equity)
      return { name, equity, drawdown: falls(equity) }
    }),
    slots: slotsOf(result),
    ...ordersOf(result),
    axis: {
      bars: [...candles.time.runBars],
      times: [...candles.time.runTimes].map((time) => time / 1000),
      step: candles.time.stepMillis / 1000
    }
  }
}

const orderIndex = () => {
  const orders: Array<BacktestParts.ReportOrder> = []
  const indices = new Map<OrderRow, number>()
  const indexOf = (row: OrderRow, { base, quote }: Market, market: number, firstSlot: number): number => {
    const rowIndex = indices.get(row)
    if (rowIndex !== undefined) return rowIndex
    const buys = row.side === "BUY"
    const [bought, sold] = buys ? [row.output, row.input] : [row.input, row.output]
    const amounts = [format(bought, base.decimals), format(sold, quote.decimals)] as const
    indices.set(row, orders.length)
    return orders.push([firstSlot + row.slot, buys ? 0 : 1, Decimal.toNumber(row.price), ...amounts, market]) - 1
  }
  return { orders, indexOf }
}

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

const slotsOf = ({ shown }: BacktestResult): ReadonlyArray<BacktestParts.ReportSlot> =>
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

const figureOf = (text: string): number => Number.parseFloat(text.replaceAll(",", ""))

const figuresOf = (result: BacktestResult): ReadonlyArray<Page.PagePart> => {
  const ends = BacktestSummary.endsOf(result.band)
  const columns = ends.map(({ name, side }) => {
    const { partFacts } = BacktestStatistics
    const ratios = BacktestSummary.ratioFacts(result, side)
    return [name, [...BacktestSummary.sideFacts(result, side), ...partFacts(side), ...ratios]] as const
  })
  const simulation = result.simulated && BacktestSummary.simulatedOf(result, result.simulated)
  const hasQuantiles = BacktestSummary.quantified(result) !== undefined
  const simulatedColumns = simulation === undefined || !hasQuantiles ? [] : [...BandSummary.columns(simulation)]
  const quantiles = (hasQuantiles ? quantileNames : []).map(
    (name) => [name, simulatedColumns.map(([label, values]) => [label, values[name]] as const)] as const
  )
  const sentences = simulation === undefined ? [] : [BandSummary.sentence(simulation)]
  const limits = ends.flatMap(({ name, side }) => BacktestLimits.sentences(name, side))
  const took = `${result.wallMillis.toFixed(0)} ms, of which ${result.kernelMillis.toFixed(1)} ms simulation`
  return [Page.sideBySide([...columns, ...quantiles]), Page.sentences(...sentences, ...limits, took)]
}

const statisticsOf = ({ band, trials }: BacktestResult): Page.PagePart =>
  Page.sideBySide(
    BacktestSummary.endsOf(band).map(({ name, side }) => [name, BacktestStatistics.facts(side, trials)] as const)
  )

/** Without `isFile` the page lacks the statistics, which a terminal does not show. */
export const page = (result: BacktestResult, madeAt: number, isFile = true): Page.Page => {
  const { strategy, candles, band, fees } = result
  const ends = BacktestSummary.endsOf(band)
  const [from, to] = [openTime(candles.time, 0), closeTime(candles.time, candles.bars - 1)]
  const sourceText = result.sources.every(({ source }) => source === "cache") ? "from the cache" : "parsed"
  const range = (factOf: (side: BandSide.BandSide) => string): string => {
    const [low = "", high = ""] = [band.low, band.high].map(factOf).sort((a, b) => figureOf(a) - figureOf(b))
    const unit = /(?: \S+)?$/.exec(high)?.[0] ?? ""
    if (low === high) return high
    return `${low.endsWith(unit) ? low.slice(0, low.length - unit.length) : low} to ${high}`
  }
  const runNote = `run: ${ends.find(({ side }) => side === result.shown)?.name ?? ""}`
  const markets = band.high.parts.map(({ market }) => market.name)
  const origin: Page.Facts = [
    ["strategy file", `${strategy.file}, SHA-256 ${strategy.hash}`],
    ["made", `${iso(madeAt)} by limitbot ${version}`]
  ]
  const rules = ends.flatMap(({ name, side }) => describe(side.rules).map((rule) => `${name}: ${rule}`))
  return {
    title: `${strategy.name} on ${marketNames(strategy)}`,
    subtitle: `${strategy.kind} from ${strategy.file}, ${candles.bars} bars from ${iso(from)} to ${iso(to)}, ${sourceText}`,
    fees: [`${fees.isFree ? "[no fees] " : ""}${fees.sentence}`],
    headline: [
      ["profit and loss", range((side) => BacktestSummary.profitText(result, side))],
      ...BacktestSummary.profitQuantiles(result),
      ...BacktestSummary.comparedFacts(result, band.high),
      ["largest drawdown", range(({ outcome }) => percent(outcome.maxDrawdown))],
      ["fills", range(({ fills }) => `${fills}`)]
    ],
    says: [...WhatItSays.ofOne(result), ...result.warnings, ...result.calibrated],
    sections: [
      { title: "Result", parts: figuresOf(result) },
      { title: "Equity", parts: [Page.figurePart(BacktestParts.equityCharts)] },
      {
        title: "Price, orders and fills",
        parts: [Page.figurePart(() => BacktestParts.priceCharts(markets))],
        note: runNote
      },
      { title: "Statistics", parts: isFile ? [statisticsOf(result)] : [], isPageOnly: true },
      {
        title: "Monthly returns",
        parts: ends.map(({ name, side }) =>
          Page.figurePart(() => BacktestParts.monthTable(name, monthsOf(result, side)))
        )
      },
      {
        title: "Slots",
        parts: [Page.figurePart(() => BacktestParts.slotTables(slotsOf(result)))],
        note: `${runNote}; gained: profit of each sale against the buy before it; inventory: the position at the last price less its cost; both in quote`
      },
      ...DataSections.of(rules, result.sources),
      {
        title: "Run",
        parts: [Page.facts(origin), Page.heading("Strategy file"), Page.file(strategy.text)],
        isPageOnly: true
      },
      { title: "Fills", parts: [Page.figurePart(() => BacktestParts.fillsTable(markets.length))], note: runNote }
    ]
  }
}

const libraryFile = Effect.fnUntraced(function* (name: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const beside = join(import.meta.dirname, name)
  const path = (yield* fileSystem.exists(beside))
    ? beside
    : join(dirname(createRequire(import.meta.url).resolve("uplot")), name)
  return yield* fileSystem.readFileString(path)
})

export const chartLibrary = Effect.gen(function* () {
  return { script: yield* libraryFile("uPlot.iife.min.js"), style: yield* libraryFile("uPlot.min.css") }
})
