/**
 * What a position cost, by average cost, and what trading has earned so far. A position below zero was sold before it was
 * bought; its cost is what that brought in. Exact: what fills brought in less what they cost is always `realised` less the
 * cost of a position above zero, plus that of one below; only the share that a partial close takes is rounded.
 */
import { type Amount, magnitude, max, min } from "./Amount.ts"
import * as Decimal from "./Decimal.ts"
import type { Market, Price, Side } from "./Market.ts"

export interface CostBasis {
  /** Base bought less base sold. */
  readonly position: Amount
  /** Quote paid for the position, or received for one below zero; never negative. */
  readonly cost: Amount
  /** Quote earned by what was closed, less the fees. */
  readonly realised: Amount
}

export const empty: CostBasis = { position: 0n, cost: 0n, realised: 0n }

/** After a fill of `base` for `quote`. The closed share of the cost is rounded down, the rest stays. */
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

/** Base that was never sold: so much less of a position below zero. `rest`: what is beyond that. */
export const unsell = (before: CostBasis, base: Amount): { readonly after: CostBasis; readonly rest: Amount } => {
  const { cost, position, realised } = before
  if (position >= 0n) return { after: before, rest: base }
  const part = min(base, -position)
  // What was received for a position that is none is earned.
  const isAll = part === -position
  const after = isAll ? { position: 0n, cost: 0n, realised: realised + cost } : { ...before, position: position + part }
  return { after, rest: base - part }
}

/** What base that was given up had closed, and what that had cost. */
export interface GivenUp {
  readonly closed: Amount
  readonly cost: Amount
}

/** Base that is given up is sold for nothing. */
export const lose = (before: CostBasis, base: Amount): { readonly after: CostBasis; readonly loss: GivenUp } => {
  const after = trade(before, "SELL", base, 0n)
  const closed = min(base, max(0n, before.position))
  return { after, loss: { closed, cost: before.realised - after.realised } }
}

/** It comes after all: what that had lost is earned back, and is what it costs. */
export const regain = (before: CostBasis, base: Amount, { closed, cost }: GivenUp): CostBasis => {
  const { after, rest } = unsell(before, base - closed)
  const held = trade(trade(after, "BUY", rest, 0n), "BUY", closed, cost)
  return { ...held, realised: held.realised + cost }
}

export const charge = (before: CostBasis, fee: Amount): CostBasis => ({ ...before, realised: before.realised - fee })

const places = 18

/** `undefined` without a position. */
export const averagePrice = ({ position, cost }: CostBasis, { base, quote }: Market): Price | undefined =>
  position === 0n
    ? undefined
    : Decimal.divide(
        Decimal.make(cost, quote.decimals),
        Decimal.make(magnitude(position), base.decimals),
        places,
        "down"
      )
