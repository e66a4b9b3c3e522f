/**
 * Which purchase a sale closes, and what that earned: first in first out, last in first out, highest cost first, or
 * average cost. A sale before its purchase opens a lot below zero that a later purchase closes, as in `CostBasis`.
 *
 * Exact: the cost of all lots ever opened equals the cost of the closed ones plus the open ones, to the smallest
 * unit. Only the share of a partly closed lot is rounded (down); the rest stays in the lot.
 */
import { type Amount, min } from "../domain/Amount.ts"
import type { Trade } from "./Trades.ts"

export const methods = ["fifo", "lifo", "hifo", "average"] as const
export type LotMethod = (typeof methods)[number]

/** Bought and not yet sold; or, short, sold and not yet bought back. */
export interface Lot {
  readonly openedBy: Trade
  readonly isShort: boolean
  /** The remaining base, positive. */
  readonly quantity: Amount
  /** Quote paid for it, or received when it is short. */
  readonly cost: Amount
}

export interface Gain {
  readonly closedBy: Trade
  readonly openedBy: Trade
  readonly isShort: boolean
  readonly quantity: Amount
  /** Quote paid, and quote received; whichever came first. */
  readonly cost: Amount
  readonly proceeds: Amount
}

export const earned = ({ proceeds, cost }: Gain): Amount => proceeds - cost

export interface Matched {
  readonly gains: ReadonlyArray<Gain>
  readonly open: ReadonlyArray<Lot>
}

/** The lot that closes next, of `lots` in the order of opening. */
const next = (lots: ReadonlyArray<Lot>, method: LotMethod): Lot | undefined => {
  if (method === "lifo") return lots.at(-1)
  const [oldest] = lots
  if (method !== "hifo" || oldest === undefined) return oldest
  // Cost per unit without division; of equal ones the oldest. A short lot earns least if it brought in least.
  return lots.reduce((best, lot) => {
    const [own, other] = [lot.cost * best.quantity, best.cost * lot.quantity]
    return (lot.isShort ? own < other : own > other) ? lot : best
  }, oldest)
}

/** Trades of one pool (a market of a strategy, or of an account), oldest first; `earlier` lots are still open. */
export const match = (trades: ReadonlyArray<Trade>, method: LotMethod, earlier: ReadonlyArray<Lot> = []): Matched => {
  const lots: Array<Lot> = [...earlier]
  const gains: Array<Gain> = []
  for (const trade of trades) {
    let { baseAmount: base, quoteAmount: quote } = trade
    const closesShort = trade.side === "BUY"
    for (let lot = next(lots, method); base > 0n && lot?.isShort === closesShort; lot = next(lots, method)) {
      const index = lots.indexOf(lot)
      const quantity = min(base, lot.quantity)
      const [ofLot, ofTrade] = [(lot.cost * quantity) / lot.quantity, (quote * quantity) / base]
      const [cost, proceeds] = lot.isShort ? [ofTrade, ofLot] : [ofLot, ofTrade]
      gains.push({ closedBy: trade, openedBy: lot.openedBy, isShort: lot.isShort, quantity, cost, proceeds })
      if (quantity === lot.quantity) lots.splice(index, 1)
      else lots[index] = { ...lot, quantity: lot.quantity - quantity, cost: lot.cost - ofLot }
      base -= quantity
      quote -= ofTrade
    }
    if (base > 0n) open(lots, { openedBy: trade, isShort: trade.side === "SELL", quantity: base, cost: quote }, method)
  }
  return { gains, open: lots }
}

/** By average cost there is one lot, and it grows. */
const open = (lots: Array<Lot>, lot: Lot, method: LotMethod): void => {
  const [known] = lots
  if (method !== "average" || known === undefined) lots.push(lot)
  else lots[0] = { ...known, quantity: known.quantity + lot.quantity, cost: known.cost + lot.cost }
}
