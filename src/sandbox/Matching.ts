/**
 * The rules of this venue for the execution of a limit order. The sandbox and the backtest share them.
 *
 * - The market reaches a resting order when its mid touches the order's price: SELL at or above, BUY at or below. The order executes at its
 *   own limit, never better: the solver keeps the difference.
 * - An order that is marketable when it is funded executes at once at the executable price, which is the limit or better. A BUY is for an
 *   exact output, so the input that it saves comes back as a refund.
 * - Slices add up exactly: amounts are differences of cumulative totals, so rounding neither loses nor makes anything.
 */
import type { Amount } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import * as Market from "../domain/Market.ts"

export interface MatchTerms {
  readonly side: Market.Side
  /** Base smallest units. */
  readonly quantity: Amount
  readonly inputAmount: Amount
  readonly outputAmount: Amount
}

export interface Execution {
  readonly amountIn: Amount
  readonly amountOut: Amount
}

export const isReached = (side: Market.Side, limit: number, low: number, high: number): boolean =>
  side === "SELL" ? high >= limit : low <= limit

export const isMarketable = (side: Market.Side, limit: number, executable: number): boolean =>
  isReached(side, limit, executable, executable)

/** The slice, at the limit, that takes the executed base quantity from one total to another. */
export const sliceAt = (terms: MatchTerms, executed: Amount, executedAfter: Amount): Execution => {
  const slice = executedAfter - executed
  return terms.side === "SELL"
    ? { amountIn: slice, amountOut: share(terms.outputAmount, terms.quantity, executed, executedAfter, "up") }
    : { amountIn: share(terms.inputAmount, terms.quantity, executed, executedAfter, "down"), amountOut: slice }
}

/** The part of a total between two fractions of the quantity. The parts of the whole add up to the total. */
const share = (total: Amount, whole: Amount, from: Amount, to: Amount, rounding: Decimal.Rounding): Amount =>
  Decimal.divideInteger(total * to, whole, rounding) - Decimal.divideInteger(total * from, whole, rounding)

/** The whole order at an executable price that is the limit or better, so never worse than its terms. */
export const wholeAt = (market: Market.Market, terms: MatchTerms, price: Market.Price): Execution => {
  if (terms.side === "SELL") {
    const improved = Market.quoteAmount(market, terms.quantity, price, "down")
    return { amountIn: terms.inputAmount, amountOut: improved > terms.outputAmount ? improved : terms.outputAmount }
  }
  const improved = Market.quoteAmount(market, terms.quantity, price, "up")
  return { amountIn: improved < terms.inputAmount ? improved : terms.inputAmount, amountOut: terms.outputAmount }
}
