/**
 * How warm a strategy's indicators are when a run begins: candles before the first bar that the data hold, and those that
 * the strategy needs. Where some are missing it decides later than its first bar.
 */
import type { Candles } from "../../candles/Candles.ts"
import * as Resample from "../../candles/Resample.ts"
import { openTime } from "../../candles/TimeAxis.ts"
import { timeframeMillis } from "../../domain/Timeframe.ts"
import { candlesWanted, marketsSeen, type Strategy } from "../../strategy/Strategy.ts"

export interface WarmUp {
  readonly timeframe: string
  /** If the candles are not those of the strategy's own market. */
  readonly market?: string
  readonly needed: number
  /** Closed candles of the data when the run begins. */
  readonly before: number
  /** How many of the needed candles are missing. */
  readonly missing: number
}

/** `series`: of the markets that the strategy sees (`marketsSeen`). */
export const of = (strategy: Strategy, series: ReadonlyArray<Candles>): ReadonlyArray<WarmUp> => {
  const seen = marketsSeen(strategy)
  return candlesWanted(strategy).flatMap(({ market, candles: wanted }) => {
    const candles = series[seen.findIndex(({ name }) => name === market.name)]
    if (candles === undefined) return []
    const elsewhere = market.name === strategy.market.name ? {} : { market: market.name }
    return [...wanted].map(([timeframe, needed]) => {
      const resampled = Resample.of(candles, timeframeMillis(timeframe) ?? 60_000)
      const before = Resample.closedAt(resampled, openTime(candles.time, 0))
      return { timeframe, ...elsewhere, needed, before, missing: Math.max(0, needed - before) }
    })
  })
}

/** One for each timeframe that lacks candles. */
export const sentences = (strategy: Strategy, series: ReadonlyArray<Candles>): ReadonlyArray<string> =>
  of(strategy, series).flatMap(({ timeframe, market, needed, before, missing }) =>
    missing === 0
      ? []
      : [
          `warm-up: ${needed} candles of ${market === undefined ? "" : `${market} of `}${timeframe} are needed before the first bar, ${before} lie there: ` +
            `until ${missing} more have closed, what depends on them is undefined; give earlier data and --from`
        ]
  )
