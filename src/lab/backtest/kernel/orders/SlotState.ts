/**
 * What one slot of a run is doing: its legs, its progress by the rule of the strategy contract, its order and how far that
 * is. What an order deposited is `openInput`, from the moment it is placed until it fills or is refunded; what it brought in
 * is `unpaid` until it is paid out. Only this file writes a slot.
 */
import { type Amount, max } from "../../../../domain/Amount.ts"
import type { Reason } from "../../../../domain/BotEvent.ts"
import type { Side } from "../../../../domain/Market.ts"
import type { DesiredSlot } from "../../../../strategy/Decision.ts"
import type { SlotProgress } from "../../../../strategy/View.ts"
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
  /** What the last decision wants of it, which it may come to only later. */
  readonly wanted: DesiredSlot | undefined
  /** It is among those of which a decision may have something to change (see `WantedSlots`). */
  readonly isDue: boolean
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
  /** Those of its market whose progress has changed since all were looked at; it is one of them, or not. */
  readonly stale: Array<SlotState>
  readonly isStale: boolean
}

/** The fields that a strategy is shown. */
type Visible =
  | "phase"
  | "completedLegs"
  | "filledInLeg"
  | "receivedByLastLeg"
  | "lastSide"
  | "bought"
  | "sold"
  | "paid"
  | "proceeds"
  | "openQuantity"

type Writable<Field extends keyof SlotState> = { -readonly [Key in Field]: SlotState[Key] }
type Guarded = Visible | "order" | "shown" | "isStale"
type Open = Pick<SlotState, Guarded> & Writable<Exclude<keyof SlotState, Guarded>>

/** What a strategy is shown, and the order that it is shown of, change through here alone: what it saw last is forgotten. */
const change = (slot: SlotState): Writable<keyof SlotState> => {
  const open: Writable<keyof SlotState> = slot
  open.shown = undefined
  if (!open.isStale) {
    open.isStale = true
    open.stale.push(slot)
  }
  return open
}

export const make = (index: number, name: string, stale: Array<SlotState>): SlotState => ({
  index,
  name,
  reason: undefined,
  desired: undefined,
  wanted: undefined,
  isDue: false,
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
  shown: undefined,
  stale,
  isStale: false
})

export const become = (slot: SlotState, phase: SlotPhase): void => {
  change(slot).phase = phase
}

/** A decision wants this of it; nothing when it does not name it. */
export const ask = (slot: Open, desired: DesiredSlot | undefined): void => {
  slot.wanted = desired
  if (desired !== undefined) slot.reason = desired.why
}

export const mark = (slot: Open, isDue: boolean): void => {
  slot.isDue = isDue
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
export const hold = (slot: SlotState, order: number, { quantity, input }: OrderRow, bar: number): void => {
  const open = change(slot)
  open.order = order
  open.placedBar = bar
  open.triedBar = -1
  open.openQuantity = quantity
  open.openInput = input
}

/** The order that it keeps is this row now. */
export const keep = (slot: SlotState, order: number): void => {
  change(slot).order = order
}

/** Others see the order: bars from `bar` on can fill it. */
export const rest = (slot: SlotState, bar: number): void => {
  const open = change(slot)
  open.phase = "resting"
  open.placedBar = bar
}

/** A part of the order filled. */
export const fillPart = (slot: SlotState, quantity: Amount, input: Amount, output: Amount): void => {
  const open = change(slot)
  open.openQuantity -= quantity
  open.openInput -= input
  open.filledInLeg += quantity
  open.receivedInLeg += output
  open.unpaid += output
}

/** The whole order filled at once. */
export const fillWhole = (slot: SlotState, { side, output }: OrderRow): void => {
  const open = change(slot)
  open.completedLegs += 1
  open.receivedByLastLeg = output
  open.lastSide = side
}

/** The leg is filled by parts and paid out: the next one is armed. */
export const completeLeg = (slot: SlotState, side: Side): void => {
  const open = change(slot)
  open.lastSide = side
  open.completedLegs += 1
  open.receivedByLastLeg = open.receivedInLeg
  open.filledInLeg = 0n
  open.receivedInLeg = 0n
}

/** Nothing of the order is open. */
export const close = (slot: SlotState): void => {
  const open = change(slot)
  open.openInput = 0n
  open.openQuantity = 0n
}

/** This is on its way to the wallet. */
export const earn = (slot: Open, output: Amount): void => {
  slot.unpaid = output
}

/** What the order brought in is paid out, and the slot is free; says how much it was. */
export const payOut = (slot: SlotState): Amount => {
  const open = change(slot)
  const { unpaid } = open
  open.unpaid = 0n
  open.order = none
  open.phase = "idle"
  return unpaid
}

/** The refund of a sale cost this: so much less can still be sold of what was bought. */
export const loseToRefund = (slot: SlotState, paid: Amount): void => {
  if (slot.lastSide === "BUY") change(slot).receivedByLastLeg = max(0n, slot.receivedByLastLeg - paid)
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

export const countFill = (slot: SlotState, { side, quantity, input, output, fee }: OrderRow): void => {
  const open = change(slot)
  if (side === "BUY") {
    open.bought += quantity
    open.paid += input
  } else {
    open.sold += quantity
    open.proceeds += output + fee
  }
}

export const show = (slot: SlotState, row: OrderRow | undefined): SlotProgress => {
  const shown = progressOf(slot, row)
  change(slot).shown = shown
  return shown
}

/** All of its market have been looked at. */
export const freshen = (slot: Writable<"isStale">): void => {
  slot.isStale = false
}

const progressOf = (slot: Pick<SlotState, Visible>, row: OrderRow | undefined): SlotProgress => {
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
