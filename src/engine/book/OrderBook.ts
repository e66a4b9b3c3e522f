/**
 * The order book of a service that publishes none. The market's side consists of dry quotes: a two-sided price at
 * about the size that the strategies trade, asked at every look, and deeper levels, asked one at a time and rarely.
 * Our side is what rests of every account. One book serves the whole process: each market is asked once, however many
 * strategies or accounts need it.
 *
 * Quotes use up the venue's rate limit. The deeper levels of a market take at most a fiftieth of the time, measured
 * by how long their answers took; a level that fails keeps its last answer. A market whose quotes are refused does
 * not stop the others, and one that does not answer does not keep them waiting. A refused one shows the indicative
 * price of the token list, on which no strategy decides.
 */
import { Clock, Context, Deferred, Effect, Fiber, Layer, Semaphore } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import { type Book, bestFirst, type Depth, type DepthLevel, type OwnOrder } from "../../domain/Book.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { elapsedMillis } from "../../domain/Durations.ts"
import type { Market, TwoSidedPrice } from "../../domain/Market.ts"
import { Venue } from "../../venue/Venue.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import * as Quotes from "./Quotes.ts"
import type { Wanted } from "./Wanted.ts"

/** Markets asked at the same time. */
const concurrency = 4
/** A market that answers later than the others by more than this is not waited for. */
const lateMillis = 2_000
/** A deeper level is asked again after this long, or after fifty times what its last answer took. */
const levelMillis = 30_000
const levelShare = 50
/** An older level says nothing about the market. */
const levelLastsMillis = 300_000
const indicativeMillis = 60_000

interface Entry {
  readonly lock: Semaphore.Semaphore
  book: Book
  top: DepthLevel | undefined
  /** Deeper levels by quantity, with when each may be asked again. */
  readonly levels: Map<Amount, { readonly level: DepthLevel; readonly againAt: number }>
  /** The deeper levels as strategies see them: the same object until a level changes. */
  deeper: Depth
}

/** No market could be asked: the venue is away. */
const allFailed = (failures: ReadonlyArray<VenueError | undefined>): VenueError | undefined => {
  const [first] = failures
  return failures.every((failure) => failure !== undefined) ? first : undefined
}

export class OrderBook extends Context.Service<
  OrderBook,
  {
    /**
     * Asks for every price that is `maxAgeMillis` old, and for one due deeper level of each market. Fails when a
     * credential is refused, when the first quote of a market contradicts the configured decimals, or when the venue
     * answers for no market at all.
     */
    look(wanted: ReadonlyArray<Wanted>, maxAgeMillis: number): Effect.Effect<void, VenueError | Quotes.WrongDecimals>
    /** The same, with all deeper levels at once: for a person who waits. */
    lookDeep(
      wanted: ReadonlyArray<Wanted>,
      maxAgeMillis: number
    ): Effect.Effect<void, VenueError | Quotes.WrongDecimals>
    /** By market. */
    readonly prices: ReadonlyMap<string, TwoSidedPrice>
    book(market: string): Book | undefined
    /** The deeper levels, for strategies; `undefined` before the first one. */
    depth(market: string): Depth | undefined
    /** Replaces what the book shows of this account's resting orders, by market. */
    rest(account: string, orders: ReadonlyMap<string, ReadonlyArray<OwnOrder>>): void
    /** Resting orders of every account, best first on each side, bids first. */
    own(market: string): ReadonlyArray<OwnOrder>
  }
>()("limitbot/engine/book/OrderBook") {
  static readonly layer = Layer.effect(
    OrderBook,
    Effect.gen(function* () {
      const venue = yield* Venue
      const scope = yield* Effect.scope
      const entries = new Map<string, Entry>()
      const prices = new Map<string, TwoSidedPrice>()
      const resting = new Map<string, ReadonlyMap<string, ReadonlyArray<OwnOrder>>>()
      let indicative: { readonly usd: ReadonlyMap<string, number>; readonly at: number } | undefined

      const entryOf = Effect.fnUntraced(function* (market: Market) {
        const known = entries.get(market.name)
        if (known !== undefined) return known
        const lock = yield* Semaphore.make(1)
        const book: Book = { market, depth: [], asked: { requests: 0, millis: 0 } }
        const entry: Entry = { lock, book, top: undefined, levels: new Map(), deeper: [] }
        entries.set(market.name, entry)
        return entry
      })

      const counted = Effect.fnUntraced(function* <A, E>(entry: Entry, ask: Effect.Effect<A, E, Venue>) {
        const from = yield* Clock.currentTimeMillis
        const requests = entry.book.asked.requests + 2
        return yield* Effect.ensuring(
          Effect.provideService(ask, Venue, venue),
          Effect.map(Clock.currentTimeMillis, (now) => {
            entry.book = { ...entry.book, asked: { requests, millis: now - from } }
          })
        )
      })

      const noteDepth = (entry: Entry, now: number) => {
        const fresh = [...entry.levels.values()].filter(({ level }) => now - level.at <= levelLastsMillis)
        entry.deeper = bySize(fresh.map(({ level }) => level))
      }

      const askTop = Effect.fnUntraced(function* (entry: Entry, { market, sizes }: Wanted) {
        const seen = yield* counted(entry, Quotes.observe(market, sizes))
        if (seen === undefined) return
        const { price, quantity } = seen
        prices.set(market.name, price)
        entry.top = { quantity, ...price }
        const { problem: _, indicative: __, ...known } = entry.book
        entry.book = { ...known, market, price }
      })

      /** A level that fails is tried again later; it never fails the look. */
      const askLevel = Effect.fnUntraced(function* (entry: Entry, market: Market, quantity: Amount) {
        const near = entry.book.price
        if (near === undefined) return
        const level = yield* counted(entry, Quotes.level(market, quantity, near.ask)).pipe(
          Effect.catchTag("VenueError", ({ message }) => Effect.as(Effect.logDebug(message), undefined))
        )
        const now = yield* Clock.currentTimeMillis
        const againAt = now + Math.max(levelMillis, levelShare * entry.book.asked.millis)
        const known = level ?? entry.levels.get(quantity)?.level ?? { quantity, at: now }
        entry.levels.set(quantity, { level: known, againAt })
        noteDepth(entry, now)
      })

      /** Token prices are one request for all markets, and only a second opinion. */
      const askTokens = Effect.fnUntraced(function* (now: number) {
        if (indicative !== undefined && now - indicative.at < indicativeMillis) return indicative
        const tokens = yield* venue.tokens.pipe(Effect.orElseSucceed(() => []))
        indicative = { usd: new Map(tokens.map(({ assetId, priceUsd }) => [assetId, priceUsd])), at: now }
        return indicative
      })

      const noteRefused = Effect.fnUntraced(function* (entry: Entry, market: Market, problem: string) {
        const now = yield* Clock.currentTimeMillis
        const { usd, at } = yield* askTokens(now)
        const rate = (usd.get(market.base.id) ?? Number.NaN) / (usd.get(market.quote.id) ?? Number.NaN)
        const isKnown = Number.isFinite(rate) && rate > 0
        const found = isKnown ? { indicative: { mid: Decimal.fromNumber(rate, 12), at } } : {}
        entry.book = { ...entry.book, problem, ...found }
      })

      const levelDue = (entry: Entry, { depth }: Wanted, now: number): Amount | undefined =>
        depth
          .filter((quantity) => now >= (entry.levels.get(quantity)?.againAt ?? 0))
          .toSorted((a, b) => (entry.levels.get(a)?.againAt ?? 0) - (entry.levels.get(b)?.againAt ?? 0))[0]

      /** The failure that left the market without a price, if any; failures that stop everything are raised. */
      const lookAt = Effect.fnUntraced(function* (wanted: Wanted, maxAgeMillis: number, isDeep: boolean) {
        const { market } = wanted
        const entry = yield* entryOf(market)
        const asking = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const isFresh = entry.book.price !== undefined && elapsedMillis(entry.book.price.at, now) < maxAgeMillis
          if (!isFresh) yield* askTop(entry, wanted)
          const due = isDeep ? wanted.depth : [levelDue(entry, wanted, now)]
          for (const quantity of due) if (quantity !== undefined) yield* askLevel(entry, market, quantity)
          return undefined
        })
        return yield* entry.lock.withPermit(asking).pipe(
          Effect.catchTags({
            VenueError: (error) => {
              if (error.reason._tag === "Unauthorized") return Effect.fail(error)
              if (error.reason._tag !== "Rejected") return Effect.succeed(error)
              return Effect.as(noteRefused(entry, market, error.message), undefined)
            },
            // Decimals that were right before are right: this answer is odd, and concerns this market alone.
            WrongDecimals: (error) =>
              entry.book.price === undefined
                ? Effect.fail(error)
                : Effect.as(noteRefused(entry, market, error.since), undefined)
          })
        )
      })

      /** What is still being asked, by market. */
      const asking = new Map<string, Fiber.Fiber<VenueError | undefined, VenueError | Quotes.WrongDecimals>>()

      /** Once another market has answered, a slow one is waited for only so long; its answer counts when it comes. */
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
        const heard = Effect.tap(Fiber.join(fiber), (failure) =>
          failure === undefined ? Deferred.succeed(answered, undefined) : Effect.void
        )
        const late = Effect.as(Effect.andThen(Deferred.await(answered), Effect.sleep(lateMillis)), undefined)
        return yield* Effect.raceFirst(heard, late)
      })

      const lookAll = Effect.fn("OrderBook.look")(function* (
        wanted: ReadonlyArray<Wanted>,
        maxAgeMillis: number,
        isDeep: boolean
      ) {
        const answered = yield* Deferred.make<void>()
        const ask = (each: Wanted) =>
          isDeep ? lookAt(each, maxAgeMillis, isDeep) : lookWithin(each, maxAgeMillis, answered)
        const failures = yield* Effect.forEach(wanted, ask, { concurrency })
        const failure = allFailed(failures)
        if (failure !== undefined) return yield* failure
      })

      return OrderBook.of({
        look: (wanted, maxAgeMillis) => lookAll(wanted, maxAgeMillis, false),
        lookDeep: (wanted, maxAgeMillis) => lookAll(wanted, maxAgeMillis, true),
        prices,
        book: (market) => {
          const entry = entries.get(market)
          if (entry === undefined) return undefined
          return { ...entry.book, depth: bySize([...(entry.top === undefined ? [] : [entry.top]), ...entry.deeper]) }
        },
        depth: (market) => {
          const deeper = entries.get(market)?.deeper
          return deeper === undefined || deeper.length === 0 ? undefined : deeper
        },
        rest: (account, orders) => {
          resting.set(account, orders)
        },
        own: (market) => bestFirst([...resting.values()].flatMap((orders) => orders.get(market) ?? []))
      })
    })
  )
}

const bySize = (levels: ReadonlyArray<DepthLevel>): Depth =>
  levels.toSorted((a, b) => (a.quantity < b.quantity ? -1 : a.quantity > b.quantity ? 1 : 0))
