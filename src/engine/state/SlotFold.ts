/**
 * What a slot has been through, folded from what its orders did, never from what was asked of them: an order that fills
 * while it is withdrawn counts like any other.
 */
import type { Amount } from "../../domain/Amount.ts"
import type { SlotProgress } from "../../strategy/View.ts"
import { filledBase, filledQuote, openQuantity, type Placement } from "./Placement.ts"

export interface Slot {
  readonly strategy: string
  readonly slot: string
  /** The unfinished placement, or the last one. */
  readonly placement?: string
  readonly completedLegs: number
  readonly filledInLeg: Amount
  readonly receivedInLeg: Amount
  readonly receivedByLastLeg: Amount
  /** Quote that the current leg has paid or brought in. */
  readonly quoteInLeg: Amount
  readonly lastLeg?: NonNullable<SlotProgress["lastLeg"]>
  /** Base quantities of all orders that have ended. */
  readonly bought: Amount
  readonly sold: Amount
  /** Attempts in a row that the venue refused, for backing off. */
  readonly refusals: number
  readonly refusedAt: number
  /** Why this slot gets no new funding any more until somebody looks. */
  readonly frozen?: string
  /** What froze it, for whoever looks. */
  readonly freeze?: Freeze
}

export interface Freeze {
  readonly kind: "contradiction" | "leg"
  readonly placement: string
  readonly since: number
  readonly evidence: string
  readonly asset: string
  readonly amount: Amount
}

export const emptySlot = (strategy: string, slot: string): Slot => ({
  strategy,
  slot,
  completedLegs: 0,
  filledInLeg: 0n,
  receivedInLeg: 0n,
  receivedByLastLeg: 0n,
  quoteInLeg: 0n,
  bought: 0n,
  sold: 0n,
  refusals: 0,
  refusedAt: 0
})

const totals = ({ bought, sold }: Pick<Slot, "bought" | "sold">, placement: Placement) => {
  const filled = filledBase(placement)
  return placement.side === "BUY" ? { bought: bought + filled, sold } : { bought, sold: sold + filled }
}

/** A leg is complete when its order was wholly filled; what an order that ended early filled counts towards the leg. */
export const afterOrder = (slot: Slot, placement: Placement): Partial<Slot> => {
  const { side, received, status } = placement
  const inLeg = {
    filledInLeg: slot.filledInLeg + filledBase(placement),
    quoteInLeg: slot.quoteInLeg + filledQuote(placement),
    receivedInLeg: slot.receivedInLeg + received
  }
  const after = { ...slot, ...inLeg }
  return { ...totals(slot, placement), ...(status === "FILLED" ? completed(after, side) : inLeg) }
}

/** The next leg is due, with what this one did. */
export const completed = (slot: Slot, side: Placement["side"]): Partial<Slot> => ({
  completedLegs: slot.completedLegs + 1,
  filledInLeg: 0n,
  quoteInLeg: 0n,
  receivedInLeg: 0n,
  receivedByLastLeg: slot.receivedInLeg,
  lastLeg: { side, made: { base: slot.filledInLeg, quote: slot.quoteInLeg } }
})

/** As strategies see it: what the live order has filled so far is part of it. */
export const progressOf = (slot: Slot, live: Placement | undefined): SlotProgress => {
  const { completedLegs, filledInLeg, receivedByLastLeg, lastLeg } = slot
  const known = { completedLegs, receivedByLastLeg, ...(lastLeg === undefined ? {} : { lastLeg }) }
  if (live === undefined) return { ...known, filledInLeg, bought: slot.bought, sold: slot.sold }
  const { side, price } = live
  return {
    ...known,
    ...totals(slot, live),
    filledInLeg: filledInLeg + filledBase(live),
    live: { side, price, quantity: openQuantity(live) }
  }
}
