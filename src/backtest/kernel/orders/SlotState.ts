/**
 * What one slot of a run is doing: its legs, its progress by the rule of the strategy contract, its order and how far that
 * is. What an order deposited is `openInput`, from the moment it is placed until it fills or is refunded; what it brought in
 * is `unpaid` until it is paid out. Only this file writes a slot.
 */
import { type Amount, max } from "../../../domain/Amount.ts"
import type { Reason } from "../../../domain/BotEvent.ts"
import type { Side } from "../../../domain/Market.ts"
import type { DesiredSlot } from "../../../strategy/Decision.ts"
import type { SlotProgress } from "../../../strategy/View.ts"
import { none, type OrderRow } from "./OrderTable.ts"

/**
 * `idle`: wants nothing, is done, or is too small. `waiting`: refused for lack of money or by a limit. `placing`: not yet
 * seen by others. `cancelling`: still fillable. `paying`: wholly filled, the output is on its way.
 */
export type SlotPhase = "idle" | "waiting" | "placing" | "resting" | "cancelling" | "paying"

export interface SlotState {
  readonly index: number
  readonly name: string
  /** Why it last wanted what it wants. */
  readonly reason: Reason | undefined
  readonly desired: DesiredSlot | undefined
  /** It was once to enter and to leave, or the other way round. */
  readonly takesTurns: boolean
  /** Takes the place of `desired` once the order of the old legs is gone; `null` when nothing shall. */
  readonly successor: DesiredSlot | undefined | null
  readonly phase: SlotPhase
  /** Row of the order until it is settled, or `none`. */
  readonly order: number
  readonly completedLegs: number
  readonly filledInLeg: Amount
  readonly receivedInLeg: Amount
  readonly receivedByLastLeg: Amount
  /** Side of the last completed leg. */
  readonly lastSide: Side | undefined
  /** Base and quote of the fills that were counted, before fees; nobody looks but a strategy that is asked. */
  readonly bought: Amount
  readonly sold: Amount
  readonly paid: Amount
  readonly proceeds: Amount
  /** Output of fills that is not in the wallet yet. */
  readonly unpaid: Amount
  /** Unfilled part of the order, and what is left of its deposit. */
  readonly openQuantity: Amount
  readonly openInput: Amount
  /** First bar that can fill the order. */
  readonly placedBar: number
  /** The bar before which the order had its chance to fill as it arrived. */
  readonly triedBar: number
  /** The bar before which an order last filled as it arrived, and how many did then. */
  readonly arrivedBar: number
  readonly arrivals: number
  /** Its progress as a strategy saw it last; missing once any of it has changed. */
  readonly shown: SlotProgress | undefined
}

type Open = { -readonly [Field in keyof SlotState]: SlotState[Field] }

export const make = (index: number, name: string): SlotState => ({
  index,
  name,
  reason: undefined,
  desired: undefined,
  takesTurns: false,
  successor: null,
  phase: "idle",
  order: none,
  completedLegs: 0,
  filledInLeg: 0n,
  receivedInLeg: 0n,
  receivedByLastLeg: 0n,
  lastSide: undefined,
  bought: 0n,
  sold: 0n,
  paid: 0n,
  proceeds: 0n,
  unpaid: 0n,
  openQuantity: 0n,
  openInput: 0n,
  placedBar: 0,
  triedBar: -1,
  arrivedBar: 0,
  arrivals: 0,
  shown: undefined
})

export const become = (slot: Open, phase: SlotPhase): void => {
  slot.shown = undefined
  slot.phase = phase
}

export const explain = (slot: Open, reason: Reason): void => {
  slot.reason = reason
}

/** From now on it works these legs. */
export const want = (slot: Open, desired: DesiredSlot | undefined): void => {
  slot.desired = desired
  slot.takesTurns ||= desired?.legs.some(({ side }) => side !== desired.legs[0].side) === true
}

/** It shall work these legs once its order is gone; `null` when it goes on with those it has. */
export const wantNext = (slot: Open, successor: DesiredSlot | undefined | null): void => {
  slot.successor = successor
}

/** It has this order, which bars from `bar` on can fill. */
export const hold = (slot: Open, order: number, { quantity, input }: OrderRow, bar: number): void => {
  slot.shown = undefined
  slot.order = order
  slot.placedBar = bar
  slot.triedBar = -1
  slot.openQuantity = quantity
  slot.openInput = input
}

/** The order that it keeps is this row now. */
export const keep = (slot: Open, order: number): void => {
  slot.shown = undefined
  slot.order = order
}

/** Others see the order: bars from `bar` on can fill it. */
export const rest = (slot: Open, bar: number): void => {
  slot.shown = undefined
  slot.phase = "resting"
  slot.placedBar = bar
}

/** A part of the order filled. */
export const fillPart = (slot: Open, quantity: Amount, input: Amount, output: Amount): void => {
  slot.shown = undefined
  slot.openQuantity -= quantity
  slot.openInput -= input
  slot.filledInLeg += quantity
  slot.receivedInLeg += output
  slot.unpaid += output
}

/** The whole order filled at once. */
export const fillWhole = (slot: Open, { side, output }: OrderRow): void => {
  slot.shown = undefined
  slot.completedLegs += 1
  slot.receivedByLastLeg = output
  slot.lastSide = side
}

/** The leg is filled by parts and paid out: the next one is armed. */
export const completeLeg = (slot: Open, side: Side): void => {
  slot.shown = undefined
  slot.lastSide = side
  slot.completedLegs += 1
  slot.receivedByLastLeg = slot.receivedInLeg
  slot.filledInLeg = 0n
  slot.receivedInLeg = 0n
}

/** Nothing of the order is open. */
export const close = (slot: Open): void => {
  slot.shown = undefined
  slot.openInput = 0n
  slot.openQuantity = 0n
}

/** This is on its way to the wallet. */
export const earn = (slot: Open, output: Amount): void => {
  slot.unpaid = output
}

/** What the order brought in is paid out, and the slot is free; says how much it was. */
export const payOut = (slot: Open): Amount => {
  slot.shown = undefined
  const { unpaid } = slot
  slot.unpaid = 0n
  slot.order = none
  slot.phase = "idle"
  return unpaid
}

/** The refund of a sale cost this: so much less can still be sold of what was bought. */
export const loseToRefund = (slot: Open, paid: Amount): void => {
  slot.shown = undefined
  if (slot.lastSide === "BUY") slot.receivedByLastLeg = max(0n, slot.receivedByLastLeg - paid)
}

/** The order has its chance to fill as it arrives, before this bar. */
export const tryArrival = (slot: Open, bar: number): void => {
  slot.triedBar = bar
}

/** Counts one more order that arrives marketable before this bar; says how many there were. */
export const countArrival = (slot: Open, bar: number): number => {
  if (slot.arrivedBar !== bar) slot.arrivals = 0
  slot.arrivedBar = bar
  slot.arrivals += 1
  return slot.arrivals
}

export const countFill = (slot: Open, { side, quantity, input, output, fee }: OrderRow): void => {
  slot.shown = undefined
  if (side === "BUY") {
    slot.bought += quantity
    slot.paid += input
  } else {
    slot.sold += quantity
    slot.proceeds += output + fee
  }
}

export const show = (slot: Open, row: OrderRow | undefined): SlotProgress => {
  slot.shown = progressOf(slot, row)
  return slot.shown
}

const progressOf = (slot: SlotState, row: OrderRow | undefined): SlotProgress => {
  const { lastSide: side, openQuantity: quantity, completedLegs, filledInLeg, receivedByLastLeg } = slot
  const { bought, sold, paid, proceeds } = slot
  // Asked for every slot at every decision: literals of few shapes, as spreading costs several times as much.
  const done = { completedLegs, filledInLeg, receivedByLastLeg, bought, sold, paid, proceeds }
  const hasOrder = row !== undefined && (quantity > 0n || slot.phase === "paying")
  if (side === undefined && !hasOrder) return done
  const whole: { -readonly [Field in keyof SlotProgress]: SlotProgress[Field] } = done
  if (side !== undefined) whole.lastLeg = { side }
  if (hasOrder) whole.live = { side: row.side, price: row.price, quantity }
  return whole
}
