/**
 * Closed candles, built from the mid prices that the bot sees, because the venue offers none.
 *
 * A candle counts only if it was watched from beginning to end. The part of an hour before the bot started is dropped, and a long gap
 * starts the series again, so an indicator is never warm on missing data. The last price bridges short gaps (a slow answer, a restart). If
 * the clock is set back by at most as much, the running minute continues.
 *
 * If the market's source reports a candle, its volume joins the candle that the bot saw, or the whole candle replaces one that the bot
 * missed. Until then the volume is unknown (`NaN`). A completed candle never changes again, because decisions were made on it.
 */
import { minuteMillis } from "../../domain/Durations.ts"
import type { Minute, SeenCandle } from "../../journal/PriceStore.ts"
import type { CandlesOf } from "../../strategy/expression/series/JoinedCandles.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import type { ClosedCandles } from "../../strategy/View.ts"
import * as TimeframeCandles from "./TimeframeCandles.ts"

const bridgedMinutes = 3
export interface RunningMinute {
  readonly minute: Minute
  readonly isFromBeginning: boolean
}

export type CandleFeed = ReturnType<typeof make>

/**
 * `needs`: number of closed candles by timeframe. `reported`: the candles of the market's source, by timeframe. `restore` fills an empty
 * feed with stored minutes, oldest first; a minute that has not ended at `now` stays open. `replaced`: the unfinished minute of the feed
 * that this feed replaces. `complete` adds the source's data as of now, and returns the added candles, to be stored. `view` leaves out
 * timeframes whose last candle should have closed by `now`, if given, and has not been seen to close.
 */
export const make = (needs: ReadonlyMap<string, number>, reported = TimeframeCandles.noneTold) => {
  const series = new Map(
    [...needs].map(([timeframe, count]) => [timeframe, TimeframeCandles.make(timeframe, count)] as const)
  )
  let minute: Minute | undefined
  let isFromBeginning = false

  const close = (done: Minute) => {
    for (const each of series.values()) TimeframeCandles.addMinute(each, done)
  }

  const observe = (mid: number, at: number): ReadonlyArray<Minute> => {
    const openedAt = Math.floor(at / minuteMillis) * minuteMillis
    if (minute === undefined) {
      minute = { openedAt, open: mid, high: mid, low: mid, close: mid }
      isFromBeginning = false
      return []
    }
    const aheadMinutes = (minute.openedAt - openedAt) / minuteMillis
    if (aheadMinutes >= 0 && aheadMinutes <= bridgedMinutes) {
      minute = { ...minute, high: Math.max(minute.high, mid), low: Math.min(minute.low, mid), close: mid }
      return []
    }
    const last = minute
    const missing = (openedAt - last.openedAt) / minuteMillis - 1
    minute = { openedAt, open: mid, high: mid, low: mid, close: mid }
    if (missing > bridgedMinutes || missing < 0) {
      TimeframeCandles.startAnew(series.values())
      isFromBeginning = false
      return []
    }
    const closed = [...(isFromBeginning ? [last] : []), ...bridge(last, missing)]
    isFromBeginning = true
    for (const done of closed) close(done)
    return closed
  }

  /** Returns true if the candles continue from `before` to `next`. */
  const bridgeGap = (before: Minute | undefined, next: Minute): boolean => {
    if (before === undefined) return false
    const missing = (next.openedAt - before.openedAt) / minuteMillis - 1
    if (missing > bridgedMinutes) TimeframeCandles.startAnew(series.values())
    else for (const bridged of bridge(before, missing)) close(bridged)
    return missing <= bridgedMinutes
  }

  return {
    observe,
    restore: (minutes: ReadonlyArray<Minute>, now: number, replaced?: RunningMinute): void => {
      let before: Minute | undefined
      // The replaced feed knows its own minute best. Minutes after `now` are from before the clock was set back.
      const end = replaced?.isFromBeginning === true ? replaced.minute.openedAt - 1 : now
      const past = minutes.filter(({ openedAt }) => openedAt <= end)
      const last = past.at(-1)
      const stillRuns = last !== undefined && last.openedAt + minuteMillis > Math.max(now, end + 1)
      const running = replaced ?? (stillRuns ? { minute: last, isFromBeginning: true } : undefined)
      for (const stored of stillRuns ? past.slice(0, -1) : past) {
        bridgeGap(before, stored)
        close(stored)
        before = stored
      }
      // The first live minute is bridged to the last stored one, or starts the series again.
      minute = before
      if (running === undefined || running.minute.openedAt <= (before?.openedAt ?? 0)) return
      isFromBeginning = bridgeGap(before, running.minute) || running.isFromBeginning
      minute = running.minute
    },
    running: (): RunningMinute | undefined => (minute === undefined ? undefined : { minute, isFromBeginning }),
    adopt: (kept: ReadonlyArray<SeenCandle>): void => {
      for (const { timeframe, seenAt: _, ...candle } of kept) {
        const each = series.get(timeframe)
        if (each !== undefined) TimeframeCandles.keep(each, candle)
      }
    },
    complete: (now: number): ReadonlyArray<SeenCandle> =>
      [...series].flatMap(([timeframe, each]) =>
        TimeframeCandles.completed(each, reported(timeframe), minute).map(
          (candle): SeenCandle => ({ ...candle, timeframe, seenAt: now })
        )
      ),
    view: (now?: number): ReadonlyMap<string, ClosedCandles> =>
      new Map(
        [...series].flatMap(([timeframe, each]) => {
          const view = TimeframeCandles.viewOf(each, minute)
          return now !== undefined && TimeframeCandles.isBehind(each, view, now) ? [] : [[timeframe, view] as const]
        })
      ),
    spanMillis: Math.max(0, ...[...series.values()].map(({ millis, keep }) => millis * keep))
  }
}

/** Conditions on several markets are decided once all markets have closed their candles, as in a backtest. */
export const seenBy =
  ({ watched }: Pick<Strategy, "watched">, feeds: ReadonlyMap<string, CandleFeed>, now: number): CandlesOf =>
  (market) =>
    feeds.get(market)?.view(watched === undefined ? undefined : now)

const bridge = ({ openedAt, close }: Minute, missing: number): ReadonlyArray<Minute> =>
  Array.from({ length: missing }, (_, index) => ({
    openedAt: openedAt + (index + 1) * minuteMillis,
    open: close,
    high: close,
    low: close,
    close
  }))
