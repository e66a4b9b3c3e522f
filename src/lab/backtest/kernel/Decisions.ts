/**
 * Runs the strategy and turns its decision into orders. Unchanged orders stay; changed ones are cancelled and placed again. A strategy sees
 * bid and ask around the close of a bar, at the time of the close.
 */
import { exactPrice } from "../../../candles/Candles.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { gainOfMoving, quoteAmount, surelyGainsMore, tradesNoWorse } from "../../../domain/Market.ts"
import {
  type Bounds,
  type Decision,
  type DesiredSlot,
  dueLeg,
  isExitLeg,
  type Leg,
  leftOfLeg
} from "../../../strategy/Decision.ts"
import { isSameList } from "../../../strategy/expression/Same.ts"
import type { StandsAt } from "../../../strategy/Strategy.ts"
import * as LimitGuard from "./LimitGuard.ts"
import type { MarketRun, Runs } from "./MarketRun.ts"
import { type OrderRow, wholeOrder } from "./orders/OrderTable.ts"
import * as SlotState from "./orders/SlotState.ts"
import * as Placing from "./Placing.ts"
import * as RunView from "./RunView.ts"

const sameBeginning = ({ after: a }: DesiredSlot, { after: b }: DesiredSlot): boolean =>
  a?.completedLegs === b?.completedLegs && a?.filledInLeg === b?.filledInLeg

const sameSlots = (a: DesiredSlot["yieldsTo"], b: DesiredSlot["yieldsTo"]): boolean =>
  a === b || (a !== undefined && b !== undefined && isSameList(a, b))

const sameSlot = (a: DesiredSlot | undefined, b: DesiredSlot | undefined): boolean => {
  if (a === b) return true
  if (a === undefined || b === undefined || a.cycle !== b.cycle || a.legs.length !== b.legs.length) return false
  if (!sameBeginning(a, b) || !sameSlots(a.yieldsTo, b.yieldsTo)) return false
  if (a.legs === b.legs) return true
  for (let index = 0; index < a.legs.length; index++) {
    const [leg, other] = [a.legs[index], b.legs[index]]
    if (leg === undefined || other === undefined || leg.quantity !== other.quantity || !isAtSame(leg, other))
      return false
  }
  return true
}

type Way = Pick<Leg, "side" | "price"> & { readonly by?: Leg["by"] | undefined }

const isAtSame = (leg: Way, other: Way): boolean =>
  leg.side === other.side && leg.by === other.by && Decimal.equals(leg.price, other.price)

type Due = NonNullable<ReturnType<typeof dueIn>>

/** Returns `undefined` if the slot has no order for the new legs: the order is gone, the legs are done, or the side differs. */
const dueIn = (run: MarketRun, slot: SlotState.SlotState, desired: DesiredSlot | undefined) => {
  const row = run.orders.rowOf(slot)
  if (desired === undefined || row === undefined || slot.openQuantity === 0n) return undefined
  const index = dueLeg(desired, slot)
  const leg = desired.legs[index]
  const rest = leftOfLeg(desired, index, slot)
  if (leg === undefined || rest <= 0n || leg.side !== row.side) return undefined
  const { price, side } = leg
  const isExit = isExitLeg(desired, leg) || undefined
  return { row, index, leg, quantity: Placing.quantityIn(run, slot, { side, price, quantity: rest, isExit }) }
}

/** `kept`: it fits the new legs. `stays`: moving is not worth it. `waits`: its successor may not be placed yet. `goes`: it is cancelled. */
const fateUnder = (
  run: MarketRun,
  slot: SlotState.SlotState,
  desired: DesiredSlot | undefined
): "kept" | "stays" | "waits" | "goes" => {
  const due = dueIn(run, slot, desired)
  if (due === undefined || desired === undefined) return "goes"
  const { leg, quantity, row } = due
  // The order fits if its side, kind, price and quantity are equal, even if the legs differ otherwise.
  if (quantity === slot.openQuantity && isAtSame(leg, row)) return "kept"
  if (!isLive(slot)) return "goes"
  if (leg.by === row.by && isNotWorthMoving(run, slot, row, { price: leg.price, quantity })) return "stays"
  return holdBack(run, slot, desired, due) ? "waits" : "goes"
}

/** True if a limit refuses the order's successor or an exit lacks the money, and a fill of the old order would be no worse. */
const holdBack = (
  run: MarketRun,
  slot: SlotState.SlotState,
  desired: DesiredSlot,
  { index, leg, quantity, row }: Due
): boolean => {
  const { guard, orders, wallet } = run
  const isExit = isExitLeg(desired, leg) || undefined
  if (row.by !== undefined || (guard === undefined && isExit === undefined)) return false
  const newOrder = { side: leg.side, price: leg.price, quantity }
  if (!tradesNoWorse(newOrder, { price: row.price, quantity: slot.openQuantity })) return false
  const successor = wholeOrder(orders.table, slot.index, index, leg, quantity, isExit)
  if (guard !== undefined && Placing.denyIfRefused(run, slot, successor, guard, true)) return true
  forgetDenial(run, slot)
  return isExit === true && wallet.freeFor(row.side) + slot.openInput < successor.input
}

const noFees = { base: 0n, quote: 0n }

/** True if moving the order costs at least as much as it gains, as in live trading. */
const isNotWorthMoving = (
  { conditions, clock, lastClose }: MarketRun,
  { openQuantity, unpaid }: SlotState.SlotState,
  { side, price }: OrderRow,
  wanted: Pick<Leg, "price" | "quantity">
): boolean => {
  const { market, rules } = conditions
  const [refund, payout] = [rules.refundFee, unpaid > 0n ? rules.withdrawFee : noFees]
  const [inBase, inQuote] = side === "BUY" ? [payout.base, refund.quote] : [refund.base, payout.quote]
  const close = () => exactPrice(lastClose.before(clock.nextBar))
  const cost = inBase === 0n ? inQuote : inQuote + quoteAmount(market, inBase, close(), "up")
  if (wanted.quantity === openQuantity && surelyGainsMore(market, price, wanted.price, openQuantity, cost)) return false
  return gainOfMoving(market, { price, quantity: openQuantity }, wanted) <= cost
}

const isLive = ({ phase }: SlotState.SlotState): boolean => phase === "resting" || phase === "placing"

const relay = (run: MarketRun, changed: ReadonlyArray<SlotState.SlotState>): void => {
  const othersRest = run.orders.relay(changed)
  for (const slot of othersRest ? changed : run.orders.slots)
    if (slot.phase === "resting" || slot.phase === "cancelling") Placing.rest(run, slot)
}

export const adoptSuccessor = (run: MarketRun, slot: SlotState.SlotState): void => {
  const { successor } = slot
  if (successor === null) return
  forgetDenial(run, slot)
  SlotState.wantNext(slot, null)
  SlotState.want(slot, successor)
  relay(run, [slot])
}

const forgetDenial = ({ guard }: MarketRun, slot: SlotState.SlotState): void => {
  if (slot.phase !== "waiting") guard?.denials.delete(slot)
}

const adoptIn = (run: MarketRun, slot: SlotState.SlotState): boolean => {
  const { phase, wanted } = slot
  if (wanted === undefined) run.guard?.account.moved(slot)
  // A requested cancel is final.
  if (phase === "cancelling") {
    SlotState.wantNext(slot, wanted)
    return false
  }
  if (sameSlot(slot.desired, wanted)) {
    forgetDenial(run, slot)
    SlotState.wantNext(slot, null)
    return false
  }
  const fate = fateUnder(run, slot, wanted)
  if (fate !== "waits") forgetDenial(run, slot)
  const { clock, conditions } = run
  const { cancelMillis } = conditions.rules
  const isSwapping = isLive(slot) && run.orders.rowOf(slot)?.by !== undefined
  // Swaps, and orders that are not worth moving or may not be replaced yet, fill first.
  if (isSwapping || fate === "stays" || fate === "waits") {
    SlotState.wantNext(slot, wanted)
    return false
  }
  if (isLive(slot) && fate !== "kept" && wanted !== undefined) run.guard?.account.moves(slot)
  if (phase === "resting" && clock.waits(cancelMillis) && fate !== "kept") {
    SlotState.become(slot, "cancelling")
    SlotState.wantNext(slot, wanted)
    clock.setAlarm(slot.index, cancelMillis)
    return false
  }
  SlotState.wantNext(slot, null)
  if (isLive(slot) && fate !== "kept") Placing.cancel(run, slot)
  Placing.stopWaiting(run, slot)
  SlotState.want(slot, wanted)
  return true
}

const adopt = (run: MarketRun, slots: Iterable<SlotState.SlotState>): ReadonlyArray<SlotState.SlotState> => {
  const changed: Array<SlotState.SlotState> = []
  for (const slot of slots) {
    const isChanged = adoptIn(run, slot)
    if (isChanged) changed.push(slot)
    SlotState.mark(slot, isChanged)
    if (slot.successor !== null || slot.phase === "cancelling") run.orders.wanted.leaves(slot)
  }
  if (changed.length > 0) relay(run, changed)
  return changed
}

const replaceFreed = (run: MarketRun): void => {
  const { guard } = run
  if (guard === undefined) return
  // One slot after the other, because the money that one returns may be what the next one lacks.
  const isFreed = (slot: SlotState.SlotState): boolean => {
    const { wanted } = slot
    const due = dueIn(run, slot, wanted)
    return isLive(slot) && (due === undefined || wanted === undefined || !holdBack(run, slot, wanted, due))
  }
  const denied = [...guard.denials.keys()].toSorted((a, b) => a.index - b.index)
  const freed = denied.flatMap((slot) => (isFreed(slot) ? adopt(run, [slot]) : []))
  for (const slot of freed) {
    SlotState.mark(slot, false)
    if (slot.phase === "idle") Placing.place(run, slot)
  }
}

/** True if a close may replace an order without asking the strategy. Replacing costs money. */
export const mayReplace = (runs: Runs): boolean => {
  for (const { guard } of runs) for (const slot of guard?.denials.keys() ?? []) if (isLive(slot)) return true
  return false
}

/** Limits how often one bar asks a strategy that sees its own orders and is asked again when they change. */
const maxAnswers = 8

export const changesOf = (runs: Runs): number => runs.reduce((changes, { orders }) => changes + orders.changes, 0)

export const standAtClose = (runs: Runs, bar: number): void => {
  for (const { clock, lastClose } of runs) {
    clock.close(bar)
    lastClose.leave()
  }
}

/** Moves to the time within the bar when the first market reaches this price. The other markets keep the last close before it. */
export const standWithin = (runs: Runs, bar: number, price: number): void => {
  for (const { clock, lastClose } of runs) {
    clock.stand(bar)
    lastClose.leave()
    lastClose.stand(bar + 1, lastClose.before(bar))
  }
  runs[0].lastClose.stand(bar + 1, price)
}

export const decideIn = (runs: Runs): Bounds => {
  const [first] = runs
  first.guard?.account.asked()
  for (let answers = 1; ; answers++) {
    const before = changesOf(runs)
    const until = decideOnce(runs)
    const changed = changesOf(runs) > before
    if (!changed || !until.onFill || !first.trading.isSeen || answers === maxAnswers) return until
  }
}

export const standsIn = (run: MarketRun): StandsAt | undefined =>
  run.conditions.stands?.(RunView.of([run]), run.asking.memory)

const wantedIn = (runs: Runs, run: MarketRun, desired: Decision["desired"]): Decision["desired"] => {
  if (runs.length === 1) return desired
  const runOf = ({ market }: DesiredSlot): MarketRun =>
    runs.find(({ conditions }) => conditions.market.name === market?.name) ?? runs[0]
  return desired.filter((each) => runOf(each) === run)
}

/** Places slots with new legs, and slots whose next order waited for the decision; in the decision's order, exits first. */
const placeWanted = (run: MarketRun): void => {
  const { followers, orders } = run
  const { due, slots, firstDue } = orders.wanted
  const isReady = (slot: SlotState.SlotState): boolean =>
    slot.phase === "idle" && (slot.isDue || followers.held.has(slot))
  const ready: Array<SlotState.SlotState> = []
  for (let place = followers.held.size > 0 ? 0 : firstDue; place < slots.length; place++) {
    const slot = slots[place]
    if (slot !== undefined && isReady(slot)) ready.push(slot)
  }
  for (const slot of orders.exitsFirst(ready)) Placing.place(run, slot)
  for (const slot of due) SlotState.mark(slot, false)
  followers.held.clear()
}

const isCalm = ({ followers, losses, orders, waiting }: MarketRun): boolean =>
  losses === undefined && waiting.count === 0 && followers.held.size === 0 && orders.wanted.isSettled

const decideOnce = (runs: Runs): Bounds => {
  const [{ asking, conditions, guard }] = runs
  const decision = conditions.decide(RunView.of(runs), asking.memory)
  if (asking.answered(decision) && runs.every(isCalm)) return decision.until
  const desiredSlots = LimitGuard.isDrained(guard) ? [] : decision.desired
  for (const run of runs) run.orders.wanted.take(wantedIn(runs, run, desiredSlots), run.orders.slotNamed)
  // Money of cancelled orders is available to new ones in all markets.
  for (const run of runs) adopt(run, run.orders.wanted.due)
  for (const run of runs) placeWanted(run)
  placeWaiting(runs)
  return decision.until
}

export const placesWaiting = (runs: Runs, bar: number): boolean => {
  standAtClose(runs, bar)
  const before = changesOf(runs)
  const isIdle = ({ guard, clock }: MarketRun): boolean =>
    guard !== undefined && !LimitGuard.hasChanged(guard, before) && LimitGuard.isShut(guard, clock.now)
  if (runs.every(isIdle)) return false
  for (const run of runs) replaceFreed(run)
  placeWaiting(runs)
  return changesOf(runs) > before
}

export const placeWaiting = (runs: Runs): void => {
  if (runs.length === 1) return Placing.placeWaiting(runs[0])
  for (const run of runs) Placing.placeWaiting(run)
}

export const placeWaitingAfter = (runs: Runs, isNews: boolean): void => {
  if (!isNews || !runs[0].asking.asksOnFill) placeWaiting(runs)
}

export const isWatching = (runs: Runs): boolean =>
  runs.some(({ guard }) => guard !== undefined && LimitGuard.isWatching(guard))

export const isWatchingAll = (runs: Runs): boolean =>
  runs[0].losses?.isAll === true ||
  runs.some(({ guard }) => guard !== undefined && LimitGuard.isWatchingAll(guard, changesOf(runs)))
