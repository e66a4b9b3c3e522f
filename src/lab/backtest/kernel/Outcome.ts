/** Result of a run in one market: fills, exact money, and counters. */
import type { Amount } from "../../../domain/Amount.ts"
import type { LimitName } from "../../../engine/planning/OrderLimits.ts"
import type { MarketRun } from "./MarketRun.ts"
import type { Stay } from "./orders/Orders.ts"
import * as OrderTable from "./orders/OrderTable.ts"
import type { Unordered } from "./state/Asking.ts"
import type { LossStop } from "./state/LimitAccount.ts"

export interface Counts {
  readonly placed: number
  readonly cancelled: number
  readonly deniedFunds: number
  readonly deniedMinimum: number
  readonly decisions: number
}

export interface Outcome {
  readonly fills: OrderTable.FillLog
  readonly table: OrderTable.OrderTable
  readonly slotNames: ReadonlyArray<string>
  /** True for slots that enter and leave by turns, which close only their own trades. Other slots close trades of any slot. */
  readonly slotsTakeTurns: ReadonlyArray<boolean>
  readonly slotReasons: ReadonlyArray<string>
  /** All base owned at the end, deposits of open orders included. `quote` contains the market's budget and the result of its trading. */
  readonly base: Amount
  readonly quote: Amount
  /** By the asset from which they were taken; refunds included. */
  readonly fees: { readonly base: Amount; readonly quote: Amount }
  /** Their fees are part of `fees`. */
  readonly payouts: OrderTable.FlatCosts
  readonly refunds: OrderTable.FlatCosts
  readonly appFees: { readonly base: Amount; readonly quote: Amount }
  /** Ratio to the highest earlier equity, over all markets together. */
  readonly maxDrawdown: number
  readonly openOrders: number
  readonly counts: Counts
  readonly unordered: ReadonlyArray<Unordered>
  readonly deniedBy: ReadonlyMap<LimitName, number>
  readonly stops: ReadonlyArray<LossStop>
  /** Times at which orders were open, those still open included. Empty unless requested. */
  readonly stays: ReadonlyArray<Stay>
}

export const of = (run: MarketRun, maxDrawdown: number, decisions: number): Outcome => {
  const { orders, waiting, wallet, conditions, guard, candles } = run
  const { table, slots, placed, cancelled } = orders
  const { deniedFunds, deniedMinimum } = waiting
  const open = slots.filter(({ openQuantity }) => openQuantity > 0n)
  for (const slot of open) orders.note(slot, candles.bars, wallet)
  const fees = OrderTable.fees(table)
  const moved = OrderTable.moved(table)
  const { charged } = wallet
  const { payouts, refunds } = charged
  const ofFilled = OrderTable.payouts(table)
  return {
    fills: orders.log,
    table,
    slotNames: slots.map(({ name }) => name),
    slotsTakeTurns: slots.map(({ takesTurns }) => takesTurns),
    slotReasons: slots.map(({ reason }) => reason?.text ?? ""),
    base: conditions.budget.base + moved.base - charged.base,
    quote: conditions.budget.quote + moved.quote - charged.quote,
    fees: { base: fees.base + charged.base, quote: fees.quote + charged.quote },
    payouts: {
      count: ofFilled.count + payouts.count,
      base: ofFilled.base + payouts.base,
      quote: ofFilled.quote + payouts.quote
    },
    refunds,
    appFees: OrderTable.appFees(table),
    maxDrawdown,
    openOrders: open.length,
    counts: { placed, cancelled, deniedFunds, deniedMinimum, decisions },
    unordered: run.asking.unordered,
    deniedBy: guard?.account.denied ?? new Map(),
    stops: guard?.account.stops ?? [],
    stays: orders.stays
  }
}
