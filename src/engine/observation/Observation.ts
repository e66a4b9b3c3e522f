/**
 * One look at the venue's orders: the list of unfinished ones, then, one by one, those of ours that it did not show.
 * What is seen becomes events. What is *not* seen becomes nothing, because silence proves nothing.
 *
 * A failed read stays small: an odd element of the list is reported once, an order whose own answer fails is read
 * again next time, and without the list the orders are read one by one.
 *
 * With many resting orders, a look reads only what can have changed: the newest page, the page of executing orders,
 * orders whose money moves or whose price is near, and one more page of a round through the whole list. The rounds
 * reach every order in the end. What a round did not show is read by itself.
 */
import { Array as Arr, Clock, Effect, Option, Result, Stream } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { elapsedMillis, monotonicMillis } from "../../domain/Durations.ts"
import type { Market, TwoSidedPrice } from "../../domain/Market.ts"
import type { OddOrder, Order } from "../../domain/Order.ts"
import { isFinished } from "../../domain/Placement.ts"
import { present } from "../../domain/Present.ts"
import type { JournalError } from "../../journal/Journal.ts"
import { Venue } from "../../venue/Venue.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import { EngineSettings } from "../EngineSettings.ts"
import * as Mistakes from "../Mistakes.ts"
import * as SecondOrder from "../restart/SecondOrder.ts"
import { Bookkeeper, change } from "../state/Bookkeeper.ts"
import { unfinished } from "../state/BotState.ts"
import { isDoubted, isUnsigned, missingBy, unsignedIn } from "../state/orders/JournalTail.ts"
import type { Placement } from "../state/Placement.ts"
import { asClosing, late } from "../tracking/amounts/Found.ts"
import { isDoubtful } from "../tracking/EarlyEnd.ts"
import { type Listing, orderPages, pageSize, readOrder } from "../tracking/OrderReads.ts"
import { adopt, bind, found, isFromOurCreate, lackingIn, observe, unsaidIn } from "../tracking/OrderTracker.ts"
import * as Afterlife from "./Afterlife.ts"
import * as Consistency from "./Consistency.ts"
import { isMoving, isWithinReach } from "./PollPlan.ts"
import * as SecondLook from "./SecondLook.ts"

/** Swaps that count as unpaid are in no list. The most of them that one look reads, each at its longest pause. */
const mostDead = 10
const executingStatuses = ["PARTIALLY_FILLED", "FILLED", "PENDING_CANCEL"] as const
const notFound = 404
/** The most odd elements that one run records; a hostile list could fill the disk with them. */
const mostOdd = 100

interface Seen {
  readonly order: Order
  /** Whose it is, where it was read by itself: swaps may share an address and differ by memo. */
  readonly placement?: string
  readonly correlationId: string | undefined
}

export const make = Effect.gen(function* () {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings

  /** Where the round through the whole list stands, and when it began. */
  let round: { readonly cursor: string; readonly since: number } | undefined
  /** What the last round did not show. */
  let missed: ReadonlySet<string> = new Set()
  /** Placements by the order that they are bound to, as this look found them. */
  let byOrder: ReadonlyMap<string, string> = new Map()
  /** Records what a report adds. Done at once for each, so that nothing which was read waits for a read that hangs. */
  let take: (report: Seen) => Effect.Effect<void, JournalError> = () => Effect.void
  let lookedAt = Number.NEGATIVE_INFINITY
  const knownOdd = new Set<string>()
  const consistency = Consistency.make(books)
  const takeSecond = yield* SecondOrder.make
  const afterlife = yield* Afterlife.make
  const secondLook = yield* SecondLook.make
  const begun = unsignedIn(books.state.placements)

  /** An earlier process paid for it, and the journal does not say so: from now on that is doubted of all that it had begun. */
  const noteCut = (placement: Placement, order: Order) => {
    const isForgotten = begun.has(placement.id) && isUnsigned(placement) && order.depositedAmount > 0n
    const text = isForgotten ? missingBy(placement, order) : undefined
    return text === undefined ? Effect.void : books.record({ _tag: "JournalCut", text })
  }
  const reading = yield* Mistakes.contained("the report on")

  /** Reported so far, each once. */
  const noteOdd = Effect.fnUntraced(function* ({ id, why }: OddOrder) {
    const key = id ?? why
    if (knownOdd.has(key) || knownOdd.size >= mostOdd) return
    knownOdd.add(key)
    yield* books.record({ _tag: "OddOrderSeen", ...present({ orderId: id }), reason: why })
  })

  const noteSeen = (orderId: string, now: number): void => {
    const placement = byOrder.get(orderId)
    if (placement !== undefined) books.tries.note(placement, { listedAt: now })
  }

  const pagesOf = (listing: Listing) =>
    orderPages(venue, { ...listing, unfinishedOnly: true }).pipe(
      Stream.tap(({ odd = [] }) => Effect.forEach(odd, noteOdd, { discard: true })),
      Stream.mapEffect(
        Effect.fnUntraced(function* ({ correlationId, nextCursor, orders }) {
          const now = yield* Clock.currentTimeMillis
          for (const { id } of orders) noteSeen(id, now)
          yield* Effect.forEach(orders, (order) => take({ order, correlationId }), { discard: true })
          return { listed: orders.map(({ id }) => id), next: nextCursor }
        })
      )
    )

  /** Newest first, until the orders are older than `since`; `next` continues after what was read. */
  const list = Effect.fnUntraced(function* (since: number) {
    const pages = yield* Stream.runCollect(pagesOf({ since }))
    return { listed: new Set(pages.flatMap(({ listed }) => listed)), next: pages.at(-1)?.next }
  })

  /** Reads one more page. At the end of a round, whatever it did not show must be read by itself. */
  const sweep = Effect.fnUntraced(function* (behindNewest: string | undefined, now: number) {
    if (round === undefined && behindNewest !== undefined) round = { cursor: behindNewest, since: now }
    if (round === undefined) return []
    const { cursor, since } = round
    // An old cursor may be refused; the next look then begins another round.
    const page = yield* Stream.runHead(pagesOf({ cursor })).pipe(
      Effect.map(Option.getOrUndefined),
      Effect.catchReason("VenueError", "Rejected", () => Effect.undefined)
    )
    round = page?.next === undefined || page.next === cursor ? undefined : { cursor: page.next, since }
    if (page !== undefined && page.next === undefined) {
      const isMissed = ({ id, order, plannedAt }: Placement) =>
        order !== undefined && plannedAt < since && books.tries.of(id).listedAt < since
      missed = new Set(unfinished(books.state).flatMap((placement) => (isMissed(placement) ? [placement.id] : [])))
    }
    return page?.listed ?? []
  })

  /** Executing and withdrawing orders, wherever they are in the list: they fit one page. */
  const executing = Stream.runHead(pagesOf({ statuses: executingStatuses })).pipe(
    Effect.map(Option.match({ onNone: () => [], onSome: ({ listed }) => listed })),
    Effect.catchReasons("VenueError", { Rejected: unseen, RetryLater: unseen, OutcomeUnknown: unseen })
  )

  const noteMissing = Effect.fnUntraced(function* (placement: string, { reason }: VenueError) {
    if (reason._tag !== "Rejected" || reason.status !== notFound) return
    const now = yield* monotonicMillis
    yield* change(books, placement, (known) =>
      consistency.missed(known, now, `${reason.code}: ${reason.text}`, reason.correlationId)
    )
  })

  /** Reads what the list did not show: finished orders leave it, and it may lag. A failure affects only its order. */
  const readMissing = Effect.fnUntraced(function* (placements: ReadonlyArray<Placement>, listed: ReadonlySet<string>) {
    const now = yield* Clock.currentTimeMillis
    const missing = placements.flatMap((placement) => {
      const { by, id, order } = placement
      if (order === undefined || listed.has(order.id)) return []
      if (!isDoubtful(placement)) return [{ by, id, order }]
      // If it lives on, the list shows it.
      if (elapsedMillis(books.tries.of(id).endReadAt, now) < settings.retryMaxMillis) return []
      books.tries.note(id, { endReadAt: now })
      return [{ by, id, order }]
    })
    const answers = yield* Effect.forEach(
      missing,
      ({ by, id, order }) =>
        readOrder(venue, by, order).pipe(
          Effect.map(({ correlationId, value }): Seen => ({ order: value, placement: id, correlationId })),
          Effect.result,
          Effect.flatMap(unlessFatal),
          Effect.tap((answer) => (answer._tag === "Success" ? take(answer.success) : noteMissing(id, answer.failure)))
        ),
      { concurrency: settings.concurrency }
    )
    const shown = answers.flatMap((answer) => (answer._tag === "Success" ? [answer.success.order.id] : []))
    // An order that we know and the venue denies remains exposure until the venue says something else.
    const failures = answers.flatMap((answer, index) => {
      if (answer._tag === "Success" || answer.failure.reason._tag === "Rejected") return []
      return [{ id: missing[index]?.order.id, failure: answer.failure }]
    })
    const [unread, odd] = Arr.partition(failures, ({ failure, id }) =>
      isAway(failure) ? Result.succeed(failure.message) : Result.fail({ why: failure.message, ...present({ id }) })
    )
    yield* Effect.forEach(odd, noteOdd, { discard: true })
    return { shown, problem: unread.length === missing.length ? unread[0] : undefined }
  })

  /**
   * That nothing was paid for them, or that their money is lost, the operator or a refusal says: a deposit or a payout that shows
   * all the same is booked, also while nothing else is looked at.
   */
  const deadPayments = (now: number): ReadonlyArray<Placement> =>
    [...books.state.placements.values()]
      .filter(({ changedAt, id, order, state }) => {
        if ((state !== "dead" && state !== "given up") || order === undefined) return false
        // What was given up long ago hardly comes any more.
        const pause = state === "dead" ? 0 : elapsedMillis(changedAt, now) / 10
        const waited = elapsedMillis(books.tries.of(id).unpaidReadAt, now)
        return waited >= Math.max(settings.retryMaxMillis, pause)
      })
      .slice(0, mostDead)

  /** What can be known now about the open orders: everything while they are few, or when in doubt. */
  const readListed = Effect.fnUntraced(function* (
    open: ReadonlyArray<Placement>,
    urgent: ReadonlyArray<Placement>,
    now: number
  ) {
    if (urgent.length >= Math.ceil(open.length / pageSize)) {
      const { listed } = yield* list(Math.min(...open.map((placement) => placement.plannedAt)))
      return { listed, missable: open }
    }
    const unbound = urgent.filter(({ order, by }) => order === undefined && by === undefined)
    const { listed, next } = yield* list(Math.min(...unbound.map((placement) => placement.plannedAt)))
    if (next !== undefined) for (const id of yield* executing) listed.add(id)
    for (const id of yield* sweep(next, now)) listed.add(id)
    // A list that ends here is complete: whatever it does not show has left it.
    return { listed, missable: next === undefined ? open : urgent }
  })

  const read = Effect.fnUntraced(function* (
    open: ReadonlyArray<Placement>,
    prices: ReadonlyMap<string, TwoSidedPrice>,
    now: number,
    unlisted: (problem: string) => Effect.Effect<void, JournalError>
  ) {
    const doubtful = missed
    missed = new Set()
    const urgent = open.filter(
      (placement) =>
        isMoving(placement, now) ||
        doubtful.has(placement.id) ||
        now >= placement.deadline ||
        isWithinReach(placement.price, prices.get(placement.market), elapsedMillis(lookedAt, now))
    )
    const result = yield* Effect.flatMap(Effect.result(readListed(open, urgent, now)), unlessFatal)
    if (result._tag === "Success") {
      const { listed, missable } = result.success
      return (yield* readMissing(missable, listed)).problem
    }
    yield* unlisted(result.failure.message)
    const others = open
      .filter((placement) => !urgent.includes(placement))
      .toSorted((one, other) => books.tries.of(one.id).listedAt - books.tries.of(other.id).listedAt)
    const { shown } = yield* readMissing([...urgent, ...others].slice(0, pageSize), new Set())
    for (const id of shown) noteSeen(id, now)
    return result.failure.message
  })

  /**
   * `prices`: the last one of each market. Returns why the venue could not be read, if so; `unlisted` gets it as soon as the list
   * has failed, because the orders that are then read one by one may take long. `revived` gets each order, or its placement,
   * that lives on after its end.
   */
  const look = Effect.fn("Observation.look")(function* (
    markets: ReadonlyMap<string, Market>,
    prices: ReadonlyMap<string, TwoSidedPrice>,
    unlisted: (problem: string) => Effect.Effect<void, JournalError> = () => Effect.void,
    revived: (key: string) => void = () => undefined
  ) {
    const open = unfinished(books.state)
    const now = yield* Clock.currentTimeMillis
    const dead = deadPayments(now)
    const isIdle = open.length === 0 && dead.length === 0 && !hasOrphans(books.state.placements)
    if (isIdle && !afterlife.isDue(lookedAt, now) && !secondLook.isDue(now)) return undefined
    byOrder = new Map(open.flatMap((placement) => (placement.order ? [[placement.order.id, placement.id]] : [])))
    const byDeadline = new Map(
      [...books.state.placements.values()]
        .filter(({ by }) => by === undefined)
        .map((placement) => [placement.deadline, placement.id])
    )

    take = (report) => {
      const ended = books.state.ended.byId.get(report.order.id)
      if (ended !== undefined) return reading(ended.last.id, afterlife.see(ended, report.order, now, revived))
      const id = report.placement ?? byOrder.get(report.order.id) ?? byDeadline.get(report.order.deadline)
      const known = id === undefined ? undefined : books.state.placements.get(id)
      const isBound = known?.order?.id === report.order.id
      const why = known !== undefined && isBound ? lackingIn(known, report.order) : unsaidIn(report.order)
      const odd = why === undefined ? Effect.void : noteOdd({ id: report.order.id, why })
      // Ours are recognised by their terms.
      if (id === undefined || (!isBound && why !== undefined)) return odd
      // Beside the turn a cancel may have been answered, so what is new is computed from the present state.
      const noted = change(books, id, (placement) => {
        const { events, isAlive } =
          placement.order?.id === report.order.id
            ? consistency.revived(placement, report.order, now)
            : { events: [], isAlive: false }
        if (isAlive) revived(id)
        const back = placement.order?.id === report.order.id ? consistency.shown(placement) : []
        return [...back, ...events, ...eventsOf(placement, markets.get(placement.market), report, now)]
      })
      const taken = Effect.suspend(() => {
        const market = known && markets.get(known.market)
        if (known === undefined || market === undefined) return noted
        if (SecondOrder.isSecond(known, market, report.order)) return takeSecond(known, market, report.order)
        const isOwn = isBound || isFromOurCreate(known, market, report.order)
        return isOwn ? Effect.andThen(noteCut(known, report.order), noted) : noted
      })
      return Effect.andThen(reading(id, taken), odd)
    }
    const problem = yield* read(open, prices, now, unlisted)
    for (const { id } of dead) books.tries.note(id, { unpaidReadAt: now })
    yield* readMissing(dead, new Set())
    yield* secondLook.look(now)
    if (problem === undefined) lookedAt = now
    return problem
  })

  const eventsOf = (
    placement: Placement,
    market: Market | undefined,
    { order, correlationId }: Seen,
    now: number
  ): ReadonlyArray<BotEvent> => {
    if (placement.order?.id === order.id) {
      const manner = {
        insists: consistency.insists(placement, order, now),
        waits: consistency.waits(placement, order, now)
      }
      return isFinished(placement.state) && order.depositedAmount === 0n
        ? []
        : late(placement, observe(asClosing(placement), order, correlationId, manner))
    }
    if (market === undefined || !isOurs(placement, market, order)) return []
    const asked = { market, expected: settings.account }
    if (placement.state === "planned" || placement.state === "creating") {
      // The journal has lost that it was created, or that it was paid for.
      const isForgotten = placement.state === "planned" || order.depositedAmount > 0n
      return isForgotten
        ? found(placement, order, asked)
        : bind(placement, market, order, settings.account, "list", correlationId)
    }
    if (order.depositedAmount > 0n && placement.deposited === 0n) return adopt(placement, order, asked)
    if (placement.orphans.has(order.id)) return []
    const { strategy, slot } = placement
    return [{ _tag: "OrphanSeen", strategy, slot, placement: placement.id, orderId: order.id }]
  }

  return { look }
})

/** Every other order is never bound, adopted, funded or cancelled. */
const isOurs = (placement: Placement, market: Market, order: Order): boolean =>
  (placement.createAttempts > 0 || isDoubted(placement)) && isFromOurCreate(placement, market, order)

const hasOrphans = (placements: ReadonlyMap<string, Placement>): boolean =>
  [...placements.values()].some((placement) => [...placement.orphans.values()].some((cancelled) => !cancelled))

/** Turns a failure into a result, except for a refused credential and a journal that cannot be written. */
const unlessFatal = <A, E extends VenueError | JournalError>(result: Result.Result<A, E>) => {
  const isFatal = (error: E) => error._tag === "JournalError" || error.reason._tag === "Unauthorized"
  return Result.isFailure(result) && isFatal(result.failure) ? Effect.fail(result.failure) : Effect.succeed(result)
}

/** Whether a read failed because of the venue. Any other answer is odd by itself, and says that the venue is there. */
const isAway = ({ reason }: VenueError): boolean =>
  reason._tag === "RetryLater" || (reason._tag === "OutcomeUnknown" && reason.status === undefined)

const unseen = () => Effect.succeed<ReadonlyArray<string>>([])
