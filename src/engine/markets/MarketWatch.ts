/**
 * The markets of one engine's strategies: prices and depth from the shared order book, and candles of the prices that this engine saw. They
 * are built from the store of prices at a start, after a gap or a clock that was set back, and once a failed source answers again. They are
 * stored as they close.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { OwnOrder } from "../../domain/Book.ts"
import type { BotEvent } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { mid } from "../../domain/Market.ts"
import type { JournalError } from "../../journal/Journal.ts"
import { type Minute, PriceStore } from "../../journal/PriceStore.ts"
import { type Doubt, OrderBook } from "../../orderbook/OrderBook.ts"
import { wantedBy } from "../../orderbook/Wanted.ts"
import * as JoinedCandles from "../../strategy/expression/series/JoinedCandles.ts"
import { candlesWanted, marketsSeen, type Strategy } from "../../strategy/Strategy.ts"
import { EngineSettings } from "../EngineSettings.ts"
import { type MarketMoment, momentOf, slotEnds } from "../planning/DecisionRecord.ts"
import { type BotState, unfinished } from "../state/BotState.ts"
import { openQuantity } from "../state/Placement.ts"
import { slotKey } from "../state/SlotFold.ts"
import * as CandleFeed from "./CandleFeed.ts"

const gapMillis = 3 * minuteMillis
/** At least this span is read, so that the start of the running minute is known. */
const minSpanMillis = 5 * minuteMillis

const storedCandles = Effect.gen(function* () {
  const store = yield* PriceStore
  const orderBook = yield* OrderBook
  const stored = new Map<string, Minute>()

  // A failed write costs no money: the bot continues with the candles in memory.
  const unstored = Effect.catch(({ message }: JournalError) => Effect.logDebug(message))

  const complete = Effect.fnUntraced(function* (market: string, feed: CandleFeed.CandleFeed) {
    const fresh = feed.complete(yield* Clock.currentTimeMillis)
    if (fresh.length > 0) yield* unstored(store.keep(market, fresh))
  })

  const feedOf = Effect.fnUntraced(function* (
    market: string,
    needs: ReadonlyMap<string, number>,
    running: () => CandleFeed.RunningMinute | undefined
  ) {
    const feed = CandleFeed.make(needs, (timeframe) => store.told(market, timeframe))
    const from = (yield* Clock.currentTimeMillis) - Math.max(feed.spanMillis, minSpanMillis)
    const minutes = yield* store.since(market, from)
    // While a source is read, time passes and turns see prices.
    const now = yield* Clock.currentTimeMillis
    feed.restore(minutes, now, running())
    feed.adopt(yield* store.kept(market, now - feed.spanMillis))
    yield* complete(market, feed)
    const [own, last] = [yield* store.newest(market), minutes.at(-1)]
    // A minute from another source shows where the price was, but not that the bot saw it.
    if (last !== undefined && last.openedAt > (own?.openedAt ?? 0)) orderBook.remember(market, last.close, 0)
    else if (own !== undefined) orderBook.remember(market, own.close, Math.min(now, own.openedAt + minuteMillis))
    return feed
  })

  /** A new close alone does not justify a write. */
  const isStored = (market: string, { openedAt, high, low }: Minute): boolean => {
    const last = stored.get(market)
    return last?.openedAt === openedAt && last.high === high && last.low === low
  }

  /** Stores the running minute as well, so a process that dies loses none of it. */
  const keep = Effect.fnUntraced(function* (
    market: string,
    closed: ReadonlyArray<Minute>,
    running: CandleFeed.RunningMinute | undefined
  ) {
    const firstMinutes = running?.isFromBeginning === true && !isStored(market, running.minute) ? [running.minute] : []
    for (const minute of firstMinutes) stored.set(market, minute)
    for (const minute of [...closed, ...firstMinutes]) yield* unstored(store.append(market, minute))
  })

  return { complete, feedOf, keep, isSourceBack: store.isSourceBack }
})

export const make = Effect.gen(function* () {
  const stored = yield* storedCandles
  const { pollMinMillis } = yield* EngineSettings
  const orderBook = yield* OrderBook
  const observed = new Map<string, number>()
  let neededCandles: ReturnType<typeof candleNeeds> = new Map()
  let feeds: ReadonlyMap<string, CandleFeed.CandleFeed> = new Map()
  let candlesFor: ReadonlyMap<Strategy, ReturnType<typeof JoinedCandles.make>> = new Map()

  /**
   * Prepares the candles that these strategies need from the stored prices. A saved edit loses no data: a market with unchanged needs keeps
   * its candles, and any other keeps at least the running minute.
   */
  const watchMarketsOf = Effect.fn("MarketWatch.watchMarketsOf")(function* (strategies: ReadonlyArray<Strategy>) {
    const newFeeds = new Map<string, CandleFeed.CandleFeed>()
    const newNeeds = candleNeeds(strategies)
    for (const [market, needs] of newNeeds) {
      const isKept = feeds.has(market) && isSame(neededCandles.get(market), needs)
      if (!isKept) newFeeds.set(market, yield* stored.feedOf(market, needs, () => feeds.get(market)?.running()))
    }
    neededCandles = newNeeds
    feeds = new Map([...feeds, ...newFeeds].filter(([market]) => newNeeds.has(market)))
    candlesFor = new Map(
      strategies.map((strategy) => [strategy, candlesFor.get(strategy) ?? JoinedCandles.make(strategy)])
    )
  })

  const refill = Effect.fnUntraced(function* (market: string, isCutOff: boolean) {
    const needs = neededCandles.get(market)
    if (needs === undefined || needs.size === 0) return
    const running = () => (isCutOff ? undefined : feeds.get(market)?.running())
    const feed = yield* stored.feedOf(market, needs, running)
    // An edit may have replaced the feed meanwhile.
    if (isSame(neededCandles.get(market), needs)) feeds = new Map(feeds).set(market, feed)
  })

  const observe = Effect.fnUntraced(function* (market: string) {
    const price = orderBook.prices.get(market)
    if (price === undefined || price.at === observed.get(market)) return
    const running = feeds.get(market)?.running()
    // The feed cannot continue over this time; the store of prices may have its minutes.
    const isCutOff = running !== undefined && isApart(running.minute, price.at, observed.get(market))
    if (isCutOff || stored.isSourceBack(market)) yield* refill(market, isCutOff)
    observed.set(market, price.at)
    const feed = feeds.get(market)
    const closed = feed?.observe(Decimal.toNumber(mid(price)), price.at) ?? []
    yield* stored.keep(market, closed, feed?.running())
  })

  /** A failure in one market does not keep the others from their price, even if it fails the whole poll. */
  const look = Effect.fn("MarketWatch.look")(function* (
    state: BotState,
    strategies: ReadonlyArray<Strategy>,
    isAgain = false
  ) {
    const markets = wantedBy(strategies, (name) => slotEnds(state, name))
    const looked = yield* Effect.result(orderBook.look(markets, isAgain ? 0 : pollMinMillis))
    yield* Effect.forEach(markets, ({ market }) => observe(market.name), { discard: true })
    yield* Effect.forEach(feeds, ([market, feed]) => stored.complete(market, feed), { discard: true })
    return yield* Effect.fromResult(looked)
  })

  /** `undefined` until each market that the strategy trades has a price. */
  const moment = (strategy: Strategy, now: number): MarketMoment | undefined => {
    const candles = candlesFor.get(strategy)?.(CandleFeed.seenBy(strategy, feeds, now))
    return momentOf(strategy, orderBook.prices, candles, now, orderBook.depth(strategy.market.name))
  }

  return { watchMarketsOf, look, moment, prices: orderBook.prices, doubts: orderBook.doubts } as const
})

export class MarketWatch extends Context.Service<MarketWatch>()("limitbot/engine/markets/MarketWatch", { make }) {
  static readonly layer = Layer.effect(this, make)
}

/** Our side of the book: the bot's orders in a market that are still open at the venue. */
export const restingIn = (state: BotState, market: string): ReadonlyArray<OwnOrder> =>
  unfinished(state).flatMap((placement) => {
    const { by, price, side, slot, strategy } = placement
    const quantity = openQuantity(placement)
    const isResting = placement.market === market && placement.state === "open" && by === undefined && quantity > 0n
    return isResting ? [{ side, price, quantity, slot: slotKey(strategy, slot) }] : []
  })

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

/** True after a gap since the feed's minute or the last price, or if the clock was set back before that minute. */
const isApart = ({ openedAt }: Minute, at: number, observedAt = at): boolean =>
  at - Math.min(observedAt, openedAt + minuteMillis) > gapMillis || openedAt - at > gapMillis

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
