/**
 * Candles of a longer timeframe, for strategies that decide by indicators. Their times are multiples of the timeframe; one
 * that no bar falls into repeats the close before. They are made once per series and timeframe and then shared.
 */
import type { CandleColumns } from "../strategy/Indicators.ts"
import { type Candles, openAt, volumeAt } from "./Candles.ts"
import * as TimeAxis from "./TimeAxis.ts"

export interface Resampled {
  readonly columns: CandleColumns
  readonly startMillis: number
  readonly timeframeMillis: number
}

const made = new WeakMap<Candles, Map<number, Resampled>>()

/** How many of the candles are over at this moment. */
export const closedAt = ({ columns, startMillis, timeframeMillis }: Resampled, now: number): number =>
  Math.max(0, Math.min(columns.close.length, Math.floor((now - startMillis) / timeframeMillis)))

const resample = (candles: Candles, timeframeMillis: number): Resampled => {
  const { time, bars } = candles
  const startMillis = Math.floor(TimeAxis.openTime(time, 0) / timeframeMillis) * timeframeMillis
  const length = bars === 0 ? 0 : Math.floor((TimeAxis.openTime(time, bars - 1) - startMillis) / timeframeMillis) + 1
  const make = () => new Float64Array(length)
  const columns = { open: make(), high: make(), low: make(), close: make(), volume: make() }
  let bar = 0
  for (let candle = 0; candle < length; candle++) {
    const end = TimeAxis.firstBarFrom(time, startMillis + (candle + 1) * timeframeMillis)
    const isEmpty = bar === end
    const before = columns.close[candle - 1] ?? 0
    columns.open[candle] = isEmpty ? before : (openAt(candles, bar) ?? candles.close[bar] ?? 0)
    columns.high[candle] = isEmpty ? before : (candles.high[bar] ?? 0)
    columns.low[candle] = isEmpty ? before : (candles.low[bar] ?? 0)
    columns.close[candle] = isEmpty ? before : (candles.close[end - 1] ?? 0)
    for (; bar < end; bar++) {
      columns.high[candle] = Math.max(columns.high[candle] ?? 0, candles.high[bar] ?? 0)
      columns.low[candle] = Math.min(columns.low[candle] ?? 0, candles.low[bar] ?? 0)
      columns.volume[candle] = (columns.volume[candle] ?? 0) + volumeAt(candles, bar)
    }
  }
  return { columns, startMillis, timeframeMillis }
}

export const of = (candles: Candles, timeframeMillis: number): Resampled => {
  const known = made.get(candles) ?? new Map<number, Resampled>()
  made.set(candles, known)
  const found = known.get(timeframeMillis) ?? resample(candles, timeframeMillis)
  known.set(timeframeMillis, found)
  return found
}
