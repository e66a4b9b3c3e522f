/**
 * The state of one simulated run, and what happens to orders and money in it: placed, refused, cancelled, refunded.
 * An order's deposit leaves the free balance when it is placed; free balances are exact and never negative.
 */

import type { Candles } from "../../candles/Candles.ts"
import type { Resampled } from "../../candles/Resample.ts"
import * as TimeAxis from "../../candles/TimeAxis.ts"
import { type Amount, min } from "../../domain/Amount.ts"
import type { Market, Side } from "../../domain/Market.ts"
import { type Random, seeded } from "../../domain/Seeded.ts"
import type { Memory } from "../../strategy/Decision.ts"
import type { Decide, Limits } from "../../strategy/Strategy.ts"
import { type FillRules, withdrawFee } from "./FillRules.ts"
import * as Ladders from "./Ladders.ts"
import * as LimitGuard from "./LimitGuard.ts"
import * as OrderTable from "./OrderTable.ts"
import * as OwnState from "./OwnState.ts"
import * as RankSet from "./RankSet.ts"
import * as SlotStates from "./SlotStates.ts"

const { states } = SlotStates

export interface Conditions {
  readonly market: Market
  readonly decide: Decide
  readonly initialMemory: Memory
  readonly rules: FillRules
  /** What the run starts with and can never exceed. */
  readonly budget: { readonly base: Amount; readonly quote: Amount }
  readonly maxOpenOrders: number
  /** The strategy's further limits. */
  readonly limits?: Limits
  /** By timeframe: what `View.candles` offers. */
  readonly timeframes?: ReadonlyMap<string, Resampled>
  /** Keep where every order rested: for pictures. */
  readonly keepsOrders?: boolean
}

/** An order from the first bar that could fill it to the one at which it was gone (not included). */
export interface Stay {
  readonly row: OrderTable.OrderRow
  readonly from: number
  readonly to: number
}

/** Fills in the order of their happening: the bar, and the row in the order table. */
export interface FillLog {
  count: number
  bars: Int32Array
  orders: Int32Array
}

/** What all markets of a strategy share: the quote that is free, the count of open orders, and its last wish. */
export interface Purse {
  freeQuote: Amount
  openOrders: number
  /** The last decision wants to be asked again after a fill. */
  asksOnFill: boolean
}

export interface Run {
  readonly purse: Purse
  readonly conditions: Conditions
  readonly candles: Candles
  readonly table: OrderTable.OrderTable
  readonly slots: SlotStates.SlotStates
  /** Which cancelled orders a solver had in hand. */
  readonly random: Random
  readonly log: FillLog
  readonly stays: Array<Stay> | undefined
  readonly trading: OwnState.Trading
  /** Of a run that looks at every order; any other only notices when it should have. */
  readonly guard: LimitGuard.LimitGuard | undefined
  neededGuard: boolean
  /** Orders that are marketable as they come to rest matter. */
  readonly looksAtArrivals: boolean
  ladders: Ladders.Ladders
  memory: Memory
  freeBase: Amount
  /** Free and deposited, in whole units: for equity. */
  base: number
  quote: number
  refundFeesBase: Amount
  refundFeesQuote: Amount
  /** Slots in state `waiting`, and the least that would help one of them. */
  waitingSlots: number
  leastWaitingBase: Amount | undefined
  leastWaitingQuote: Amount | undefined
  readonly counts: { placed: number; cancelled: number; deniedFunds: number; deniedMinimum: number; decisions: number }
  /** Slots whose order comes to rest, or is to be placed, after the fills of this bar: first what pays for itself. */
  readonly arriving: Array<number>
  readonly dueFirst: Array<number>
  readonly due: Array<number>
  /** Slots whose next order waits for the strategy to be asked. */
  readonly held: Set<number>
  /** Slots with something to happen later, by bar. */
  readonly wakes: Array<{ readonly bar: number; readonly slot: number }>
  /** Slots whose order is marketable as it arrives. */
  readonly arrivals: Array<number>
  /** The present, and the first bar that an order which rests now can fill in. */
  now: number
  nextBar: number
  /** What is left of the volume that this bar lets us have. */
  capacityBar: number
  capacity: Amount
  /** Between which prices the close before bar `closeKnownFor` lies: what a bar that filled orders has said already. */
  closeKnownFor: number
  leastClose: number
  mostClose: number
}

export const make = (
  conditions: Conditions,
  candles: Candles,
  purse: Purse,
  guard: LimitGuard.LimitGuard | undefined
): Run => ({
  purse,
  conditions,
  candles,
  table: OrderTable.make(conditions.market, conditions.rules),
  slots: SlotStates.make(),
  random: seeded(conditions.rules.inHand.seed),
  log: { count: 0, bars: new Int32Array(1024), orders: new Int32Array(1024) },
  stays: conditions.keepsOrders === true ? [] : undefined,
  trading: OwnState.make(),
  guard,
  neededGuard: false,
  looksAtArrivals: conditions.rules.price === "arrival" || (conditions.limits !== undefined && guard === undefined),
  ladders: Ladders.make([], conditions.rules, candles.priceScale, undefined, new Set()),
  memory: conditions.initialMemory,
  freeBase: conditions.budget.base,
  base: Number(conditions.budget.base) / 10 ** conditions.market.base.decimals,
  quote: Number(conditions.budget.quote) / 10 ** conditions.market.quote.decimals,
  refundFeesBase: 0n,
  refundFeesQuote: 0n,
  waitingSlots: 0,
  leastWaitingBase: undefined,
  leastWaitingQuote: undefined,
  counts: { placed: 0, cancelled: 0, deniedFunds: 0, deniedMinimum: 0, decisions: 0 },
  arriving: [],
  dueFirst: [],
  due: [],
  held: new Set(),
  wakes: [],
  arrivals: [],
  now: 0,
  nextBar: 0,
  capacityBar: -1,
  capacity: 0n,
  closeKnownFor: 0,
  leastClose: 0,
  mostClose: 0
})

/** The bar whose opening comes `millis` from now, never before the next one. */
const barAfter = (run: Run, millis: number): number =>
  millis === 0 ? run.nextBar : Math.max(run.nextBar, TimeAxis.firstBarFrom(run.candles.time, run.now + millis))

export const wakeAfter = (run: Run, slot: number, millis: number): void => {
  const bar = barAfter(run, millis)
  run.slots.wakeBar[slot] = bar
  let at = run.wakes.length
  while (at > 0 && (run.wakes[at - 1]?.bar ?? 0) > bar) at--
  run.wakes.splice(at, 0, { bar, slot })
}

const rankOf = (run: Run, slot: number, row: OrderTable.OrderRow): number =>
  run.ladders.rankOfLeg[(run.ladders.firstLeg[slot] ?? 0) + row.leg] ?? 0

/** From now on bars can fill the slot's order. */
export const rest = (run: Run, slot: number): void => {
  const row = run.table.rows[run.slots.order[slot] ?? OrderTable.none]
  if (row === undefined) return
  const ladder = row.side === "BUY" ? run.ladders.buys : run.ladders.sells
  const rank = rankOf(run, slot, row)
  RankSet.insert(ladder.resting, rank)
  if (run.looksAtArrivals && isReachedByClose(run, row.side, ladder.fillsAt[rank] ?? 0)) arrive(run, slot, row)
}

const arrive = (run: Run, slot: number, row: OrderTable.OrderRow): void => {
  if (!isNew(run, slot, row)) return
  const { limits, rules } = run.conditions
  if (limits !== undefined && run.guard === undefined && LimitGuard.deviates(run, row, limits)) run.neededGuard = true
  if (rules.price === "arrival" && run.slots.triedBar[slot] !== run.nextBar) run.arrivals.push(slot)
}

const isNew = ({ slots, nextBar }: Run, slot: number, { quantity }: OrderTable.OrderRow): boolean =>
  slots.placedBar[slot] === nextBar && slots.openQuantity[slot] === quantity

const isReachedByClose = (run: Run, side: Side, limit: number): boolean => {
  const isKnown = run.closeKnownFor === run.nextBar
  if (isKnown && (side === "BUY" ? limit < run.leastClose : limit > run.mostClose)) return false
  const close = run.candles.close[run.nextBar - 1] ?? 0
  return side === "BUY" ? limit >= close : limit <= close
}

/** A new order that the last close has reached. */
export const arrivesMarketable = (run: Run, slot: number, row: OrderTable.OrderRow): boolean => {
  const ladder = row.side === "BUY" ? run.ladders.buys : run.ladders.sells
  return isNew(run, slot, row) && isReachedByClose(run, row.side, ladder.fillsAt[rankOf(run, slot, row)] ?? 0)
}

export const unrest = (run: Run, slot: number, row: OrderTable.OrderRow): void => {
  const ladder = row.side === "BUY" ? run.ladders.buys : run.ladders.sells
  RankSet.remove(ladder.resting, rankOf(run, slot, row))
}

/** The slot's order is gone before bar `nextBar`. */
export const note = (run: Run, slot: number): void => {
  const row = run.table.rows[run.slots.order[slot] ?? OrderTable.none]
  if (row !== undefined) run.stays?.push({ row, from: run.slots.placedBar[slot] ?? 0, to: run.nextBar })
}

const wait = (run: Run, slot: number): boolean => {
  if (run.slots.state[slot] === states.waiting) return false
  run.slots.state[slot] = states.waiting
  run.waitingSlots++
  return true
}

const waitForMoney = (run: Run, slot: number, row: OrderTable.OrderRow): void => {
  const isNew = wait(run, slot)
  if (run.guard?.deniedBy.delete(slot) === true || isNew) run.counts.deniedFunds++
  if (row.side === "BUY") run.leastWaitingQuote = min(run.leastWaitingQuote ?? row.input, row.input)
  else run.leastWaitingBase = min(run.leastWaitingBase ?? row.input, row.input)
}

export const stopWaiting = (run: Run, slot: number): void => {
  if (run.slots.state[slot] !== states.waiting) return
  run.slots.state[slot] = states.idle
  run.waitingSlots--
  run.guard?.deniedBy.delete(slot)
}

/** Puts the slot's armed order on the market, when there is one, it is big enough, and money and limits allow it. */
export const place = (run: Run, slot: number): void => {
  const { slots, table, conditions } = run
  const order = SlotStates.arm(slots, slot, table, run.ladders)
  const row = table.rows[order]
  if (row === undefined) return stopWaiting(run, slot)
  const quoteSide = row.side === "BUY" ? row.input : row.output + row.fee
  if (quoteSide < conditions.rules.minimumQuote) {
    stopWaiting(run, slot)
    run.counts.deniedMinimum++
    return
  }
  const free = row.side === "BUY" ? run.purse.freeQuote : run.freeBase
  if (free < row.input || run.purse.openOrders >= conditions.maxOpenOrders) return waitForMoney(run, slot, row)
  if (run.guard !== undefined) {
    const limit = LimitGuard.refusal(run, slot, row, run.guard)
    if (limit !== undefined) {
      wait(run, slot)
      return LimitGuard.deny(run.guard, slot, row, limit)
    }
    run.guard.account.placed.push(run.now)
  }
  stopWaiting(run, slot)
  if (row.side === "BUY") run.purse.freeQuote -= row.input
  else run.freeBase -= row.input
  slots.order[slot] = order
  slots.placedBar[slot] = run.nextBar
  slots.triedBar[slot] = -1
  run.trading.placedBar = run.nextBar
  slots.openQuantity[slot] = row.quantity
  slots.openInput[slot] = row.input
  run.purse.openOrders++
  run.counts.placed++
  if (barAfter(run, conditions.rules.placeMillis) <= run.nextBar) {
    slots.state[slot] = states.resting
    rest(run, slot)
  } else {
    slots.state[slot] = states.placing
    wakeAfter(run, slot, conditions.rules.placeMillis)
  }
}

/** Those that lacked money or waited for a limit, in slot order; a smaller one may overtake. */
export const placeWaiting = (run: Run): void => {
  if (run.waitingSlots === 0) return
  if ((run.guard?.deniedBy.size ?? 0) === 0 && !mayPayOne(run)) return
  run.leastWaitingBase = undefined
  run.leastWaitingQuote = undefined
  for (const [slot, state] of run.slots.state.entries()) if (state === states.waiting) place(run, slot)
}

const mayPayOne = (run: Run): boolean => {
  if (run.purse.openOrders >= run.conditions.maxOpenOrders) return false
  const base = run.leastWaitingBase !== undefined && run.freeBase >= run.leastWaitingBase
  const quote = run.leastWaitingQuote !== undefined && run.purse.freeQuote >= run.leastWaitingQuote
  return base || quote
}

/** The order is off the market: what was not spent comes back, less the fee of the refund. */
export const close = (run: Run, slot: number, side: Side, fee: Amount): void => {
  const { slots, conditions } = run
  note(run, slot)
  const left = slots.openInput[slot] ?? 0n
  const paid = min(left, fee)
  const row = run.table.rows[slots.order[slot] ?? OrderTable.none]
  if (paid > 0n && row !== undefined) OwnState.chargeRefund(run, row, paid)
  if (side === "BUY") {
    run.purse.freeQuote += left - paid
    run.refundFeesQuote += paid
    run.quote -= Number(paid) / 10 ** conditions.market.quote.decimals
  } else {
    run.freeBase += left - paid
    run.refundFeesBase += paid
    run.base -= Number(paid) / 10 ** conditions.market.base.decimals
  }
  slots.openInput[slot] = 0n
  slots.openQuantity[slot] = 0n
  run.purse.openOrders--
}

/** What the closed order brought in is in the wallet, and the slot is free. */
export const payOut = (run: Run, slot: number, side: Side): void => {
  const { slots } = run
  if (side === "BUY") run.freeBase += slots.unpaid[slot] ?? 0n
  else run.purse.freeQuote += slots.unpaid[slot] ?? 0n
  slots.unpaid[slot] = 0n
  slots.order[slot] = OrderTable.none
  slots.state[slot] = states.idle
}

/** What an order brought in before it was cancelled is paid out as well, and that has its price. */
const payForPayout = (run: Run, slot: number, row: OrderTable.OrderRow): void => {
  const { slots, conditions } = run
  const paid = min(slots.unpaid[slot] ?? 0n, withdrawFee(conditions.rules, row.side))
  if (paid <= 0n) return
  slots.unpaid[slot] = (slots.unpaid[slot] ?? 0n) - paid
  OwnState.chargePayout(run, row, paid)
  if (row.side === "BUY") {
    run.refundFeesBase += paid
    run.base -= Number(paid) / 10 ** conditions.market.base.decimals
  } else {
    run.refundFeesQuote += paid
    run.quote -= Number(paid) / 10 ** conditions.market.quote.decimals
  }
}

/** Takes the slot's order off the market. */
export const cancel = (run: Run, slot: number): void => {
  const order = run.slots.order[slot] ?? OrderTable.none
  const row = run.table.rows[order]
  if (row === undefined) return
  const { refundFee } = run.conditions.rules
  if (run.slots.state[slot] !== states.placing) unrest(run, slot, row)
  close(run, slot, row.side, row.side === "BUY" ? refundFee.quote : refundFee.base)
  payForPayout(run, slot, row)
  payOut(run, slot, row.side)
  OrderTable.release(run.table, order)
  run.counts.cancelled++
}

/** What the market's trading owns, exactly: base that is free, deposited and on its way; quote without the free one. */
export const owned = (run: Run): { readonly base: Amount; readonly quote: Amount } => {
  let [base, quote] = [run.freeBase, 0n]
  for (const [slot, order] of run.slots.order.entries()) {
    const buys = run.table.rows[order]?.side === "BUY"
    const [input, output] = [run.slots.openInput[slot] ?? 0n, run.slots.unpaid[slot] ?? 0n]
    base += buys ? output : input
    quote += buys ? input : output
  }
  return { base, quote }
}
