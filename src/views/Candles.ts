/** Stored minutes as candles of a longer timeframe, in columns for charts. Gaps stay gaps: an unseen bar is not drawn. */
import { Schema } from "effect"
import type { Minute } from "../journal/PriceStore.ts"
import { asOf } from "./AsOf.ts"

export const Candles = Schema.Struct({
  ...asOf,
  market: Schema.String,
  timeframe: Schema.String,
  /** Columns; time in seconds. */
  time: Schema.Array(Schema.Int),
  open: Schema.Array(Schema.Finite),
  high: Schema.Array(Schema.Finite),
  low: Schema.Array(Schema.Finite),
  close: Schema.Array(Schema.Finite)
})

export const candlesOf = (minutes: ReadonlyArray<Minute>, millis: number) => {
  const columns = {
    time: [] as Array<number>,
    open: [] as Array<number>,
    high: [] as Array<number>,
    low: [] as Array<number>,
    close: [] as Array<number>
  }
  let last = Number.NaN
  for (const { openedAt, open, high, low, close } of minutes) {
    const begins = openedAt - (openedAt % millis)
    const index = columns.time.length - 1
    if (begins === last) {
      columns.high[index] = Math.max(columns.high[index] ?? high, high)
      columns.low[index] = Math.min(columns.low[index] ?? low, low)
      columns.close[index] = close
      continue
    }
    last = begins
    columns.time.push(begins / 1000)
    columns.open.push(open)
    columns.high.push(high)
    columns.low.push(low)
    columns.close.push(close)
  }
  return columns
}
