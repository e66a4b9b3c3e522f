/**
 * Fills the orders of one bar. Orders that are open at the bar's opening fill from the market outwards: buys from the highest down, then
 * sells from the lowest up. An order that follows a fill is open from the next bar on. `fillBar` is the fast path for orders that fill
 * whole at their limit; `fillBarSlices` gives the same, with partial fills, better prices and waiting times.
 */
import { exactPrice, openAt, volumeAt } from "../../../candles/Candles.ts"
import { type Amount, min } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { baseQuantity, type Price, quoteAmount, type Side } from "../../../domain/Market.ts"
import * as Decisions from "./Decisions.ts"
import { arrivalPrice, capacityOf, fillsAt, forSize, lastFeeOf, shareOf, swapPrice, swapping } from "./FillRules.ts"
import type { MarketRun } from "./MarketRun.ts"
import * as OrderTable from "./orders/OrderTable.ts"
import * as SlotState from "./orders/SlotState.ts"
import * as Placing from "./Placing.ts"

const fill = ({ orders, wallet }: MarketRun, bar: number, order: number): void => {
  const { table } = orders
  orders.fill(bar, order)
  wallet.trade(table.baseChange[order] ?? 0, table.quoteChange[order] ?? 0)
}

const fillWhole = (run: MarketRun, bar: number, slot: SlotState.SlotState): void => {
  const { orders, wallet, followers, clock } = run
  const { table } = orders
  const { order } = slot
  const row = OrderTable.rowAt(table, order)
  if (row === undefined) return
  fill(run, bar, order)
  orders.note(slot, clock.nextBar)
  const isWholeLeg = !row.isPart && slot.filledInLeg === 0n
  SlotState.fillWhole(slot, row, isWholeLeg)
  if (run.asking.asksOnFill) {
    endWhole(run, slot, row)
    followers.held.add(slot)
    return
  }
  // The order that was not worth moving has filled, so its slot takes the legs that are wanted now.
  if (slot.successor !== null || !isWholeLeg) {
    endWhole(run, slot, row)
    followers.later.push(slot)
    return
  }
  const next = orders.next(slot, order)
  const follower = OrderTable.rowAt(table, next)
  const surplus = table.surplus[order] ?? 0n
  // Exits may be open beyond the maximum number of orders, so the place of a filled exit may not be free for an entry.
  const hasOthers = followers.first.length + followers.later.length > 0
  const isFull = follower?.isExit !== true && (orders.openInAll > run.conditions.maxOpenOrders || hasOthers)
  if (follower !== undefined && surplus >= 0n && !isFull) {
    if (surplus > 0n) wallet.receive(row.side, surplus)
    orders.placeNext(slot, next, follower, clock.nextBar)
    followers.arriving.push(slot)
    return
  }
  endWhole(run, slot, row)
  if (follower !== undefined) (surplus >= 0n ? followers.first : followers.later).push(slot)
}

const endWhole = (run: MarketRun, slot: SlotState.SlotState, { side, output }: OrderTable.OrderRow): void => {
  run.orders.close(slot)
  SlotState.earn(slot, output)
  Placing.payOut(run, slot, side)
}

export const fillBar = (run: MarketRun, bar: number, low: number, high: number): void => {
  const { orders, clock, lastClose } = run
  clock.close(bar)
  if (run.looksAtArrivals) lastClose.know(clock.nextBar, low, high)
  for (let slot = orders.takeBuy(low); slot !== undefined; slot = orders.takeBuy(low)) fillWhole(run, bar, slot)
  for (let slot = orders.takeSell(high); slot !== undefined; slot = orders.takeSell(high)) fillWhole(run, bar, slot)
  settle(run)
}

export const settle = (run: MarketRun): void => {
  const { arriving, first, later } = run.followers
  for (let slot = arriving.pop(); slot !== undefined; slot = arriving.pop()) Placing.rest(run, slot)
  if (first.length + later.length === 0) return
  for (const slot of run.orders.exitsFirst(first.splice(0))) Placing.place(run, slot)
  const due = later.splice(0)
  for (const slot of due) Decisions.adoptSuccessor(run, slot)
  for (const slot of run.orders.exitsFirst(due)) Placing.place(run, slot)
}

export const advance = (run: MarketRun, slot: SlotState.SlotState): void => {
  if (run.asking.asksOnFill) {
    run.followers.held.add(slot)
    return
  }
  Decisions.adoptSuccessor(run, slot)
  Placing.place(run, slot)
}

export interface BarRange {
  readonly bar: number
  readonly low: number
  readonly high: number
}

/** Returns the price at which the bar trades with the order; `undefined` if a gap jumped over it. */
const tradePrice = ({ conditions, candles }: MarketRun, { bar, low, high }: BarRange, row: OrderTable.OrderRow) => {
  const { rules } = conditions
  const isInside = (): boolean =>
    Decimal.compare(row.price, exactPrice(high)) <= 0 && Decimal.compare(row.price, exactPrice(low)) >= 0
  if (rules.touch === "within" && !isInside()) return undefined
  if (rules.price !== "open") return row.price
  const open = exactPrice(openAt(candles, bar) ?? 0)
  return row.side === "BUY" ? Decimal.min(open, row.price) : Decimal.max(open, row.price)
}

/** Adds a row for a part of the order, or for all of it at another price. The last part pays the payout fee, even beyond its own output. */
const slice = (
  { conditions, orders }: MarketRun,
  slot: SlotState.SlotState,
  row: OrderTable.OrderRow,
  quantity: Amount,
  price: Price
): number => {
  const { market, rules } = conditions
  const gross = row.side === "BUY" ? quantity : quoteAmount(market, quantity, price, "down")
  const isLast = quantity === slot.openQuantity
  const fee = isLast ? lastFeeOf(rules, row.side, gross, slot.unpaid) : shareOf(rules, gross)
  const input = row.side === "BUY" ? min(slot.openInput, quoteAmount(market, quantity, price, "up")) : quantity
  return OrderTable.add(orders.table, { ...row, price, quantity, input, output: gross - fee, fee, endsOrder: isLast })
}

/** True if the payout pays for the slot's next order. No other slot may then use this money. */
const paysForItself = ({ orders }: MarketRun, slot: SlotState.SlotState, side: Side, paid: Amount): boolean => {
  const next = OrderTable.rowAt(orders.table, orders.arm(slot))
  return next !== undefined && next.side !== side && paid >= next.input && slot.successor === null
}

const complete = (run: MarketRun, slot: SlotState.SlotState, { isPart, side }: OrderTable.OrderRow): void => {
  const { payoutMillis } = run.conditions.rules
  Placing.close(run, slot, side)
  if (run.clock.waits(payoutMillis)) {
    SlotState.become(slot, "paying")
    run.clock.setAlarm(slot.index, payoutMillis)
    return
  }
  const unpaidAmount = slot.unpaid
  if (!isPart) SlotState.completeLeg(slot, side)
  Placing.payOut(run, slot, side)
  const { first, held, later } = run.followers
  if (run.asking.asksOnFill) held.add(slot)
  else (paysForItself(run, slot, side, unpaidAmount) ? first : later).push(slot)
}

const fillSlice = (
  run: MarketRun,
  bar: number,
  slot: SlotState.SlotState,
  most: Amount,
  priceOf: (row: OrderTable.OrderRow) => Price | undefined
): Amount => {
  const { orders, followers } = run
  const { order, openQuantity: open } = slot
  const row = orders.rowOf(slot)
  const price = row === undefined ? undefined : priceOf(row)
  const quantity = min(open, most)
  if (row === undefined || price === undefined || quantity <= 0n) {
    followers.arriving.push(slot)
    return 0n
  }
  const whole = quantity === row.quantity && slot.openInput === row.input && Decimal.equals(price, row.price)
  const filled = whole ? order : slice(run, slot, row, quantity, price)
  const { input, output } = OrderTable.rowAt(orders.table, filled) ?? row
  fill(run, bar, filled)
  SlotState.fillPart(slot, quantity, input, output)
  if (quantity === open) complete(run, slot, row)
  else followers.arriving.push(slot)
  return quantity
}

/** Executes a swap whole at the current price, with any bar volume. A purchase spends all input and keeps all base it receives. */
const fillSwap = (run: MarketRun, bar: number, slot: SlotState.SlotState, row: OrderTable.OrderRow, close: Price) => {
  const { orders, conditions, clock, lastClose } = run
  const { market, rules } = conditions
  const sized = forSize(rules, market, row)
  const fromHere = fillsAt(swapping(sized), row.side, row.price, lastClose.scaleFor(clock.nextBar))
  const isReached = lastClose.isReached(clock.nextBar, row.side, fromHere)
  const isTooOften = SlotState.countArrival(slot, clock.nextBar) > mostArrivals
  if (!isReached || isTooOften || (rules.refundedSwapShare > 0 && run.random() < rules.refundedSwapShare))
    return Placing.refundSwap(run, slot)
  const price = swapPrice(sized, row.side, row.price, close)
  const { input } = row
  const gross =
    row.side === "BUY" ? baseQuantity(market, input, price, "down") : quoteAmount(market, input, price, "down")
  const fee = lastFeeOf(rules, row.side, gross, 0n)
  const quantity = row.side === "BUY" ? gross : input
  fill(run, bar, OrderTable.add(orders.table, { ...row, price, quantity, output: gross - fee, fee }))
  SlotState.fillPart(slot, slot.openQuantity, input, gross - fee)
  complete(run, slot, row)
}

/** Stops legs that are all marketable, which would otherwise fill in turn without end. In live trading each round takes time. */
const mostArrivals = 12

const unlimited = 10n ** 60n

/** Open and arriving orders of a bar share its volume. */
const openCapacity = ({ candles, capacity, conditions: { market, rules } }: MarketRun, bar: number): void => {
  if (capacity.bar === bar) return
  capacity.bar = bar
  capacity.amount = rules.volumeShare === 0 ? unlimited : capacityOf(rules, market, volumeAt(candles, bar))
}

export const fillArrivals = (run: MarketRun, bar: number): void => {
  const { arrivals, capacity, orders, clock, lastClose } = run
  const close = exactPrice(lastClose.before(clock.nextBar))
  openCapacity(run, bar)
  let hasArrived = false
  const arrived = [...new Set(arrivals.slots.splice(0))].sort((a, b) => a.index - b.index)
  for (const slot of arrived) {
    const row = orders.rowOf(slot)
    if (row?.by !== undefined && slot.phase === "resting") {
      hasArrived = true
      fillSwap(run, bar, slot, row, close)
      continue
    }
    if (row === undefined || slot.phase !== "resting" || !Placing.arrivesMarketable(run, slot, row)) continue
    hasArrived = true
    SlotState.tryArrival(slot, clock.nextBar)
    if (capacity.amount <= 0n || SlotState.countArrival(slot, clock.nextBar) > mostArrivals) continue
    orders.unrest(slot, row)
    const { market, rules } = run.conditions
    const price = arrivalPrice(forSize(rules, market, row), row.side, row.price, close)
    const quantity = fillSlice(run, bar, slot, capacity.amount, () => price)
    capacity.amount -= quantity
  }
  if (hasArrived) settle(run)
}

/** Returns true if a solver had a cancelled order in hand. The order then fills at its limit, regardless of the bar's volume. */
export const fillInHand = (run: MarketRun, bar: number, slot: SlotState.SlotState): boolean => {
  const { share, distance } = run.conditions.rules.inHand
  const row = run.orders.rowOf(slot)
  if (share === 0 || row === undefined || row.by !== undefined) return false
  const isNear = Math.abs(run.lastClose.before(run.clock.nextBar) / Decimal.toNumber(row.price) - 1) < distance
  if (!isNear || run.random() >= share) return false
  run.orders.unrest(slot, row)
  fillSlice(run, bar, slot, slot.openQuantity, () => row.price)
  return true
}

const fillInBar = (run: MarketRun, range: BarRange, slot: SlotState.SlotState, given?: Price): boolean => {
  const { capacity, followers } = run
  // An order that was placed within the bar fills from the next bar on.
  if (slot.placedBar > range.bar) {
    followers.arriving.push(slot)
    return false
  }
  const quantity = fillSlice(run, range.bar, slot, capacity.amount, (row) => given ?? tradePrice(run, range, row))
  capacity.amount -= quantity
  return quantity > 0n
}

export const fillBarSlices = (run: MarketRun, bar: number, low: number, high: number): void => {
  const { orders, clock } = run
  clock.close(bar)
  openCapacity(run, bar)
  const range = { bar, low, high }
  for (let slot = orders.takeBuy(low); slot !== undefined; slot = orders.takeBuy(low)) fillInBar(run, range, slot)
  for (let slot = orders.takeSell(high); slot !== undefined; slot = orders.takeSell(high)) fillInBar(run, range, slot)
  run.losses?.look(bar, clock.now)
  settle(run)
}

/**
 * Fills the orders on the way to a stop within the bar: buys above it or sells below it. If `opens`, orders in transit are open from the
 * bar's open on, and those marketable there fill at that price. Returns the price of the last fill.
 */
export const fillOnTheWay = (run: MarketRun, range: BarRange, side: Side, stop: number, opens: boolean) => {
  const { candles, clock, followers, orders } = run
  const { market, rules } = run.conditions
  const { bar } = range
  const isMet = (slot: SlotState.SlotState, row: OrderTable.OrderRow, price: number): boolean =>
    side === "BUY" ? Placing.fillsAtNow(run, row, slot) >= price : Placing.fillsAtNow(run, row, slot) <= price
  const opened = orders.slots.filter((slot) => opens && slot.phase === "placing" && clock.isDue(slot.index, bar + 1))
  for (const slot of opened) {
    const row = orders.rowOf(slot)
    if (row?.side !== side || row.by !== undefined || !isMet(slot, row, stop)) continue
    SlotState.rest(slot, bar)
    orders.rest(slot, row)
  }
  openCapacity(run, bar)
  // Stops lie between the prices of candles, by which orders are sorted.
  const tick = 10 ** -candles.priceScale
  const take = () => (side === "BUY" ? orders.takeBuy(stop - tick) : orders.takeSell(stop + tick))
  const open = openAt(candles, bar) ?? stop
  let last: Price | undefined
  for (let slot = take(); slot !== undefined; slot = take()) {
    const row = orders.rowOf(slot)
    if (row === undefined || !isMet(slot, row, stop)) {
      followers.arriving.push(slot)
      continue
    }
    const arrives = rules.price === "arrival" && opened.includes(slot) && isMet(slot, row, open)
    const price = arrives ? arrivalPrice(forSize(rules, market, row), side, row.price, exactPrice(open)) : undefined
    if (fillInBar(run, range, slot, price)) last = price ?? row.price
  }
  settle(run)
  return last
}
