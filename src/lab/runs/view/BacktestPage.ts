/** Renders the result of a backtest as a page with charts. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { Effect, FileSystem, Record } from "effect"
import { extremes } from "../../../candles/Candles.ts"
import { closeTime, openTime } from "../../../candles/TimeAxis.ts"
import { format } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { dayMillis } from "../../../domain/Durations.ts"
import type { Market } from "../../../domain/Market.ts"
import { fixed, utcDate } from "../../../domain/Text.ts"
import * as Page from "../../../report/Page.ts"
import { marketNames } from "../../../strategy/Strategy.ts"
import type { OrderRow } from "../../backtest/kernel/orders/OrderTable.ts"
import * as BandSide from "../../backtest/results/BandSide.ts"
import * as EquityCurve from "../../backtest/results/EquityCurve.ts"
import * as RoundTrips from "../../backtest/results/RoundTrips.ts"
import { falls } from "../../backtest/results/Statistics.ts"
import * as BacktestParts from "../../html/BacktestParts.ts"
import { polished } from "../../html/Figures.ts"
import { partsOf } from "../../html/HtmlPage.ts"
import type { BacktestResult } from "../BacktestRun.ts"
import * as BacktestSummary from "./BacktestSummary.ts"
import * as BandSummary from "./BandSummary.ts"
import * as DataSections from "./DataSections.ts"
import * as WhatItSays from "./WhatItSays.ts"

const points = 2000

const monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const monthsOf = ({ candles }: BacktestResult, { parts }: BandSide.BandSide): Page.PagePart => {
  const daily = BandSide.curve(parts, EquityCurve.sampleBars(candles, dayMillis))
  const profits = EquityCurve.madeOf(daily)
  const months = daily.map(({ time }) => utcDate(time - 1).slice(0, 7))
  const years = new Map<string, Array<Page.PageCell>>()
  let before = profits[0] ?? 0
  for (const [day, value] of profits.entries()) {
    const [year = "", month] = months[day]?.split("-") ?? []
    if (months[day] === months[day + 1]) continue
    const row = years.get(year) ?? [year, ...monthNames.map(() => "")]
    row[Number(month)] = Page.gain(fixed(before > 0 ? (value / before - 1) * 100 : 0, 1))
    years.set(year, row)
    before = value
  }
  const rows = [...years.values()]
  const isUsed = (_: Page.PageCell, column: number) => rows.some((row) => row[column] !== "")
  const usedRows = rows.map((row) => row.filter(isUsed))
  return Page.table(["", ...monthNames].filter(isUsed), usedRows)
}

export type BacktestCurves = ReturnType<typeof curves>

/** Series that `HtmlReportScript.ts` draws. Times are epoch seconds. */
export const curves = (result: BacktestResult) => {
  const { candles, band } = result
  const bars = EquityCurve.spread(candles, points)
  const sides = BacktestSummary.endsOf(band).map(({ name, side }) => ({
    name,
    curve: BandSide.curve(side.parts, bars)
  }))
  const first = sides[0]?.curve ?? []
  const untouched = first.map(({ hold }) => hold)
  const growth = EquityCurve.growth(band.high.parts, bars)
  const worth = BandSide.curve(band.high.parts, [0])[0]?.hold ?? 0
  return {
    times: first.map(({ time }) => time / 1000),
    /** The close, and the lowest and highest price since the previous time. */
    markets: band.high.parts.map(({ candles, market }) => {
      const ranges = bars.map((end, index) => extremes(candles, (bars[index - 1] ?? -1) + 1, end + 1))
      const [low, high] = [ranges.map(([least]) => least), ranges.map(([, greatest]) => greatest)]
      return { name: market.name, close: bars.map((bar) => candles.close[bar] ?? 0), low, high }
    }),
    untouched,
    untouchedDrawdown: falls(untouched),
    buyAndHold: growth.map((factor) => factor * worth),
    sides: sides.map(({ name, curve }) => {
      const equity = curve.map((point) => point.equity)
      return { name, equity, drawdown: falls(equity) }
    }),
    slots: result.shown.parts.flatMap(({ outcome }) => outcome.slotNames),
    whys: result.shown.parts.flatMap(({ outcome }) =>
      outcome.slotNames.map((_, slot) => polished(outcome.slotReasons[slot] ?? ""))
    ),
    ...ordersOf(result),
    /** Runs of bars that are `step` seconds apart: their first bars and times. */
    axis: {
      bars: [...candles.time.runBars],
      times: [...candles.time.runTimes].map((time) => time / 1000),
      step: candles.time.stepMillis / 1000
    }
  }
}

const bytes = (values: Int32Array | Float64Array): string =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64")

/** Writes long columns as bytes in base64. */
export const dataOf = ({ fills, stays, ...others }: BacktestCurves) => ({
  ...others,
  fills: Record.map(fills, bytes),
  stays: Record.map(stays, bytes)
})

type ReportOrder = readonly [slot: number, side: 0 | 1, price: number, base: string, quote: string, market: number]

/** Distinct orders. Fills and stays refer to them by index; they refer to slot and market by index. */
const orderIndex = () => {
  const orders: Array<ReportOrder> = []
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

const column = <K extends string>(rows: ReadonlyArray<{ readonly [Name in K]: number }>, name: K): Int32Array =>
  Int32Array.from(rows, (row) => row[name])

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
  const reached = Float64Array.from(filled, (fill) => fill.reached)
  return {
    fills: { bar: column(filled, "bar"), order: column(filled, "order"), reached },
    stays: { from: column(rested, "from"), to: column(rested, "to"), order: column(rested, "order") },
    orders
  }
}

const slotsOf = ({ shown }: BacktestResult): Page.PagePart => {
  const slots = shown.parts.flatMap(({ outcome, candles }) => {
    const inventories = RoundTrips.inventoryBySlot(outcome, candles)
    return [...RoundTrips.bySlot(outcome, candles)].map(([slot, { buys, gained, sells }]) => {
      const why = outcome.slotReasons[outcome.slotNames.indexOf(slot)] ?? ""
      return { name: `${slot}: ${why}`, buys, sells, gained, inventory: inventories.get(slot) ?? 0 }
    })
  })
  const rows = slots
    .toSorted((a, b) => b.gained - a.gained)
    .map(({ name, buys, sells, gained, inventory }) => [
      ...[name, `${buys}`, `${sells}`],
      ...[gained, inventory].map((money) => Page.gain(fixed(money)))
    ])
  return Page.table(["slot", "buys", "sells", "gained", "inventory"], rows)
}

const resultOf = (result: BacktestResult): ReadonlyArray<Page.PagePart> => {
  const ends = BacktestSummary.endsOf(result.band)
  const columns = ends.map(({ name, side }) => [name, BacktestSummary.resultFacts(result, side)] as const)
  const simulation = result.simulated && BacktestSummary.simulatedOf(result, result.simulated)
  const quantiles = simulation === undefined ? [] : BandSummary.columns(simulation)
  const limits = BacktestSummary.limitSentences(result)
  return [
    Page.sideBySide([...columns, ...quantiles, ...BacktestSummary.comparedColumns(result)]),
    Page.sentences(...limits, ...(simulation === undefined ? [] : BandSummary.sentences(simulation)))
  ]
}

/** Without `isFile`, lacks the statistics, which a terminal does not show. */
export const page = (result: BacktestResult, madeAt: number, isFile = true): Page.Page => {
  const { strategy, candles, band, fees } = result
  const ends = BacktestSummary.endsOf(band)
  const [from, to] = [openTime(candles.time, 0), closeTime(candles.time, candles.bars - 1)]
  const technical = ends.map(({ name, side }) => [name, BacktestSummary.technicalFacts(result, side, isFile)] as const)
  const took = `${result.wallMillis.toFixed(0)} ms, of which ${result.kernelMillis.toFixed(1)} ms simulation`
  const runNote = `Run: ${ends.find(({ side }) => side === result.shown)?.name ?? ""}`
  const markets = band.high.parts.map(({ market }) => market.name)
  return {
    title: `${strategy.name} on ${marketNames(strategy)}`,
    subtitle: `${strategy.kind} from ${strategy.file}, ${candles.bars} bars from ${utcDate(from)} to ${utcDate(to)}`,
    fees: [`${fees.isFree ? "[no fees] " : ""}${fees.sentence}`],
    headline: BacktestSummary.headline(result),
    says: [...WhatItSays.ofOne(result), ...(fees.isFree ? ["This run has no fees."] : [])],
    notes: [...result.warnings, ...result.calibrated],
    sections: [
      {
        title: "Equity",
        parts: [Page.figurePart(() => BacktestParts.equityCharts(strategy.market.quote.symbol))],
        note: `Times are UTC. More fills: an order fills when the price reaches it. Fewer fills: later, and only beyond it.${markets.length > 1 ? " Buy and hold: all markets in equal parts." : ""}`
      },
      {
        title: "Result",
        parts: resultOf(result),
        note: "Profit and return are measured against the untouched budget."
      },
      {
        title: "Price, orders and fills",
        parts: [Page.figurePart(() => BacktestParts.priceCharts(markets))],
        note: runNote
      },
      {
        title: "Monthly returns",
        parts: ends.map(({ name, side }) =>
          Page.figurePart(() => partsOf([Page.heading(name), monthsOf(result, side)]))
        ),
        note: "Percent, against the untouched budget"
      },
      {
        title: "Fills",
        parts: [Page.figurePart(() => BacktestParts.fillsTable(markets.length))],
        note: runNote,
        isFolded: true
      },
      {
        title: "Slots",
        parts: [Page.figurePart(() => partsOf([slotsOf(result)]))],
        note: `${runNote}. Gained: profit of each sale against the buy before it. Inventory: the position at the last price less its cost. Both in ${strategy.market.quote.symbol}.`,
        isFolded: true
      },
      ...DataSections.of(BacktestSummary.ruleSentences(result), result),
      { title: "Technical", parts: [Page.sideBySide(technical), Page.sentences(took)], isFolded: true },
      DataSections.run(strategy, [], madeAt)
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
