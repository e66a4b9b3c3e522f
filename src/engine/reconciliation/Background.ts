/**
 * Compares the journal from time to time with the venue's unfinished orders, the partner's history and the balances. It follows the journal
 * and forgets ended orders, so it needs little memory. It only reads: it reports a foreign order or deposit and never touches it. Findings
 * become an event when they differ from the last ones. If a witness cannot be read, its earlier findings stand and it is read again the
 * next time; the bot and the other witnesses are not affected. A reported contradiction stands, also after a restart, until a later
 * comparison of its subject agrees, its order has ended, its books were corrected, or a person accepts it.
 */
import { Effect } from "effect"
import type { Of, Recorded } from "../../domain/BotEvent.ts"
import { plainJson } from "../../domain/Text.ts"
import { eachPage, Journal } from "../../journal/Journal.ts"
import type { Markets } from "../../strategy/Markets.ts"
import { Venue } from "../../venue/Venue.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { corrected, orderName } from "../state/RunState.ts"
import * as SwapHistory from "../state/swaps/SwapHistory.ts"
import * as BalanceComparison from "./BalanceComparison.ts"
import * as Baseline from "./Baseline.ts"
import * as Comparison from "./Comparison.ts"
import * as HistorySync from "./HistorySync.ts"
import * as JournalOrders from "./JournalOrders.ts"
import * as Reconciliation from "./Reconciliation.ts"
import * as Witnesses from "./Witnesses.ts"

export interface Witnessed {
  readonly own: ReadonlySet<string>
  readonly markets: Markets
  /** Default: private balances. */
  readonly home?: BalanceComparison.SeenHome
  readonly isSeen: BalanceComparison.SeenAssets
  readonly hasHistory: boolean
}

type Finding = Omit<Of<"Reconciled">, "_tag">

const tags = ["Reconciled", ...JournalOrders.tags] as const

const makeOrderIndex = () => {
  const orders = new Map<string, JournalOrders.JournalOrder>()
  const settled = new Set<string>()
  let sequence = 0
  let lastReport: Parameters<typeof corrected>[0] = nothing
  const see = (entry: Recorded): void => {
    sequence = entry.sequence
    const { event } = entry
    if (event._tag === "Reconciled") lastReport = event
    if ("placement" in event) lastReport = corrected(lastReport, event)
    JournalOrders.apply(orders, entry)
    const order = "placement" in event ? orders.get(event.placement) : undefined
    if (order === undefined || !order.isOver || event._tag !== "Settled") return
    for (const key of Reconciliation.addressKeys(order)) settled.add(key)
    orders.delete(order.placement)
  }
  const open = (): ReadonlySet<string> => new Set([...orders.values()].flatMap(Reconciliation.addressKeys))
  return { orders, settled, open, see, sequence: () => sequence, before: () => findingText(lastReport) }
}

const nothing: Finding = { witnesses: [], contradictions: [], foreign: [] }

/** Findings without amounts: a finding whose amount grows between comparisons is not reported again. */
const findingText = ({ contradictions, foreign }: Pick<Finding, "contradictions" | "foreign">): string =>
  plainJson({
    contradictions: contradictions.map(Comparison.subjectOf),
    foreign: foreign.map(({ kind, subject }) => [kind, subject])
  })

const isOver = ({ status }: Reconciliation.HistoryLine): boolean => status === "SUCCESS" || status === "REFUNDED"

/**
 * The account's balances as a witness. Its own capital is the amount at the first comparison, plus arrivals that its history names and
 * movements that a person accepts. The books must explain everything else.
 */
const watching = Effect.fnUntraced(function* ({ home, isSeen, markets, own }: Witnessed) {
  const books = yield* Bookkeeper
  const isAny = isSeen.size > 0
  const readBalances = isAny
    ? Witnesses.unlessUnreachable(Witnesses.balancesNow(books.state)(markets, isSeen, home))
    : Effect.undefined

  // While nothing is under way, the account's own capital is certain. A later first comparison would leave a wide range.
  if (isAny && (yield* Baseline.isNew)) {
    const snapshot = yield* readBalances
    if (snapshot?.resting.length === 0) yield* Baseline.compare(snapshot.certain, books.state)
  }

  const note = (capital: ReadonlyArray<Of<"CapitalMoved">>) =>
    capital.length === 0 ? Effect.void : books.recordFrom(Baseline.unrecorded(capital))

  /** An arrival that the account's own history names, without an origin, contradicts nothing. */
  const movedSince = Effect.fnUntraced(function* (positions: BalanceComparison.Positions) {
    const { comparisons, unexplained } = yield* Baseline.compare(positions, books.state)
    const { capital, unread } = yield* Baseline.nameArrivals(unexplained, books.state, own, markets)
    if (unread !== undefined)
      return comparisons.map((each) =>
        Baseline.hasCome(unexplained, each.subject)
          ? { ...each, text: `${each.text}; the account's history could not be read: ${unread}` }
          : each
      )
    if (capital.length === 0) return comparisons
    yield* note(capital)
    return (yield* Baseline.compare(positions, books.state)).comparisons
  })

  const noteAccepted = isAny ? Effect.suspend(() => Effect.flatMap(Baseline.toRecord(books.state), note)) : Effect.void

  return { movedSince, noteAccepted, readBalances }
})

export const make = Effect.fn("Background.make")(function* (watched: Witnessed) {
  const journal = yield* Journal
  const books = yield* Bookkeeper
  const venue = yield* Venue
  const orderIndex = makeOrderIndex()
  /** Called before and after the venue's records are read, so that an order made meanwhile is not foreign. */
  const readNewEvents = Effect.suspend(() =>
    eachPage(journal.events({ after: orderIndex.sequence(), tags }), (page) => page.forEach(orderIndex.see))
  )

  const isWatched = (subject: string): boolean =>
    !subject.startsWith("order ") ||
    [...orderIndex.orders.values()].some((order) => subject === `order ${orderName(order)}`)

  const balances = yield* watching(watched)

  const historyOf = Effect.fnUntraced(function* (own: ReadonlySet<string>) {
    if (!watched.hasHistory) return undefined
    return yield* Witnesses.historyWhere((line) => {
      const key = Reconciliation.addressKey(line)
      return own.has(key) || (!orderIndex.settled.has(key) && !isOver(line))
    })
  })

  return Effect.gen(function* () {
    yield* readNewEvents
    const before = [...orderIndex.orders.values()]
    const journalOrders = { orders: before, startedAt: 0 }
    yield* balances.noteAccepted
    const snapshot = yield* balances.readBalances
    const { found, unread } = yield* Witnesses.venueOrders(journalOrders, { unfinishedOnly: true })
    const moved = snapshot === undefined ? [] : yield* balances.movedSince(BalanceComparison.positions(snapshot, found))
    const isRead = watched.hasHistory && (yield* reached(HistorySync.sync()))
    yield* readNewEvents
    const swaps = yield* SwapHistory.all
    const open = orderIndex.open()
    const own = new Set([...open, ...swaps.map(({ agreed }) => Reconciliation.addressKey(agreed))])
    const compared = Reconciliation.compare({
      own: watched.own,
      // Orders that changed while the witnesses were read are compared the next time.
      orders: before.filter((order) => orderIndex.orders.get(order.placement) === order),
      settled: new Set([...orderIndex.settled, ...open]),
      swaps,
      venueOrders: found,
      unreadOrders: unread,
      history: yield* historyOf(own),
      oddLines: []
    })
    const isForeign = ({ depositAddress, kind, subject }: Comparison.Comparison) =>
      (kind === "order" && found.has(subject)) || (kind === "swap" && subject === depositAddress)
    const all = [...compared, ...moved].filter((each) => !isForeign(each))
    const contradictions = all.filter(({ verdict }) => verdict === "contradiction").map(Comparison.sentenceOf)
    const decided = Witnesses.decidedIn(all)
    const { reconciled } = books.state
    const unresolved =
      reconciled === undefined
        ? []
        : yield* Baseline.stillTold(reconciled, (subject) => decided.has(subject) || !isWatched(subject))
    const finding: Finding = {
      witnesses: ["orders", ...(isRead ? ["history"] : []), ...(snapshot === undefined ? [] : ["balances"])],
      contradictions: [...contradictions, ...unresolved],
      foreign: compared
        .filter(isForeign)
        .map(({ depositAddress, kind, subject, text }) => ({ kind, subject, address: depositAddress ?? "", text }))
    }
    if (findingText(finding) !== orderIndex.before()) yield* books.record({ _tag: "Reconciled", ...finding })
    return finding
  }).pipe(Effect.provideService(Venue, venue))
})

export interface Turns {
  readonly first: Effect.Effect<number>
  readonly next: Effect.Effect<number>
}

/** Waits `millis` between comparisons, and at most 30 s before the first: an emptied journal knows no open orders and must be reported. */
export const every = (millis: number): Turns => ({
  first: Effect.succeed(Math.min(millis, firstLookMillis)),
  next: Effect.succeed(millis)
})

export const forever = Effect.fnUntraced(function* ({ first, next }: Turns, watched: Witnessed) {
  const look = yield* make(watched)
  yield* Effect.andThen(Effect.flatMap(first, Effect.sleep), reached(look))
  return yield* Effect.forever(Effect.andThen(Effect.flatMap(next, Effect.sleep), reached(look)))
})

const firstLookMillis = 30_000

const reached = <A, E, R>(ask: Effect.Effect<A, VenueError | E, R>) =>
  Effect.map(Witnesses.unlessUnreachable(Effect.as(ask, true)), (isReached) => isReached === true)
