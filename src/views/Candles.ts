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
  const candles: Array<Minute> = []
  for (const { openedAt, open, high, low, close } of minutes) {
    const begins = openedAt - (openedAt % millis)
    const last = candles.at(-1)
    if (last?.openedAt !== begins) candles.push({ openedAt: begins, open, high, low, close })
    else {
      const range = { high: Math.max(last.high, high), low: Math.min(last.low, low) }
      candles[candles.length - 1] = { ...last, ...range, close }
    }
  }
  const column = (key: Exclude<keyof Minute, "openedAt">) => candles.map((candle) => candle[key])
  const time = candles.map(({ openedAt }) => openedAt / 1000)
  return { time, open: column("open"), high: column("high"), low: column("low"), close: column("close") }
}
