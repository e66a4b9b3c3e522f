/**
 * The markets of one engine's strategies: prices and depth from the shared order book, and closed candles for the
 * strategies that ask for them. Candles are built from prices that this engine saw and stored in its journal.
 */
import { Clock, Effect } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { mid } from "../../domain/Market.ts"
import type { JournalError } from "../../journal/Journal.ts"
import { type Minute, PriceStore } from "../../journal/PriceStore.ts"
import { OrderBook } from "../../orderbook/OrderBook.ts"
import { wantedBy } from "../../orderbook/Wanted.ts"
import * as JoinedCandles from "../../strategy/expression/series/JoinedCandles.ts"
import { candlesWanted, marketsSeen, type Strategy } from "../../strategy/Strategy.ts"
import { EngineSettings } from "../EngineSettings.ts"
import { type MarketMoment, momentOf } from "../planning/DecisionRecord.ts"
import type { BotState } from "../state/BotState.ts"
import * as CandleFeed from "./CandleFeed.ts"
import { restingIn } from "./OwnOrders.ts"

const gapMillis = 3 * minuteMillis
/** Minutes of this age tell at least how the running one began. */
const leastSpanMillis = 5 * minuteMillis

export const make = Effect.gen(function* () {
  const store = yield* PriceStore
  const { account, pollMinMillis } = yield* EngineSettings
  const orderBook = yield* OrderBook
  /** When the price in the candles was last seen, by market. */
  const observed = new Map<string, number>()
  /** The running minute as it was last stored, by market. */
  const stored = new Map<string, Minute>()
  let wanted: ReturnType<typeof candleNeeds> = new Map()
  let feeds: ReadonlyMap<string, CandleFeed.CandleFeed> = new Map()
  let candlesFor: ReadonlyMap<Strategy, ReturnType<typeof JoinedCandles.make>> = new Map()

  // What cannot be stored costs no money: the bot goes on with what it has in memory.
  const unstored = Effect.catch(({ message }: JournalError) => Effect.logDebug(message))

  /** Takes what the market's source tells by now. */
  const complete = Effect.fnUntraced(function* (market: string, feed: CandleFeed.CandleFeed) {
    const fresh = feed.complete(yield* Clock.currentTimeMillis)
    if (fresh.length > 0) yield* unstored(store.keep(market, fresh))
  })

  const filled = Effect.fnUntraced(function* (
    market: string,
    needs: ReadonlyMap<string, number>,
    now: number,
    running?: CandleFeed.RunningMinute
  ) {
    const feed = CandleFeed.make(needs, (timeframe) => store.told(market, timeframe))
    const minutes = yield* store.since(market, now - Math.max(feed.spanMillis, leastSpanMillis))
    feed.restore(minutes, now, running)
    feed.adopt(yield* store.kept(market, now - feed.spanMillis))
    yield* complete(market, feed)
    const [own, last] = [yield* store.newest(market), minutes.at(-1)]
    // A candle of elsewhere tells where the price was, and not that somebody watched it.
    if (last !== undefined && last.openedAt > (own?.openedAt ?? 0)) orderBook.remember(market, last.close, 0)
    else if (own !== undefined) orderBook.remember(market, own.close, Math.min(now, own.openedAt + minuteMillis))
    return feed
  })

  /**
   * Prepares the candles that these strategies want from the stored prices. A saved edit costs nothing that was seen: a
   * market whose needs did not change keeps its candles, and any other keeps at least the running minute.
   */
  const follow = Effect.fn("MarketWatch.follow")(function* (strategies: ReadonlyArray<Strategy>) {
    const made = new Map<string, CandleFeed.CandleFeed>()
    const now = yield* Clock.currentTimeMillis
    const before = wanted
    wanted = candleNeeds(strategies)
    for (const [market, needs] of wanted) {
      const known = feeds.get(market)
      if (known !== undefined && isSame(before.get(market), needs)) {
        made.set(market, known)
        continue
      }
      made.set(market, yield* filled(market, needs, now, known?.running()))
    }
    feeds = made
    candlesFor = new Map(
      strategies.map((strategy) => [strategy, candlesFor.get(strategy) ?? JoinedCandles.make(strategy)])
    )
  })

  const refill = Effect.fnUntraced(function* (market: string) {
    const needs = wanted.get(market)
    if (needs === undefined || needs.size === 0) return
    feeds = new Map(feeds).set(market, yield* filled(market, needs, yield* Clock.currentTimeMillis))
  })

  const observe = Effect.fnUntraced(function* (market: string) {
    const price = orderBook.prices.get(market)
    if (price === undefined || price.at === observed.get(market)) return
    const before = observed.get(market)
    // A gap longer than the feed bridges: the store of prices may know what happened in it.
    if (before !== undefined && price.at - before > gapMillis) yield* refill(market)
    observed.set(market, price.at)
    const feed = feeds.get(market)
    const closed = feed?.observe(Decimal.toNumber(mid(price)), price.at) ?? []
    const running = feed?.running()
    // The running minute is stored as well, so a process that dies loses none of it.
    const begun = running?.isFromBeginning === true && !isStored(market, running.minute) ? [running.minute] : []
    for (const minute of begun) stored.set(market, minute)
    for (const minute of [...closed, ...begun]) yield* unstored(store.append(market, minute))
  })

  /** What is wrong with one market keeps no other from its price, even where it fails the look. */
  const look = Effect.fn("MarketWatch.look")(function* (strategies: ReadonlyArray<Strategy>) {
    const markets = wantedBy(strategies)
    const looked = yield* Effect.result(orderBook.look(markets, pollMinMillis))
    yield* Effect.forEach(markets, ({ market }) => observe(market.name), { discard: true })
    yield* Effect.forEach(feeds, ([market, feed]) => complete(market, feed), { discard: true })
    return yield* Effect.fromResult(looked)
  })

  /** What a strategy may see now; `undefined` until each market that it trades has a price. */
  const moment = (strategy: Strategy, now: number): MarketMoment | undefined => {
    const candles = candlesFor.get(strategy)?.(CandleFeed.seenBy(strategy, feeds, now))
    return momentOf(strategy, orderBook.prices, candles, now, orderBook.depth(strategy.market.name))
  }

  /** A new close alone is not worth a write. */
  const isStored = (market: string, { openedAt, high, low }: Minute): boolean => {
    const last = stored.get(market)
    return last?.openedAt === openedAt && last.high === high && last.low === low
  }

  /** Tells the shared book which orders rest now. */
  const rest = (state: BotState) => orderBook.rest(account.signerId, restingIn(state))

  return { follow, look, moment, rest, prices: orderBook.prices, doubts: orderBook.doubts } as const
})

export type MarketWatch = Effect.Success<typeof make>

/** What is new about prices that may not be used. */
export const doubted = (
  { doubts: known }: BotState,
  doubts: ReadonlyMap<string, string>,
  strategies: ReadonlyArray<Strategy>
): ReadonlyArray<BotEvent> => {
  const seen = new Set(strategies.flatMap(marketsSeen).map(({ name }) => name))
  const doubtful = [...doubts].filter(([market]) => seen.has(market))
  return [
    ...doubtful.flatMap(([market, reason]) =>
      known.has(market) ? [] : [{ _tag: "PriceDoubted", market, reason } as const]
    ),
    ...[...known.keys()].flatMap((market) =>
      doubts.has(market) && seen.has(market) ? [] : [{ _tag: "PriceConfirmed", market } as const]
    )
  ]
}

const isSame = (before: ReadonlyMap<string, number> | undefined, needs: ReadonlyMap<string, number>): boolean =>
  before?.size === needs.size && [...needs].every(([timeframe, count]) => before.get(timeframe) === count)

/** Closed candles wanted, by market and timeframe, over all strategies. */
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
