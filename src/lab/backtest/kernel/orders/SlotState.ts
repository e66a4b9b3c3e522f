/**
 * State of one slot of a run, by the rule of the strategy contract. `openInput` is the order's deposit until a fill or refund, `unpaid` its
 * output until it is paid out. Only this file changes a slot.
 */
import { type Amount, max } from "../../../../domain/Amount.ts"
import type { Reason } from "../../../../domain/BotEvent.ts"
import type { Price, Side } from "../../../../domain/Market.ts"
import { type DesiredSlot, isExitLeg } from "../../../../strategy/Decision.ts"
import type { SlotProgress } from "../../../../strategy/View.ts"
import { none, type OrderRow } from "./OrderTable.ts"

/**
 * `idle`: has no legs, is done, or is too small. `waiting`: lacks money, is refused by a limit, or yields to other orders. `placing`: not
 * yet visible to others. `cancelling`: can still fill. `paying`: filled completely, the output is in transit.
 */
export type SlotPhase = "idle" | "waiting" | "placing" | "resting" | "cancelling" | "paying"

type Counted = "completedLegs" | "filledInLeg" | "receivedByLastLeg" | "bought" | "sold" | "paid" | "proceeds"

export interface SlotState extends Pick<SlotProgress, Counted> {
  readonly index: number
  readonly name: string
  readonly reason: Reason | undefined
  readonly desired: DesiredSlot | undefined
  readonly wanted: DesiredSlot | undefined
  readonly isDue: boolean
  /** True once the slot's legs have included both sides. */
  readonly takesTurns: boolean
  readonly hasExit: boolean
  /** Replaces `desired` after the order of the old legs has ended; `null` if nothing does. */
  readonly successor: DesiredSlot | undefined | null
  readonly phase: SlotPhase
  /** Row of the order until it is settled, or `none`. */
  readonly order: number
  readonly receivedInLeg: Amount
  readonly lastLeg: SlotProgress["lastLeg"]
  readonly fees: SlotProgress["fees"]
  readonly filledAt: Price | undefined
  readonly unpaid: Amount
  readonly openQuantity: Amount
  readonly openInput: Amount
  readonly placedBar: number
  /** Bar before which the order had its chance to fill on arrival. */
  readonly triedBar: number
  readonly arrivedBar: number
  readonly arrivals: number
  /** The slots that have changed since the strategy last saw them. */
  readonly stale: Array<SlotState>
  readonly isStale: boolean
}

type Visible = "phase" | "openQuantity" | (keyof SlotProgress & keyof SlotState)

type Writable<Field extends keyof SlotState> = { -readonly [Key in Field]: SlotState[Key] }
type Guarded = Visible | "order" | "isStale"
type Open = Pick<SlotState, Guarded> & Writable<Exclude<keyof SlotState, Guarded>>

/** The only way to change the order and fields that a strategy sees. */
const change = (slot: SlotState): Writable<keyof SlotState> => {
  const open: Writable<keyof SlotState> = slot
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
  hasExit: false,
  successor: null,
  phase: "idle",
  order: none,
  completedLegs: 0,
  filledInLeg: 0n,
  receivedInLeg: 0n,
  receivedByLastLeg: 0n,
  lastLeg: undefined,
  bought: 0n,
  sold: 0n,
  paid: 0n,
  proceeds: 0n,
  fees: undefined,
  filledAt: undefined,
  unpaid: 0n,
  openQuantity: 0n,
  openInput: 0n,
  placedBar: 0,
  triedBar: -1,
  arrivedBar: 0,
  arrivals: 0,
  stale,
  isStale: false
})

export const become = (slot: SlotState, phase: SlotPhase): void => {
  change(slot).phase = phase
}

export const ask = (slot: Open, desired: DesiredSlot | undefined): void => {
  slot.wanted = desired
  if (desired !== undefined) slot.reason = desired.why
}

export const mark = (slot: Open, isDue: boolean): void => {
  slot.isDue = isDue
}

export const want = (slot: Open, desired: DesiredSlot | undefined): void => {
  slot.desired = desired
  slot.hasExit = desired?.legs.some((leg) => isExitLeg(desired, leg)) === true
  slot.takesTurns ||= slot.hasExit && desired?.legs.some(({ side }) => side !== desired.legs[0].side) === true
}

export const wantNext = (slot: Open, successor: DesiredSlot | undefined | null): void => {
  slot.successor = successor
}

export const hold = (slot: SlotState, order: number, { quantity, input }: OrderRow, bar: number): void => {
  const open = change(slot)
  open.order = order
  open.placedBar = bar
  open.triedBar = -1
  open.openQuantity = quantity
  open.openInput = input
}

export const keep = (slot: SlotState, order: number): void => {
  change(slot).order = order
}

export const rest = (slot: SlotState, bar: number): void => {
  const open = change(slot)
  open.phase = "resting"
  open.placedBar = bar
}

export const fillPart = (slot: SlotState, quantity: Amount, input: Amount, output: Amount): void => {
  const open = change(slot)
  open.openQuantity -= quantity
  open.openInput -= input
  open.filledInLeg += quantity
  open.receivedInLeg += output
  open.unpaid += output
}

export const fillWhole = (slot: SlotState, { isPart, output, quantity, side }: OrderRow, isWholeLeg: boolean): void => {
  const open = change(slot)
  if (!isWholeLeg) {
    open.filledInLeg += quantity
    open.receivedInLeg += output
    if (!isPart) completeLeg(slot, side)
    return
  }
  open.completedLegs += 1
  open.receivedByLastLeg = output
  open.lastLeg = { side, quantity }
}

export const completeLeg = (slot: SlotState, side: Side): void => {
  const open = change(slot)
  open.lastLeg = { side, quantity: open.filledInLeg }
  open.completedLegs += 1
  open.receivedByLastLeg = open.receivedInLeg
  open.filledInLeg = 0n
  open.receivedInLeg = 0n
}

export const close = (slot: SlotState): void => {
  const open = change(slot)
  open.openInput = 0n
  open.openQuantity = 0n
}

export const earn = (slot: Open, output: Amount): void => {
  slot.unpaid = output
}

const charge = (open: Writable<"fees">, fee: Amount, isInBase: boolean): void => {
  if (fee === 0n) return
  const { base, quote } = open.fees ?? { base: 0n, quote: 0n }
  open.fees = isInBase ? { base: base + fee, quote } : { base, quote: quote + fee }
}

export const payForPayout = (slot: SlotState, side: Side, paid: Amount): void => {
  const open = change(slot)
  charge(open, paid, side === "BUY")
  open.unpaid -= paid
  open.receivedInLeg -= paid
}

export const payOut = (slot: SlotState): Amount => {
  const open = change(slot)
  const { unpaid } = open
  open.unpaid = 0n
  open.order = none
  open.phase = "idle"
  return unpaid
}

/** After the refund of a sell, that much less of the bought base can still be sold. */
export const payForRefund = (slot: SlotState, side: Side, paid: Amount): void => {
  const open = change(slot)
  charge(open, paid, side === "SELL")
  if (side === "SELL" && open.lastLeg?.side === "BUY") open.receivedByLastLeg = max(0n, open.receivedByLastLeg - paid)
}

export const tryArrival = (slot: Open, bar: number): void => {
  slot.triedBar = bar
}

export const countArrival = (slot: Open, bar: number): number => {
  if (slot.arrivedBar !== bar) slot.arrivals = 0
  slot.arrivedBar = bar
  slot.arrivals += 1
  return slot.arrivals
}

export const countFill = (slot: SlotState, { side, price, quantity, input, output, fee }: OrderRow): void => {
  const open = change(slot)
  open.filledAt = price
  charge(open, fee, side === "BUY")
  if (side === "BUY") {
    open.bought += quantity
    open.paid += input
  } else {
    open.sold += quantity
    open.proceeds += output + fee
  }
}

export const freshen = (slot: Writable<"isStale">): void => {
  slot.isStale = false
}

export const progressOf = (slot: SlotState, row: OrderRow | undefined): SlotProgress => {
  const { completedLegs, filledInLeg, receivedByLastLeg, lastLeg, openQuantity: quantity } = slot
  const { bought, sold, paid, proceeds, fees, filledAt } = slot
  const hasOrder = row !== undefined && (quantity > 0n || slot.phase === "paying")
  const live = hasOrder ? { side: row.side, price: row.price, quantity } : undefined
  // One literal with all fields: objects of different shapes are slow to read.
  return { completedLegs, filledInLeg, receivedByLastLeg, lastLeg, bought, sold, paid, proceeds, fees, filledAt, live }
}
