/**
 * Matches sales with the purchases that they close, and computes the gains. A sale before its purchase opens a short lot that a later
 * purchase closes, as in `CostBasis`. Exact: the cost of all lots ever opened equals the cost of the closed and the open ones. Only the
 * share of a partly closed lot is rounded (down); the rest stays in the lot.
 */
import { type Amount, min } from "../domain/Amount.ts"
import type { Trade } from "./Trades.ts"

export const methods = ["fifo", "lifo", "hifo", "average"] as const
export type LotMethod = (typeof methods)[number]

/** Bought and not yet sold. If short: sold and not yet bought back. */
export interface Lot {
  readonly openedBy: Trade
  readonly isShort: boolean
  /** Remaining base, positive. */
  readonly quantity: Amount
  /** Quote paid for it; received if it is short. */
  readonly cost: Amount
}

/** The closed part of a lot. */
export interface Gain extends Lot {
  readonly closedBy: Trade
  readonly proceeds: Amount
}

export const earned = ({ proceeds, cost }: Gain): Amount => proceeds - cost

export interface LotBooks {
  readonly open: ReadonlyArray<Lot>
  readonly lost: ReadonlyMap<string, ReadonlyArray<Gain>>
}

export const emptyBooks: LotBooks = { open: [], lost: new Map() }

const next = (lots: ReadonlyArray<Lot>, method: LotMethod): Lot | undefined => {
  if (method === "lifo") return lots.at(-1)
  const [oldest] = lots
  if (method !== "hifo" || oldest === undefined) return oldest
  // Compares costs per unit without division; of equal lots the oldest is next. A short lot earns least if it brought in least.
  return lots.reduce((best, lot) => {
    const [own, other] = [lot.cost * best.quantity, best.cost * lot.quantity]
    return (lot.isShort ? own < other : own > other) ? lot : best
  }, oldest)
}

/**
 * Matches trades of one pool (a market of a strategy, or of an account), oldest first. `earlier` lots are still open. Base that is written
 * off closes its lots for nothing. If it arrives after all, they reopen at their age and cost, and the loss is earned back.
 */
export const match = (trades: ReadonlyArray<Trade>, method: LotMethod, earlier = emptyBooks) => {
  const lots: Array<Lot> = [...earlier.open]
  const lost = new Map(earlier.lost)
  const gains: Array<Gain> = []
  for (const trade of trades) {
    const { baseAmount, placement, quoteAmount: quote } = trade
    const loss = baseAmount === 0n ? undefined : trade.loss
    const before = gains.length
    const back = (loss === "found" ? lost.get(placement) : undefined) ?? []
    const closed = back.reduce((sum, { quantity }) => sum + quantity, 0n)
    const rest = loss === "found" ? unsell(lots, gains, { trade, base: baseAmount - closed }, method) : baseAmount
    exchange(lots, gains, { trade, base: rest, quote, openedBy: trade }, method)
    for (const gain of back) {
      const { cost, openedBy, proceeds, quantity } = gain
      gains.push({ ...gain, closedBy: trade, cost: proceeds, proceeds: cost })
      exchange(lots, gains, { trade, base: quantity, quote: cost, openedBy }, method)
    }
    if (loss === "found") lost.delete(placement)
    if (loss === "given up") lost.set(placement, gains.slice(before))
  }
  return { gains, open: lots, lost }
}

/** Removes a sale that booked the loss of base that was never bought. Returns the base beyond it. */
const unsell = (
  lots: Array<Lot>,
  gains: Array<Gain>,
  { base, trade }: Pick<Part, "base" | "trade">,
  method: LotMethod
): Amount => {
  const isOf = ({ openedBy: { loss, placement } }: Lot) => loss === "given up" && placement === trade.placement
  const lot = lots.find((each) => each.isShort && (method === "average" || isOf(each)))
  if (lot === undefined || base === 0n) return base
  const quantity = min(base, lot.quantity)
  if (quantity < lot.quantity) lots[lots.indexOf(lot)] = { ...lot, quantity: lot.quantity - quantity }
  else {
    lots.splice(lots.indexOf(lot), 1)
    if (lot.cost > 0n)
      gains.push({ closedBy: trade, openedBy: lot.openedBy, isShort: true, quantity, cost: 0n, proceeds: lot.cost })
  }
  return base - quantity
}

interface Part {
  readonly trade: Trade
  readonly base: Amount
  readonly quote: Amount
  readonly openedBy: Trade
}

const exchange = (lots: Array<Lot>, gains: Array<Gain>, part: Part, method: LotMethod): void => {
  const { openedBy, trade } = part
  let { base, quote } = part
  const closesShort = trade.side === "BUY"
  // Quote that was lost, or by which a fill grew without base, has no lots.
  if (base === 0n && quote > 0n) {
    const [cost, proceeds] = closesShort ? [quote, 0n] : [0n, quote]
    gains.push({ closedBy: trade, openedBy, isShort: false, quantity: 0n, cost, proceeds })
  }
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
  if (base > 0n) open(lots, { openedBy, isShort: trade.side === "SELL", quantity: base, cost: quote }, method)
}

const open = (lots: Array<Lot>, lot: Lot, method: LotMethod): void => {
  const [known] = lots
  if (method !== "average" || known === undefined)
    lots.splice(lots.findLastIndex(({ openedBy }) => openedBy.at <= lot.openedBy.at) + 1, 0, lot)
  else lots[0] = { ...known, quantity: known.quantity + lot.quantity, cost: known.cost + lot.cost }
}
