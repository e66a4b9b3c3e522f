/** What a run of one market came to: its fills, its money to the last digit, and what was counted on the way. */
import type { Amount } from "../../domain/Amount.ts"
import type { LimitName } from "../../engine/planning/RiskLimits.ts"
import type * as LimitGuard from "./LimitGuard.ts"
import * as OrderTable from "./OrderTable.ts"
import * as Run from "./Run.ts"

export interface Outcome {
  readonly fills: Run.FillLog
  readonly table: OrderTable.OrderTable
  readonly slotNames: ReadonlyArray<string>
  /** Why each slot last wanted what it wanted. */
  readonly slotReasons: ReadonlyArray<string>
  /** Everything owned at the end, deposits of open orders included; of quote what trading made of the market's budget. */
  readonly base: Amount
  readonly quote: Amount
  /** By the asset that they were taken from; refunds included. */
  readonly fees: { readonly base: Amount; readonly quote: Amount }
  /** Ratio of the highest equity before it; of all markets together. */
  readonly maxDrawdown: number
  readonly openOrders: number
  readonly counts: Run.Run["counts"]
  /** How often each of the strategy's limits alone kept an order back, and when it had lost too much to go on. */
  readonly deniedBy: ReadonlyMap<LimitName, number>
  readonly stops: ReadonlyArray<LimitGuard.LossStop>
  /** Where orders rested, those that still do included; empty unless asked for. */
  readonly stays: ReadonlyArray<Run.Stay>
}

export const of = (run: Run.Run, maxDrawdown: number): Outcome => {
  const { table, slots, conditions } = run
  run.nextBar = run.candles.bars
  let openOrders = 0
  for (const [slot, open] of slots.openQuantity.entries()) {
    if (open <= 0n) continue
    openOrders++
    Run.note(run, slot)
  }
  const fees = OrderTable.fees(table)
  const moved = OrderTable.moved(table)
  return {
    fills: run.log,
    table,
    slotNames: slots.names,
    slotReasons: slots.reasons,
    base: conditions.budget.base + moved.base - run.refundFeesBase,
    quote: conditions.budget.quote + moved.quote - run.refundFeesQuote,
    fees: { base: fees.base + run.refundFeesBase, quote: fees.quote + run.refundFeesQuote },
    maxDrawdown,
    openOrders,
    counts: run.counts,
    deniedBy: run.guard?.account.denied ?? new Map(),
    stops: run.guard?.account.stops ?? [],
    stays: run.stays ?? []
  }
}
