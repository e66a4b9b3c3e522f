/**
 * Closed candles for strategies that ask for them, built from the mid prices that the bot sees. The venue offers
 * none.
 *
 * A candle counts only when it was watched from beginning to end. The part of an hour before the bot started is
 * dropped, and a long gap starts the series again, so an indicator is never warm on missing data. The last price
 * bridges short gaps (a slow answer, a restart).
 *
 * The venue tells no volume either. Where the market's source tells a candle, its volume joins the candle that the bot
 * saw, or the whole candle takes the place of one that the bot missed. From then on it is kept as it is: what decided once
 * stays. Until then its volume is not known (`NaN`).
 */

import { extend, type OpenCandle } from "../../candles/Resample.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { frameStart, timeframeMillis } from "../../domain/Timeframe.ts"
import type { Minute, SeenCandle, TradedCandle } from "../../journal/PriceStore.ts"
import type { CandlesOf } from "../../strategy/expression/series/JoinedCandles.ts"
import type { CandleColumns } from "../../strategy/Indicators.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import type { ClosedCandles } from "../../strategy/View.ts"

/** The most minutes without any price that the last price bridges. */
const bridgedMinutes = 3
/** Candles kept beyond those that warm the slowest indicator. */
const spareCandles = 500

interface TimeframeCandles {
  readonly millis: number
  readonly keep: number
  opened: number | undefined
  current: OpenCandle
  readonly closed: Array<Minute>
  /** Candles with volumes, by their beginning. */
  readonly kept: Map<number, TradedCandle>
  /** The beginning of the first own candle in `view`; of the running frame, if there is none. */
  viewedIn: number | undefined
  view: ClosedCandles | undefined
}

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

/** The minute that is being watched now, and whether it was watched from its beginning. */
export interface RunningMinute {
  readonly minute: Minute
  readonly isFromBeginning: boolean
}

/** Candles of one market in the timeframes that its strategies need. */
export interface CandleFeed {
  /** Takes a price; returns the minutes that it closed, to be stored. */
  observe(mid: number, at: number): ReadonlyArray<Minute>
  /**
   * Takes stored minutes, oldest first, at a start; and the running minute of the feed that this one replaces. A stored
   * minute that has not ended at `now` goes on.
   */
  restore(minutes: ReadonlyArray<Minute>, now: number, running?: RunningMinute): void
  readonly running: () => RunningMinute | undefined
  /** Takes candles that were kept before. */
  adopt(kept: ReadonlyArray<SeenCandle>): void
  /** Takes what the source tells by now of candles that are over; returns what is new, to be kept. */
  complete(now: number): ReadonlyArray<SeenCandle>
  readonly view: () => ReadonlyMap<string, ClosedCandles>
  /** The same without the candles whose last one should have closed by now and has not been seen to. */
  readonly viewAt: (now: number) => ReadonlyMap<string, ClosedCandles>
  /** How far back stored minutes are useful. */
  readonly spanMillis: number
}

type Told = (timeframe: string) => ReadonlyMap<number, TradedCandle>
const noCandles: ReadonlyMap<number, TradedCandle> = new Map()

/** `needs`: how many closed candles are wanted, by timeframe. `told`: what the market's source tells of each. */
export const make = (needs: ReadonlyMap<string, number>, told: Told = () => noCandles): CandleFeed => {
  const series = new Map(
    [...needs].map(([timeframe, count]): [string, TimeframeCandles] => [
      timeframe,
      {
        millis: timeframeMillis(timeframe) ?? minuteMillis,
        keep: count + spareCandles,
        opened: undefined,
        current: { open: 0, high: 0, low: 0, close: 0, volume: 0 },
        closed: [],
        kept: new Map(),
        viewedIn: undefined,
        view: undefined
      }
    ])
  )
  let minute: Minute | undefined
  let isFromBeginning = false

  const startAnew = () => {
    for (const each of series.values()) {
      each.opened = undefined
      each.closed.length = 0
      each.view = undefined
    }
  }

  const close = (done: Minute) => {
    for (const each of series.values()) addMinute(each, done)
  }

  const observe = (mid: number, at: number): ReadonlyArray<Minute> => {
    const openedAt = Math.floor(at / minuteMillis) * minuteMillis
    if (minute === undefined) {
      minute = { openedAt, open: mid, high: mid, low: mid, close: mid }
      isFromBeginning = false
      return []
    }
    if (openedAt === minute.openedAt) {
      minute = { ...minute, high: Math.max(minute.high, mid), low: Math.min(minute.low, mid), close: mid }
      return []
    }
    const last = minute
    const missing = (openedAt - last.openedAt) / minuteMillis - 1
    minute = { openedAt, open: mid, high: mid, low: mid, close: mid }
    if (missing > bridgedMinutes || missing < 0) {
      startAnew()
      isFromBeginning = false
      return []
    }
    const closed = [...(isFromBeginning ? [last] : []), ...bridge(last, missing)]
    isFromBeginning = true
    for (const done of closed) close(done)
    return closed
  }

  /** Closes what is missing between two minutes, or starts again when that is too much. */
  const bridgeGap = (before: Minute | undefined, next: Minute) => {
    if (before === undefined) return
    const missing = (next.openedAt - before.openedAt) / minuteMillis - 1
    if (missing > bridgedMinutes) startAnew()
    else for (const bridged of bridge(before, missing)) close(bridged)
  }

  return {
    observe,
    restore: (minutes, now, replaced) => {
      let before: Minute | undefined
      const last = minutes.at(-1)
      const stillRuns = last !== undefined && last.openedAt + minuteMillis > now
      const running = replaced ?? (stillRuns ? { minute: last, isFromBeginning: true } : undefined)
      for (const stored of stillRuns ? minutes.slice(0, -1) : minutes) {
        bridgeGap(before, stored)
        close(stored)
        before = stored
      }
      // The first live minute is bridged to the last stored one, or starts the series again.
      minute = before
      if (running === undefined || running.minute.openedAt <= (before?.openedAt ?? 0)) return
      bridgeGap(before, running.minute)
      ;({ minute, isFromBeginning } = running)
    },
    running: () => (minute === undefined ? undefined : { minute, isFromBeginning }),
    adopt: (kept) => {
      for (const { timeframe, seenAt: _, ...candle } of kept) {
        const each = series.get(timeframe)
        if (each !== undefined) keep(each, candle)
      }
    },
    complete: (now) =>
      [...series].flatMap(([timeframe, each]) => {
        const frame = minute === undefined ? 0 : frameStart(minute.openedAt, each.millis)
        const fresh = [...told(timeframe).values()].filter(
          ({ openedAt }) => openedAt < frame && !each.kept.has(openedAt)
        )
        return fresh.map((candle): SeenCandle => {
          const whole = { ...candle, ...each.closed.find(({ openedAt }) => openedAt === candle.openedAt) }
          keep(each, whole)
          return { ...whole, timeframe, seenAt: now }
        })
      }),
    view: () => new Map([...series].map(([timeframe, each]) => [timeframe, viewOf(each, minute)])),
    viewAt: (now) =>
      new Map(
        [...series].flatMap(([timeframe, each]) => {
          const view = viewOf(each, minute)
          const { startMillis = 0 } = view.columns
          const isOver = view.closed > 0 && startMillis + view.closed * each.millis < frameStart(now, each.millis)
          return isOver ? [] : [[timeframe, view] as const]
        })
      ),
    spanMillis: Math.max(0, ...[...series.values()].map(({ millis, keep }) => millis * keep))
  }
}

/**
 * What a strategy sees of these feeds, by market. Conditions on several markets are decided once all have closed their
 * candles, as in a backtest.
 */
export const seenBy =
  ({ watched }: Pick<Strategy, "watched">, feeds: ReadonlyMap<string, CandleFeed>, now: number): CandlesOf =>
  (market) => {
    const feed = feeds.get(market)
    return watched === undefined ? feed?.view() : feed?.viewAt(now)
  }

const bridge = ({ openedAt, close }: Minute, missing: number): ReadonlyArray<Minute> =>
  Array.from({ length: missing }, (_, index) => ({
    openedAt: openedAt + (index + 1) * minuteMillis,
    open: close,
    high: close,
    low: close,
    close
  }))

const addMinute = (series: TimeframeCandles, { openedAt, open, high, low, close }: Minute): void => {
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

const keep = (series: TimeframeCandles, candle: TradedCandle): void => {
  if (series.kept.has(candle.openedAt)) return
  series.kept.set(candle.openedAt, candle)
  if (series.kept.size > series.keep) series.kept.delete(Math.min(...series.kept.keys()))
  series.view = undefined
}

/** The same object again until a candle closes or is completed. */
const viewOf = (series: TimeframeCandles, running: Minute | undefined): ClosedCandles => {
  const { closed, kept, millis } = series
  // After a gap in prices, the last candle that was kept must be the one before the running frame.
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
