/**
 * What every slot of a run is doing: its legs, its progress by the rule of the strategy contract, its order and how far
 * that is. Money that an order holds is its deposit, from the moment it is placed until it fills or is refunded.
 */
import type { Amount } from "../../domain/Amount.ts"
import type { Side } from "../../domain/Market.ts"
import { armedLeg, type DesiredSlot } from "../../strategy/Decision.ts"
import type { SlotProgress } from "../../strategy/View.ts"
import type * as Ladders from "./Ladders.ts"
import * as OrderTable from "./OrderTable.ts"

/**
 * `idle`: wants nothing, is done, or is too small. `waiting`: refused for lack of money. `placing`: not yet seen by others.
 * `cancelling`: still fillable. `paying`: wholly filled, the output is on its way.
 */
export const states = { idle: 0, waiting: 1, placing: 2, resting: 3, cancelling: 4, paying: 5 } as const

export interface SlotStates {
  readonly names: Array<string>
  readonly indexOf: Map<string, number>
  readonly reasons: Array<string>
  readonly desired: Array<DesiredSlot | undefined>
  /** Takes the place of `desired` once the order of the old legs is gone; `null` when nothing shall. */
  readonly successor: Array<DesiredSlot | undefined | null>
  /** One of `states`. */
  readonly state: Array<number>
  /** Row of the order until it is settled, or `none`. */
  readonly order: Array<number>
  readonly completedLegs: Array<number>
  readonly filledInLeg: Array<Amount>
  readonly receivedInLeg: Array<Amount>
  readonly receivedByLastLeg: Array<Amount>
  /** Side of the last completed leg. */
  readonly lastSide: Array<Side | undefined>
  /** Base quantities of the fills of the log that are folded already: nobody looks but a strategy that is asked. */
  readonly bought: Array<Amount>
  readonly sold: Array<Amount>
  foldedFills: number
  /** Output of fills that is not in the wallet yet. */
  readonly unpaid: Array<Amount>
  /** Unfilled part of the order, and what is left of its deposit. */
  readonly openQuantity: Array<Amount>
  readonly openInput: Array<Amount>
  /** The bar at whose opening the order rests, is cancelled or is paid out. */
  readonly wakeBar: Array<number>
  /** First bar that can fill the order. */
  readonly placedBar: Array<number>
  /** The bar before which an order last filled as it arrived, and how many did then. */
  readonly arrivedBar: Array<number>
  readonly arrivals: Array<number>
  /** The bar before which the order had its chance to fill as it arrived. */
  readonly triedBar: Array<number>
}

export const make = (): SlotStates => ({
  names: [],
  indexOf: new Map(),
  reasons: [],
  desired: [],
  successor: [],
  state: [],
  order: [],
  completedLegs: [],
  filledInLeg: [],
  receivedInLeg: [],
  receivedByLastLeg: [],
  lastSide: [],
  bought: [],
  sold: [],
  foldedFills: 0,
  unpaid: [],
  openQuantity: [],
  openInput: [],
  wakeBar: [],
  placedBar: [],
  arrivedBar: [],
  arrivals: [],
  triedBar: []
})

/** The slot's index; a new name gets the next one. */
export const indexOf = (slots: SlotStates, name: string): number => {
  const known = slots.indexOf.get(name)
  if (known !== undefined) return known
  const slot = slots.names.length
  slots.indexOf.set(name, slot)
  slots.names.push(name)
  slots.reasons.push("")
  slots.desired.push(undefined)
  slots.successor.push(null)
  slots.state.push(states.idle)
  slots.order.push(OrderTable.none)
  slots.completedLegs.push(0)
  slots.filledInLeg.push(0n)
  slots.receivedInLeg.push(0n)
  slots.receivedByLastLeg.push(0n)
  slots.lastSide.push(undefined)
  slots.bought.push(0n)
  slots.sold.push(0n)
  slots.unpaid.push(0n)
  slots.openQuantity.push(0n)
  slots.openInput.push(0n)
  slots.wakeBar.push(0)
  slots.placedBar.push(0)
  slots.arrivedBar.push(0)
  slots.arrivals.push(0)
  slots.triedBar.push(-1)
  return slot
}

export const progressOf = (slots: SlotStates, slot: number, table: OrderTable.OrderTable): SlotProgress => {
  const row = table.rows[slots.order[slot] ?? OrderTable.none]
  const open = slots.openQuantity[slot] ?? 0n
  const side = slots.lastSide[slot]
  return {
    completedLegs: slots.completedLegs[slot] ?? 0,
    filledInLeg: slots.filledInLeg[slot] ?? 0n,
    receivedByLastLeg: slots.receivedByLastLeg[slot] ?? 0n,
    ...(side === undefined ? {} : { lastLeg: { side } }),
    bought: slots.bought[slot] ?? 0n,
    sold: slots.sold[slot] ?? 0n,
    ...(row === undefined || open === 0n ? {} : { live: { side: row.side, price: row.price, quantity: open } })
  }
}

/** Counts what has filled since somebody last looked. */
export const foldFills = (
  slots: SlotStates,
  { rows }: OrderTable.OrderTable,
  { count, orders }: { readonly count: number; readonly orders: Int32Array }
): void => {
  for (; slots.foldedFills < count; slots.foldedFills++) {
    const row = rows[orders[slots.foldedFills] ?? OrderTable.none]
    if (row === undefined) continue
    const total = row.side === "BUY" ? slots.bought : slots.sold
    total[row.slot] = (total[row.slot] ?? 0n) + row.quantity
  }
}

/** The row of the order that the slot has to work now, or `none`. */
export const arm = (
  slots: SlotStates,
  slot: number,
  table: OrderTable.OrderTable,
  ladders: Ladders.Ladders
): number => {
  const desired = slots.desired[slot]
  if (desired === undefined) return OrderTable.none
  const armed = armedLeg(desired, progressOf(slots, slot, table))
  if (armed === undefined) return OrderTable.none
  const leg = (ladders.firstLeg[slot] ?? 0) + armed.leg
  const before = ladders.rowOfLeg[leg] ?? OrderTable.none
  if (table.rows[before]?.quantity === armed.quantity) return before
  const { side, price, quantity } = armed
  const made = OrderTable.add(table, OrderTable.wholeOrder(table, { slot, leg: armed.leg, side, price, quantity }))
  ladders.rowOfLeg[leg] = made
  return made
}

/** Books a part of the leg. */
export const fillPart = (slots: SlotStates, slot: number, quantity: Amount, input: Amount, output: Amount): void => {
  slots.openQuantity[slot] = (slots.openQuantity[slot] ?? 0n) - quantity
  slots.openInput[slot] = (slots.openInput[slot] ?? 0n) - input
  slots.filledInLeg[slot] = (slots.filledInLeg[slot] ?? 0n) + quantity
  slots.receivedInLeg[slot] = (slots.receivedInLeg[slot] ?? 0n) + output
  slots.unpaid[slot] = (slots.unpaid[slot] ?? 0n) + output
}

/** The leg is filled and paid out: the next one is armed. */
export const completeLeg = (slots: SlotStates, slot: number, side: Side): void => {
  slots.lastSide[slot] = side
  slots.completedLegs[slot] = (slots.completedLegs[slot] ?? 0) + 1
  slots.receivedByLastLeg[slot] = slots.receivedInLeg[slot] ?? 0n
  slots.filledInLeg[slot] = 0n
  slots.receivedInLeg[slot] = 0n
}
