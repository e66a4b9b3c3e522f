/**
 * The order book of a service that publishes none, made of dry quotes (a `MarketBook` for each market). The process has one, so each market
 * is requested once. A market whose quotes are refused does not stop the others, and one that does not answer does not delay them.
 */
import { Clock, Context, Deferred, Effect, Fiber, Layer } from "effect"
import type { Book, Depth } from "../domain/Book.ts"
import type { Market, TwoSidedPrice } from "../domain/Market.ts"
import { Venue } from "../venue/Venue.ts"
import * as MarketBook from "./MarketBook.ts"
import * as SecondSource from "./SecondSource.ts"
import * as TokenPrices from "./TokenPrices.ts"
import type { Wanted } from "./Wanted.ts"

const concurrency = 4
const lateMillis = 2_000
/** A market without a quote for this time is reported; a single quote may fail. Strategies may still accept the age of its last price. */
const unquotedMillis = 10_000

export interface Doubt {
  readonly reason: string
  readonly isUnquoted?: true
}

/** A failure that concerns the whole bot: a wrong setting, or no market was answered. */
const failureOf = (failures: ReadonlyArray<MarketBook.Failure | undefined>): MarketBook.Failure | undefined => {
  const [first] = failures
  const setUpFailure = failures.find((one) => one?._tag === "WrongDecimals" || one?.reason._tag === "Unauthorized")
  return setUpFailure ?? (failures.every((failure) => failure !== undefined) ? first : undefined)
}

const noteUnquoted = (doubts: Map<string, Doubt>, markets: ReadonlyMap<string, MarketBook.MarketBook>) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    for (const [market, book] of markets) {
      const reason = book.unquotedFor(unquotedMillis, now)
      if (reason !== undefined && !doubts.has(market)) doubts.set(market, { reason, isUnquoted: true })
    }
  })

export class OrderBook extends Context.Service<
  OrderBook,
  {
    /**
     * Requests every price that is `maxAgeMillis` old, and one due deeper level of each market. Then it fails if a credential was refused,
     * if the first two quotes of a market contradict the configured decimals, or if the venue answered for no market. `lookDeep` requests
     * every deeper level, and waits for each market.
     */
    look(wanted: ReadonlyArray<Wanted>, maxAgeMillis: number): Effect.Effect<void, MarketBook.Failure>
    lookDeep(wanted: ReadonlyArray<Wanted>, maxAgeMillis: number): Effect.Effect<void, MarketBook.Failure>
    readonly prices: ReadonlyMap<string, TwoSidedPrice>
    readonly doubts: ReadonlyMap<string, Doubt>
    /** Restores the last usable mid after a restart. */ remember(market: string, mid: number, at: number): void
    /** `undefined` before the first poll of the market. */ book(market: string): Book | undefined
    /** Deeper levels, for strategies; `undefined` before the first one. */ depth(market: string): Depth | undefined
  }
>()("limitbot/orderbook/OrderBook") {
  static readonly layer = Layer.effect(
    OrderBook,
    Effect.gen(function* () {
      const venue = yield* Venue
      const scope = yield* Effect.scope
      const terms = yield* SecondSource.SecondSourceTerms
      const tokenPrices = yield* TokenPrices.make(venue)
      const markets = new Map<string, MarketBook.MarketBook>()
      const prices = new Map<string, TwoSidedPrice>()
      const doubts = new Map<string, Doubt>()
      const sources = new Map<string, SecondSource.SecondSource>()

      const sourceOf = (market: string): SecondSource.SecondSource => {
        const source = sources.get(market) ?? SecondSource.make(market, terms)
        sources.set(market, source)
        return source
      }

      const publish = (name: string, found: MarketBook.PriceOrDoubt): void => {
        if ("price" in found) {
          doubts.delete(name)
          prices.set(name, found.price)
        } else {
          prices.delete(name)
          doubts.set(name, { reason: found.doubt })
        }
      }

      const bookOf = Effect.fnUntraced(function* (market: Market) {
        const { name } = market
        const existingBook = markets.get(name)
        if (existingBook !== undefined) return existingBook
        const book = yield* MarketBook.make(market, { venue, tokenPrices, source: sourceOf(name), publish })
        markets.set(name, book)
        return book
      })

      const lookAt = (wanted: Wanted, maxAgeMillis: number, isDeep: boolean) =>
        Effect.flatMap(bookOf(wanted.market), (book) => book.look(wanted, maxAgeMillis, isDeep))

      const asking = new Map<string, Fiber.Fiber<MarketBook.Failure | undefined>>()

      /** After another market has answered, waits only `lateMillis` for a slow one. A later answer still counts. */
      const lookWithin = Effect.fnUntraced(function* (
        wanted: Wanted,
        maxAgeMillis: number,
        answered: Deferred.Deferred<void>
      ) {
        const { name } = wanted.market
        const begin = lookAt(wanted, maxAgeMillis, false).pipe(
          Effect.ensuring(Effect.sync(() => asking.delete(name))),
          Effect.forkIn(scope)
        )
        const fiber = asking.get(name) ?? (yield* begin)
        if (fiber.pollUnsafe() === undefined) asking.set(name, fiber)
        const completion = Effect.tap(Fiber.join(fiber), (failure) =>
          failure === undefined ? Deferred.succeed(answered, undefined) : Effect.void
        )
        const late = Effect.as(Effect.andThen(Deferred.await(answered), Effect.sleep(lateMillis)), undefined)
        return yield* Effect.raceFirst(completion, late)
      })

      const lookAll = Effect.fn("OrderBook.look")(function* (
        wanted: ReadonlyArray<Wanted>,
        maxAgeMillis: number,
        isDeep: boolean
      ) {
        const answered = yield* Deferred.make<void>()
        const ask = (each: Wanted) =>
          isDeep ? lookAt(each, maxAgeMillis, isDeep) : lookWithin(each, maxAgeMillis, answered)
        const failures = yield* Effect.forEach(wanted, ask, { concurrency: isDeep ? concurrency : "unbounded" })
        const failure = failureOf(failures)
        if (failure !== undefined) return yield* failure
        yield* noteUnquoted(doubts, markets)
      })

      return OrderBook.of({
        look: (wanted, maxAgeMillis) => lookAll(wanted, maxAgeMillis, false),
        lookDeep: (wanted, maxAgeMillis) => lookAll(wanted, maxAgeMillis, true),
        prices,
        doubts,
        remember: (market, mid, at) => sourceOf(market).remember({ mid, at }),
        book: (market) => markets.get(market)?.book(),
        depth: (market) => markets.get(market)?.depth()
      })
    })
  )
}
