/** Refuses a strategy whose orders cannot all be open at once within its budget, and warns of one whose limits refuse its orders. */
import { type Amount, type Asset, formatWithSymbol, max, min } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { inputAmount, inputAsset, type Market, quoteAmount, type Side } from "../../domain/Market.ts"
import type { Leg } from "../Decision.ts"
import type { KindContext } from "../Kind.ts"
import { report, type Span, warn } from "../Problem.ts"

const places = 8

export const roundedText = (amount: Amount, asset: Asset, rounding: Decimal.Rounding): string => {
  const unit = Decimal.powerOfTen(Math.max(0, asset.decimals - places))
  return formatWithSymbol(Decimal.divideInteger(amount, unit, rounding) * unit, asset)
}

export const lackText = (needed: Amount, available: Amount, asset: Asset, key: "base" | "quote"): string => {
  return `${roundedText(needed, asset, "up")} of ${key} budget, and it has ${formatWithSymbol(available, asset)}`
}

export const checkBudget = (
  orders: ReadonlyArray<Leg>,
  what: string,
  at: Span,
  { market, budget, to }: KindContext
): void => {
  const sides: ReadonlyArray<readonly [Side, "base" | "quote"]> = [
    ["BUY", "quote"],
    ["SELL", "base"]
  ]
  for (const [side, key] of sides) {
    const needed = orders
      .filter((order) => order.side === side)
      .reduce((sum, { price, quantity }) => sum + inputAmount(market, side, quantity, price), 0n)
    if (budget === undefined || needed <= budget[key]) continue
    const amounts = lackText(needed, budget[key], inputAsset(market, side), key)
    report(to, at, `${what} need ${amounts}`, `raise limits.budget.${key}, or make them smaller`)
  }
}

/**
 * Warns if an exit that buys back may cost more than the sale brought, and the budget has no quote for the difference. `more`: the
 * difference, if known.
 */
export const checkDearExit = (
  side: Side,
  at: Span,
  { budget, market, to }: KindContext,
  more: Amount | undefined = undefined
): void => {
  if (side === "BUY" || budget === undefined || (more ?? 1n) <= budget.quote) return
  if (more === undefined && budget.quote > 0n) return
  const needs =
    more === undefined ? "quote, and the budget has none" : lackText(more, budget.quote, market.quote, "quote")
  warn(
    to,
    at,
    `beside what the sale brings, an exit that buys back at a higher price needs ${needs}`,
    "raise limits.budget.quote, or it buys back only a part"
  )
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
  const say = (key: string, value: string, limit: Amount, hint: string) =>
    warn(
      to,
      at,
      `an order worth ${value} is not placed: limits.${key} is ${formatWithSymbol(limit, market.quote)}`,
      hint
    )
  if (minOrder !== undefined && least < minOrder)
    say(
      "minOrder",
      roundedText(least, market.quote, "down"),
      minOrder,
      "make the smallest order larger, or lower limits.minOrder"
    )
  if (maxNotional !== undefined && most > maxNotional)
    say(
      "maxNotional",
      roundedText(most, market.quote, "up"),
      maxNotional,
      "make the largest order smaller, or raise limits.maxNotional"
    )
}
