/**
 * What trading in one market has come to, as the bot folds it live: average cost and realised profit after all fees. Fills
 * are folded only when a strategy looks.
 *
 * One difference: the fee of a payout counts when the order fills, live when it is paid out.
 */

import type { Amount } from "../../../domain/Amount.ts"
import * as CostBasis from "../../../domain/CostBasis.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { FillLog } from "../orders/FillLog.ts"
import { none, type OrderRow, type OrderTable } from "../orders/OrderTable.ts"

/** A fee in base counts at the price of its order, rounded up. */
const inQuote = (fee: Amount, base: Amount, quote: Amount): Amount =>
  base === 0n ? 0n : Decimal.divideInteger(fee * quote, base, "up")

const afterFill = (basis: CostBasis.CostBasis, row: OrderRow): CostBasis.CostBasis => {
  const gross = row.output + row.fee
  return row.side === "BUY"
    ? CostBasis.charge(CostBasis.trade(basis, "BUY", gross, row.input), inQuote(row.fee, gross, row.input))
    : CostBasis.charge(CostBasis.trade(basis, "SELL", row.input, gross), row.fee)
}

export class TradingResult {
  private folded = 0
  private costs = CostBasis.empty
  private seen = false

  /** Somebody looked: what it sees has to be kept true between fills too. */
  get isSeen(): boolean {
    return this.seen
  }

  get basis(): CostBasis.CostBasis {
    return this.costs
  }

  see(): void {
    this.seen = true
  }

  fold({ rows }: OrderTable, log: FillLog): void {
    for (; this.folded < log.count; this.folded++) {
      const row = rows[log.orders[this.folded] ?? none]
      if (row !== undefined) this.costs = afterFill(this.costs, row)
    }
  }

  /** The fee of giving back what an order did not spend. */
  chargeRefund({ side, input, output, fee }: OrderRow, paid: Amount): void {
    this.costs = CostBasis.charge(this.costs, side === "BUY" ? paid : inQuote(paid, input, output + fee))
  }

  /** The fee of paying out what a cancelled order brought in. */
  chargePayout({ side, input, output, fee }: OrderRow, paid: Amount): void {
    this.costs = CostBasis.charge(this.costs, side === "BUY" ? inQuote(paid, output + fee, input) : paid)
  }
}
