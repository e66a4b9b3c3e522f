/**
 * Computes the result of trading in one market as the live bot does: position, average cost, and realised profit after all fees. Fills are
 * added only when a strategy reads the result. One difference: a payout's fee counts here at the fill, in live trading at the payout.
 */
import { type Amount, max } from "../../../../domain/Amount.ts"
import * as CostBasis from "../../../../domain/CostBasis.ts"
import type { Orders } from "../orders/Orders.ts"
import { none, type OrderRow } from "../orders/OrderTable.ts"

const exchangeOf = ({ side, input, output, fee }: OrderRow) =>
  side === "BUY" ? { base: output + fee, quote: input } : { base: input, quote: output + fee }

export class TradingResult {
  private folded = 0
  position = CostBasis.noPosition
  /** True once a strategy has read the result. It must then stay current between fills too. */
  isSeen = false
  declare private readonly orders: Pick<Orders, "log" | "table">
  declare private readonly least: Amount

  constructor(orders: Pick<Orders, "log" | "table">, minimumQuote: Amount) {
    this.orders = orders
    this.least = max(1n, minimumQuote)
  }

  see(): void {
    this.isSeen = true
  }

  fold(): void {
    const { log, table } = this.orders
    for (; this.folded < log.count; this.folded++) {
      const row = table.rows[log.orders[this.folded] ?? none]
      if (row === undefined) continue
      this.position = CostBasis.traded(this.position, row.side, exchangeOf(row), this.least)
      this.charge(row, row.side === "BUY", row.fee)
    }
  }

  chargeRefund(row: OrderRow, paid: Amount): void {
    this.foldIfRead()
    this.charge(row, row.side === "SELL", paid)
  }

  chargePayout(row: OrderRow, paid: Amount): void {
    this.foldIfRead()
    this.charge(row, row.side === "BUY", paid)
  }

  /** A minimum order size also needs the position (see `Placing`), even if the strategy does not. */
  private foldIfRead(): void {
    if (this.isSeen || this.least > 1n) this.fold()
  }

  private charge(row: OrderRow, isInBase: boolean, fee: Amount): void {
    this.position = isInBase
      ? CostBasis.feeTaken(this.position, fee, exchangeOf(row), this.least)
      : CostBasis.mapBasis(this.position, (basis) => CostBasis.charge(basis, fee))
  }
}
