/**
 * The calls that cancel an order. For a placement's own order, the journal has the request before it is made. A spare order is inert, and
 * an order without a placement has no record. The venue's answer is recorded like any other report. `leaving` asks the table of due
 * cancels (`DueCancels`). No call repeats itself, and they fail only with the journal.
 */
import { Clock, Effect, Result } from "effect"
import { isTerminal, type Order } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import type { JournalError } from "../../journal/Journal.ts"
import { change } from "../state/Bookkeeper.ts"
import { about, type Placement } from "../state/Placement.ts"
import { lifeOf } from "../state/process/Tries.ts"
import type { Means } from "./Calls.ts"
import { type CancelFacts, dueCancel, type OrderThere, ordersOf, othersIn } from "./DueCancels.ts"
import { meaning } from "./Sightings.ts"

type CancelMeans = Pick<Means, "books" | "settings" | "venue">

/** A cancel's answer may prove the end of an order. Only a read that shows the refund proves that its money came back. */
export const withoutPayouts = ({ refund: _, ...order }: Order): Order => ({
  ...order,
  withdrawals: [],
  payoutIsFinal: false
})

const ask = Effect.fnUntraced(function* ({ books, venue }: CancelMeans, placement: Placement, orderId: string) {
  const answer = yield* Effect.result(venue.cancelOrder(orderId))
  const reason = answer._tag === "Failure" ? answer.failure.reason : undefined
  const refusal = reason?._tag === "Rejected" ? reason : undefined
  if (reason !== undefined && refusal === undefined) yield* Effect.logDebug(reason.message)
  // A refused cancel was mostly done by an earlier one; only the order itself shows that.
  const report =
    answer._tag === "Success"
      ? { ...answer.success, value: withoutPayouts(answer.success.value) }
      : refusal && Result.getOrUndefined(yield* Effect.result(venue.getOrder(orderId)))
  const isOver = report !== undefined && isTerminal(report.value.fillStatus)
  if (isOver) books.tries.note(placement.id, { endedLife: lifeOf(orderId, placement), isAlive: false })
  return { isOver, refusal, report }
})

const own = Effect.fnUntraced(function* (means: CancelMeans, placement: Placement, orderId: string) {
  const { books, settings } = means
  const { cancel, id } = placement
  yield* books.recordIfFits({ _tag: "CancelSent", ...about(placement), attempt: (cancel?.attempts ?? 0) + 1 })
  const { isOver, refusal, report } = yield* ask(means, placement, orderId)
  if (refusal !== undefined) books.tries.note(id, { isRefused: true })
  if (refusal !== undefined && !isOver) {
    const { code, correlationId, text } = refusal
    yield* books.recordIfFits({ _tag: "CancelRefused", ...about(placement), code, text, ...present({ correlationId }) })
  }
  if (report === undefined) return
  const { correlationId, value: order } = report
  const sighting = { order, via: "look", correlationId, market: undefined, expected: settings.account } as const
  yield* change(books, id, (known) => meaning(known, sighting))
})

const shownAfter = Effect.fnUntraced(function* ({ venue }: CancelMeans, orderId: string) {
  const cancelResult = yield* Effect.result(venue.cancelOrder(orderId))
  const readBack = cancelResult._tag === "Success" ? cancelResult : yield* Effect.result(venue.getOrder(orderId))
  if (readBack._tag === "Success") return readBack.success.value
  yield* Effect.logDebug(readBack.failure.message)
  return undefined
})

/** A spare order with our fingerprint is inert. With money in it, it is ours after all. */
const spare = Effect.fnUntraced(function* (means: CancelMeans, placement: Placement, orderId: string) {
  const { books, settings } = means
  const spareTries = books.tries.of(placement.id).spare
  const attempts = (spareTries.get(orderId)?.attempts ?? 0) + 1
  const at = yield* Clock.currentTimeMillis
  books.tries.note(placement.id, { spare: new Map(spareTries).set(orderId, { attempts, at }) })
  const order = yield* shownAfter(means, orderId)
  if (order === undefined) return
  const sighting = { order, via: "cancel", market: undefined, expected: settings.account } as const
  yield* change(books, placement.id, (known) => meaning(known, sighting))
})

const other = Effect.fnUntraced(function* (means: CancelMeans, orderId: string) {
  const { tries } = means.books
  const attempts = tries.of(orderId).cancelled.attempts + 1
  tries.note(orderId, { cancelled: { attempts, at: yield* Clock.currentTimeMillis } })
  const order = yield* shownAfter(means, orderId)
  if (order !== undefined && isTerminal(order.fillStatus))
    tries.note(orderId, { endedLife: lifeOf(orderId), isAlive: false })
})

const cancel = (
  means: CancelMeans,
  { orderId, placement, which }: OrderThere,
  { isUnrecorded }: Pick<CancelFacts, "isUnrecorded">
): Effect.Effect<void, JournalError> => {
  if (which === "other") return other(means, orderId)
  if (which === "spare") return spare(means, placement, orderId)
  return isUnrecorded ? Effect.asVoid(ask(means, placement, orderId)) : own(means, placement, orderId)
}

/** Returns the due cancels. If the venue takes few requests, never-sent cancels go first, and those of inert spare orders last. */
export const leaving = (
  means: CancelMeans,
  placements: Iterable<Placement>,
  situation: Omit<CancelFacts, "settings" | "hurriedAt">
) => {
  const { state, tries } = means.books
  const facts = { ...situation, settings: means.settings, hurriedAt: tries.hurriedAt() }
  const idOf = ({ orderId, placement }: OrderThere) => placement?.id ?? orderId
  const due = [...placements]
    .flatMap(ordersOf)
    .concat(othersIn(state))
    .filter((order) => dueCancel(order, tries.of(idOf(order)), facts) === "cancel")
  const attempts = ({ placement }: OrderThere) => placement?.cancel?.attempts ?? 0
  const of = (wanted: OrderThere["which"]) => due.filter(({ which }) => which === wanted)
  const fewestFirst = of("own").toSorted((one, another) => attempts(one) - attempts(another))
  return [...fewestFirst, ...of("other"), ...of("spare")].map((order) => ({
    orderId: order.orderId,
    about: idOf(order),
    cancel: Effect.withSpan(cancel(means, order, facts), "order: cancel", {
      root: true,
      attributes: present({ ...(order.placement && about(order.placement)), order: order.orderId })
    })
  }))
}
