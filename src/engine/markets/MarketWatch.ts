/** The markets of one engine's strategies: prices and depth from the shared order book, and candles of the prices that this engine saw. */
import { Clock, Context, Effect, Layer } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { mid } from "../../domain/Market.ts"
import { type Doubt, OrderBook } from "../../orderbook/OrderBook.ts"
import { wantedBy } from "../../orderbook/Wanted.ts"
import * as JoinedCandles from "../../strategy/expression/series/JoinedCandles.ts"
import { candlesWanted, marketsSeen, type Strategy } from "../../strategy/Strategy.ts"
import { EngineSettings } from "../EngineSettings.ts"
import { type MarketMoment, momentOf } from "../planning/DecisionRecord.ts"
import type { BotState } from "../state/BotState.ts"
import { type CandleFeed, seenBy } from "./CandleFeed.ts"
import { restingIn } from "./OwnOrders.ts"
import * as StoredCandles from "./StoredCandles.ts"

const gapMillis = 3 * minuteMillis

export const make = Effect.gen(function* () {
  const stored = yield* StoredCandles.make
  const { account, pollMinMillis } = yield* EngineSettings
  const orderBook = yield* OrderBook
  const observed = new Map<string, number>()
  let neededCandles: ReturnType<typeof candleNeeds> = new Map()
  let feeds: ReadonlyMap<string, CandleFeed> = new Map()
  let candlesFor: ReadonlyMap<Strategy, ReturnType<typeof JoinedCandles.make>> = new Map()

  /**
   * Prepares the candles that these strategies need from the stored prices. A saved edit loses no data: a market with unchanged needs keeps
   * its candles, and any other keeps at least the running minute.
   */
  const watchMarketsOf = Effect.fn("MarketWatch.watchMarketsOf")(function* (strategies: ReadonlyArray<Strategy>) {
    const newFeeds = new Map<string, CandleFeed>()
    const now = yield* Clock.currentTimeMillis
    const before = neededCandles
    neededCandles = candleNeeds(strategies)
    for (const [market, needs] of neededCandles) {
      const currentFeed = feeds.get(market)
      const sameFeed = isSame(before.get(market), needs) ? currentFeed : undefined
      newFeeds.set(market, sameFeed ?? (yield* stored.feedOf(market, needs, now, currentFeed?.running())))
    }
    feeds = newFeeds
    candlesFor = new Map(
      strategies.map((strategy) => [strategy, candlesFor.get(strategy) ?? JoinedCandles.make(strategy)])
    )
  })

  const refill = Effect.fnUntraced(function* (market: string) {
    const needs = neededCandles.get(market)
    if (needs === undefined || needs.size === 0) return
    feeds = new Map(feeds).set(market, yield* stored.feedOf(market, needs, yield* Clock.currentTimeMillis))
  })

  const observe = Effect.fnUntraced(function* (market: string) {
    const price = orderBook.prices.get(market)
    if (price === undefined || price.at === observed.get(market)) return
    const before = observed.get(market)
    // The feed does not bridge this gap; the store of prices may have its minutes.
    if (before !== undefined && price.at - before > gapMillis) yield* refill(market)
    observed.set(market, price.at)
    const feed = feeds.get(market)
    const closed = feed?.observe(Decimal.toNumber(mid(price)), price.at) ?? []
    yield* stored.keep(market, closed, feed?.running())
  })

  /** A failure in one market does not keep the others from their price, even if it fails the whole poll. */
  const look = Effect.fn("MarketWatch.look")(function* (strategies: ReadonlyArray<Strategy>, isAgain = false) {
    const markets = wantedBy(strategies)
    const looked = yield* Effect.result(orderBook.look(markets, isAgain ? 0 : pollMinMillis))
    yield* Effect.forEach(markets, ({ market }) => observe(market.name), { discard: true })
    yield* Effect.forEach(feeds, ([market, feed]) => stored.complete(market, feed), { discard: true })
    return yield* Effect.fromResult(looked)
  })

  /** `undefined` until each market that the strategy trades has a price. */
  const moment = (strategy: Strategy, now: number): MarketMoment | undefined => {
    const candles = candlesFor.get(strategy)?.(seenBy(strategy, feeds, now))
    return momentOf(strategy, orderBook.prices, candles, now, orderBook.depth(strategy.market.name))
  }

  const rest = (state: BotState) => orderBook.rest(account.signerId, restingIn(state))

  return { watchMarketsOf, look, moment, rest, prices: orderBook.prices, doubts: orderBook.doubts } as const
})

export class MarketWatch extends Context.Service<MarketWatch>()("limitbot/engine/markets/MarketWatch", { make }) {
  static readonly layer = Layer.effect(this, make)
}

export const doubted = (
  { doubts: known }: BotState,
  doubts: ReadonlyMap<string, Doubt>,
  strategies: ReadonlyArray<Strategy>
): ReadonlyArray<BotEvent> => {
  const watchedMarkets = new Set(strategies.flatMap(marketsSeen).map(({ name }) => name))
  const doubtful = [...doubts].filter(([market]) => watchedMarkets.has(market))
  return [
    ...doubtful.flatMap(([market, doubt]) =>
      known.has(market) ? [] : [{ _tag: "PriceDoubted", market, ...doubt } as const]
    ),
    ...[...known.keys()].flatMap((market) =>
      doubts.has(market) && watchedMarkets.has(market) ? [] : [{ _tag: "PriceConfirmed", market } as const]
    )
  ]
}

const isSame = (before: ReadonlyMap<string, number> | undefined, needs: ReadonlyMap<string, number>): boolean =>
  before?.size === needs.size && [...needs].every(([timeframe, count]) => before.get(timeframe) === count)

const candleNeeds = (strategies: ReadonlyArray<Strategy>): ReadonlyMap<string, ReadonlyMap<string, number>> => {
  const needs = new Map<string, Map<string, number>>()
  // Every market is kept: backtests and certificates use these prices.
  for (const { name } of strategies.flatMap(marketsSeen)) needs.set(name, new Map())
  for (const { market, candles } of strategies.flatMap(candlesWanted)) {
    for (const [timeframe, count] of candles) {
      const ofMarket = needs.get(market.name) ?? new Map<string, number>()
      needs.set(market.name, ofMarket.set(timeframe, Math.max(count, ofMarket.get(timeframe) ?? 0)))
    }
  }
  return needs
}
