/** Candles of one market in one timeframe: those closed by minutes that the bot saw, and those with volumes from the market's source. */
import { extend, type OpenCandle } from "../../candles/Resample.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { frameStart, timeframeMillis } from "../../domain/Timeframe.ts"
import type { Minute, TradedCandle } from "../../journal/PriceStore.ts"
import type { CandleColumns } from "../../strategy/Indicators.ts"
import type { ClosedCandles } from "../../strategy/View.ts"

const spareCandles = 500

export interface TimeframeCandles {
  readonly millis: number
  readonly keep: number
  opened: number | undefined
  current: OpenCandle
  readonly closed: Array<Minute>
  readonly kept: Map<number, TradedCandle>
  /** Start of the first own candle in `view`, or of the running frame if there is none. */
  viewedIn: number | undefined
  view: ClosedCandles | undefined
}

const noCandles: ReadonlyMap<number, TradedCandle> = new Map()
export const noneTold = (_timeframe: string): ReadonlyMap<number, TradedCandle> => noCandles

export const make = (timeframe: string, count: number): TimeframeCandles => ({
  millis: timeframeMillis(timeframe) ?? minuteMillis,
  keep: count + spareCandles,
  opened: undefined,
  current: { open: 0, high: 0, low: 0, close: 0, volume: 0 },
  closed: [],
  kept: new Map(),
  viewedIn: undefined,
  view: undefined
})

/** Candles before a gap do not continue after it. */
export const startAnew = (all: Iterable<TimeframeCandles>): void => {
  for (const series of all) {
    series.opened = undefined
    series.closed.length = 0
    series.view = undefined
  }
}

export const addMinute = (series: TimeframeCandles, { openedAt, open, high, low, close }: Minute): void => {
  const frame = frameStart(openedAt, series.millis)
  if (series.opened !== frame) {
    // A candle whose beginning was not seen is never closed.
    if (openedAt !== frame) {
      series.opened = undefined
      return
    }
    series.opened = frame
    series.current = { open, high, low, close, volume: 0 }
  } else {
    extend(series.current, high, low, close, 0)
  }
  if (openedAt + minuteMillis < frame + series.millis) return
  const { volume: _, ...prices } = series.current
  series.closed.push({ openedAt: frame, ...prices })
  if (series.closed.length > series.keep) series.closed.shift()
  series.opened = undefined
  series.view = undefined
}

export const keep = (series: TimeframeCandles, candle: TradedCandle): void => {
  if (series.kept.has(candle.openedAt)) return
  series.kept.set(candle.openedAt, candle)
  if (series.kept.size > series.keep) series.kept.delete(Math.min(...series.kept.keys()))
  series.view = undefined
}

export const completed = (
  series: TimeframeCandles,
  told: ReadonlyMap<number, TradedCandle>,
  running: Minute | undefined
): ReadonlyArray<TradedCandle> => {
  const frame = running === undefined ? 0 : frameStart(running.openedAt, series.millis)
  const fresh = [...told.values()].filter(({ openedAt }) => openedAt < frame && !series.kept.has(openedAt))
  return fresh.map((candle) => {
    const whole = { ...candle, ...series.closed.find(({ openedAt }) => openedAt === candle.openedAt) }
    keep(series, whole)
    return whole
  })
}

/** True if its last candle should have closed by now and has not been seen to close. */
export const isBehind = ({ millis }: TimeframeCandles, { closed, columns }: ClosedCandles, now: number): boolean =>
  closed > 0 && (columns.startMillis ?? 0) + closed * millis < frameStart(now, millis)

const columnsOf = (candles: ReadonlyArray<Minute | TradedCandle>): CandleColumns => {
  const column = (of: (candle: Minute | TradedCandle) => number) => Float64Array.from(candles, of)
  return {
    open: column(({ open }) => open),
    high: column(({ high }) => high),
    low: column(({ low }) => low),
    close: column(({ close }) => close),
    volume: column((candle) => ("volume" in candle ? candle.volume : Number.NaN)),
    startMillis: candles[0]?.openedAt ?? 0
  }
}

const empty: ClosedCandles = { columns: columnsOf([]), closed: 0 }

/** Returns one object until a candle closes or is completed. */
export const viewOf = (series: TimeframeCandles, running: Minute | undefined): ClosedCandles => {
  const { closed, kept, millis } = series
  // Without own candles, kept ones count only if the last of them is directly before the running frame.
  const first = closed[0]?.openedAt ?? frameStart(running?.openedAt ?? 0, millis)
  if (series.view !== undefined && series.viewedIn === first) return series.view
  const before: Array<TradedCandle> = []
  for (let at = first - millis; ; at -= millis) {
    const candle = kept.get(at)
    if (candle === undefined) break
    before.push(candle)
  }
  const all = [...before.reverse(), ...closed.map((candle) => kept.get(candle.openedAt) ?? candle)].slice(-series.keep)
  series.viewedIn = first
  series.view = all.length === 0 ? empty : { columns: columnsOf(all), closed: all.length }
  return series.view
}
