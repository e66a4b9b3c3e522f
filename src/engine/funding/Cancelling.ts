/**
 * Cancels orders: those with a requested cancel, and spare ones. A cancel needs only the order's id, not a price, the
 * market or the strategy, so withdrawing works when everything else fails. It is repeated until the venue says that
 * the order is over; a repeated cancel does no harm.
 */
import { Clock, Effect } from "effect"
import type { Reason } from "../../domain/BotEvent.ts"
import { isTerminal, type Order } from "../../domain/Order.ts"
import { isFinished } from "../../domain/Placement.ts"
import { present } from "../../domain/Present.ts"
import { type Answer, Venue } from "../../venue/Venue.ts"
import { backoffMillis, EngineSettings } from "../EngineSettings.ts"
import { Bookkeeper, change } from "../state/Bookkeeper.ts"
import { mayHoldMoney } from "../state/orders/JournalTail.ts"
import { about, type Placement } from "../state/Placement.ts"
import { isDoubtful, isToBeCancelled } from "../tracking/EarlyEnd.ts"
import { adopt, observe } from "../tracking/OrderTracker.ts"

/** Under the kill switch a cancel that got no clear answer is repeated at least this often. */
const urgentPauseMillis = 5_000

/** Whether an order ended, its cancel may say; that its money came back, only a read that shows it. */
const withoutPayouts = ({ refund: _, ...order }: Order): Order => ({ ...order, withdrawals: [], payoutIsFinal: false })

/** An order whose end was taken back is to be cancelled anew. */
const lifeOf = ({ lives = 0, order }: Placement): string => `${order?.id} ${lives}`

export const make = Effect.gen(function* () {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const { tries } = books
  /** Orders that are no placements, and are over. */
  const forgottenOver = new Set<string>()
  let hurriedAt = Number.NEGATIVE_INFINITY

  /** Two things must not delay a cancel: a clock that went back, and failures from before the venue came back. */
  const isTime = (lastAt: number, attempts: number, isRefused: boolean, now: number): boolean => {
    const waited = now - lastAt
    const backoff = backoffMillis(settings, attempts)
    const isUrgent = books.state.killed !== undefined && !isRefused
    const pause = isUrgent ? Math.min(backoff, urgentPauseMillis) : backoff
    return waited < 0 || waited >= pause || (!isRefused && lastAt < hurriedAt)
  }

  const orphanDue = (placement: string, orderId: string, now: number): boolean => {
    const tried = tries.of(placement).spare.get(orderId)
    return tried === undefined || isTime(tried.at, tried.attempts, false, now)
  }

  const cancelDue = (placement: Placement, now: number): boolean => {
    const { id, by, cancel, order, state } = placement
    const { endedLife, isAlive, isRefused } = tries.of(id)
    // A swap ends without a cancel, and soon.
    return (
      cancel !== undefined &&
      order !== undefined &&
      by === undefined &&
      mayHoldMoney(placement) &&
      (state !== "closing" || isAlive || isToBeCancelled(placement)) &&
      endedLife !== lifeOf(placement) &&
      isTime(cancel.lastSentAt, cancel.attempts, isRefused, now)
    )
  }

  const isOver = (placement: Placement): void => {
    tries.note(placement.id, { endedLife: lifeOf(placement), isAlive: false })
  }

  const note = ({ id }: Placement, { correlationId, value }: Answer<Order>) =>
    change(books, id, (current) => observe(current, value, correlationId))

  const cancel = Effect.fnUntraced(function* (placement: Placement) {
    const { cancel: request, order } = placement
    if (request === undefined || order === undefined) return
    yield* books.recordIfFits({ _tag: "CancelSent", ...about(placement), attempt: request.attempts + 1 })
    const answer = yield* Effect.result(venue.cancelOrder(order.id))
    if (answer._tag === "Success") {
      const { correlationId, value } = answer.success
      if (isTerminal(value.fillStatus)) isOver(placement)
      return yield* note(placement, { value: withoutPayouts(value), ...present({ correlationId }) })
    }
    const { reason } = answer.failure
    if (reason._tag !== "Rejected") return yield* Effect.logDebug(reason.message)
    tries.note(placement.id, { isRefused: true })
    const read = yield* Effect.result(venue.getOrder(order.id))
    const shown = read._tag === "Success" ? read.success : undefined
    if (shown !== undefined && isTerminal(shown.value.fillStatus)) {
      // Mostly the cancel before had ended it, so its refusal is no news.
      isOver(placement)
      return yield* note(placement, shown)
    }
    const { code, text, correlationId } = reason
    yield* books.recordIfFits({ _tag: "CancelRefused", ...about(placement), code, text, ...present({ correlationId }) })
    if (shown !== undefined) yield* note(placement, shown)
  })

  /** An order of ours that is no placement. */
  const cancelForgotten = Effect.fnUntraced(function* (orderId: string, now: number) {
    tries.note(orderId, { cancelled: { attempts: tries.of(orderId).cancelled.attempts + 1, at: now } })
    const asked = yield* Effect.result(venue.cancelOrder(orderId))
    const read = asked._tag === "Success" ? asked : yield* Effect.result(venue.getOrder(orderId))
    if (read._tag === "Failure") return yield* Effect.logDebug(read.failure.message)
    if (isTerminal(read.success.value.fillStatus)) forgottenOver.add(orderId)
  })

  /** Whoever withdraws everything by the kill switch means those as well. */
  const forgottenLeft = () =>
    [...books.state.tail.forgotten.keys(), ...books.state.ended.alive].filter((orderId) => !forgottenOver.has(orderId))

  const forgottenDue = (now: number) =>
    forgottenLeft().flatMap((orderId) => {
      const { at, attempts } = tries.of(orderId).cancelled
      const isDue = books.state.killed !== undefined && isTime(at, attempts, false, now)
      return isDue ? [{ about: orderId, key: orderId, cancel: cancelForgotten(orderId, now) }] : []
    })

  /** A spare order with our fingerprint is inert: cancel it. With money in it, it is ours after all. */
  const cancelOrphan = Effect.fnUntraced(function* (placement: Placement, orderId: string, now: number) {
    const { spare } = tries.of(placement.id)
    const attempts = (spare.get(orderId)?.attempts ?? 0) + 1
    tries.note(placement.id, { spare: new Map(spare).set(orderId, { attempts, at: now }) })
    const asked = yield* Effect.result(venue.cancelOrder(orderId))
    const read = asked._tag === "Success" ? asked : yield* Effect.result(venue.getOrder(orderId))
    if (read._tag === "Failure") return yield* Effect.logDebug(read.failure.message)
    const order = read.success.value
    if (order.depositedAmount > 0n) return yield* books.recordIfFits(...adopt(placement, order))
    if (order.fillStatus !== "PENDING_CANCEL" && !isTerminal(order.fillStatus)) return
    yield* books.recordIfFits({ _tag: "OrphanCancelled", ...about(placement), orderId })
  })

  /**
   * The cancels that are due now, by what they are about: none waits for another. They fail only with the journal. Where the venue
   * takes few requests, an order that it was never asked about goes before a repetition, and a spare one, which is inert, last.
   */
  const due = (placements: ReadonlyArray<Placement>, now: number) => {
    const attempts = ({ cancel: request }: Placement) => request?.attempts ?? 0
    const orders = placements
      .filter((placement) => cancelDue(placement, now))
      .toSorted((one, other) => attempts(one) - attempts(other))
    const spare = placements.flatMap((placement) =>
      [...placement.orphans]
        .filter(([orderId, isCancelled]) => !isCancelled && orphanDue(placement.id, orderId, now))
        .map(([orderId]) => ({ about: placement.id, key: orderId, cancel: cancelOrphan(placement, orderId, now) }))
    )
    const own = orders.map((placement) => ({ about: placement.id, key: placement.id, cancel: cancel(placement) }))
    return [...own, ...forgottenDue(now), ...spare]
  }

  /** Whether nothing says that its order is over. */
  const mayRest = (placement: Placement): boolean => {
    const { by, id, order, state } = placement
    const isClosed = isFinished(state) || (state === "closing" && !isDoubtful(placement))
    return order !== undefined && by === undefined && !isClosed && tries.of(id).endedLife !== lifeOf(placement)
  }

  const withdrawUnrecorded = Effect.fnUntraced(function* (placement: Placement) {
    const { order } = placement
    if (order === undefined) return
    const answer = yield* Effect.result(venue.cancelOrder(order.id))
    // A cancel that is refused was mostly done by the one before; only the order itself says so.
    const isRefused = answer._tag === "Failure" && answer.failure.reason._tag === "Rejected"
    const shown = isRefused ? yield* Effect.result(venue.getOrder(order.id)) : answer
    if (shown._tag === "Success" && isTerminal(shown.success.value.fillStatus)) isOver(placement)
  })

  /**
   * For the time in which nothing can be recorded, the cancels of all that may rest: a cancel needs no record to be harmless, and its
   * end is reported.
   */
  const unrecorded = (why: Reason | undefined, now: number) => {
    const own = [...books.state.placements.values()]
      .filter(mayRest)
      .map((placement) => ({ key: placement.id, cancel: withdrawUnrecorded(placement) }))
    const others = why?.code === "kill-switch" ? forgottenLeft() : []
    return [...own, ...others.map((orderId) => ({ key: orderId, cancel: cancelForgotten(orderId, now) }))]
  }

  return {
    due,
    unrecorded,
    /** The order lives on after its end: a cancel that was wanted is due again. */
    revive: (key: string): void => {
      tries.note(key, { isAlive: true, endedLife: undefined })
      forgottenOver.delete(key)
    },
    /** Makes everything due again at once that was not clearly refused. */
    hurry: Effect.map(Clock.currentTimeMillis, (now) => {
      hurriedAt = now
    })
  } as const
})
