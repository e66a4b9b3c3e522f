/** Remembers our newest settled orders and swaps, because an order may live on or turn out to have ended differently. */
import type { PlacementEvent } from "../../../domain/BotEvent.ts"
import type { Placement, PlacementIn } from "../Placement.ts"

export interface EndedOrder {
  readonly last: PlacementIn<"settled">
  readonly endedAt: number
  readonly isAlive?: true
  /** The operator has removed it from the books: nothing about it is reported any more. */
  readonly isForgotten?: true
}

export interface EndedOrders {
  readonly byId: Map<string, EndedOrder>
  readonly ofPlacements: Map<string, string>
  readonly alive: Set<string>
  newestAt: number
}

export const make = (): EndedOrders => ({
  byId: new Map(),
  ofPlacements: new Map(),
  alive: new Set(),
  newestAt: Number.NEGATIVE_INFINITY
})

/**
 * More orders than are open at once; older ones have left the venue's newest pages. Never lower it: a journal may take back the end of any
 * order that it remembered then, and a fold that has forgotten the order refuses the whole journal.
 */
const maxRemembered = 1_000

export const see = (ended: EndedOrders, placement: Placement, event: PlacementEvent, at: number): void => {
  // The order belongs to a placement again.
  if (event._tag === "Bound" || event._tag === "TakenBack") forget(ended, event.orderId)
  if (placement.state !== "settled") return
  // A kill switch also cancels an order that was removed from the books. A swap ends by itself.
  const isForgotten = placement.by === undefined && event._tag === "Resolved" && placement.closedAt === undefined
  if (event._tag !== "Settled" && !isForgotten) return
  const { funding, id, order } = placement
  // The signed bytes of an ended order are never sent again.
  const last = funding === undefined ? placement : { ...placement, funding: { ...funding, signed: "" } }
  ended.byId.set(order.id, { last, endedAt: at, ...(isForgotten ? { isAlive: true, isForgotten: true } : {}) })
  ended.ofPlacements.set(id, order.id)
  if (isForgotten) ended.alive.add(order.id)
  ended.newestAt = at
  if (ended.byId.size <= maxRemembered) return
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

export const isAnyAlive = ({ alive, byId }: EndedOrders): boolean =>
  [...alive].some((orderId) => byId.get(orderId)?.isForgotten !== true)

export const noteAlive = (ended: EndedOrders, order: EndedOrder): void => {
  const { id } = order.last.order
  ended.byId.set(id, { ...order, isAlive: true })
  ended.alive.add(id)
}
