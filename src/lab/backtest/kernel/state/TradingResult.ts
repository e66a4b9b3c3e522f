/**
 * What trading in one market has come to, as the bot folds it live: its position, average cost and realised profit after all fees. Fills
 * are folded only when a strategy looks.
 *
 * One difference: the fee of a payout counts when the order fills, live when it is paid out.
 */

import { type Amount, max } from "../../../../domain/Amount.ts"
import * as CostBasis from "../../../../domain/CostBasis.ts"
import type { FillLog } from "../orders/FillLog.ts"
import { none, type OrderRow, type OrderTable } from "../orders/OrderTable.ts"

/** What the order moves before fees. */
const exchangeOf = ({ side, input, output, fee }: OrderRow) =>
  side === "BUY" ? { base: output + fee, quote: input } : { base: input, quote: output + fee }

interface Traded {
  readonly table: OrderTable
  readonly log: FillLog
}

export class TradingResult {
  private folded = 0
  private held = CostBasis.noPosition
  private seen = false
  declare private readonly orders: Traded
  declare private readonly least: Amount

  /** `minimumQuote`: the smallest order. */
  constructor(orders: Traded, minimumQuote: Amount) {
    this.orders = orders
    this.least = max(1n, minimumQuote)
  }

  /** Somebody looked: what it sees has to be kept true between fills too. */
  get isSeen(): boolean {
    return this.seen
  }

  get position(): CostBasis.HeldPosition {
    return this.held
  }

  see(): void {
    this.seen = true
  }

  fold(): void {
    const { log, table } = this.orders
    for (; this.folded < log.count; this.folded++) {
      const row = table.rows[log.orders[this.folded] ?? none]
      if (row === undefined) continue
      this.held = CostBasis.traded(this.held, row.side, exchangeOf(row), this.least)
      this.charge(row, row.side === "BUY", row.fee)
    }
  }

  /** The fee of giving back what an order did not spend. */
  chargeRefund(row: OrderRow, paid: Amount): void {
    this.foldIfSeen()
    this.charge(row, row.side === "SELL", paid)
  }

  /** The fee of paying out what a cancelled order brought in. */
  chargePayout(row: OrderRow, paid: Amount): void {
    this.foldIfSeen()
    this.charge(row, row.side === "BUY", paid)
  }

  /** A fee counts after the fills before it. */
  private foldIfSeen(): void {
    if (this.seen) this.fold()
  }

  private charge(row: OrderRow, isInBase: boolean, fee: Amount): void {
    this.held = isInBase
      ? CostBasis.feeTaken(this.held, fee, exchangeOf(row), this.least)
      : CostBasis.mapBasis(this.held, (basis) => CostBasis.charge(basis, fee))
  }
}
