/**
 * Makes candles of a longer timeframe from finer bars or trades. A candle begins at a multiple of its timeframe and has the bars that close
 * in it, so that no candle contains what happens after its end. A candle without bars repeats the previous close. Candles for strategies are
 * made once for each series and timeframe, and then shared.
 */
import { frameEnd, frameStart } from "../domain/Timeframe.ts"
import type { CandleColumns } from "../strategy/Indicators.ts"
import { type Candles, type Column, columnOf, columnsBy, openAt, volumeAt } from "./Candles.ts"
import * as TimeAxis from "./TimeAxis.ts"

export interface OpenCandle {
  readonly open: number
  high: number
  low: number
  close: number
  volume: number
}

export const extend = (candle: OpenCandle, high: number, low: number, close: number, volume: number): void => {
  candle.high = Math.max(candle.high, high)
  candle.low = Math.min(candle.low, low)
  candle.close = close
  candle.volume += volume
}

/** Group g consists of the bars `firsts[g]` up to `firsts[g + 1]` (exclusive). The first continues the last of `earlier`. */
export const grouped = (
  candles: Omit<Candles, "bars" | "time" | "priceScale">,
  firsts: ArrayLike<number>,
  earlier?: CandleColumns
) => {
  const offset = earlier === undefined ? 0 : earlier.close.length - 1
  const columns = columnsBy((name) => {
    const values = new Float64Array(offset + firsts.length - 1)
    values.set(earlier?.[name] ?? [])
    return values
  })
  let last = 0
  for (let group = 0; group < firsts.length - 1; group++) {
    const [first, end, at] = [firsts[group] ?? 0, firsts[group + 1] ?? 0, offset + group]
    const open = openAt(candles, first) ?? candles.close[first] ?? 0
    const candle: OpenCandle =
      group === 0 && earlier !== undefined
        ? columnsBy((name) => columns[name][at] ?? 0)
        : first === end
          ? { open: last, high: last, low: last, close: last, volume: 0 }
          : { open, high: 0, low: Number.POSITIVE_INFINITY, close: 0, volume: 0 }
    for (let bar = first; bar < end; bar++)
      extend(candle, candles.high[bar] ?? 0, candles.low[bar] ?? 0, candles.close[bar] ?? 0, volumeAt(candles, bar))
    columnsBy((name) => {
      columns[name][at] = candle[name]
    })
    last = candle.close
  }
  return columns
}

/** Makes candles from trades, which must be in time order. The first column has the opening times; `firsts` the first trade of each. */
export const ofTrades = (times: Column, prices: Column, quantities: Column, candleMillis: number) => {
  const firsts: Array<number> = []
  let end = Number.NEGATIVE_INFINITY
  for (const [trade, at] of times.entries()) {
    if (at < end) continue
    end = frameEnd(at, candleMillis)
    firsts.push(trade)
  }
  const opens = firsts.map((first) => frameStart(times[first] ?? 0, candleMillis))
  const trades = { open: prices, high: prices, low: prices, close: prices, volume: quantities }
  const { open, high, low, close, volume } = grouped(trades, [...firsts, times.length])
  return { columns: [opens, open, high, low, close, volume].map((values) => columnOf(values)), firsts }
}

export type Resampled = Readonly<ReturnType<typeof resample>>

const resamplesByCandles = new WeakMap<Candles, Map<number, Resampled>>()

export const closedAt = ({ columns, startMillis, timeframeMillis }: Resampled, now: number): number =>
  Math.max(0, Math.min(columns.close.length, Math.floor((now - startMillis) / timeframeMillis)))

const resample = (candles: Candles, timeframeMillis: number, earlier?: CandleColumns) => {
  const { time, bars } = candles
  const continued = earlier === undefined ? 0 : earlier.close.length - 1
  const lastMoment = (bar: number) => TimeAxis.closeTime(time, bar) - 1
  const startMillis = earlier?.startMillis ?? frameStart(lastMoment(0), timeframeMillis)
  const length = bars === 0 ? 0 : Math.floor((lastMoment(bars - 1) - startMillis) / timeframeMillis) + 1
  const firsts = Int32Array.from({ length: length - continued + 1 }, (_, frame) =>
    TimeAxis.firstBarFrom(time, startMillis + (continued + frame) * timeframeMillis - time.stepMillis + 1)
  )
  return { columns: { ...grouped(candles, firsts, earlier), startMillis }, startMillis, timeframeMillis }
}

/** Returns the candles of the whole series for a part of it; the time decides which of them have closed. */
export const of = (part: Candles, timeframeMillis: number): Resampled => {
  const candles = part.whole ?? part
  const resamples = resamplesByCandles.get(candles) ?? new Map<number, Resampled>()
  resamplesByCandles.set(candles, resamples)
  // Candles of the bars before are made once for all series that share these.
  const earlier = () => candles.before && of(candles.before, timeframeMillis).columns
  const frameCandles = resamples.get(timeframeMillis) ?? resample(candles, timeframeMillis, earlier())
  resamples.set(timeframeMillis, frameCandles)
  return frameCandles
}
