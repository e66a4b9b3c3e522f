/**
 * Separates what trading earned from what holding an inventory earned. A leg closes its own slot's position, at average cost. In kinds
 * whose slots buy and sell by turns, only the sale at the end of the strategy closes more. In other kinds one slot sells what others
 * bought. Such a leg then closes their positions, oldest first. A fee on the position closes nothing: it counts as a fee and reduces the
 * position's cost. Exact: grid profit plus inventory equal the proceeds of all fills less their cost, plus the value of the holdings.
 */
import { type Amount, magnitude, max, min } from "../domain/Amount.ts"
import * as CostBasis from "../domain/CostBasis.ts"
import { dustSlot } from "../domain/Ledger.ts"
import type { Trade } from "./Trades.ts"

export interface TurnBook extends Pick<Trade, "strategy" | "slot" | "market" | "base" | "quote"> {
  readonly position: Amount
  /** Quote paid for the position, or received for one below zero. */
  readonly cost: Amount
}

export interface TurnBooks {
  readonly open: Map<string, TurnBook>
  /** Base that a written-off loss closed, and its cost, by placement. */
  readonly lost: Map<string, CostBasis.GivenUp>
}

export const emptyBooks = (): TurnBooks => ({ open: new Map(), lost: new Map() })
export const copyOf = ({ lost, open }: TurnBooks): TurnBooks => ({ open: new Map(open), lost: new Map(lost) })

type Taken = Readonly<Record<"earned" | "closed", Amount>>

/**
 * Changes the books by a trade. Base that is written off counts as sold for nothing. If it arrives after all, it is held again at its cost,
 * and the loss is earned back.
 */
export const take = (books: TurnBooks, trade: Trade): Taken => {
  const { baseAmount, loss, placement, quoteAmount } = trade
  if (trade.setAside !== undefined) return setAside(books.open, trade, trade.setAside)
  const lost = loss === "found" && baseAmount > 0n ? books.lost.get(placement) : undefined
  if (lost !== undefined) {
    books.lost.delete(placement)
    return regain(books.open, trade, lost)
  }
  const outcome = chargeOwn(books.open, trade) ?? exchange(books.open, trade, baseAmount, quoteAmount)
  if (loss === "given up" && baseAmount > 0n)
    books.lost.set(placement, { closed: outcome.closed, cost: -outcome.earned })
  return outcome
}

/** Charges a base fee to its own slot's position. `undefined` if the trade is not such a fee, or if the rest could have no cost. */
const chargeOwn = (
  books: TurnBooks["open"],
  { baseAmount, isFee, quoteAmount, side, slot }: Trade
): Taken | undefined => {
  const own = books.get(slot)
  if (isFee !== true || side === "BUY" || own === undefined) return undefined
  if (own.position <= baseAmount || own.cost < quoteAmount) return undefined
  books.set(slot, { ...own, position: own.position - baseAmount, cost: own.cost - quoteAmount })
  return { earned: 0n, closed: 0n }
}

const regain = (books: TurnBooks["open"], trade: Trade, { closed, cost }: CostBasis.GivenUp): Taken => {
  const own = books.get(trade.slot)
  const { after, rest } = CostBasis.unsell({ ...CostBasis.empty, ...own, realised: 0n }, trade.baseAmount - closed)
  if (own !== undefined) keep(books, own, after)
  const parts = [exchange(books, trade, rest, 0n), exchange(books, trade, closed, cost)]
  const sum = (of: keyof Taken): Amount => parts.reduce((total, part) => total + part[of], 0n)
  return { earned: cost + after.realised + sum("earned"), closed: sum("closed") }
}

/** Moves base from the position of its slot to the dust slot, at its average cost. */
const setAside = (books: TurnBooks["open"], trade: Trade, rest: Amount): Taken => {
  const { cost, position } = books.get(trade.slot) ?? { cost: 0n, position: 0n }
  const part = min(rest, max(0n, position))
  if (part === 0n) return { earned: 0n, closed: 0n }
  const worth = (cost * part) / position
  exchange(books, { ...trade, byTurns: true }, part, worth)
  const dust = { ...trade, slot: dustSlot(trade.base), side: "BUY", byTurns: true } as const
  return { ...exchange(books, dust, part, worth), closed: 0n }
}

const keep = (books: TurnBooks["open"], book: TurnBook, { cost, position }: CostBasis.CostBasis): void => {
  if (position === 0n) books.delete(book.slot)
  else books.set(book.slot, { ...book, position, cost })
}

const exchange = (books: TurnBooks["open"], trade: Trade, baseAmount: Amount, quoteAmount: Amount): Taken => {
  const { side, slot } = trade
  // Quote alone was lost, or its fill grew by less than a unit of base.
  if (baseAmount === 0n) return { earned: side === "SELL" ? quoteAmount : -quoteAmount, closed: 0n }
  let [base, quote, earned] = [baseAmount, quoteAmount, 0n]
  const move = (book: TurnBook, part: Amount): void => {
    const share = (quote * part) / base
    const before = { position: book.position, cost: book.cost, realised: 0n }
    const after = CostBasis.trade(before, side, part, share)
    keep(books, book, after)
    earned += after.realised
    base -= part
    quote -= share
  }
  for (const book of closedBy(books, trade)) {
    if (base === 0n) break
    move(book, min(base, magnitude(book.position)))
  }
  const closed = baseAmount - base
  const { strategy, market, base: baseAsset, quote: quoteAsset } = trade
  const fresh = { strategy, slot, market, base: baseAsset, quote: quoteAsset, position: 0n, cost: 0n }
  if (base > 0n) move(books.get(slot) ?? fresh, base)
  return { earned, closed }
}

const closedBy = (books: TurnBooks["open"], { byTurns, side, slot }: Trade): ReadonlyArray<TurnBook> => {
  const own = books.get(slot)
  const others = byTurns === true ? [] : [...books.values()].filter((book) => book !== own)
  return [...(own === undefined ? [] : [own]), ...others].filter(({ position }) =>
    side === "BUY" ? position < 0n : position > 0n
  )
}

type Worth = (of: TurnBook, base: Amount) => Amount | undefined

/**
 * The unrealised profit of each position. The value is rounded over the whole pool, and each book gets its increment, so the parts add up
 * to the whole.
 */
export const inventory = (
  books: TurnBooks,
  worth: Worth
): ReadonlyArray<{ readonly book: TurnBook; readonly amount: Amount }> => {
  let [held, known] = [0n, 0n]
  const parts: Array<{ readonly book: TurnBook; readonly amount: Amount }> = []
  for (const book of books.open.values()) {
    held += book.position
    const all = worth(book, held)
    if (all === undefined) return []
    parts.push({ book, amount: all - known + (book.position > 0n ? -book.cost : book.cost) })
    known = all
  }
  return parts
}
