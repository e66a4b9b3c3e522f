/** Lists the fills of a run as rows in order of time, for files, reports and tests. */

import type { Candles } from "../../../candles/Candles.ts"
import { openTime } from "../../../candles/TimeAxis.ts"
import { format } from "../../../domain/Amount.ts"
import * as Csv from "../../../domain/Csv.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Market } from "../../../domain/Market.ts"
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

export const together = <P extends { readonly outcome: Outcome; readonly candles: Candles }>(
  parts: ReadonlyArray<P>
): ReadonlyArray<{ readonly fill: FillRow; readonly part: P }> =>
  parts
    .flatMap((part) => Array.from(rows(part.outcome, part.candles), (fill) => ({ fill, part })))
    .toSorted((a, b) => a.fill.bar - b.fill.bar)

const titles = ["bar_index", "open_time_ms", "side", "slot", "price", "base", "quote"]

/** `base` and `quote` are the exchanged amounts: spent, and received after fees. */
const cellsOf = (market: Market, { bar, input, openTime, output, price, side, slotName }: FillRow) => {
  const [base, quote] = side === "BUY" ? [output, input] : [input, output]
  const amounts = [format(base, market.base.decimals), format(quote, market.quote.decimals)]
  return [bar, openTime, side, slotName, Decimal.format(price), ...amounts]
}

export const csv = (
  parts: ReadonlyArray<{ readonly outcome: Outcome; readonly candles: Candles; readonly market: Market }>
): string => {
  const named = (market: string) => (parts.length < 2 ? [] : [market])
  const lines = together(parts).map(({ fill, part: { market } }) => [...cellsOf(market, fill), ...named(market.name)])
  return Csv.render([...titles, ...named("market")], lines, "\n")
}
