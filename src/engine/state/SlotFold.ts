/** History of a slot, folded from its orders' reports, never from requests, so an order that fills while being cancelled counts. */
import { type Amount, max, min } from "../../domain/Amount.ts"
import type { Of, PlacementEvent } from "../../domain/BotEvent.ts"
import { present } from "../../domain/Present.ts"
import { isAfterStop } from "../../strategy/kinds/StopExit.ts"
import type { FeesByAsset, Forgone, LegProgress, SlotPast, SlotProgress } from "../../strategy/View.ts"
import { feeBeforeFill, filledBase, filledOut, filledQuote, openQuantity, type Placement } from "./Placement.ts"

/** Its totals are those of its ended orders. */
export interface Slot extends SlotId, Omit<SlotProgress, "live"> {
  readonly placement?: string
  readonly receivedInLeg: Amount
  /** The last order that ended here, and the slot's earlier progress, in case the order lives on. */
  readonly lastEnd?: { readonly placement: string; readonly before: Course } | undefined
  readonly fees: FeesByAsset
  readonly feesBeforeFills: FeesByAsset
  /** Consecutive attempts that ended without a deposit, for any reason, and swaps that were paid back. The back-off counts them. */
  readonly failures: number
  /** The attempts among these that the venue refused. */
  readonly refusals: number
  readonly failedAt: number
  /** The last failed order is the exit after a stop. */
  readonly isUrgent?: boolean
  readonly failedWhy?: string
  readonly frozen?: string
  readonly freeze?: Freeze
}

type Course = LegProgress & Pick<Slot, "past" | "receivedInLeg">

export interface Freeze {
  readonly kind: "contradiction" | "leg"
  readonly placement: string
  readonly since: number
  readonly evidence: string
  readonly asset: string
  readonly amount: Amount
}

const noFees: FeesByAsset = { base: 0n, quote: 0n }

const noFailures = { failures: 0, refusals: 0 }

export const emptySlot = (strategy: string, slot: string): Slot => ({
  strategy,
  slot,
  completedLegs: 0,
  filledInLeg: 0n,
  receivedInLeg: 0n,
  receivedByLastLeg: 0n,
  bought: 0n,
  sold: 0n,
  paid: 0n,
  proceeds: 0n,
  fees: noFees,
  feesBeforeFills: noFees,
  ...noFailures,
  failedAt: 0
})

export type Slots = Map<string, Slot>

export interface SlotId {
  readonly strategy: string
  readonly slot: string
}

export const slotKey = (strategy: string, slot: string): string => `${strategy}/${slot}`

export const keyOf = ({ slot, strategy }: SlotId): string => slotKey(strategy, slot)

export const change = (slots: Slots, { strategy, slot }: SlotId, to: (slot: Slot) => Partial<Slot>): void => {
  const key = slotKey(strategy, slot)
  const slotState = slots.get(key) ?? emptySlot(strategy, slot)
  slots.set(key, { ...slotState, ...to(slotState) })
}

/** A payment that was never sent, or that a person did not make, was refused by nobody. */
export const isRefusedPayment = ({ funding }: Placement, event: PlacementEvent): boolean =>
  event._tag === "FundingDead" &&
  (funding?.payment === undefined ? (funding?.attempts ?? 0) > 0 : event.by === "wallet")

export const apply = (slots: Slots, placement: Placement, event: PlacementEvent, at: number): void => {
  switch (event._tag) {
    case "Settled":
      return change(slots, placement, (slot) => afterOrder(slot, placement))
    case "CreateRefused":
      return change(slots, placement, ({ refusals }) => ({ refusals: refusals + 1 }))
    case "Abandoned":
    case "FundingDead":
      return change(slots, placement, (slot) => ({
        failures: slot.failures + 1,
        refusals: isRefusedPayment(placement, event) ? slot.refusals + 1 : slot.refusals,
        failedAt: at,
        failedWhy: event.reason,
        isUrgent: placement.by === undefined && isAfterStop(placement)
      }))
    case "DepositSeen":
      return change(slots, placement, () => (placement.by === "swap" ? {} : noFailures))
    case "Contradiction": {
      const { inputAmount: amount, inputAsset: asset } = placement
      const { evidence, what } = event
      return freeze(slots, event, what, { kind: "contradiction", since: at, evidence, asset, amount })
    }
    case "LegFailed": {
      const { amount, asset, leg, reason } = event
      const evidence = `the venue gave up the ${leg}: ${reason}`
      return freeze(slots, event, `${leg} failed: ${reason}`, { kind: "leg", since: at, evidence, asset, amount })
    }
    case "Refunded":
      // Once its order is settled, the slot may be at another leg.
      if (placement.state === "closing") change(slots, placement, (slot) => afterRefund(slot, placement, event.fee))
      return thaw(slots, event, "leg")
    case "PaidOut":
      // A leg that was recorded as failed has completed after all.
      return thaw(slots, event, "leg")
  }
}

const freeze = (slots: Slots, event: PlacementEvent, frozen: string, why: Omit<Freeze, "placement">): void =>
  change(slots, event, () => ({ frozen, freeze: { ...why, placement: event.placement } }))

export const thaw = (slots: Slots, event: PlacementEvent, kind?: Freeze["kind"]): void => {
  const key = slotKey(event.strategy, event.slot)
  const frozenSlot = slots.get(key)
  if (frozenSlot?.freeze?.placement !== event.placement || (kind !== undefined && frozenSlot.freeze.kind !== kind))
    return
  const { freeze: _, frozen: __, ...rest } = frozenSlot
  slots.set(key, rest)
}

/** `sign`: -1 takes the order back. */
const totals = (slot: Slot, placement: Placement, sign: 1n | -1n = 1n) => {
  const { bought, fees, feesBeforeFills, filledAt, sold, paid, proceeds } = slot
  const { payoutFee = 0n, price, refundFee = 0n, side } = placement
  const [base, quote] = [sign * filledBase(placement), sign * filledQuote(placement)]
  const charged = (before: FeesByAsset, output: Amount, input: Amount): FeesByAsset => {
    const [inBase, inQuote] = side === "BUY" ? [output, input] : [input, output]
    return { base: before.base + sign * inBase, quote: before.quote + sign * inQuote }
  }
  const after = {
    fees: charged(fees, payoutFee, refundFee),
    feesBeforeFills: charged(feesBeforeFills, feeBeforeFill(placement, filledOut(placement)), 0n),
    ...present({ filledAt: base > 0n ? price : filledAt })
  }
  return side === "BUY"
    ? { ...after, bought: bought + base, sold, paid: paid + quote, proceeds }
    : { ...after, bought, sold: sold + base, paid, proceeds: proceeds + quote }
}

const endsLeg = ({ isPart, status }: Placement): boolean => status === "FILLED" && isPart !== true

/**
 * A leg is complete when an order for all of its rest has filled completely. Fills of other ended orders count towards the leg.
 */
export const afterOrder = (slot: Slot, placement: Placement): Partial<Slot> => {
  const { side, price, received } = placement
  const { carried, completedLegs, filledInLeg, lastLeg, past: before, receivedByLastLeg, receivedInLeg } = slot
  const course = { carried, completedLegs, filledInLeg, lastLeg, past: before, receivedByLastLeg, receivedInLeg }
  const inLeg = { filledInLeg: filledInLeg + filledBase(placement), receivedInLeg: receivedInLeg + received }
  const past: SlotPast = { ...holdingAfter(before, placement), lastOrder: { side, price } }
  const leg = endsLeg(placement) ? completed({ ...slot, ...inLeg }, { side, isWhole: true }) : inLeg
  const lastEnd = { placement: placement.id, before: course }
  return { ...totals(slot, placement), past, ...leg, ...attemptsAfter(slot, placement), lastEnd }
}

/** Removes an ended order that lives on. If no other order has ended here since, the earlier progress is restored. */
export const afterTakingBack = (slot: Slot, ended: Placement): Partial<Slot> => {
  const sums = totals(slot, ended, -1n)
  if (slot.lastEnd?.placement === ended.id) return { ...sums, ...slot.lastEnd.before, lastEnd: undefined }
  if (endsLeg(ended)) return { ...sums, completedLegs: Math.max(0, slot.completedLegs - 1) }
  return {
    ...sums,
    filledInLeg: max(0n, slot.filledInLeg - filledBase(ended)),
    receivedInLeg: max(0n, slot.receivedInLeg - ended.received)
  }
}

/** A swap that the venue paid back counts as a failed attempt. Immediate retries without limit would spend the budget on refund fees. */
const attemptsAfter = ({ failures, refusals }: Slot, placement: Placement): Partial<Slot> => {
  if (placement.by !== "swap") return {}
  if (filledBase(placement) > 0n) return noFailures
  const failed = { failures: failures + 1, refusals: refusals + 1 }
  return { ...failed, failedAt: placement.changedAt, failedWhy: "the venue paid its swap back" }
}

type Holding = Omit<SlotPast, "lastOrder">

/** A sale takes its share of the cost with it; the rest is rounded up. A quantity that was never bought is not held. */
const holdingAfter = (past: Holding = { held: 0n, cost: 0n }, placement: Placement): Holding => {
  const { cost, fees = 0n, held } = past
  const { payoutFee = 0n, received, side } = placement
  if (side === "BUY") {
    const charged = payoutFee + feeBeforeFill(placement, filledBase(placement))
    return { held: held + max(0n, received), cost: cost + filledQuote(placement), fees: fees + charged }
  }
  const rest = held - min(held, filledBase(placement))
  if (rest === 0n) return { held: 0n, cost: 0n }
  return { held: rest, cost: (cost * rest + held - 1n) / held, fees: (fees * rest) / held }
}

/** A cancelled sale came back less its refund fee, which reduces the bought quantity that can still be sold. */
const afterRefund = ({ lastLeg, receivedByLastLeg }: Slot, sale: Placement, fee: Amount): Partial<Slot> =>
  sale.side === "SELL" && lastLeg?.side === "BUY" ? { receivedByLastLeg: max(0n, receivedByLastLeg - fee) } : {}

const completed = (slot: Slot, leg: NonNullable<Slot["lastLeg"]>, carried = 0n): Partial<Slot> => ({
  completedLegs: slot.completedLegs + 1,
  filledInLeg: 0n,
  receivedInLeg: 0n,
  receivedByLastLeg: slot.receivedInLeg,
  lastLeg: { ...leg, quantity: slot.filledInLeg },
  carried,
  lastEnd: undefined
})

export const closeLeg = (slots: Slots, event: Of<"LegClosed">): void =>
  change(slots, event, (slot) => ({
    ...completed(slot, { side: event.side }, event.carried),
    ...(event.rest === 0n ? {} : { forgone: forgoneAfter(slot, event.side, event.rest) }),
    ...(event.isSoldAtEnd && slot.past && { past: { ...slot.past, held: 0n, cost: 0n, fees: 0n } }),
    ...noFailures
  }))

const forgoneAfter = ({ forgone = { BUY: 0n, SELL: 0n } }: Slot, side: Placement["side"], rest: Amount): Forgone =>
  side === "BUY" ? { ...forgone, BUY: forgone.BUY + rest } : { ...forgone, SELL: forgone.SELL + rest }

export const progressOf = (slot: Slot, live: Placement | undefined): SlotProgress => {
  const { bought, carried = 0n, completedLegs, fees, feesBeforeFills, filledAt, filledInLeg, forgone } = slot
  const { lastLeg, paid, past, proceeds, receivedByLastLeg, sold } = slot
  const before = {
    ...{ completedLegs, filledInLeg, receivedByLastLeg, bought, sold, paid, proceeds, fees, feesBeforeFills },
    ...present({ carried: carried || undefined, filledAt, forgone, lastLeg, past })
  }
  if (live === undefined) return before
  const { side, price } = live
  // What a live purchase has bought cannot be sold before it ends; what a live sale has sold is gone.
  const afterSale = past !== undefined && side === "SELL" ? { past: { ...past, ...holdingAfter(past, live) } } : {}
  const order = { side, price, quantity: openQuantity(live) }
  return { ...before, ...afterSale, ...totals(slot, live), filledInLeg: filledInLeg + filledBase(live), live: order }
}
