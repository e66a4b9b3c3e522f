/** Lists the fills of a run as rows in order of time, for files, reports and tests. */
import { type Candles, closeAt } from "../../../candles/Candles.ts"
import { closeTime, firstBarFrom, openTime } from "../../../candles/TimeAxis.ts"
import { format } from "../../../domain/Amount.ts"
import * as Csv from "../../../domain/Csv.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Market } from "../../../domain/Market.ts"
import { freshMillis, markoutNames, markoutsOf } from "../../../ledger/Quality.ts"
import type { Outcome } from "../kernel/Outcome.ts"
import { type OrderRow, quoteSide } from "../kernel/orders/OrderTable.ts"
import type { Part } from "./BandSide.ts"

export interface FillRow extends OrderRow {
  readonly bar: number
  readonly openTime: number
  readonly slotName: string
}

export function* rows(outcome: Outcome, candles: Candles): Generator<FillRow> {
  const { fills, table, slotNames } = outcome
  for (let index = 0; index < fills.count; index++) {
    const bar = fills.bars[index] ?? 0
    const row = table.rows[fills.orders[index] ?? -1]
    if (row !== undefined)
      yield { ...row, bar, openTime: openTime(candles.time, bar), slotName: slotNames[row.slot] ?? "" }
  }
}

export type FilledPart = Pick<Part, "outcome" | "candles" | "market">

export const together = (parts: ReadonlyArray<FilledPart>) =>
  parts
    .flatMap((part) => Array.from(rows(part.outcome, part.candles), (fill) => ({ fill, part })))
    .toSorted((a, b) => a.fill.bar - b.fill.bar)

/**
 * Measures moves of the closes in favour of fills, as in live trading. A fill has the opening time of its bar. On minutes, the bar's own
 * close is therefore the mark after one minute; longer bars have no mark so soon.
 */
const markouts = (fills: ReturnType<typeof together>) => {
  const marked = fills.map(({ fill, part: { candles, market } }) => ({
    ...{ at: fill.openTime, side: fill.side, bar: fill.bar, candles },
    quantity: Number(fill.side === "BUY" ? fill.output + fill.fee : fill.input) / 10 ** market.base.decimals,
    value: Number(quoteSide(fill)) / 10 ** market.quote.decimals
  }))
  return markoutsOf(marked, ({ bar, candles }, at) => {
    const { time } = candles
    const last = firstBarFrom(time, at - time.stepMillis + 1) - 1
    return last >= bar && at - closeTime(time, last) <= freshMillis ? closeAt(candles, last) : undefined
  })
}

export const markoutsIn = (parts: ReadonlyArray<FilledPart>) => markouts(together(parts))

const titles = ["bar_index", "open_time_ms", "side", "slot", "price", "base", "quote"]

/** `base` and `quote` are the exchanged amounts: spent, and received after fees. */
const cellsOf = (market: Market, { bar, input, openTime, output, price, side, slotName }: FillRow) => {
  const [base, quote] = side === "BUY" ? [output, input] : [input, output]
  const amounts = [format(base, market.base.decimals), format(quote, market.quote.decimals)]
  return [bar, openTime, side, slotName, Decimal.format(price), ...amounts]
}

export const csv = (parts: ReadonlyArray<FilledPart>): string => {
  const marketCells = (market: string) => (parts.length < 2 ? [] : [market])
  const lines = together(parts).map((row) => {
    const { market } = row.part
    const later = markouts([row])
    return [...cellsOf(market, row.fill), ...marketCells(market.name), ...markoutNames.map((name) => later[name] ?? "")]
  })
  const heads = [...titles, ...marketCells("market"), ...markoutNames.map((name) => `markout_${name}`)]
  return Csv.render(heads, lines, "\n")
}
