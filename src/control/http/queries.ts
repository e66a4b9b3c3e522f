/** What the API shows, from the present state and the recent past. Nothing here changes anything. */
import { Clock, Effect, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { dayMillis } from "../../domain/Durations.ts"
import type { Market } from "../../domain/Market.ts"
import { timeframeMillis } from "../../domain/Timeframe.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { Journal } from "../../journal/Journal.ts"
import { PriceStore } from "../../journal/PriceStore.ts"
import { OrderBook } from "../../orderbook/OrderBook.ts"
import { bookView } from "../../views/Book.ts"
import { candlesOf } from "../../views/Candles.ts"
import { type LineView, mentions } from "../../views/Events.ts"
import { moneyView } from "../../views/Money.ts"
import { ordersOf } from "../../views/Orders.ts"
import * as ProfitView from "../../views/Profit.ts"
import * as AccountBooks from "../../views/profit/AccountBooks.ts"
import * as LiveProfit from "../../views/profit/LiveProfit.ts"
import * as StoredBooks from "../../views/profit/StoredBooks.ts"
import { slotsOf } from "../../views/Slots.ts"
import { statusOf } from "../../views/Status.ts"
import { TokenHolder } from "../api/Access.ts"
import { ControlApi, TooManyStreams, Unknown } from "../api/ControlApi.ts"
import { Bot } from "../Bot.ts"
import type { Recent } from "../view/Recent.ts"
import { type Ticks, tickMillis } from "../view/Ticks.ts"
import { stream } from "./streams.ts"

/** The most readers of the live stream at a time. */
const mostStreams = 16
const profitMillis = 30 * dayMillis
const mostCandles = 1_000
/** A younger journal has too few minutes for a line; the prices in memory give one. */
const youngMillis = 3_000_000

export const layer = (recent: Recent, ticks: Ticks) =>
  HttpApiBuilder.group(
    ControlApi,
    "look",
    Effect.fnUntraced(function* (handlers) {
      const [bot, books, journal, store] = [yield* Bot, yield* Bookkeeper, yield* Journal, yield* PriceStore]
      const orderBook = yield* OrderBook
      const { assets } = bot
      const earned = yield* LiveProfit.follow(assets)
      // Read when a page first asks: a chart needs every trade.
      const traded = yield* Effect.cached(StoredBooks.reader)
      let streams = 0

      const asOf = Effect.map(Clock.currentTimeMillis, (at) => ({ at, sequence: books.state.sequence }))
      const known = (name: string): Effect.Effect<Market, Unknown> => {
        const market = bot.markets.get(name)
        return market === undefined
          ? Effect.fail(new Unknown({ message: `There is no market ${name}` }))
          : Effect.succeed(market)
      }

      const status = Effect.gen(function* () {
        const { role } = yield* TokenHolder
        const now = yield* asOf
        return { ...now, ...statusOf(books.state, bot, now.at), role }
      })

      const profit = Effect.gen(function* () {
        const now = yield* asOf
        const strategies = bot.strategies()
        const picture = yield* earned(bot.prices)
        const account = yield* Effect.flatten(traded)
        const trading = AccountBooks.ofStrategies(account, (symbol) => assets.get(symbol)?.decimals)
        const from = Math.max(now.at - profitMillis, trading.flows[0]?.at ?? now.at)
        const markets = [...new Map(strategies.map(({ market }) => [market.name, market])).values()]
        const valued = yield* Effect.forEach(markets, (market) =>
          Effect.map(store.since(market.name, from), (stored) => {
            const present = bot.prices.get(market.name)
            const isYoung = now.at - from < youngMillis
            return isYoung
              ? { market, minutes: ticks.of(market.name), millis: tickMillis, now: present }
              : { market, minutes: stored, millis: 60_000, now: present }
          })
        )
        return {
          ...now,
          ...ProfitView.standingsView(picture, assets),
          strategies: strategies.flatMap((strategy) =>
            ProfitView.strategyProfit(assets, strategy, picture, recent.fills)
          ),
          series: ProfitView.series(trading, assets, valued, now.at)
        }
      })

      return handlers.handleAll({
        status: () => status,
        slots: Effect.fnUntraced(function* () {
          const { slots } = yield* Effect.orDie(earned(bot.prices))
          return { ...(yield* asOf), slots: slotsOf(books.state, assets, bot.prices, slots) }
        }),
        orders: () => Effect.map(asOf, (now) => ({ ...now, orders: ordersOf(books.state, assets) })),
        fills: ({ query: { after = 0, limit = 500 } }) =>
          Effect.map(asOf, (now) => {
            const known = recent.fills.findLastIndex(({ sequence }) => sequence <= after)
            const from = Math.max(known + 1, recent.fills.length - limit)
            return { ...now, fills: recent.fills.slice(from) }
          }),
        money: () => Effect.map(asOf, (now) => ({ ...now, ...moneyView(books.state, assets) })),
        profit: () => Effect.orDie(profit), // A journal that cannot be read stops the bot anyway.
        candles: Effect.fnUntraced(function* ({ query: { market, timeframe = "1m" } }) {
          yield* known(market)
          const now = yield* asOf
          if (timeframe === "5s") return { ...now, market, timeframe, ...candlesOf(ticks.of(market), tickMillis) }
          const millis = timeframeMillis(timeframe) ?? 60_000
          const from = now.at - millis * mostCandles
          const minutes = yield* Effect.orDie(store.since(market, from - (from % millis)))
          return { ...now, market, timeframe, ...candlesOf(minutes, millis) }
        }),
        book: Effect.fnUntraced(function* ({ query: { market: name } }) {
          const market = yield* known(name)
          const depth = orderBook.book(name)?.depth ?? []
          return { ...(yield* asOf), ...bookView(books.state, assets, market, bot.prices.get(name), depth) }
        }),
        log: Effect.fnUntraced(function* ({ query: { before = Number.POSITIVE_INFINITY, limit = 200, search = "" } }) {
          const isWanted = mentions(search)
          const found: Array<LineView> = []
          for (let index = recent.lines.length - 1; index >= 0 && found.length < limit; index -= 1) {
            const line = recent.lines[index]
            if (line !== undefined && line.sequence < before && isWanted(line)) found.push(line)
          }
          return { ...(yield* asOf), events: found.reverse() }
        }),
        events: Effect.fnUntraced(function* ({ headers, query }) {
          if (streams >= mostStreams)
            return yield* new TooManyStreams({ message: `${mostStreams} streams are open already` })
          const after = headers["last-event-id"] ?? query.after ?? books.state.sequence
          const counted = Effect.acquireRelease(
            Effect.sync(() => {
              streams += 1
            }),
            () =>
              Effect.sync(() => {
                streams -= 1
              })
          )
          const told = Stream.unwrap(Effect.as(counted, stream(after)))
          return told.pipe(
            Stream.provideService(Bot, bot),
            Stream.provideService(Bookkeeper, books),
            Stream.provideService(Journal, journal)
          )
        }),
        explain: ({ query: { slot, at } }) => bot.desk.explain(slot, at),
        files: () => bot.desk.files,
        backtest: ({ query: { file } }) => bot.desk.backtest(file),
        plan: () => bot.desk.plan([])
      })
    })
  )
