/**
 * The newest orders of ours that are settled, so that one which lives on after all is recognised: the placement is gone from
 * the state by then. Folded from the journal, so a restart forgets none. Pure.
 */

import type { Amount } from "../../domain/Amount.ts"
import type { PlacementEvent } from "../../domain/BotEvent.ts"
import type { Placement } from "../state/Placement.ts"

export interface EndedOrder {
  readonly orderId: string
  readonly placement: string
  readonly strategy: string
  readonly slot: string
  readonly status: string
  readonly asset: string
  readonly amount: Amount
  readonly endedAt: number
  /** The venue has gone on to show it, and that was told. */
  readonly isAlive?: true
}

/** By the venue's id, the oldest first. */
export type EndedOrders = Map<string, EndedOrder>

/** More than rest at once; those before them have long left the venue's newest pages. */
const mostRemembered = 1_000

/** Follows what happens to a placement. What the operator took off the books may live on. */
export const see = (ended: EndedOrders, placement: Placement, event: PlacementEvent, at: number): void => {
  // Somebody has taken it back into the books.
  if (event._tag === "Bound") ended.delete(event.orderId)
  const { by, id, inputAmount: amount, inputAsset: asset, order, slot, status = "", strategy } = placement
  if (event._tag !== "Settled" || by !== undefined || order === undefined) return
  ended.set(order.id, { orderId: order.id, placement: id, strategy, slot, status, asset, amount, endedAt: at })
  if (ended.size <= mostRemembered) return
  const oldest = [...ended.values()].find(({ isAlive }) => isAlive === undefined)
  if (oldest !== undefined) ended.delete(oldest.orderId)
}

export const ofPlacement = (ended: EndedOrders, placement: string): EndedOrder | undefined =>
  [...ended.values()].find((each) => each.placement === placement)

export const noteAlive = (ended: EndedOrders, order: EndedOrder): void => {
  ended.set(order.orderId, { ...order, isAlive: true })
}

/** Orders that live on after their end. */
export const alive = (ended: EndedOrders): ReadonlyArray<string> =>
  [...ended.values()].flatMap(({ isAlive, orderId }) => (isAlive === true ? [orderId] : []))
