/**
 * One look at the venue's orders: the list of unfinished ones, then one by one whichever of ours it did not show. What is
 * seen becomes events; what is *not* seen becomes nothing, because silence proves nothing.
 */
import { Effect } from "effect"
import type { BotEvent } from "../domain/BotEvent.ts"
import type { Market } from "../domain/Market.ts"
import type { Order } from "../domain/Order.ts"
import { isFinished } from "../domain/Placement.ts"
import { Venue } from "../venue/Venue.ts"
import { Bookkeeper } from "./Bookkeeper.ts"
import { type BoundOrder, type Placement, unfinished } from "./BotState.ts"
import { EngineSettings } from "./EngineSettings.ts"
import { adopt, bind, matches, observe } from "./OrderTracker.ts"

/** More pages than this in one look is a cursor that loops. */
const mostPages = 400
/** Clocks may differ, and an order may be dated from before we sent it. */
const clockSkewMillis = 60_000

interface Seen {
  readonly order: Order
  readonly correlationId: string | undefined
}

/** The order or the swap that a placement is bound to, as the venue has it now. */
export const readOrder = (
  venue: Venue["Service"],
  by: "swap" | undefined,
  { id, depositAddress, depositMemo }: Pick<BoundOrder, "id" | "depositAddress" | "depositMemo">
) => (by === "swap" ? venue.getSwap(depositAddress, depositMemo) : venue.getOrder(id))

export const make = Effect.gen(function* () {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings

  /** Newest first, until the orders are older than anything that is still open. */
  const list = Effect.fnUntraced(function* (since: number) {
    const seen = new Map<string, Seen>()
    let cursor: string | undefined
    for (let page = 0; page < mostPages; page += 1) {
      const answer = yield* venue.listOrders({ unfinishedOnly: true, ...(cursor === undefined ? {} : { cursor }) })
      const { orders, nextCursor } = answer.value
      const before = seen.size
      for (const order of orders) seen.set(order.id, { order, correlationId: answer.correlationId })
      const isOldEnough = orders.some((order) => order.createdAt < since - clockSkewMillis)
      // A page without anything new means the cursor does not move.
      if (nextCursor === undefined || isOldEnough || seen.size === before) break
      cursor = nextCursor
    }
    return seen
  })

  /** Reads what the list did not show: finished orders leave it, and it may lag. */
  const readMissing = (placements: ReadonlyArray<Placement>, seen: ReadonlyMap<string, Seen>) =>
    Effect.forEach(
      placements.flatMap(({ by, order }) => (order === undefined || seen.has(order.id) ? [] : [{ by, order }])),
      ({ by, order }) =>
        readOrder(venue, by, order).pipe(
          Effect.map((answer): Seen => ({ order: answer.value, correlationId: answer.correlationId })),
          // An order that we know and the venue denies stays exposure until it says something else.
          Effect.catchReason("VenueError", "Rejected", () => Effect.undefined)
        ),
      { concurrency: settings.concurrency }
    )

  const look = Effect.fn("Observation.look")(function* (markets: ReadonlyMap<string, Market>) {
    const open = unfinished(books.state)
    if (open.length === 0 && !hasOrphans(books.state.placements)) return
    const since = Math.min(...open.map((placement) => placement.plannedAt))
    const seen = yield* list(since)
    const missing = yield* readMissing(open, seen)
    const byOrder = new Map(open.flatMap((placement) => (placement.order ? [[placement.order.id, placement.id]] : [])))
    const byDeadline = new Map(
      [...books.state.placements.values()]
        .filter(({ by }) => by === undefined)
        .map((placement) => [second(placement.deadline), placement.id])
    )

    for (const report of [...seen.values(), ...missing]) {
      if (report === undefined) continue
      const id = byOrder.get(report.order.id) ?? byDeadline.get(second(report.order.deadline))
      const placement = id === undefined ? undefined : books.state.placements.get(id)
      const market = placement === undefined ? undefined : markets.get(placement.market)
      if (placement === undefined || market === undefined) continue
      yield* books.record(...eventsOf(placement, market, report))
    }
  })

  const eventsOf = (placement: Placement, market: Market, { order, correlationId }: Seen): ReadonlyArray<BotEvent> => {
    if (placement.order?.id === order.id) {
      return isFinished(placement.state) && order.depositedAmount === 0n ? [] : observe(placement, order, correlationId)
    }
    if (!matches(placement, market, order)) return []
    if (placement.state === "creating") {
      return bind(placement, market, order, settings.account, "list", correlationId)
    }
    if (order.depositedAmount > 0n && placement.deposited === 0n) return adopt(placement, order)
    if (placement.orphans.has(order.id)) return []
    const { strategy, slot } = placement
    return [{ _tag: "OrphanSeen", strategy, slot, placement: placement.id, orderId: order.id }]
  }

  return { look }
})

/** Deadlines are unique by the second, whether or not the venue keeps their milliseconds. */
const second = (deadline: number): number => Math.trunc(deadline / 1000)

const hasOrphans = (placements: ReadonlyMap<string, Placement>): boolean =>
  [...placements.values()].some((placement) => [...placement.orphans.values()].some((cancelled) => !cancelled))
