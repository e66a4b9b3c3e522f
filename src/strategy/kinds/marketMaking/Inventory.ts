/**
 * What was bought on balance, and how much more may be. Orders that rest together could all fill, so together they must fit:
 * a side's orders count from the middle outwards, and those that no longer fit are full. What is withdrawn for that may
 * fill until it is gone, so the others of its side yield to it (see `DesiredSlot.yieldsTo`).
 */
import { type Amount, max } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Side } from "../../../domain/Market.ts"
import { progressOf, type View } from "../../View.ts"
import { filledLegs } from "../SlotLegs.ts"

interface Level {
  readonly bid: string
  readonly ask: string
  readonly quantity: Amount
}

export interface Inventoried {
  readonly levels: ReadonlyArray<Level>
  /** The largest net purchase or net sale. */
  readonly maxInventory: Amount
}

/** What of the order that a slot quotes has filled; nothing once it has filled whole. */
const partOf = (view: View, slot: string, side: Side, quantity: Amount): Amount => {
  const legs = [{ side, price: Decimal.one, quantity }] as const
  const { completedLegs, filledInLeg } = progressOf(view, slot)
  return filledLegs({ legs, cycle: true }, view, slot) === completedLegs ? filledInLeg : 0n
}

/** Bought minus sold so far, to the unit; also by levels that the file no longer has. */
export const net = ({ slots }: Pick<View, "slots">): Amount => {
  let sum = 0n
  for (const [name, { bought, sold }] of slots) if (/^(?:bid|ask)-/.test(name)) sum += bought - sold
  return sum
}

/** The same by whole orders: a partial fill counts once its order has filled. */
export const byOrders = (whole: Inventoried, view: View): Amount =>
  whole.levels.reduce(
    (sum, { bid, ask, quantity }) => sum - partOf(view, bid, "BUY", quantity) + partOf(view, ask, "SELL", quantity),
    net(view)
  )

/** The slots of a side that are full. `sizeOf`: their orders' sizes now, which the file's may be larger than. */
export const fullSlots = (
  whole: Inventoried,
  view: View,
  side: Side,
  sizeOf: (slot: string, quantity: Amount) => Amount
): ReadonlyArray<string> => {
  const { levels, maxInventory } = whole
  let room = maxInventory - (side === "BUY" ? net(view) : -net(view))
  return levels.flatMap(({ bid, ask, quantity }) => {
    const slot = side === "BUY" ? bid : ask
    const wanted = max(quantity, sizeOf(slot, quantity)) - partOf(view, slot, side, quantity)
    // A smaller order comes only once the larger one is gone.
    room -= max(wanted, progressOf(view, slot).live?.quantity ?? 0n)
    return room < 0n ? [slot] : []
  })
}
