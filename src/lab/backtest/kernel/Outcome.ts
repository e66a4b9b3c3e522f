/** Result of a run in one market: fills, fees outside of them, exact money, and counters. */
import type { LimitName } from "../../../engine/planning/OrderLimits.ts"
import type { MarketRun } from "./MarketRun.ts"
import * as OrderTable from "./orders/OrderTable.ts"

export type Outcome = Readonly<ReturnType<typeof of>>

export const of = (run: MarketRun, maxDrawdown: number, decisions: number) => {
  const { orders, waiting, wallet, conditions, guard, candles } = run
  const { table, slots, placed, cancelled } = orders
  const { deniedFunds, deniedMinimum } = waiting
  const open = slots.filter(({ openQuantity }) => openQuantity > 0n)
  for (const slot of open) orders.note(slot, candles.bars)
  const fees = OrderTable.fees(table)
  const moved = OrderTable.moved(table)
  const { charged, charges } = wallet
  const { payouts, refunds } = charged
  const ofFilled = OrderTable.payouts(table)
  return {
    fills: orders.log,
    table,
    slotNames: slots.map(({ name }) => name),
    /** True for slots that enter and leave by turns, which close only their own trades. Other slots close trades of any slot. */
    slotsTakeTurns: slots.map(({ takesTurns }) => takesTurns),
    slotReasons: slots.map(({ reason }) => reason?.text ?? ""),
    /** All base owned at the end, deposits of open orders included. `quote` contains the market's budget and the result of its trading. */
    base: conditions.budget.base + moved.base - charged.base,
    quote: conditions.budget.quote + moved.quote - charged.quote,
    /** By the asset from which they were taken; refunds included. */
    fees: { base: fees.base + charged.base, quote: fees.quote + charged.quote },
    /** Their fees are part of `fees`. */
    payouts: {
      count: ofFilled.count + payouts.count,
      base: ofFilled.base + payouts.base,
      quote: ofFilled.quote + payouts.quote
    },
    refunds,
    charges,
    appFees: OrderTable.appFees(table),
    /** Ratio to the highest earlier equity, over all markets together. */
    maxDrawdown,
    openOrders: open.length,
    counts: { placed, cancelled, deniedFunds, deniedMinimum, decisions },
    unordered: run.asking.unordered,
    deniedBy: guard?.account.denied ?? new Map<LimitName, number>(),
    stops: guard?.account.stops ?? [],
    /** Times at which orders were open, those still open included. Empty unless requested. */
    stays: orders.stays
  }
}
