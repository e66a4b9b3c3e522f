/**
 * What a strategy's trading has come to in a run, as the bot folds it live: average cost, realised profit after all fees,
 * free money, open orders. Folded only when a strategy looks, from the exact amounts of the fills since it last did.
 *
 * One difference: the fee of a payout counts when the order fills, live when it is paid out.
 */

import { closeTime } from "../../candles/TimeAxis.ts"
import type { Amount } from "../../domain/Amount.ts"
import * as CostBasis from "../../domain/CostBasis.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { OwnState } from "../../strategy/View.ts"
import * as OrderTable from "./OrderTable.ts"
import type { Run } from "./Run.ts"

export interface Trading {
  basis: CostBasis.CostBasis
  /** Fills of the log that `basis` contains. */
  folded: number
  /** Somebody looked: what it sees has to be kept true between fills too. */
  isSeen: boolean
  /** The first bar that could fill what was placed last; none before the first order. */
  placedBar: number | undefined
}

export const make = (): Trading => ({ basis: CostBasis.empty, folded: 0, isSeen: false, placedBar: undefined })

/** A fee in base counts at the price of its order, rounded up. */
const inQuote = (fee: Amount, base: Amount, quote: Amount): Amount =>
  base === 0n ? 0n : Decimal.divideInteger(fee * quote, base, "up")

const afterFill = (basis: CostBasis.CostBasis, row: OrderTable.OrderRow): CostBasis.CostBasis => {
  const gross = row.output + row.fee
  return row.side === "BUY"
    ? CostBasis.charge(CostBasis.trade(basis, "BUY", gross, row.input), inQuote(row.fee, gross, row.input))
    : CostBasis.charge(CostBasis.trade(basis, "SELL", row.input, gross), row.fee)
}

/** The fee of giving back what an order did not spend. */
export const chargeRefund = (run: Run, { side, input, output, fee }: OrderTable.OrderRow, paid: Amount): void => {
  const { trading } = run
  trading.basis = CostBasis.charge(trading.basis, side === "BUY" ? paid : inQuote(paid, input, output + fee))
}

/** The fee of paying out what a cancelled order brought in. */
export const chargePayout = (
  { trading }: Run,
  { side, input, output, fee }: OrderTable.OrderRow,
  paid: Amount
): void => {
  trading.basis = CostBasis.charge(trading.basis, side === "BUY" ? inQuote(paid, output + fee, input) : paid)
}

const openOrders = ({ slots }: Run): number =>
  slots.order.reduce((open, order) => (order === OrderTable.none ? open : open + 1), 0)

/** `others`: of further markets, whose orders count as well. */
export const of = (run: Run, others: ReadonlyArray<Run> = []): OwnState => {
  const { trading, log, table, candles } = run
  trading.isSeen = true
  for (const other of others) other.trading.isSeen = true
  for (; trading.folded < log.count; trading.folded++) {
    const row = table.rows[log.orders[trading.folded] ?? OrderTable.none]
    if (row !== undefined) trading.basis = afterFill(trading.basis, row)
  }
  const averageEntry = CostBasis.averagePrice(trading.basis, table.market)
  const last = log.count - 1
  const filled = last < 0 ? undefined : table.rows[log.orders[last] ?? OrderTable.none]
  const { placedBar } = trading
  return {
    openOrders: others.reduce((open, other) => open + openOrders(other), openOrders(run)),
    freeBase: run.freeBase,
    freeQuote: run.purse.freeQuote,
    realisedProfit: trading.basis.realised,
    ...(averageEntry === undefined ? {} : { averageEntry }),
    ...(filled === undefined
      ? {}
      : { lastFill: { price: filled.price, at: closeTime(candles.time, log.bars[last] ?? 0) } }),
    ...(placedBar === undefined ? {} : { lastPlacedAt: closeTime(candles.time, placedBar - 1) })
  }
}
