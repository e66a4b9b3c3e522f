/** The fills of a run as rows, in the order of their happening: for files, reports and tests. */

import type { Candles } from "../../candles/Candles.ts"
import { openTime } from "../../candles/TimeAxis.ts"
import { format } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market } from "../../domain/Market.ts"
import { csvCell } from "../../domain/Text.ts"
import type { Outcome } from "../kernel/Outcome.ts"
import type { OrderRow } from "../kernel/orders/OrderTable.ts"

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

/** The fills of several markets over the same bars: bar by bar, and market by market within a bar. */
export const together = <P extends { readonly outcome: Outcome; readonly candles: Candles }>(
  parts: ReadonlyArray<P>
): ReadonlyArray<{ readonly fill: FillRow; readonly part: P }> =>
  parts
    .flatMap((part) => Array.from(rows(part.outcome, part.candles), (fill) => ({ fill, part })))
    .toSorted((a, b) => a.fill.bar - b.fill.bar)

export const csvHeader = "bar_index,open_time_ms,side,slot,price,base,quote"

/** `base` and `quote` are what changed hands: spent, and received after fees. */
export const csvLine = (market: Market, fill: FillRow): string => {
  const [base, quote] = fill.side === "BUY" ? [fill.output, fill.input] : [fill.input, fill.output]
  const amounts = [format(base, market.base.decimals), format(quote, market.quote.decimals)]
  return [fill.bar, fill.openTime, fill.side, csvCell(fill.slotName), Decimal.format(fill.price), ...amounts].join(",")
}

/** With several markets, the market is a separate column. */
export const csv = (
  parts: ReadonlyArray<{ readonly outcome: Outcome; readonly candles: Candles; readonly market: Market }>
): string => {
  const hasOne = parts.length < 2
  const lines = together(parts).map(({ fill, part: { market } }) => {
    const line = csvLine(market, fill)
    return hasOne ? line : `${line},${market.name}`
  })
  return [hasOne ? csvHeader : `${csvHeader},market`, ...lines, ""].join("\n")
}
