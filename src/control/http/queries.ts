/** Answers the API's questions from the present state and the recent past. It changes nothing. */
import { Clock, Context, Effect, PubSub, Queue, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { dayMillis } from "../../domain/Durations.ts"
import type { Market, TwoSidedPrice } from "../../domain/Market.ts"
import { timeframeMillis } from "../../domain/Timeframe.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { Journal } from "../../journal/Journal.ts"
import { PriceStore } from "../../journal/PriceStore.ts"
import { OrderBook } from "../../orderbook/OrderBook.ts"
import { marketsOf } from "../../strategy/Strategy.ts"
import { bookView } from "../../views/Book.ts"
import { candlesOf } from "../../views/Candles.ts"
import { type LineView, lineOf, mentions } from "../../views/Events.ts"
import { moneyView } from "../../views/Money.ts"
import { ordersOf } from "../../views/Orders.ts"
import { priceView } from "../../views/Prices.ts"
import * as ProfitView from "../../views/Profit.ts"
import * as AccountBooks from "../../views/profit/AccountBooks.ts"
import * as LiveProfit from "../../views/profit/LiveProfit.ts"
import * as StoredBooks from "../../views/profit/StoredBooks.ts"
import { slotsOf } from "../../views/Slots.ts"
import { statusOf } from "../../views/Status.ts"
import { TokenHolder } from "../api/Access.ts"
import { ControlApi, type StreamMessage, TooManyStreams, Unknown } from "../api/ControlApi.ts"
import { Bot } from "../Bot.ts"
import type { Recent } from "../view/Recent.ts"
import { type Ticks, tickMillis } from "../view/Ticks.ts"

const priceMillis = 500
const aliveMillis = 5_000

const messageOf = (data: StreamMessage) =>
  data._tag === "Event" ? { id: String(data.sequence), event: data._tag, data } : { event: data._tag, data }

/** Starts with the event after `after`, and does not end. */
const stream = (after: number) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const [bot, books, journal] = [yield* Bot, yield* Bookkeeper, yield* Journal]
      let last = after
      const changes = yield* PubSub.subscribe(books.changes)
      const woken = yield* Queue.sliding<void>(1)
      yield* Queue.offer(woken, undefined)
      yield* Effect.forkScoped(
        Stream.runForEachArray(Stream.fromSubscription(changes), () => Queue.offer(woken, undefined))
      )
      const fresh = Stream.fromQueue(woken).pipe(
        Stream.flatMap(() => Stream.orDie(journal.events({ after: last }))), // A journal that cannot be read stops the bot.
        Stream.map((recorded) => {
          last = recorded.sequence
          return messageOf({ _tag: "Event", ...lineOf(recorded, bot.assets) })
        })
      )
      const lastPrices = new Map<string, TwoSidedPrice>()
      const prices = Stream.tick(priceMillis).pipe(
        Stream.mapEffect(() => Clock.currentTimeMillis),
        Stream.flatMap((at) => {
          const changed = [...bot.prices].filter(([market, price]) => lastPrices.get(market) !== price)
          for (const [market, price] of changed) lastPrices.set(market, price)
          const priceViews = changed.map(([market, price]) => priceView(market, price))
          return priceViews.length === 0
            ? Stream.empty
            : Stream.succeed(messageOf({ _tag: "Prices", at, prices: priceViews }))
        })
      )
      const alive = Stream.tick(aliveMillis).pipe(
        Stream.mapEffect(() => Clock.currentTimeMillis),
        Stream.map((at) => messageOf({ _tag: "Alive", at, sequence: books.state.sequence, turnedAt: bot.turnedAt() }))
      )
      return Stream.mergeAll([fresh, prices, alive], { concurrency: 3 })
    })
  )

const mostStreams = 16
const profitMillis = 30 * dayMillis
const mostCandles = 1_000
/** A younger journal has too few minutes for a line, so the prices in memory are used. */
const youngMillis = 3_000_000

interface Means {
  readonly bot: Bot["Service"]
  readonly books: Bookkeeper["Service"]
  readonly store: PriceStore["Service"]
  readonly recent: Recent
  readonly ticks: Ticks
}

const asOf = ({ books }: Pick<Means, "books">) =>
  Effect.map(Clock.currentTimeMillis, (at) => ({ at, sequence: books.state.sequence }))

const marketOf = ({ bot }: Means, name: string): Effect.Effect<Market, Unknown> => {
  const market = bot.markets.get(name)
  return market === undefined
    ? Effect.fail(new Unknown({ message: `No market is named ${name}` }))
    : Effect.succeed(market)
}

const profit = Effect.fnUntraced(function* (
  means: Means,
  earned: Effect.Success<ReturnType<typeof LiveProfit.subscribe>>,
  account: Effect.Success<Effect.Success<typeof StoredBooks.reader>>
) {
  const { bot, recent, store, ticks } = means
  const { assets } = bot
  const now = yield* asOf(means)
  const strategies = bot.strategies()
  const picture = yield* earned(bot.prices)
  const trading = AccountBooks.ofStrategies(account, (symbol) => assets.get(symbol)?.decimals)
  const from = Math.max(now.at - profitMillis, trading.flows[0]?.at ?? now.at)
  const isYoung = now.at - from < youngMillis
  const markets = [...new Map(strategies.flatMap(marketsOf).map((market) => [market.name, market])).values()]
  const valued = yield* Effect.forEach(markets, (market) =>
    Effect.map(store.since(market.name, from), (stored) => {
      const minutes = isYoung ? ticks.of(market.name) : []
      return ProfitView.valuedBy({ market, now: bot.prices.get(market.name) }, stored, { minutes, millis: tickMillis })
    })
  )
  const closes = valued.flat()
  const closesByQuote = Map.groupBy(closes, ({ market }) => market.quote.symbol)
  const lines = [...closesByQuote.values()].map((each) => ProfitView.series(trading, assets, each, now.at))
  const curves = new Map(lines.map((line) => [line.asset, ProfitView.standingCurve(line)]))
  const { days, standings } = ProfitView.standingsView(picture, assets)
  return {
    ...now,
    standings: standings.map((each) => ({ ...each, curve: curves.get(each.asset) ?? [] })),
    days,
    strategies: strategies.flatMap((strategy) => {
      const curve = ProfitView.strategyCurve(trading, assets, strategy, closes, now.at)
      return ProfitView.strategyProfit(assets, strategy, picture, recent.fills).map((own) => ({ ...own, curve }))
    }),
    series: lines[0] ?? ProfitView.series(trading, assets, [], now.at)
  }
})

const candles = Effect.fnUntraced(function* (means: Means, market: string, timeframe: string) {
  yield* marketOf(means, market)
  const now = yield* asOf(means)
  if (timeframe === "5s") return { ...now, market, timeframe, ...candlesOf(means.ticks.of(market), tickMillis) }
  const millis = timeframeMillis(timeframe) ?? 60_000
  const from = now.at - millis * mostCandles
  const minutes = yield* Effect.orDie(means.store.since(market, from - (from % millis)))
  return { ...now, market, timeframe, ...candlesOf(minutes, millis) }
})

const linesBefore = ({ lines }: Recent, before: number, most: number, search: string): ReadonlyArray<LineView> => {
  const isWanted = mentions(search)
  const matches: Array<LineView> = []
  for (let index = lines.length - 1; index >= 0 && matches.length < most; index -= 1) {
    const line = lines[index]
    if (line !== undefined && line.sequence < before && isWanted(line)) matches.push(line)
  }
  return matches.reverse()
}

const streaming = ({ books }: Means) => {
  let streams = 0
  const streamSlot = Effect.acquireRelease(
    Effect.sync(() => ++streams),
    () => Effect.sync(() => --streams)
  )
  return (after = books.state.sequence) =>
    streams >= mostStreams
      ? Effect.fail(new TooManyStreams({ message: `${mostStreams} streams are open already` }))
      : Effect.succeed(Stream.unwrap(Effect.as(streamSlot, stream(after))))
}

export const layer = (recent: Recent, ticks: Ticks) =>
  HttpApiBuilder.group(
    ControlApi,
    "look",
    Effect.fnUntraced(function* (handlers) {
      const [bot, books, journal, store] = [yield* Bot, yield* Bookkeeper, yield* Journal, yield* PriceStore]
      const orderBook = yield* OrderBook
      const { assets } = bot
      const means: Means = { bot, books, store, recent, ticks }
      const now = asOf(means)
      const earned = yield* LiveProfit.subscribe(assets)
      // Read only when a page first asks, because a chart needs every trade of the journal.
      const traded = yield* Effect.cached(StoredBooks.reader)
      const streamed = streaming(means)

      return handlers.handleAll({
        status: Effect.fnUntraced(function* () {
          const { role } = yield* TokenHolder
          const snapshot = yield* now
          return {
            ...snapshot,
            ...statusOf(books.state, bot, (market) => orderBook.book(market)?.seenAfter, snapshot.at),
            role
          }
        }),
        slots: Effect.fnUntraced(function* () {
          const { slots } = yield* Effect.orDie(earned(bot.prices))
          return { ...(yield* now), slots: slotsOf(books.state, assets, bot.prices, slots) }
        }),
        byHand: () => bot.services.orders.list,
        orders: () => Effect.map(now, (asked) => ({ ...asked, orders: ordersOf(books.state, assets) })),
        fills: ({ query: { after = 0, limit = 500 } }) =>
          Effect.map(now, (asked) => {
            const fillIndex = recent.fills.findLastIndex(({ sequence }) => sequence <= after)
            const from = Math.max(fillIndex + 1, recent.fills.length - limit)
            return { ...asked, fills: recent.fills.slice(from) }
          }),
        money: () => Effect.map(now, (asked) => ({ ...asked, ...moneyView(books.state, assets) })),
        // A journal that cannot be read stops the bot anyway.
        profit: () => Effect.orDie(Effect.flatMap(Effect.flatten(traded), (account) => profit(means, earned, account))),
        candles: ({ query: { market, timeframe = "1m" } }) => candles(means, market, timeframe),
        book: Effect.fnUntraced(function* ({ query: { market: name } }) {
          const market = yield* marketOf(means, name)
          const depth = orderBook.book(name)?.depth ?? []
          return { ...(yield* now), ...bookView(books.state, assets, market, bot.prices.get(name), depth) }
        }),
        log: ({ query: { before = Number.POSITIVE_INFINITY, limit = 200, search = "" } }) =>
          Effect.map(now, (asked) => ({ ...asked, events: linesBefore(recent, before, limit, search) })),
        events: Effect.fnUntraced(function* ({ headers, query }) {
          const { left } = yield* TokenHolder
          const eventStream = yield* streamed(headers["last-event-id"] ?? query.after)
          return eventStream.pipe(
            Stream.interruptWhen(left),
            Stream.provideContext(
              Context.make(Bot, bot).pipe(Context.add(Bookkeeper, books), Context.add(Journal, journal))
            )
          )
        }),
        explain: ({ query: { slot, at } }) => bot.services.explain(slot, at),
        files: () => bot.services.files,
        backtest: ({ query: { file } }) => bot.services.backtest(file),
        plan: () => bot.services.plan([]),
        push: () => Effect.succeed({ key: bot.phones?.key ?? null })
      })
    })
  )
