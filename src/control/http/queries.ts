/** What the API shows, from the present state and the recent past. Nothing here changes anything. */
import { Clock, Effect, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { format } from "../../domain/Amount.ts"
import { dayMillis } from "../../domain/Durations.ts"
import { timeframeMillis } from "../../domain/Timeframe.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { unfinished } from "../../engine/state/BotState.ts"
import { Journal } from "../../journal/Journal.ts"
import { PriceStore } from "../../journal/PriceStore.ts"
import { OrderBook } from "../../orderbook/OrderBook.ts"
import { version } from "../../version.ts"
import { TokenHolder } from "../api/Access.ts"
import { ControlApi, Refused, TooManyStreams, Unknown } from "../api/ControlApi.ts"
import type { LineView } from "../api/Views.ts"
import { Bot, type DeskRefused } from "../Bot.ts"
import { candlesOf } from "../view/candles.ts"
import { bookOrders, moneyView, orderViews, priceView, quoteView, slotViews } from "../view/lists.ts"
import { problemsOf } from "../view/problems.ts"
import * as ProfitView from "../view/profit.ts"
import { mentions, type Recent } from "../view/Recent.ts"
import { type Ticks, tickMillis } from "../view/Ticks.ts"
import { stream } from "./streams.ts"

/** The most readers of the live stream at a time. */
const mostStreams = 16
const profitMillis = 30 * dayMillis
const mostCandles = 1_000
/** A younger journal has too few minutes for a line; the prices in memory give one. */
const youngMillis = 3_000_000

const asRefused = ({ message }: DeskRefused) => new Refused({ message })

export const layer = (recent: Recent, ticks: Ticks) =>
  HttpApiBuilder.group(
    ControlApi,
    "look",
    Effect.fnUntraced(function* (handlers) {
      const [bot, books, journal, store] = [yield* Bot, yield* Bookkeeper, yield* Journal, yield* PriceStore]
      const orderBook = yield* OrderBook
      const { assets } = bot
      let streams = 0

      const asOf = Effect.map(Clock.currentTimeMillis, (at) => ({ at, sequence: books.state.sequence }))
      const known = (market: string) =>
        bot.markets.has(market) ? Effect.void : new Unknown({ message: `There is no market ${market}` })

      const status = Effect.gen(function* () {
        const { role } = yield* TokenHolder
        const { state } = books
        const now = yield* asOf
        const open = unfinished(state)
        const turnedAt = bot.turnedAt()
        return {
          ...now,
          version,
          mode: state.run?.mode ?? "",
          venue: state.run?.venue ?? "",
          account: state.run?.account ?? "",
          journal: bot.journal,
          pid: state.run?.pid ?? 0,
          startedAt: state.runStartedAt,
          turnedAt,
          leaving: bot.leaving() ?? null,
          killSwitch: state.killed ?? null,
          venueDownSince: state.venueDownSince ?? null,
          fills: state.fills,
          openOrders: open.length,
          strategies: bot.strategies().map(({ name, kind, file, market }) => {
            const known = state.strategies.get(name)
            const paused = known?.paused
            const slots = (known?.decision?.desired.length ?? 0) + (known?.decision?.absent.length ?? 0)
            return {
              name,
              kind,
              file,
              market: market.name,
              paused: paused === undefined ? null : { by: paused.limit, action: paused.action, reason: paused.reason },
              openOrders: open.filter(({ strategy }) => strategy === name).length,
              slots,
              decidedAt: known?.decidedAt ?? 0
            }
          }),
          prices: [...bot.prices].map(([market, price]) => priceView(market, price)),
          problems: problemsOf(state, assets, { now: now.at, pulse: bot, stuckAfter: bot.stuckAfter }),
          role
        }
      })

      const profit = Effect.gen(function* () {
        const now = yield* asOf
        const strategies = bot.strategies()
        const trading = recent.profit.trading()
        const picture = recent.profit.picture(bot.prices, now.at)
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
        slots: () =>
          Effect.map(asOf, (now) => {
            const { slots } = recent.profit.picture(bot.prices, now.at)
            return { ...now, slots: slotViews(books.state, assets, bot.prices, slots) }
          }),
        orders: () => Effect.map(asOf, (now) => ({ ...now, orders: orderViews(books.state, assets) })),
        fills: ({ query: { after = 0, limit = 500 } }) =>
          Effect.map(asOf, (now) => {
            const known = recent.fills.findLastIndex(({ sequence }) => sequence <= after)
            const from = Math.max(known + 1, recent.fills.length - limit)
            return { ...now, fills: recent.fills.slice(from) }
          }),
        money: () => Effect.map(asOf, (now) => ({ ...now, ...moneyView(books.state, assets) })),
        profit: () => Effect.orDie(profit), // The stored prices are in the journal's own file.
        candles: Effect.fnUntraced(function* ({ query: { market, timeframe = "1m" } }) {
          yield* known(market)
          const now = yield* asOf
          if (timeframe === "5s") return { ...now, market, timeframe, ...candlesOf(ticks.of(market), tickMillis) }
          const millis = timeframeMillis(timeframe) ?? 60_000
          const from = now.at - millis * mostCandles
          const minutes = yield* Effect.orDie(store.since(market, from - (from % millis)))
          return { ...now, market, timeframe, ...candlesOf(minutes, millis) }
        }),
        book: Effect.fnUntraced(function* ({ query: { market } }) {
          yield* known(market)
          const price = bot.prices.get(market)
          const orders = bookOrders(books.state, assets, market)
          const { base } = bot.markets.get(market) ?? { base: undefined }
          const depth = (orderBook.book(market)?.depth ?? []).flatMap(({ ask, at, bid, quantity }) =>
            ask === undefined || bid === undefined
              ? []
              : [{ quantity: format(quantity, base?.decimals ?? 0), ...quoteView({ ask, at, bid }) }]
          )
          const shown = price === undefined ? null : priceView(market, price)
          return { ...(yield* asOf), market, price: shown, depth, orders }
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
        explain: ({ query: { slot, at } }) => Effect.mapError(bot.desk.explain(slot, at), asRefused),
        files: () => Effect.mapError(bot.desk.files, asRefused),
        backtest: ({ query: { file } }) => Effect.mapError(bot.desk.backtest(file), asRefused),
        plan: () => Effect.mapError(bot.desk.plan([]), asRefused)
      })
    })
  )
