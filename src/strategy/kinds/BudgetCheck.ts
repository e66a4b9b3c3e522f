/** Refuses a strategy whose orders cannot all be open at once within its budget, and warns of one whose limits refuse its orders. */
import { type Amount, type Asset, formatWithSymbol, max, min } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { inputAmount, type Market, quoteAmount, type Side } from "../../domain/Market.ts"
import type { Leg } from "../Decision.ts"
import type { KindContext } from "../Kind.ts"
import { report, type Span, warn } from "../Problem.ts"

const places = 8

export const roundedText = (amount: Amount, asset: Asset, rounding: Decimal.Rounding): string => {
  const unit = Decimal.powerOfTen(Math.max(0, asset.decimals - places))
  return formatWithSymbol(Decimal.divideInteger(amount, unit, rounding) * unit, asset)
}

export const lackText = (needed: Amount, available: Amount, asset: Asset, key: "base" | "quote"): string =>
  `${roundedText(needed, asset, "up")} of ${key} budget, and it has ${formatWithSymbol(available, asset)}`

/** `instead`: what helps besides a larger budget. */
export const checkNeed = (
  needed: Amount,
  key: "base" | "quote",
  what: string,
  at: Span,
  { market, budget, to }: KindContext,
  instead: string
): void => {
  if (budget === undefined || needed <= budget[key]) return
  const text = `${what} need ${lackText(needed, budget[key], market[key], key)}`
  report(to, at, text, `raise limits.budget.${key}, or ${instead}`)
}

export const checkBudget = (
  orders: ReadonlyArray<Leg>,
  what: string,
  at: Span,
  context: KindContext,
  instead = "make them smaller"
): void => {
  const { market } = context
  for (const side of ["BUY", "SELL"] as const) {
    const paying = orders.filter((order) => order.side === side)
    const needed = paying.reduce((sum, { price, quantity }) => sum + inputAmount(market, side, quantity, price), 0n)
    checkNeed(needed, side === "BUY" ? "quote" : "base", what, at, context, instead)
  }
}

/**
 * Warns if an exit that buys back may cost more than the sale brought, and the budget has no quote for the difference. `more`: the
 * difference, if known.
 */
export const checkDearExit = (side: Side, at: Span, { budget, market, to }: KindContext, more?: Amount): void => {
  if (side === "BUY" || budget === undefined || (more ?? 1n) <= budget.quote) return
  if (more === undefined && budget.quote > 0n) return
  const needs =
    more === undefined ? "quote, and the budget has none" : lackText(more, budget.quote, market.quote, "quote")
  const text = `beside what the sale brings, an exit that buys back at a higher price needs ${needs}`
  warn(to, at, text, "raise limits.budget.quote, or it buys back only a part")
}

export const valueOf = (market: Market, { price, quantity }: Pick<Leg, "price" | "quantity">): Amount =>
  quoteAmount(market, quantity, price, "up")

export const checkValues = (
  [first, ...others]: ReadonlyArray<Amount>,
  at: Span,
  { limits: { minOrder, maxNotional } = {}, market, to }: KindContext
): void => {
  if (first === undefined) return
  const [least, most] = [others.reduce(min, first), others.reduce(max, first)]
  const say = (key: string, value: string, limit: Amount, hint: string) => {
    const text = `an order worth ${value} is not placed: limits.${key} is ${formatWithSymbol(limit, market.quote)}`
    warn(to, at, text, `${hint} limits.${key}`)
  }
  const [smallest, largest] = [roundedText(least, market.quote, "down"), roundedText(most, market.quote, "up")]
  if (minOrder !== undefined && least < minOrder)
    say("minOrder", smallest, minOrder, "make the smallest order larger, or lower")
  if (maxNotional !== undefined && most > maxNotional)
    say("maxNotional", largest, maxNotional, "make the largest order smaller, or raise")
}
