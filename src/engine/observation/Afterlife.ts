/**
 * Finds orders that live on after they were settled. The venue may report a living order as ended and refunded until its books are closed;
 * its money then counts as free but is still in the market. The bot takes the end back, tracks the order again, and leaves its slot empty
 * until the operator has decided. A list may be older than the end, so a read of the order itself, some seconds later, must show the same.
 */
import { Effect } from "effect"
import { elapsedMillis, minuteMillis } from "../../domain/Durations.ts"
import { isTerminal, type Order } from "../../domain/Order.ts"
import { Venue } from "../../venue/Venue.ts"
import { believedAfterMillis, EngineSettings } from "../EngineSettings.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import * as EndedOrders from "../state/orders/EndedOrders.ts"
import { takenBack } from "../tracking/amounts/TakingBack.ts"
import { changedReport } from "../tracking/Contradictions.ts"

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
