/** What a run of one market came to: its fills, its money to the last digit, and what was counted on the way. */
import type { Amount } from "../../../domain/Amount.ts"
import type { LimitName } from "../../../engine/planning/OrderLimits.ts"
import type { MarketRun } from "./MarketRun.ts"
import type { FillLog } from "./orders/FillLog.ts"
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
  readonly fills: FillLog
  readonly table: OrderTable.OrderTable
  readonly slotNames: ReadonlyArray<string>
  /** Which slots enter and leave by turns; what others buy or sell is closed by whichever of them comes next. */
  readonly slotsTakeTurns: ReadonlyArray<boolean>
  /** Why each slot last wanted what it wanted. */
  readonly slotReasons: ReadonlyArray<string>
  /** Everything owned at the end, deposits of open orders included; of quote what trading made of the market's budget. */
  readonly base: Amount
  readonly quote: Amount
  /** By the asset that they were taken from; refunds included. */
  readonly fees: { readonly base: Amount; readonly quote: Amount }
  /** Their fees are among `fees`. */
  readonly payouts: OrderTable.FlatCosts
  readonly refunds: OrderTable.FlatCosts
  /** What others were paid of the inputs. */
  readonly appFees: { readonly base: Amount; readonly quote: Amount }
  /** Ratio of the highest equity before it; of all markets together. */
  readonly maxDrawdown: number
  readonly openOrders: number
  readonly counts: Counts
  /** Slots whose condition held without an order; the same in all markets. */
  readonly unordered: ReadonlyMap<string, Unordered>
  /** How often each of the strategy's limits alone kept an order back, and when it had lost too much to go on. */
  readonly deniedBy: ReadonlyMap<LimitName, number>
  readonly stops: ReadonlyArray<LossStop>
  /** Where orders rested, those that still do included; empty unless asked for. */
  readonly stays: ReadonlyArray<Stay>
}

/** `decisions` are counted in the first market, as a strategy decides for all of them. */
export const of = (run: MarketRun, maxDrawdown: number, decisions: number): Outcome => {
  const { orders, waiting, wallet, conditions, guard, candles } = run
  const { table, slots, placed, cancelled } = orders
  const { deniedFunds, deniedMinimum } = waiting
  const open = slots.filter(({ openQuantity }) => openQuantity > 0n)
  for (const slot of open) orders.note(slot, candles.bars)
  const fees = OrderTable.fees(table)
  const moved = OrderTable.moved(table)
  const { payouts, refunds } = wallet.charged
  const charged = { base: payouts.base + refunds.base, quote: payouts.quote + refunds.quote }
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
