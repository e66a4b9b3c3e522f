/**
 * The newest orders and swaps of ours that are settled, so that one which lives on, or ended otherwise after all, is recognised:
 * the placement is gone from the state by then. Folded from the journal, so a restart forgets none. Asked at every look, so each question is one lookup.
 */

import type { PlacementEvent } from "../../../domain/BotEvent.ts"
import type { Placement, PlacementIn } from "../Placement.ts"

export interface EndedOrder {
  /** As its books were closed. */
  readonly last: PlacementIn<"settled">
  readonly endedAt: number
  /** The venue has gone on to show it, and that was told. */
  readonly isAlive?: true
  /** The operator has taken it off the books: nothing that is shown of it is told any more. */
  readonly isForgotten?: true
}

export interface EndedOrders {
  /** By the venue's id, the oldest first. */
  readonly byId: Map<string, EndedOrder>
  /** The id of the order by placement. */
  readonly ofPlacements: Map<string, string>
  /** Ids of orders that live on after their end. */
  readonly alive: Set<string>
  /** When the last of them was settled. */
  newestAt: number
}

export const make = (): EndedOrders => ({
  byId: new Map(),
  ofPlacements: new Map(),
  alive: new Set(),
  newestAt: Number.NEGATIVE_INFINITY
})

/**
 * More than rest at once; those before them have long left the venue's newest pages. Never to be lowered: a journal may say
 * of any order that it remembered then that it lives on, and a fold that has forgotten the order refuses the whole journal.
 */
const mostRemembered = 1_000

/** Follows what happens to a placement. What the operator took off the books may live on. */
export const see = (ended: EndedOrders, placement: Placement, event: PlacementEvent, at: number): void => {
  // Somebody has taken it back into the books.
  if (event._tag === "Bound" || event._tag === "TakenBack") forget(ended, event.orderId)
  if (placement.state !== "settled") return
  // Whoever withdraws everything means what was taken off the books as well. A swap ends by itself.
  const isForgotten = placement.by === undefined && event._tag === "Resolved" && placement.closedAt === undefined
  if (event._tag !== "Settled" && !isForgotten) return
  const { funding, id, order } = placement
  // Its payload can never be sent again.
  const last = funding === undefined ? placement : { ...placement, funding: { ...funding, signed: "" } }
  ended.byId.set(order.id, { last, endedAt: at, ...(isForgotten ? { isAlive: true, isForgotten: true } : {}) })
  ended.ofPlacements.set(id, order.id)
  if (isForgotten) ended.alive.add(order.id)
  ended.newestAt = at
  if (ended.byId.size <= mostRemembered) return
  for (const orderId of ended.byId.keys()) if (!ended.alive.has(orderId)) return forget(ended, orderId)
}

const forget = (ended: EndedOrders, orderId: string): void => {
  const order = ended.byId.get(orderId)
  if (order === undefined) return
  ended.byId.delete(orderId)
  ended.ofPlacements.delete(order.last.id)
  ended.alive.delete(orderId)
}

export const ofPlacement = (ended: EndedOrders, placement: string): EndedOrder | undefined => {
  const orderId = ended.ofPlacements.get(placement)
  return orderId === undefined ? undefined : ended.byId.get(orderId)
}

/** Whether one lives on that somebody still has to hear of. */
export const isAnyAlive = ({ alive, byId }: EndedOrders): boolean =>
  [...alive].some((orderId) => byId.get(orderId)?.isForgotten !== true)

export const noteAlive = (ended: EndedOrders, order: EndedOrder): void => {
  const { id } = order.last.order
  ended.byId.set(id, { ...order, isAlive: true })
  ended.alive.add(id)
}
