/**
 * Equity over time, beside the value of holding the same capital: one row at the end of each hour in which the bot saw a price. These are
 * statistics, rounded to the decimals of the currency. Exact money is in the other tables.
 */
import { hourMillis, minuteMillis } from "../../domain/Durations.ts"
import { iso } from "../../domain/Text.ts"
import type { Decimals } from "../PlainText.ts"
import type { Minutes } from "../Quality.ts"
import { type Close, curve } from "../Returns.ts"
import type { TradingRecord } from "../Trades.ts"
import type { Period, Table } from "./Tables.ts"

const hourly = (minutes: Minutes): ReadonlyArray<Close> => {
  const ends = [...minutes.values()].map((all) => (all.at(-1)?.openedAt ?? 0) + minuteMillis)
  const last = Math.max(0, ...ends)
  return [...minutes].flatMap(([market, all]) => {
    const hours = new Map(all.map((minute) => [Math.floor(minute.openedAt / hourMillis), minute.close]))
    return [...hours].map(([hour, close]) => ({ market, close, at: Math.min((hour + 1) * hourMillis, last) }))
  })
}

interface Valued {
  readonly minutes: Minutes
  readonly decimals: Decimals
  readonly span: Period
}

export const tableOf = (trading: TradingRecord, { decimals, minutes, span }: Valued): Table => {
  const closes = hourly(minutes)
  const quotes = [...new Set(trading.orders.map(({ quote }) => quote))].toSorted()
  const rows = quotes.flatMap((quote) => {
    const points = new Map(curve(trading, { quote, closes, decimals }).map((point) => [point.at, point]))
    const text = (value: number) => value.toFixed(decimals(quote))
    return [...points.values()]
      .filter(({ at }) => at >= span.from && at < span.to)
      .map(({ at, held, worth }) => [iso(at), quote, text(worth), text(held)])
  })
  return { name: "equity", titles: "time,currency,worth,held".split(","), rows }
}
