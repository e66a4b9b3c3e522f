/**
 * The candles with which indicators begin in a rehearsal: those of the sources that the user's files name, as a live start would read them,
 * moved to the rehearsal's time and to its prices. A source on the network is left out.
 */
import { Clock, Effect } from "effect"
import * as WarmPrices from "../../app/candles/WarmPrices.ts"
import { dayMillis, minuteMillis } from "../../domain/Durations.ts"
import type { Market } from "../../domain/Market.ts"
import { frameStart, timeframeMillis } from "../../domain/Timeframe.ts"
import * as CandleFeed from "../../engine/markets/CandleFeed.ts"
import { type Minute, PriceStore } from "../../journal/PriceStore.ts"
import type { MarketSources } from "../../strategy/Markets.ts"
import { candlesWanted, type Strategy } from "../../strategy/Strategy.ts"

export interface WarmCandles {
  readonly market: Market
  readonly minutes: ReadonlyArray<Minute>
  /**
   * The real time at which the minutes end: the last time at which all candles started together, because a rehearsal begins at midnight.
   */
  readonly readAt: number
}

const isNear = (source: string): boolean => !source.startsWith("ccxt:")

export const readCandles = Effect.fn("WarmCandles.read")(function* (
  strategies: ReadonlyArray<Strategy>,
  sources: MarketSources
) {
  const near = new Map([...sources].filter(([, { source }]) => isNear(source)))
  const nearStrategies = strategies.map((strategy) =>
    strategy.candleSource === undefined || isNear(strategy.candleSource.value) ? strategy : withoutSource(strategy)
  )
  const warm = yield* WarmPrices.make(PriceStore.empty, near)
  warm.use(nearStrategies)
  const now = yield* Clock.currentTimeMillis
  const marketByName = new Map(nearStrategies.flatMap(candlesWanted).map(({ market }) => [market.name, market]))
  return yield* Effect.forEach(marketByName.values(), (market) => {
    const needs = nearStrategies.flatMap(candlesWanted).filter((each) => each.market.name === market.name)
    const frames = needs.flatMap(({ candles }) =>
      [...candles.keys()].map((frame) => timeframeMillis(frame) ?? minuteMillis)
    )
    const readAt = frameStart(now, Math.min(dayMillis, Math.max(...frames)))
    const spans = needs.map(({ candles }) => CandleFeed.make(candles).spanMillis)
    return Effect.map(
      warm.store.since(market.name, readAt - Math.max(...spans)),
      (minutes): WarmCandles => ({ market, minutes: minutes.filter(({ openedAt }) => openedAt < readAt), readAt })
    )
  })
})

export const withoutSource = ({ candleSource: _, ...strategy }: Strategy): Strategy => strategy

export const moved = ({ minutes, readAt }: WarmCandles, startedAt: number, price: number): ReadonlyArray<Minute> => {
  const ratio = price / (minutes.at(-1)?.close ?? price)
  return minutes.map(({ close, high, low, open, openedAt }) => ({
    openedAt: openedAt - readAt + startedAt,
    open: open * ratio,
    high: high * ratio,
    low: low * ratio,
    close: close * ratio
  }))
}

export const store = (
  own: PriceStore["Service"],
  warm: ReadonlyMap<string, ReadonlyArray<Minute>>
): PriceStore["Service"] => ({
  ...own,
  since: (market, from) =>
    Effect.map(own.since(market, from), (recorded) => [
      ...(warm.get(market) ?? []).filter(({ openedAt }) => openedAt >= from),
      ...recorded
    ])
})
