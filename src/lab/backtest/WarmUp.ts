/** Compares the candles before the first bar with those that the indicators need. If some are missing, decisions begin later. */
import { type Candles, hasOnlyZeroVolumes } from "../../candles/Candles.ts"
import * as Resample from "../../candles/Resample.ts"
import { openTime } from "../../candles/TimeAxis.ts"
import { timeframeMillis } from "../../domain/Timeframe.ts"
import { candlesWanted, marketsSeen, type Strategy } from "../../strategy/Strategy.ts"

/** `series`: candles of the markets that the strategy sees (`marketsSeen`). */
const wantedIn = (strategy: Strategy, series: ReadonlyArray<Candles>) => {
  const markets = marketsSeen(strategy)
  return candlesWanted(strategy).flatMap(({ market, candles: wanted }) => {
    const candles = series[markets.findIndex(({ name }) => name === market.name)]
    return candles === undefined ? [] : [{ market, candles, wanted }]
  })
}

/** Returns why these candles cannot make those that the strategy decides on; `undefined` if they can. */
export const unusable = (strategy: Strategy, series: ReadonlyArray<Candles>): string | undefined =>
  wantedIn(strategy, series).flatMap(({ candles, market, wanted }) => {
    const whole = candles.whole ?? candles
    if (strategy.volumes?.has(market.name) === true && hasOnlyZeroVolumes(whole))
      return [`the strategy uses volumes of ${market.name}, and the data have none; use data with volumes`]
    const { stepMillis } = whole.time
    const finer = [...wanted.keys()].filter((timeframe) => (timeframeMillis(timeframe) ?? 0) < stepMillis)
    const data = `the data has ${stepMillis / 1000} s candles; use finer data`
    return finer.map((timeframe) => `the strategy decides on ${timeframe} candles, ${data}`)
  })[0]

/** Names a market only if it is not the strategy's own. */
export const of = (strategy: Strategy, series: ReadonlyArray<Candles>) =>
  wantedIn(strategy, series).flatMap(({ market, candles, wanted }) => {
    const elsewhere = market.name === strategy.market.name ? {} : { market: market.name }
    return [...wanted].map(([timeframe, needed]) => {
      const resampled = Resample.of(candles, timeframeMillis(timeframe) ?? 60_000)
      const before = Resample.closedAt(resampled, openTime(candles.time, 0))
      return { timeframe, ...elsewhere, needed, before, missing: Math.max(0, needed - before) }
    })
  })

export const sentences = (strategy: Strategy, series: ReadonlyArray<Candles>): ReadonlyArray<string> =>
  of(strategy, series).flatMap(({ timeframe, market, needed, before, missing }) =>
    missing === 0
      ? []
      : [
          `warm-up: ${needed} candles of ${market === undefined ? "" : `${market} of `}${timeframe} are needed before the first bar, the data has ${before}: ` +
            `no signals until ${missing} more have closed; supply earlier data and use --from`
        ]
  )
