/**
 * The average cost of a position and the earnings of trading so far. A position below zero was sold before it was bought; its cost is the
 * proceeds of that sale. Exact: proceeds of fills less their cost equal `realised`, less the cost of a long position, plus that of a short
 * one. Only the share of a partial close is rounded.
 */
import { type Amount, magnitude, max, min } from "./Amount.ts"
import * as Decimal from "./Decimal.ts"
import type { Market, Price, Side } from "./Market.ts"
import { present } from "./Present.ts"

export interface CostBasis {
  readonly position: Amount
  /** Quote paid for the position, or received for a position below zero; never negative. */
  readonly cost: Amount
  /** Quote earned by closed quantities, less the fees. */
  readonly realised: Amount
}

export const empty: CostBasis = { position: 0n, cost: 0n, realised: 0n }

export const trade = (before: CostBasis, side: Side, base: Amount, quote: Amount): CostBasis => {
  const { position, cost, realised } = before
  const signed = side === "BUY" ? base : -base
  if (base === 0n) return { ...before, realised: side === "BUY" ? realised - quote : realised + quote }
  if (position * signed >= 0n) {
    return { position: position + signed, cost: cost + quote, realised }
  }
  const size = magnitude(position)
  const closed = min(base, size)
  const closedCost = (cost * closed) / size
  const closedQuote = (quote * closed) / base
  const earned = side === "SELL" ? closedQuote - closedCost : closedCost - closedQuote
  const rest = closed === size ? quote - closedQuote : cost - closedCost
  return { position: position + signed, cost: rest, realised: realised + earned }
}

/** Takes back a sale of `base`, which reduces a position below zero. `rest` is the part that exceeds the position. */
export const unsell = (before: CostBasis, base: Amount): { readonly after: CostBasis; readonly rest: Amount } => {
  const { cost, position, realised } = before
  if (position >= 0n) return { after: before, rest: base }
  const part = min(base, -position)
  // The proceeds of a short position that is now zero are earned.
  const isAll = part === -position
  const after = isAll ? { position: 0n, cost: 0n, realised: realised + cost } : { ...before, position: position + part }
  return { after, rest: base - part }
}

export type GivenUp = Readonly<Record<"closed" | "cost", Amount>>

export const lose = (before: CostBasis, base: Amount): { readonly after: CostBasis; readonly loss: GivenUp } => {
  const after = trade(before, "SELL", base, 0n)
  const closed = min(base, max(0n, before.position))
  return { after, loss: { closed, cost: before.realised - after.realised } }
}

/** Takes back a write-off: the lost profit is earned back and becomes the cost of the base. */
export const regain = (before: CostBasis, base: Amount, { closed, cost }: GivenUp): CostBasis => {
  const { after, rest } = unsell(before, base - closed)
  const heldBasis = trade(trade(after, "BUY", rest, 0n), "BUY", closed, cost)
  return { ...heldBasis, realised: heldBasis.realised + cost }
}

export const charge = (before: CostBasis, fee: Amount): CostBasis => ({ ...before, realised: before.realised - fee })

/** Quote per unit of base, to this number of decimal places. `position` must be positive. */
export const perUnit = (
  cost: Amount,
  position: Amount,
  { base, quote }: Pick<Market, "base" | "quote">,
  rounding: Decimal.Rounding,
  places = 18
): Price => Decimal.divide(Decimal.make(cost, quote.decimals), Decimal.make(position, base.decimals), places, rounding)

export const averagePrice = (
  { position, cost }: CostBasis,
  market: Pick<Market, "base" | "quote">
): Price | undefined => (position === 0n ? undefined : perUnit(cost, magnitude(position), market, "down"))

/** Price at which a sale of the position recovers its cost, less all that trading has earned. `undefined` if nothing is lacking. */
export const breakEven = (
  { cost, position, realised }: CostBasis,
  market: Pick<Market, "base" | "quote">
): Price | undefined =>
  position <= 0n || cost <= realised ? undefined : perUnit(cost - realised, position, market, "up")

interface Dust {
  /** Below zero if the base was sold before it was bought; `cost` is then the proceeds, below zero as well. */
  readonly base: Amount
  readonly cost: Amount
}

/** True for what fees and rounding leave. A larger rest is a position; if it is too small for an order, a person must learn that. */
export const isLeftover = (rest: Amount, whole: Amount): boolean => rest * 100n < whole

/**
 * Holding of a strategy in one market beyond its budget, in live runs and backtests. A fee taken in base reduces the holding at its cost. A
 * leftover of a sale or a fee that is below the smallest order is dust. Dust keeps its cost apart from the position, which restarts at
 * zero, until all dust together is enough for an order.
 */
export interface HeldPosition {
  readonly basis: CostBasis
  readonly dust: Dust
  /** The largest position since the last one was closed. */
  readonly peak: Amount
}

type Exchange = Readonly<Record<"base" | "quote", Amount>>

export const noDust: Dust = { base: 0n, cost: 0n }

export const noPosition: HeldPosition = { basis: empty, dust: noDust, peak: 0n }

export interface SeenPosition {
  readonly position: Amount
  readonly dust?: Dust
  /** Quote earned by buying and selling again, by average cost, less all fees. */
  readonly realisedProfit: Amount
  /** Cost of the position per unit (proceeds per unit for a negative position). Missing without a position. */
  readonly averageEntry?: Price
}

export const seenPosition = ({ basis, dust }: HeldPosition, market: Market): SeenPosition => ({
  position: basis.position,
  realisedProfit: basis.realised,
  ...present({ averageEntry: averagePrice(basis, market), dust: dust.base === 0n ? undefined : dust })
})

export const mapBasis = (held: HeldPosition, change: (basis: CostBasis) => CostBasis): HeldPosition => {
  const basis = change(held.basis)
  const before = basis.position * held.basis.position > 0n ? held.peak : 0n
  return { ...held, basis, peak: max(before, magnitude(basis.position)) }
}

const dustOf = ({ cost, position }: CostBasis): Dust => ({ base: position, cost: position < 0n ? -cost : cost })

const ofDust = ({ basis: { realised }, dust: { base, cost } }: HeldPosition): HeldPosition => ({
  basis: { position: base, cost: magnitude(cost), realised },
  dust: noDust,
  peak: magnitude(base)
})

const withPart = (held: HeldPosition, part: Amount): HeldPosition => {
  const { cost, position } = held.basis
  const size = magnitude(part)
  const share = part === 0n ? 0n : (cost * size) / magnitude(position)
  const after = trade(ofDust(held).basis, part < 0n ? "SELL" : "BUY", size, share)
  const basis = { position: position - part, cost: cost - share, realised: after.realised }
  return { basis, dust: dustOf(after), peak: position === part ? 0n : held.peak }
}

/** Sets aside a leftover of `whole` whose value is below `least` at this price, and takes back dust whose value is above it. */
const swept = (held: HeldPosition, { base, quote }: Exchange, least: Amount, whole = held.peak): HeldPosition => {
  const enough = quote === 0n ? 0n : Decimal.divideInteger(least * base, quote, "up")
  const size = magnitude(held.basis.position)
  if (size >= enough || (size > 0n && !isLeftover(size, whole))) return held
  const aside = withPart(held, held.basis.position)
  return magnitude(aside.dust.base) < enough ? aside : ofDust(aside)
}

/** Without a position, dust on the other side of the trade becomes the position, so that the trade closes it. */
const opened = (before: HeldPosition, signed: Amount): HeldPosition =>
  before.basis.position === 0n && before.dust.base * signed < 0n ? ofDust(before) : before

/** Applies a fill. `least` is the smallest order, in quote. */
export const traded = (before: HeldPosition, side: Side, fill: Exchange, least: Amount): HeldPosition => {
  const signed = side === "BUY" ? fill.base : -fill.base
  const open = opened(before, signed)
  const after = mapBasis(open, (basis) => trade(basis, side, fill.base, fill.quote))
  return open.basis.position * signed < 0n ? swept(after, fill, least) : after
}

/** A fee in base leaves the holding at its cost. A fee on base that is not held counts at the price of its order, rounded up. */
export const feeTaken = (before: HeldPosition, fee: Amount, order: Exchange, least: Amount): HeldPosition => {
  if (fee === 0n || order.base === 0n) return before
  const worth = Decimal.divideInteger(fee * order.quote, order.base, "up")
  const after = mapBasis(opened(before, -fee), (basis) => charge(trade(basis, "SELL", fee, worth), worth))
  // A fee on an order that has closed the whole position is a leftover of that order.
  return swept(after, order, least, before.basis.position === 0n ? order.base : undefined)
}

export const setAside = (position: HeldPosition, base: Amount): HeldPosition =>
  withPart(position, min(base, max(0n, position.basis.position)))

export const mapDust = (position: HeldPosition, change: (dust: HeldPosition) => HeldPosition): HeldPosition => {
  const { basis } = change(ofDust(position))
  return {
    ...position,
    basis: { ...position.basis, realised: basis.realised },
    dust: dustOf(basis)
  }
}
