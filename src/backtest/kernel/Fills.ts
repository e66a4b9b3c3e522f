/**
 * What one bar fills. Orders that rest when the bar opens are filled from the market outwards: buys from the highest down,
 * then sells from the lowest up. What a fill leads to rests from the next bar on.
 *
 * Two ways with one meaning: `fillWhole` for orders that fill whole at their limit, where a fill is a table row and a few
 * additions; `fillSlices` for partial fills, better prices and waiting times.
 */

import { exactPrice, openAt, volumeAt } from "../../candles/Candles.ts"
import { closeTime } from "../../candles/TimeAxis.ts"
import { type Amount, min } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Price, quoteAmount, type Side } from "../../domain/Market.ts"
import * as Decisions from "./Decisions.ts"
import { arrivalPrice, capacityOf, lastFeeOf, shareOf } from "./FillRules.ts"
import * as LossWatch from "./LossWatch.ts"
import * as OrderTable from "./OrderTable.ts"
import * as RankSet from "./RankSet.ts"
import * as Run from "./Run.ts"
import * as SlotStates from "./SlotStates.ts"

const { states } = SlotStates

const log = (run: Run.Run, bar: number, order: number): void => {
  const { log, table } = run
  if (log.count === log.bars.length) {
    const capacity = log.count * 2
    const [bars, orders] = [new Int32Array(capacity), new Int32Array(capacity)]
    bars.set(log.bars)
    orders.set(log.orders)
    log.bars = bars
    log.orders = orders
  }
  log.bars[log.count] = bar
  log.orders[log.count] = order
  log.count++
  table.fills[order] = (table.fills[order] ?? 0) + 1
  run.base += table.baseChange[order] ?? 0
  run.quote += table.quoteChange[order] ?? 0
}

/** The order that follows a fill of the whole, and whether the fill pays for it. */
const link = (run: Run.Run, slot: number, order: number): number => {
  const { table, slots } = run
  const next = SlotStates.arm(slots, slot, table, run.ladders)
  const [from, to] = [table.rows[order], table.rows[next]]
  table.next[order] = next
  if (from === undefined || to === undefined) return next
  const quoteSide = to.side === "BUY" ? to.input : to.output + to.fee
  const payable = from.side !== to.side && quoteSide >= run.conditions.rules.minimumQuote
  table.surplus[order] = payable ? from.output - to.input : -1n
  return next
}

const fillWhole = (run: Run.Run, bar: number, slot: number): void => {
  const { table, slots } = run
  const order = slots.order[slot] ?? 0
  const row = table.rows[order]
  if (row === undefined) return
  log(run, bar, order)
  if (run.stays !== undefined) Run.note(run, slot)
  slots.completedLegs[slot] = (slots.completedLegs[slot] ?? 0) + 1
  slots.receivedByLastLeg[slot] = row.output
  slots.lastSide[slot] = row.side
  if (run.purse.asksOnFill) {
    endWhole(run, slot, row)
    run.held.add(slot)
    return
  }
  let next = table.next[order] ?? OrderTable.unknown
  if (next === OrderTable.unknown) next = link(run, slot, order)
  const follower = table.rows[next]
  const surplus = table.surplus[order] ?? 0n
  if (follower !== undefined && surplus >= 0n) {
    if (surplus > 0n) {
      if (row.side === "BUY") run.freeBase += surplus
      else run.purse.freeQuote += surplus
    }
    slots.order[slot] = next
    slots.placedBar[slot] = run.nextBar
    run.trading.placedBar = run.nextBar
    slots.openQuantity[slot] = follower.quantity
    slots.openInput[slot] = follower.input
    run.counts.placed++
    run.arriving.push(slot)
    return
  }
  endWhole(run, slot, row)
  if (follower !== undefined) run.due.push(slot)
}

const endWhole = (run: Run.Run, slot: number, { side, output }: OrderTable.OrderRow): void => {
  run.slots.openInput[slot] = 0n
  run.slots.openQuantity[slot] = 0n
  run.slots.unpaid[slot] = output
  run.purse.openOrders--
  Run.payOut(run, slot, side)
}

/** Fills whole orders at their limits. */
export const fillBar = (run: Run.Run, bar: number, low: number, high: number): void => {
  const { buys, sells } = run.ladders
  run.nextBar = bar + 1
  run.closeKnownFor = bar + 1
  run.leastClose = low
  run.mostClose = high
  for (let rank = RankSet.greatest(buys.resting); rank >= 0; rank = RankSet.greatest(buys.resting)) {
    if ((buys.fillsAt[rank] ?? 0) < low) break
    RankSet.remove(buys.resting, rank)
    fillWhole(run, bar, buys.slots[rank] ?? 0)
  }
  for (let rank = RankSet.least(sells.resting); rank >= 0; rank = RankSet.least(sells.resting)) {
    if ((sells.fillsAt[rank] ?? 0) > high) break
    RankSet.remove(sells.resting, rank)
    fillWhole(run, bar, sells.slots[rank] ?? 0)
  }
  settle(run)
}

/** After the fills of a bar: followers rest, others are placed. */
export const settle = (run: Run.Run): void => {
  for (let slot = run.arriving.pop(); slot !== undefined; slot = run.arriving.pop()) Run.rest(run, slot)
  if (run.dueFirst.length > 0) for (const slot of run.dueFirst.splice(0)) Run.place(run, slot)
  for (const slot of run.due) {
    Decisions.succeed(run, slot)
    Run.place(run, slot)
  }
  if (run.due.length > 0) run.due.length = 0
}

/** The slot's next order, after one is paid out: at once, or when the strategy was asked if it wants to be. */
export const follow = (run: Run.Run, slot: number): void => {
  if (run.purse.asksOnFill) {
    run.held.add(slot)
    return
  }
  Decisions.succeed(run, slot)
  Run.place(run, slot)
}

/** The price at which the bar trades with the order; `undefined` when a gap jumped over it. */
const tradePrice = (run: Run.Run, bar: number, row: OrderTable.OrderRow): Price | undefined => {
  const { rules } = run.conditions
  const inside = (high: number, low: number): boolean =>
    Decimal.compare(row.price, exactPrice(high)) <= 0 && Decimal.compare(row.price, exactPrice(low)) >= 0
  if (rules.touch === "within" && !inside(run.candles.high[bar] ?? 0, run.candles.low[bar] ?? 0)) return undefined
  if (rules.price !== "open") return row.price
  const open = exactPrice(openAt(run.candles, bar) ?? 0)
  return row.side === "BUY" ? Decimal.min(open, row.price) : Decimal.max(open, row.price)
}

/** A row for a part of the order, or for the whole of it at another price. The last part bears the payout, even beyond its own output. */
const slice = (run: Run.Run, slot: number, row: OrderTable.OrderRow, quantity: Amount, price: Price): number => {
  const { market, rules } = run.conditions
  const open = run.slots.openInput[slot] ?? 0n
  const gross = row.side === "BUY" ? quantity : quoteAmount(market, quantity, price, "down")
  const isLast = quantity === run.slots.openQuantity[slot]
  const fee = isLast ? lastFeeOf(rules, row.side, gross, run.slots.unpaid[slot] ?? 0n) : shareOf(rules, gross)
  const input = row.side === "BUY" ? min(open, quoteAmount(market, quantity, price, "up")) : quantity
  return OrderTable.add(run.table, { ...row, price, quantity, input, output: gross - fee, fee })
}

/** What is paid out pays for the next order, so nobody else may take it. */
const paysForItself = (run: Run.Run, slot: number, side: Side, paid: Amount): boolean => {
  const next = run.table.rows[SlotStates.arm(run.slots, slot, run.table, run.ladders)]
  return next !== undefined && next.side !== side && paid >= next.input && run.slots.successor[slot] === null
}

const complete = (run: Run.Run, slot: number, side: Side): void => {
  Run.close(run, slot, side, 0n)
  if (run.conditions.rules.payoutMillis === 0) {
    const paid = run.slots.unpaid[slot] ?? 0n
    SlotStates.completeLeg(run.slots, slot, side)
    Run.payOut(run, slot, side)
    if (run.purse.asksOnFill) {
      run.held.add(slot)
      return
    }
    const due = paysForItself(run, slot, side, paid) ? run.dueFirst : run.due
    due.push(slot)
    return
  }
  run.slots.state[slot] = states.paying
  Run.wakeAfter(run, slot, run.conditions.rules.payoutMillis)
}

/** Fills as much of the slot's order as the bar gives, at the bar's price or the one given. */
const fillSlice = (run: Run.Run, bar: number, slot: number, given?: Price): void => {
  const { slots, table } = run
  const order = slots.order[slot] ?? OrderTable.none
  const row = table.rows[order]
  const price = given ?? (row === undefined ? undefined : tradePrice(run, bar, row))
  const open = slots.openQuantity[slot] ?? 0n
  const quantity = min(open, run.capacity)
  if (row === undefined || price === undefined || quantity <= 0n) {
    run.arriving.push(slot)
    return
  }
  const whole = quantity === row.quantity && slots.openInput[slot] === row.input && Decimal.equals(price, row.price)
  const filled = whole ? order : slice(run, slot, row, quantity, price)
  const { input, output } = table.rows[filled] ?? row
  log(run, bar, filled)
  SlotStates.fillPart(slots, slot, quantity, input, output)
  if (quantity === open) complete(run, slot, row.side)
  else run.arriving.push(slot)
  run.capacity -= quantity
}

const unlimited = 10n ** 60n

/** The bar's share is there once, for what rests and for what arrives. */
const openCapacity = (run: Run.Run, bar: number): void => {
  const { rules, market } = run.conditions
  if (run.capacityBar === bar) return
  run.capacityBar = bar
  run.capacity = rules.volumeShare === 0 ? unlimited : capacityOf(rules, market, volumeAt(run.candles, bar))
}

/** Legs that are marketable one after the other would go round for ever; live each round takes its time. */
const mostArrivals = 12

const mayArrive = ({ slots, nextBar }: Run.Run, slot: number): boolean => {
  if (slots.arrivedBar[slot] !== nextBar) slots.arrivals[slot] = 0
  slots.arrivedBar[slot] = nextBar
  slots.arrivals[slot] = (slots.arrivals[slot] ?? 0) + 1
  return (slots.arrivals[slot] ?? 0) <= mostArrivals
}

/** Fills at once, in `bar`, what arrived marketable at the close of `closeBar`. Says whether something had. */
export const fillArrivals = (run: Run.Run, bar: number, closeBar: number): boolean => {
  const close = exactPrice(run.candles.close[closeBar] ?? 0)
  openCapacity(run, bar)
  let hasArrived = false
  for (const slot of [...new Set(run.arrivals.splice(0))].sort((a, b) => a - b)) {
    const row = run.table.rows[run.slots.order[slot] ?? OrderTable.none]
    if (row === undefined || run.slots.state[slot] !== states.resting) continue
    if (!Run.arrivesMarketable(run, slot, row)) continue
    hasArrived = true
    run.slots.triedBar[slot] = run.nextBar
    if (run.capacity <= 0n || !mayArrive(run, slot)) continue
    Run.unrest(run, slot, row)
    fillSlice(run, bar, slot, arrivalPrice(run.conditions.rules, row.side, row.price, close))
  }
  if (hasArrived) settle(run)
  return hasArrived
}

/** A solver may have had the rest of a cancelled order in hand: then it fills at its limit. Says whether it did. */
export const fillInHand = (run: Run.Run, bar: number, slot: number): boolean => {
  const { share, distance } = run.conditions.rules.inHand
  const row = run.table.rows[run.slots.order[slot] ?? OrderTable.none]
  if (share === 0 || row === undefined) return false
  const close = run.candles.close[run.nextBar - 1] ?? 0
  const isNear = Math.abs(close / Decimal.toNumber(row.price) - 1) < distance
  if (!isNear || run.random() >= share) return false
  Run.unrest(run, slot, row)
  openCapacity(run, bar)
  const kept = run.capacity
  run.capacity = unlimited
  fillSlice(run, bar, slot, row.price)
  run.capacity = kept
  return true
}

/** Fills orders by parts, at the bar's prices, with waiting times. */
export const fillBarSlices = (run: Run.Run, bar: number, low: number, high: number): void => {
  const { buys, sells } = run.ladders
  const reached: Array<number> = []
  run.now = closeTime(run.candles.time, bar)
  run.nextBar = bar + 1
  for (let rank = RankSet.greatest(buys.resting); rank >= 0; rank = RankSet.greatest(buys.resting)) {
    if ((buys.fillsAt[rank] ?? 0) < low) break
    RankSet.remove(buys.resting, rank)
    reached.push(buys.slots[rank] ?? 0)
  }
  for (let rank = RankSet.least(sells.resting); rank >= 0; rank = RankSet.least(sells.resting)) {
    if ((sells.fillsAt[rank] ?? 0) > high) break
    RankSet.remove(sells.resting, rank)
    reached.push(sells.slots[rank] ?? 0)
  }
  openCapacity(run, bar)
  for (const slot of reached) fillSlice(run, bar, slot)
  if (run.guard !== undefined) LossWatch.look(run, run.guard, bar)
  settle(run)
}
