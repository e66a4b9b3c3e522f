/** Moves orders and their money in one market. An order's deposit leaves the wallet when the order is placed. */
import { type Amount, min } from "../../../domain/Amount.ts"
import type { Side } from "../../../domain/Market.ts"
import { coveredQuantity } from "../../../strategy/Decision.ts"
import { isAfterStop, stoppedValue } from "../../../strategy/kinds/StopExit.ts"
import { fillsAt, swapping, withdrawFee } from "./FillRules.ts"
import * as LimitGuard from "./LimitGuard.ts"
import type { MarketRun } from "./MarketRun.ts"
import { add, type OrderRow, quoteSide, rowAt } from "./orders/OrderTable.ts"
import * as SlotState from "./orders/SlotState.ts"

/** Returns the candle price at which an order fills now. The ladder stores it for the slot's current legs; omit `slot` for others. */
export const fillsAtNow = (run: MarketRun, row: OrderRow, slot?: SlotState.SlotState): number => {
  const { candles, clock, conditions, lastClose, orders } = run
  const scale = lastClose.scaleFor(clock.nextBar)
  if (slot !== undefined && scale === candles.priceScale) return orders.fillsAt(slot, row)
  const rules = row.by === undefined ? conditions.rules : swapping(conditions.rules)
  return fillsAt(rules, row.side, row.price, scale)
}

const isReached = (run: MarketRun, slot: SlotState.SlotState, row: OrderRow): boolean =>
  run.lastClose.isReached(run.clock.nextBar, row.side, fillsAtNow(run, row, slot))

export const rest = (run: MarketRun, slot: SlotState.SlotState): void => {
  const row = run.orders.rowOf(slot)
  if (row === undefined) return
  if (row.by !== undefined) return swap(run, slot, row)
  run.orders.rest(slot, row)
  if (run.looksAtArrivals && isReached(run, slot, row)) arrive(run, slot, row)
}

/** Executes a swap at once or refunds it. It waits for its price before it is placed, which only a run with a guard allows. */
const swap = (run: MarketRun, slot: SlotState.SlotState, row: OrderRow): void => {
  if (slot.phase !== "resting") return
  const { arrivals, conditions, guard } = run
  // The swap follows a leg that has just filled, so nothing has checked if it must wait.
  if (guard === undefined && conditions.limits !== undefined) arrivals.needsGuard = true
  else if (isReached(run, slot, row)) arrivals.slots.push(slot)
  else refundSwap(run, slot)
}

export const refundSwap = ({ clock, conditions, orders }: MarketRun, slot: SlotState.SlotState): void => {
  SlotState.become(slot, "cancelling")
  orders.wanted.leaves(slot)
  clock.setAlarm(slot.index, Math.max(1, conditions.rules.cancelMillis))
}

const arrive = (run: MarketRun, slot: SlotState.SlotState, row: OrderRow): void => {
  const { arrivals, clock, lastClose, guard } = run
  if (!isNew(run, slot, row)) return
  const { limits, rules } = run.conditions
  if (limits !== undefined && guard === undefined && LimitGuard.deviates(row, lastClose.before(clock.nextBar), limits))
    arrivals.needsGuard = true
  if (rules.price === "arrival" && slot.triedBar !== clock.nextBar) arrivals.slots.push(slot)
}

const isNew = ({ clock }: MarketRun, slot: SlotState.SlotState, { quantity }: OrderRow): boolean =>
  slot.placedBar === clock.nextBar && slot.openQuantity === quantity

export const arrivesMarketable = (run: MarketRun, slot: SlotState.SlotState, row: OrderRow): boolean =>
  isNew(run, slot, row) && isReached(run, slot, row)

const waitForMoney = ({ waiting, guard }: MarketRun, slot: SlotState.SlotState, row: OrderRow): void => {
  const isNew = waiting.add(slot)
  waiting.lacksMoney(row, guard?.denials.delete(slot) === true || isNew)
}

export const stopWaiting = ({ waiting, guard }: MarketRun, slot: SlotState.SlotState): void => {
  if (waiting.remove(slot)) guard?.denials.delete(slot)
}

/** Denies the slot this order if a limit refuses it, and returns true if so. `isSuccessor`: another order is open in the slot. */
export const denyIfRefused = (
  run: MarketRun,
  slot: SlotState.SlotState,
  row: OrderRow,
  guard: LimitGuard.LimitGuard,
  isSuccessor: boolean
): boolean => {
  const { candles, clock, conditions, lastClose } = run
  const { market } = conditions
  const rules = row.by === undefined ? conditions.rules : swapping(conditions.rules)
  const at = fillsAtNow(run, row, isSuccessor ? undefined : slot)
  const order = { row, market, rules, isSuccessor, priceScale: candles.priceScale, now: clock.now, fillsAt: at }
  return LimitGuard.denies(guard, slot, { ...order, close: lastClose.before(clock.nextBar) })
}

const isYielding = ({ orders }: MarketRun, { desired }: SlotState.SlotState): boolean =>
  desired?.yieldsTo?.some((name) => orders.openIn(name) > 0n) === true

/** In quote. An exit after a stop may be any part of a position that is worth the smallest order. */
const leastFor = (
  { conditions: { market, rules }, trading }: MarketRun,
  { reason: why }: SlotState.SlotState,
  order: Pick<OrderRow, "side" | "price" | "isExit">
): Amount => {
  const { minimumQuote: least } = rules
  if (least === 0n || order.isExit !== true || why === undefined || !isAfterStop({ why })) return least
  trading.fold()
  return stoppedValue(market, { ...order, why }, trading.position) >= least ? 0n : least
}

/** Quantity that an order for the rest of a leg has: an exit, as in live trading, has what the slot's and the free money covers. */
export const quantityIn = (
  run: MarketRun,
  slot: SlotState.SlotState,
  rest: Pick<OrderRow, "side" | "price" | "quantity" | "isExit">
): Amount => {
  if (rest.isExit !== true) return rest.quantity
  const money = run.wallet.freeFor(rest.side) + slot.openInput
  return coveredQuantity(run.conditions.market, rest, money, slot.filledInLeg, leastFor(run, slot, rest))
}

/** With `stops: first`, an exit after a stop is open at once: if it waited for a bar, each close would move it before it could fill. */
const isAtOnce = ({ conditions: { rules } }: MarketRun, { reason: why }: SlotState.SlotState, { isExit }: OrderRow) =>
  rules.stops === "first" && isExit === true && why !== undefined && isAfterStop({ why })

export const place = (run: MarketRun, slot: SlotState.SlotState): void => {
  const { orders, wallet, clock, waiting, guard, arrivals } = run
  const { rules, maxOpenOrders, limits } = run.conditions
  guard?.account.moved(slot)
  const whole = orders.arm(slot)
  const wholeRow = rowAt(orders.table, whole)
  if (wholeRow === undefined || quoteSide(wholeRow) < rules.minimumQuote) {
    const isClosed = orders.closesLeg(slot)
    const isTooSmall = wholeRow === undefined || quoteSide(wholeRow) < leastFor(run, slot, wholeRow)
    if (isClosed || isTooSmall) stopWaiting(run, slot)
    if (isClosed) return place(run, slot)
    if (isTooSmall) return wholeRow && waiting.tooSmall()
  }
  if (isYielding(run, slot)) return waiting.forOrders(slot)
  const quantity = quantityIn(run, slot, wholeRow)
  const row = quantity < wholeRow.quantity ? orders.partOf(wholeRow, quantity) : wholeRow
  const isFull = row.isExit !== true && orders.openInAll >= maxOpenOrders
  if (isFull || wallet.freeFor(row.side) < row.input) return waitForMoney(run, slot, row)
  if (guard !== undefined) {
    if (denyIfRefused(run, slot, row, guard, false)) {
      waiting.add(slot)
      return
    }
    guard.account.placed(clock.now)
  } else if (row.by !== undefined && limits !== undefined) {
    arrivals.needsGuard = true
    return
  }
  stopWaiting(run, slot)
  wallet.deposit(row.side, row.input)
  orders.place(slot, row === wholeRow ? whole : add(orders.table, row), row, clock.nextBar)
  if (isAtOnce(run, slot, row) || clock.barAfter(rules.placeMillis) <= clock.nextBar) {
    SlotState.become(slot, "resting")
    rest(run, slot)
  } else {
    SlotState.become(slot, "placing")
    clock.setAlarm(slot.index, rules.placeMillis)
  }
}

/** Places waiting orders in slot order, exits first. A smaller order may overtake a larger one. */
export const placeWaiting = (run: MarketRun): void => {
  const { waiting, guard, orders, wallet, conditions } = run
  if (waiting.count === 0) return
  const isExit = (slot: SlotState.SlotState) => slot.phase === "waiting" && orders.isExitDue(slot)
  const mayPlaceOne =
    waiting.mayPlaceOne(wallet) && (orders.openInAll < conditions.maxOpenOrders || orders.slots.some(isExit))
  if ((guard?.denials.size ?? 0) === 0 && !mayPlaceOne) return
  waiting.askAll()
  for (const slot of orders.exitsFirst(orders.slots.filter(({ phase }) => phase === "waiting"))) place(run, slot)
}

/** Removes the order and returns its unspent input, less the refund fee. A purchase filled below its limit also has unspent input. */
export const close = (run: MarketRun, slot: SlotState.SlotState, side: Side): void => {
  const { orders, wallet, trading, clock, conditions } = run
  const { refundFee } = conditions.rules
  const row = orders.rowOf(slot)
  const fee = side === "BUY" ? refundFee.quote : refundFee.base
  const refund = wallet.refund(side, slot.openInput, fee, clock.momentBar)
  orders.note(slot, clock.nextBar)
  if (refund > 0n && row !== undefined) trading.chargeRefund(row, refund)
  SlotState.payForRefund(slot, side, refund)
  orders.close(slot)
}

export const payOut = ({ wallet }: MarketRun, slot: SlotState.SlotState, side: Side): void => {
  const paid = SlotState.payOut(slot)
  if (paid > 0n) wallet.receive(side, paid)
}

/** Charges the payout fee for the output of an order that was cancelled after partial fills. */
const payForPayout = (run: MarketRun, slot: SlotState.SlotState, row: OrderRow): void => {
  const { wallet, trading, conditions, clock } = run
  if (slot.unpaid <= 0n) return
  const charge = min(slot.unpaid, withdrawFee(conditions.rules, row.side))
  wallet.chargePayout(row.side, charge, clock.momentBar)
  if (charge === 0n) return
  SlotState.payForPayout(slot, row.side, charge)
  trading.chargePayout(row, charge)
}

export const cancel = (run: MarketRun, slot: SlotState.SlotState): void => {
  const { orders } = run
  const { order } = slot
  const row = rowAt(orders.table, order)
  if (row === undefined) return
  if (slot.phase !== "placing") orders.unrest(slot, row)
  close(run, slot, row.side)
  payForPayout(run, slot, row)
  payOut(run, slot, row.side)
  orders.forget(order)
}
