/**
 * What is known of the markets: the last two-sided price of each, and closed candles for the strategies that ask for them.
 * Each market is quoted once per look, however many strategies trade it.
 */
import { Clock, Effect } from "effect"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid, type TwoSidedPrice } from "../../domain/Market.ts"
import { PriceStore } from "../../journal/PriceStore.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { EngineSettings } from "../EngineSettings.ts"
import { type Moment, momentOf } from "../planning/Planning.ts"
import * as CandleFeed from "./CandleFeed.ts"
import * as Prices from "./Prices.ts"

export const make = Effect.gen(function* () {
  const store = yield* PriceStore
  const settings = yield* EngineSettings
  const prices = new Map<string, TwoSidedPrice>()
  let feeds: ReadonlyMap<string, CandleFeed.CandleFeed> = new Map()

  /** Prepares the candles that these strategies want, from the prices stored so far. */
  const follow = Effect.fn("MarketWatch.follow")(function* (strategies: ReadonlyArray<Strategy>) {
    const made = new Map<string, CandleFeed.CandleFeed>()
    const now = yield* Clock.currentTimeMillis
    for (const [market, needs] of candleNeeds(strategies)) {
      const feed = CandleFeed.make(needs)
      feed.restore(yield* store.since(market, now - feed.spanMillis))
      made.set(market, feed)
    }
    feeds = made
  })

  const lookAt = Effect.fnUntraced(function* (market: Market, sizes: Prices.QuoteSizes) {
    const price = yield* Prices.observe(market, sizes)
    if (price === undefined) return
    prices.set(market.name, price)
    const closed = feeds.get(market.name)?.observe(Decimal.toNumber(mid(price)), price.at) ?? []
    for (const minute of closed) yield* store.append(market.name, minute)
  })

  const look = Effect.fn("MarketWatch.look")(function* (strategies: ReadonlyArray<Strategy>) {
    const markets = [...Prices.sizesOf(strategies).values()]
    yield* Effect.forEach(markets, ({ market, sizes }) => lookAt(market, sizes), {
      concurrency: settings.concurrency,
      discard: true
    })
  })

  /** What a strategy may see now; `undefined` before there is a price of each of its markets. */
  const moment = (strategy: Strategy, now: number): Moment | undefined =>
    momentOf(strategy, prices, feeds.get(strategy.market.name)?.view(), now)

  return { follow, look, moment, prices } as const
})

/** Closed candles wanted by market and timeframe, over all its strategies. */
const candleNeeds = (strategies: ReadonlyArray<Strategy>): ReadonlyMap<string, ReadonlyMap<string, number>> => {
  const needs = new Map<string, Map<string, number>>()
  for (const { market, candles } of strategies) {
    for (const [timeframe, count] of candles ?? []) {
      const ofMarket = needs.get(market.name) ?? new Map<string, number>()
      needs.set(market.name, ofMarket.set(timeframe, Math.max(count, ofMarket.get(timeframe) ?? 0)))
    }
  }
  return needs
}
