/**
 * What buying and selling by turns earned, apart from what holding an inventory did. A slot that enters and leaves by turns
 * is matched with itself alone: what a leg brought in against what the legs before it paid for the same base. A slot whose
 * side never changes leaves to others of its strategy what it bought, so these are matched together. In both the cost
 * of what is open is its average.
 *
 * Exact: what all fills brought in less what they paid, and the worth of what is held, are grid profit and inventory.
 */
import type { Amount } from "../domain/Amount.ts"
import * as CostBasis from "../domain/CostBasis.ts"
import type { Trade } from "./Trades.ts"

export interface TurnBook extends Pick<Trade, "strategy" | "market" | "base" | "quote"> {
  /** Empty: matched over its strategy. */
  readonly slot: string
  readonly position: Amount
  /** Quote paid for the position, or received for one below zero. */
  readonly cost: Amount
}

/** The books of one pool (a market of a strategy), by slot. */
export type TurnBooks = Map<string, TurnBook>

/** With what a trade is matched: what its slot did, or its strategy. */
export const bookOf = ({ byTurns, slot }: Trade): string => (byTurns === true ? slot : "")

/** Changes the books by a trade, and returns what it earned. */
export const take = (books: TurnBooks, trade: Trade): Amount => {
  const { strategy, market, base, quote, side, baseAmount, quoteAmount } = trade
  // It opens and closes nothing, as in `Lots`.
  if (baseAmount === 0n) return 0n
  const slot = bookOf(trade)
  const { position, cost } = books.get(slot) ?? CostBasis.empty
  const after = CostBasis.trade({ position, cost, realised: 0n }, side, baseAmount, quoteAmount)
  books.set(slot, { strategy, slot, market, base, quote, position: after.position, cost: after.cost })
  return after.realised
}

/** The worth of a base amount that may be below zero; `undefined` without a price. */
type Worth = (of: TurnBook, base: Amount) => Amount | undefined

/**
 * What each book's position would earn now. Worth is rounded over all of the pool, and each book has what it adds to that, so
 * the parts add up to the whole.
 */
export const inventory = (
  books: TurnBooks,
  worth: Worth
): ReadonlyArray<{ readonly book: TurnBook; readonly amount: Amount }> => {
  let [held, known] = [0n, 0n]
  const parts: Array<{ readonly book: TurnBook; readonly amount: Amount }> = []
  for (const book of books.values()) {
    if (book.position === 0n) continue
    held += book.position
    const all = worth(book, held)
    if (all === undefined) return []
    parts.push({ book, amount: all - known + (book.position > 0n ? -book.cost : book.cost) })
    known = all
  }
  return parts
}
