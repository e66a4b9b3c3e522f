/**
 * One market of the order book: its two-sided price at about the size that the strategies trade, and its deeper levels. Every poll requests
 * the price. Levels are requested one at a time and rarely, because quotes use up the venue's rate limit; a level that fails keeps its last
 * answer. A price without a second source (`SecondSource`) is shown with its doubt and counts as none, and no level is requested beside it.
 * A market whose quotes are refused shows the indicative price of the token list, on which no strategy decides.
 */
import { Clock, Effect, Semaphore } from "effect"
import type { Amount } from "../domain/Amount.ts"
import { leastOf } from "../domain/Bisection.ts"
import type { Book, Depth, DepthLevel, SeenAfter } from "../domain/Book.ts"
import * as Decimal from "../domain/Decimal.ts"
import { elapsedMillis } from "../domain/Durations.ts"
import { type Market, mid, type TwoSidedPrice } from "../domain/Market.ts"
import { present } from "../domain/Present.ts"
import { Venue } from "../venue/Venue.ts"
import { quoteRefusedCode, type VenueError } from "../venue/VenueError.ts"
import * as Quotes from "./Quotes.ts"
import type * as SecondSource from "./SecondSource.ts"
import type * as TokenPrices from "./TokenPrices.ts"
import type { Wanted } from "./Wanted.ts"

/** A deeper level is requested again after the longer of this time and fifty times the duration of its last request. */
const levelMillis = 30_000
const levelShare = 50
/** A level older than this says nothing about the market. */
const levelLastsMillis = 300_000
const indicativeMillis = 60_000
const secondOpinionMillis = 10_000

export type Failure = VenueError | Quotes.WrongDecimals

export interface MarketSetting {
  readonly venue: Venue["Service"]
  readonly tokenPrices: TokenPrices.TokenPrices
  readonly source: SecondSource.SecondSource
  readonly publish: (market: string, found: PriceOrDoubt) => void
}

export type PriceOrDoubt = { readonly price: TwoSidedPrice } | { readonly doubt: string }

export const make = Effect.fnUntraced(function* (first: Market, setting: MarketSetting) {
  const { publish, tokenPrices, venue } = setting
  const lock = yield* Semaphore.make(1)
  let book: Book = { market: first, depth: [], asked: { requests: 0, millis: 0 } }
  let used: TwoSidedPrice | undefined
  let top: DepthLevel | undefined
  const [levels, sight, unquoted] = [makeLevels(), makeSight(), makeUnquoted()]

  const countRequests = Effect.fnUntraced(function* <A, E>(ask: Effect.Effect<A, E, Venue>) {
    const from = yield* Clock.currentTimeMillis
    let { requests } = book.asked
    const dryQuote: typeof venue.dryQuote = (request) => {
      requests += 1
      return venue.dryQuote(request)
    }
    return yield* Effect.ensuring(
      Effect.provideService(ask, Venue, { ...venue, dryQuote }),
      Effect.map(Clock.currentTimeMillis, (now) => {
        book = { ...book, asked: { requests, millis: now - from } }
      })
    )
  })

  const doubt = (why: string): void => {
    used = undefined
    publish(first.name, { doubt: why })
  }

  const askTop = Effect.fnUntraced(function* ({ market, sizes }: Wanted) {
    const observation = yield* unquoted.watch(countRequests(Quotes.observe(market, sizes)))
    if (observation === undefined) return
    const { price, quantity } = observation
    const problem = yield* doubtOf(setting, market, price)
    top = { quantity, ...price }
    const { problem: _, indicative: __, ...known } = book
    book = { ...known, market, price, ...present({ problem }) }
    if (problem !== undefined) return doubt(problem)
    used = price
    sight.note(price.at, yield* Clock.currentTimeMillis)
    publish(first.name, { price })
  })

  const askLevel = Effect.fnUntraced(function* (market: Market, quantity: Amount, near: TwoSidedPrice) {
    const level = yield* countRequests(Quotes.level(market, quantity, near.ask)).pipe(
      Effect.catchTag("VenueError", ({ message }) => Effect.as(Effect.logDebug(message), undefined))
    )
    return levels.answered(quantity, level, near, yield* Clock.currentTimeMillis, book.asked.millis)
  })

  const noteRefused = (market: Market, problem: string) =>
    Effect.map(indicativeOf(tokenPrices, market), (indicative) => {
      book = { ...book, problem, ...present({ indicative }) }
    })

  const noteFailure = (market: Market, failure: Failure): Effect.Effect<Failure | undefined> => {
    if (failure._tag === "WrongDecimals") {
      // Decimals that were right before stay right, so this answer is odd and concerns only this market.
      const wasRight = book.price !== undefined
      const why = wasRight ? failure.since : failure.message
      doubt(why)
      return Effect.as(noteRefused(market, why), wasRight ? undefined : failure)
    }
    if (failure.reason._tag !== "Rejected") return Effect.succeed(failure)
    if (failure.reason.code === quoteRefusedCode) doubt(failure.message)
    return Effect.as(noteRefused(market, failure.message), undefined)
  }

  const look = (wanted: Wanted, maxAgeMillis: number, isDeep: boolean): Effect.Effect<Failure | undefined> => {
    const { market } = wanted
    const asking = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const isFresh = used !== undefined && elapsedMillis(used.at, now) < maxAgeMillis
      // One odd answer is asked again at once.
      if (!isFresh) yield* Effect.retry(askTop(wanted), { times: 1, while: ({ _tag }) => _tag === "WrongDecimals" })
      const due = used === undefined ? [] : isDeep ? wanted.depth : [levels.due(wanted.depth, now)]
      for (const quantity of due)
        if (quantity !== undefined && used !== undefined && !(yield* askLevel(market, quantity, used)) && isDeep)
          yield* askLevel(market, quantity, used)
      return undefined
    })
    return lock.withPermit(asking).pipe(Effect.catch((failure) => noteFailure(market, failure)))
  }

  return {
    look,
    unquotedFor: unquoted.lasting,
    book: (): Book => ({ ...book, depth: withTop(top, levels.now()), ...present({ seenAfter: sight.seenAfter() }) }),
    depth: (): Depth | undefined => (levels.now().length === 0 ? undefined : levels.now())
  }
})

export type MarketBook = Effect.Success<ReturnType<typeof make>>

const makeUnquoted = () => {
  let unquoted: { readonly since: number; readonly why: string } | undefined
  const failed = (why: string): void => {
    if (unquoted !== undefined) unquoted = { ...unquoted, why }
  }
  return {
    watch: Effect.fnUntraced(function* <A, E extends { readonly message: string }, R>(
      ask: Effect.Effect<A | undefined, E, R>
    ) {
      unquoted ??= { since: yield* Clock.currentTimeMillis, why: "the venue has not answered yet" }
      const quoteAnswer = yield* Effect.tapError(ask, ({ message }) => Effect.sync(() => failed(message)))
      if (quoteAnswer === undefined) failed("its quotes have no amounts, or the ask is below the bid")
      else unquoted = undefined
      return quoteAnswer
    }),
    lasting: (millis: number, now: number): string | undefined =>
      unquoted === undefined || elapsedMillis(unquoted.since, now) < millis ? undefined : unquoted.why
  }
}

const indicativeOf = Effect.fnUntraced(function* (tokenPrices: TokenPrices.TokenPrices, market: Market) {
  const listed = yield* tokenPrices.of(market, indicativeMillis)
  return listed && { mid: Decimal.fromNumber(listed.mid, 12), at: listed.askedAt }
})

const doubtOf = Effect.fnUntraced(function* (
  { source, tokenPrices }: MarketSetting,
  market: Market,
  price: TwoSidedPrice
) {
  const look = { mid: Decimal.toNumber(mid(price)), at: price.at }
  const listed = source.isKnown(look) ? undefined : yield* tokenPrices.bySecondSource(market, secondOpinionMillis)
  return source.judge(look, listed)
})

/** A level further from the price than this counts only once the next answer is near it, because a single quote may be wrong. */
const farShare = Decimal.make(3n, 2)

const isNear = (one: Pick<DepthLevel, "bid" | "ask">, other: Pick<DepthLevel, "bid" | "ask"> | undefined): boolean =>
  other !== undefined &&
  (["bid", "ask"] as const).every((side) => {
    const [price, known] = [one[side], other[side]]
    if (price === undefined || known === undefined) return price === undefined
    const apart = Decimal.subtract(Decimal.max(price, known), Decimal.min(price, known))
    return !Decimal.isGreater(apart, Decimal.multiply(known, farShare))
  })

interface LevelEntry {
  readonly level: DepthLevel
  /** An answer far from the price that no other has confirmed yet. */
  readonly unsure: DepthLevel | undefined
  readonly askedAt: number
  readonly againAt: number
}

const makeLevels = () => {
  const entries = new Map<Amount, LevelEntry>()
  let currentDepth: Depth = []
  const againAt = (quantity: Amount): number => entries.get(quantity)?.againAt ?? 0
  /** After the clock was set back, every level is due. */
  const isDue = (quantity: Amount, now: number): boolean =>
    now >= againAt(quantity) || now < (entries.get(quantity)?.askedAt ?? 0)
  return {
    now: (): Depth => currentDepth,
    due: (wanted: ReadonlyArray<Amount>, now: number): Amount | undefined =>
      wanted.filter((quantity) => isDue(quantity, now)).toSorted((a, b) => againAt(a) - againAt(b))[0],
    /** Returns false for an answer that does not count yet. */
    answered: (
      quantity: Amount,
      answer: DepthLevel | undefined,
      price: TwoSidedPrice,
      now: number,
      tookMillis: number
    ): boolean => {
      const before = entries.get(quantity)
      const unsure =
        answer === undefined || [price, before?.level, before?.unsure].some((known) => isNear(answer, known))
          ? undefined
          : answer
      const again = unsure === undefined ? now + Math.max(levelMillis, levelShare * tookMillis) : now
      const level = (unsure === undefined ? answer : undefined) ?? before?.level ?? { quantity, at: now }
      entries.set(quantity, { level, unsure, askedAt: now, againAt: again })
      const fresh = [...entries.values()].filter((each) => Math.abs(now - each.level.at) <= levelLastsMillis)
      currentDepth = bySize(fresh.map((each) => each.level))
      return unsure === undefined
    }
  }
}

const bySize = (levels: ReadonlyArray<DepthLevel>): Depth =>
  levels.toSorted((a, b) => (a.quantity < b.quantity ? -1 : a.quantity > b.quantity ? 1 : 0))

const withTop = (top: DepthLevel | undefined, levels: Depth): Depth =>
  bySize([...(top === undefined ? [] : [top]), ...levels])

const keptLooks = 600

type SeenLook = Readonly<Record<"pauseMillis" | "answerMillis", number>>

/**
 * Estimates the delay until a move of the market's price is seen. Between two polls nothing is seen, so the answer of the later poll shows
 * the move. The delay is spread evenly between the duration of that poll and that duration plus the pause. The newest polls give the times
 * within which half of all moves, and 99 of 100, are seen.
 */
export const makeSight = () => {
  const looks: Array<SeenLook> = []
  let askedLast: number | undefined

  return {
    note: (askedAt: number, answeredAt: number): void => {
      const pauseMillis = askedAt - (askedLast ?? askedAt)
      askedLast = askedAt
      // The first poll, or the clock was set back.
      if (pauseMillis <= 0 || answeredAt < askedAt) return
      looks.push({ pauseMillis, answerMillis: answeredAt - askedAt })
      if (looks.length > keptLooks) looks.shift()
    },
    seenAfter: (): SeenAfter | undefined =>
      looks.length === 0 ? undefined : { p50Millis: within(looks, 0.5), p99Millis: within(looks, 0.99) }
  }
}

/** Milliseconds, rounded up, within which this share of all moves is seen. */
const within = (looks: ReadonlyArray<SeenLook>, share: number): number => {
  const total = looks.reduce((sum, { pauseMillis }) => sum + pauseMillis, 0)
  const visibleMillisOf = (millis: number): number =>
    looks.reduce(
      (sum, { answerMillis, pauseMillis }) => sum + Math.min(pauseMillis, Math.max(0, millis - answerMillis)),
      0
    )
  const longest = Math.max(...looks.map(({ answerMillis, pauseMillis }) => answerMillis + pauseMillis))
  return leastOf(longest, (millis) => visibleMillisOf(millis) >= share * total)
}
