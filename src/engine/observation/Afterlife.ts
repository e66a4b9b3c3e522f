/**
 * Finds settled orders that live on or ended differently. The venue may report a living order as ended and refunded until its books are
 * closed; its money then counts as free but is still in the market. The bot takes the end back, tracks the order again, and leaves its slot
 * empty until the operator has decided. A list may be older than the end, so a read of the order itself, some seconds later, must show the
 * same.
 *
 * The end of each order or swap is also read once more (`makeSecondLook`), because the venue may take its final report back and its list
 * shows no ended orders. The read comes a minute after the books were closed, when no view is that old. If two reads in a row differ from
 * the books, the difference is reported and the order is tracked again. An operator's statement outranks later reports of the venue.
 */
import { Effect } from "effect"
import { elapsedMillis, minuteMillis, monotonicMillis } from "../../domain/Durations.ts"
import { isTerminal, type Order } from "../../domain/Order.ts"
import type { JournalError } from "../../journal/Journal.ts"
import { Venue } from "../../venue/Venue.ts"
import { believedAfterMillis, EngineSettings } from "../EngineSettings.ts"
import * as Outlasting from "../Outlasting.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import type { BotState } from "../state/BotState.ts"
import * as EndedOrders from "../state/orders/EndedOrders.ts"
import type { Placement } from "../state/Placement.ts"
import { isPaidOut, isRefunded } from "../tracking/amounts/Fees.ts"
import * as Fills from "../tracking/amounts/Fills.ts"
import { takenBack } from "../tracking/amounts/TakingBack.ts"
import { changedReport } from "../tracking/Contradictions.ts"
import { readOrder } from "../tracking/OrderReads.ts"

/** After the newest end, the bot reads the list for this time even if no order is open. */
const watchMillis = 10 * minuteMillis

/** An order that waits for its deposit holds no money. */
const isLiving = ({ fillStatus, unsaid }: Order): boolean =>
  unsaid === undefined && !isTerminal(fillStatus) && fillStatus !== "AWAITING_DEPOSIT"

export const make = Effect.gen(function* () {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const overAt = new Map<string, number>()
  /** Under the kill switch each turn reads, because an order that lives on must be cancelled too. */
  const pauseMillis = () => (books.state.killed === undefined ? settings.retryMaxMillis : 0)

  /** Handles a list entry of a settled order. If the order was already reported as alive, its cancel may be sent again. */
  const see = Effect.fnUntraced(function* (ended: EndedOrders.EndedOrder, listed: Order, now: number) {
    const { endedAt, isAlive, last } = ended
    if (!isLiving(listed)) return
    const { status = "" } = last
    const { id: orderId } = last.order
    if (isAlive === true) return listed.fillStatus === "PENDING_CANCEL" ? undefined : books.tries.revive(orderId)
    if (elapsedMillis(endedAt, now) < believedAfterMillis.end) return
    if (elapsedMillis(overAt.get(orderId) ?? Number.NEGATIVE_INFINITY, now) < pauseMillis()) return
    const answer = yield* Effect.result(venue.getOrder(orderId))
    if (answer._tag === "Failure") return yield* Effect.logDebug(answer.failure.message)
    const { correlationId, value } = answer.success
    if (!isLiving(value)) {
      for (const id of overAt.keys()) if (!books.state.ended.byId.has(id)) overAt.delete(id)
      overAt.set(orderId, now)
      return
    }
    const what = `order ${orderId} ended ${status}, but the venue still shows it ${value.fillStatus}`
    const evidence = `${Math.round(elapsedMillis(endedAt, now) / 1000)} s after it was settled, deposited ${value.depositedAmount}`
    yield* books.recordIfFits(changedReport(last, what, evidence, correlationId), ...takenBack(last))
  })

  const isDue = (lookedAt: number, now: number): boolean => {
    const { ended } = books.state
    const isWatched = EndedOrders.isAnyAlive(ended) || elapsedMillis(ended.newestAt, now) < watchMillis
    return isWatched && elapsedMillis(lookedAt, now) >= pauseMillis()
  }

  return { see, isDue }
})

/** After this time in a run, ends are no longer read individually; `reconcile` compares everything. */
const untilMillis = 10 * minuteMillis
const maxAtOnce = 2
/** After this number of ends taken back, an order is left to the operator. */
const maxLives = 3

export const takenBackIn = (last: Placement, order: Order): string | undefined => {
  if (last.isByWord === true || isBare(last, order)) return undefined
  const otherwise = Fills.lackIn(last, order.fills) ?? Fills.changeIn(last, order.fills)
  // A contradiction that was reported before the end waits for the operator and is not reported again.
  if (otherwise !== undefined && otherwise !== last.contradiction) return otherwise
  const fresh = Fills.newIn(last, Fills.factsIn(last, order.fills)).at(0)
  if (fresh !== undefined) return `it shows the fill ${fresh.id} only now`
  if (last.payout === "paid" && !isPaidOut(order)) return `its payout was COMPLETED and is ${payoutNow(order)} now`
  if (last.refund === "paid" && !isRefunded(order)) return `its refund was COMPLETED and is ${legNow(order.refund)} now`
  return undefined
}

/** The status of a swap may leave out its output. */
const isBare = ({ by, status }: Placement, { fills, fillStatus }: Order): boolean =>
  by === "swap" && fillStatus === status && fills.length === 0

const legNow = (leg: Order["refund"]): string =>
  leg === undefined ? "gone" : leg.reason === undefined ? leg.status : `${leg.status} (${leg.reason})`

const payoutNow = ({ withdrawals }: Order): string => {
  const open = withdrawals.find(({ status }) => status !== "COMPLETED")
  return open === undefined && withdrawals.length > 0 ? "not final" : legNow(open)
}

const isToRead = ({ endedAt, isAlive, last }: EndedOrders.EndedOrder, now: number): boolean =>
  isAlive !== true && elapsedMillis(endedAt, now) >= minuteMillis && (last.lives ?? 0) < maxLives

/** Ends of the last minutes, and, in the first minutes of a run, ends that the earlier run may not have read again. */
const newest = ({ ended: { byId, newestAt }, runStartedAt }: BotState, now: number) => {
  const isNewRun = elapsedMillis(runStartedAt, now) < untilMillis
  if (!isNewRun && elapsedMillis(newestAt, now) >= untilMillis) return []
  const all = [...byId.values()]
  const before = isNewRun ? all.filter(({ endedAt }) => endedAt < runStartedAt) : []
  const lastBefore = before.reduce((last, { endedAt }) => Math.max(last, endedAt), Number.NEGATIVE_INFINITY)
  return all.filter(
    ({ endedAt }) =>
      elapsedMillis(endedAt, now) < untilMillis ||
      (isNewRun && endedAt < runStartedAt && elapsedMillis(endedAt, lastBefore) < untilMillis)
  )
}

export const makeSecondLook = Effect.gen(function* () {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const reads = yield* Outlasting.make<JournalError>(maxAtOnce)
  const confirmedEnds = new Map<string, number>()
  const readAt = new Map<string, number>()
  const differsSince = new Map<string, number>()
  const notes = [confirmedEnds, readAt, differsSince]

  const forgetOld = () => {
    for (const note of notes) for (const id of note.keys()) if (!books.state.ended.byId.has(id)) note.delete(id)
  }

  const due = (now: number): ReadonlyArray<EndedOrders.EndedOrder> =>
    newest(books.state, now)
      .filter((ended) => {
        const { id } = ended.last.order
        const waited = elapsedMillis(readAt.get(id) ?? Number.NEGATIVE_INFINITY, now)
        const pause = differsSince.has(id) ? believedAfterMillis.otherwise : settings.retryMaxMillis
        return isToRead(ended, now) && confirmedEnds.get(id) !== ended.endedAt && waited >= pause
      })
      .slice(0, maxAtOnce)

  const compare = Effect.fnUntraced(function* ({ endedAt, last }: EndedOrders.EndedOrder, now: number) {
    const { by, order, status = "" } = last
    readAt.set(order.id, now)
    const answer = yield* Effect.result(readOrder(venue, by, order))
    if (answer._tag === "Failure") return yield* Effect.logDebug(answer.failure.message)
    const { correlationId, value } = answer.success
    // The list shows orders that live on; this view may be old.
    if (!isTerminal(value.fillStatus) || value.unsaid !== undefined) return
    const what = takenBackIn(last, value)
    if (what === undefined) {
      differsSince.delete(order.id)
      return void confirmedEnds.set(order.id, endedAt)
    }
    const monotonic = yield* monotonicMillis
    const since = differsSince.get(order.id) ?? monotonic
    differsSince.set(order.id, since)
    if (monotonic - since < believedAfterMillis.otherwise) return
    differsSince.delete(order.id)
    const ending = `order ${order.id} ended ${status}, and ${what}`
    const evidence = `${Math.round(elapsedMillis(endedAt, now) / 1000)} s after it was settled, it is ${value.fillStatus}`
    yield* books.recordIfFits(changedReport(last, ending, evidence, correlationId), ...takenBack(last))
  })

  const look = Effect.fn("SecondLook.look")(function* (now: number) {
    const ends = due(now)
    if (ends.length === 0) return
    forgetOld()
    yield* reads.all(ends.map((ended) => [ended.last.order.id, compare(ended, now)]))
  })

  return { look, isDue: (now: number): boolean => due(now).length > 0 }
})
