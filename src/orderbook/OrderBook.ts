/**
 * The order book of a service that publishes none. The market's side consists of dry quotes: a two-sided price at
 * about the size that the strategies trade, asked at every look, and deeper levels, asked one at a time and rarely.
 * Our side is what rests of every account. One book serves the whole process: each market is asked once, however many
 * strategies or accounts need it.
 *
 * Quotes use up the venue's rate limit. The deeper levels of a market take at most a fiftieth of the time, measured
 * by how long their answers took; a level that fails keeps its last answer. A market whose quotes are refused does
 * not stop the others, and one that does not answer does not keep them waiting. A refused one shows the indicative
 * price of the token list, on which no strategy decides. A price without a second witness (`PriceWitness`) is shown to
 * people with its doubt, and counts as none.
 */
import { Clock, Context, Deferred, Effect, Fiber, Layer, Semaphore } from "effect"
import type { Amount } from "../domain/Amount.ts"
import { type Book, bestFirst, type Depth, type DepthLevel, type OwnOrder } from "../domain/Book.ts"
import * as Decimal from "../domain/Decimal.ts"
import { elapsedMillis } from "../domain/Durations.ts"
import { type Market, mid, type TwoSidedPrice } from "../domain/Market.ts"
import { present } from "../domain/Present.ts"
import { Venue } from "../venue/Venue.ts"
import { quoteRefusedCode, type VenueError } from "../venue/VenueError.ts"
import * as PriceWitness from "./PriceWitness.ts"
import * as Quotes from "./Quotes.ts"
import * as TokenPrices from "./TokenPrices.ts"
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
/** As a witness it must know of a move as soon as the quotes do. */
const secondOpinionMillis = 10_000

interface Entry {
  readonly lock: Semaphore.Semaphore
  book: Book
  top: DepthLevel | undefined
  /** Deeper levels by quantity, with when each may be asked again. */
  readonly levels: Map<Amount, { readonly level: DepthLevel; readonly againAt: number }>
  /** The deeper levels as strategies see them: the same object until a level changes. */
  deeper: Depth
}

type Failure = VenueError | Quotes.WrongDecimals

/** What concerns the whole bot, once every market has been asked: something is set up wrongly, or the venue is away. */
const failureOf = (failures: ReadonlyArray<Failure | undefined>): Failure | undefined => {
  const [first] = failures
  const isSetUp = failures.find((error) => error?._tag === "WrongDecimals" || error?.reason._tag === "Unauthorized")
  return isSetUp ?? (failures.every((failure) => failure !== undefined) ? first : undefined)
}

export class OrderBook extends Context.Service<
  OrderBook,
  {
    /**
     * Asks for every price that is `maxAgeMillis` old, and for one due deeper level of each market. When all have been
     * asked, it fails if a credential was refused, if the first two quotes of a market contradict the configured
     * decimals, or if the venue answered for no market at all.
     */
    look(wanted: ReadonlyArray<Wanted>, maxAgeMillis: number): Effect.Effect<void, Failure>
    /** The same, with all deeper levels at once: for a person who waits. */
    lookDeep(wanted: ReadonlyArray<Wanted>, maxAgeMillis: number): Effect.Effect<void, Failure>
    /** By market: those that may be used. */
    readonly prices: ReadonlyMap<string, TwoSidedPrice>
    /** Why the last quotes of a market may not be used, by market. */
    readonly doubts: ReadonlyMap<string, string>
    /** Tells what an earlier process knew last of a market's price: it counts until this one knows more. */
    remember(market: string, mid: number, at: number): void
    book(market: string): Book | undefined
    /** The deeper levels, for strategies; `undefined` before the first one. */
    depth(market: string): Depth | undefined
    /** Replaces what the book shows of this account's resting orders, by market. */
    rest(account: string, orders: ReadonlyMap<string, ReadonlyArray<OwnOrder>>): void
    /** Resting orders of every account, best first on each side, bids first. */
    own(market: string): ReadonlyArray<OwnOrder>
  }
>()("limitbot/orderbook/OrderBook") {
  static readonly layer = Layer.effect(
    OrderBook,
    Effect.gen(function* () {
      const venue = yield* Venue
      const scope = yield* Effect.scope
      const entries = new Map<string, Entry>()
      const terms = yield* PriceWitness.WitnessTerms
      const tokenPrices = yield* TokenPrices.make(venue)
      const prices = new Map<string, TwoSidedPrice>()
      const doubts = new Map<string, string>()
      const witnesses = new Map<string, PriceWitness.PriceWitness>()
      const resting = new Map<string, ReadonlyMap<string, ReadonlyArray<OwnOrder>>>()

      const witnessOf = (market: string): PriceWitness.PriceWitness => {
        const witness = witnesses.get(market) ?? PriceWitness.make(market, terms)
        witnesses.set(market, witness)
        return witness
      }

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

      /** Asks the token list only where the price is not known already. */
      const doubtOf = Effect.fnUntraced(function* (market: Market, price: TwoSidedPrice) {
        const witness = witnessOf(market.name)
        const look = { mid: Decimal.toNumber(mid(price)), at: price.at }
        return witness.judge(
          look,
          witness.isKnown(look) ? undefined : yield* tokenPrices.of(market, secondOpinionMillis)
        )
      })

      const doubt = (market: Market, why: string) => {
        prices.delete(market.name)
        doubts.set(market.name, why)
      }

      const askTop = Effect.fnUntraced(function* (entry: Entry, { market, sizes }: Wanted) {
        const seen = yield* counted(entry, Quotes.observe(market, sizes))
        if (seen === undefined) return
        const { price, quantity } = seen
        const problem = yield* doubtOf(market, price)
        entry.top = { quantity, ...price }
        const { problem: _, indicative: __, ...known } = entry.book
        entry.book = { ...known, market, price, ...present({ problem }) }
        if (problem !== undefined) return doubt(market, problem)
        doubts.delete(market.name)
        prices.set(market.name, price)
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

      const noteRefused = Effect.fnUntraced(function* (entry: Entry, market: Market, problem: string) {
        const listed = yield* tokenPrices.of(market, indicativeMillis)
        const found =
          listed === undefined ? {} : { indicative: { mid: Decimal.fromNumber(listed.mid, 12), at: listed.askedAt } }
        entry.book = { ...entry.book, problem, ...found }
      })

      const levelDue = (entry: Entry, { depth }: Wanted, now: number): Amount | undefined =>
        depth
          .filter((quantity) => now >= (entry.levels.get(quantity)?.againAt ?? 0))
          .toSorted((a, b) => (entry.levels.get(a)?.againAt ?? 0) - (entry.levels.get(b)?.againAt ?? 0))[0]

      /** One odd answer is asked again at once. */
      const isOdd = (error: Failure) => error._tag === "WrongDecimals"

      /** The failure that left the market without a price, if any. */
      const lookAt = Effect.fnUntraced(function* (wanted: Wanted, maxAgeMillis: number, isDeep: boolean) {
        const { market } = wanted
        const entry = yield* entryOf(market)
        const asking = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const known = prices.get(market.name)
          const isFresh = known !== undefined && elapsedMillis(known.at, now) < maxAgeMillis
          if (!isFresh) yield* Effect.retry(askTop(entry, wanted), { times: 1, while: isOdd })
          const due = isDeep ? wanted.depth : [levelDue(entry, wanted, now)]
          for (const quantity of due) if (quantity !== undefined) yield* askLevel(entry, market, quantity)
          return undefined
        })
        return yield* entry.lock.withPermit(asking).pipe(
          Effect.catchTags({
            VenueError: (error): Effect.Effect<Failure | undefined> => {
              const { reason } = error
              if (reason._tag !== "Rejected") return Effect.succeed(error)
              if (reason.code === quoteRefusedCode) doubt(market, error.message)
              return Effect.as(noteRefused(entry, market, error.message), undefined)
            },
            WrongDecimals: (error): Effect.Effect<Failure | undefined> => {
              // Decimals that were right before are right: this answer is odd, and concerns this market alone.
              const wasRight = entry.book.price !== undefined
              const why = wasRight ? error.since : error.message
              doubt(market, why)
              return Effect.as(noteRefused(entry, market, why), wasRight ? undefined : error)
            }
          })
        )
      })

      /** What is still being asked, by market. */
      const asking = new Map<string, Fiber.Fiber<Failure | undefined>>()

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
        const failure = failureOf(failures)
        if (failure !== undefined) return yield* failure
      })

      return OrderBook.of({
        look: (wanted, maxAgeMillis) => lookAll(wanted, maxAgeMillis, false),
        lookDeep: (wanted, maxAgeMillis) => lookAll(wanted, maxAgeMillis, true),
        prices,
        doubts,
        remember: (market, mid, at) => witnessOf(market).remember({ mid, at }),
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
