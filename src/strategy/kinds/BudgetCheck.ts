/** Refuses a strategy whose orders cannot rest at once within its budget, and warns of one whose limits refuse its orders. */
import { type Amount, type Asset, formatWithSymbol, max, min } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { inputAmount, inputAsset, type Market, quoteAmount, type Side } from "../../domain/Market.ts"
import type { Leg } from "../Decision.ts"
import type { KindContext } from "../Kind.ts"
import { report, type Span, warn } from "../Problem.ts"

/** Digits after these are of no use to whoever raises a budget. */
const places = 8

/** With at most eight decimal places. */
export const roundedText = (amount: Amount, asset: Asset, rounding: Decimal.Rounding): string => {
  const unit = Decimal.powerOfTen(Math.max(0, asset.decimals - places))
  return formatWithSymbol(Decimal.divideInteger(amount, unit, rounding) * unit, asset)
}

/** How much is needed and how much is there; the former is rounded up, so that it is enough. */
export const lackText = (needed: Amount, available: Amount, asset: Asset, key: "base" | "quote"): string => {
  return `${roundedText(needed, asset, "up")} of ${key} budget, and it has ${formatWithSymbol(available, asset)}`
}

/** `what`: who needs it, as the subject of the sentence. */
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

/** Warns where what was sold is bought back dearer, as at a stop, and no quote is there for it. `more`: than the sale brings, if it is known. */
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
    `beside what the sale brings, an exit that buys back dearer needs ${needs}`,
    "raise limits.budget.quote, or the exit is refused"
  )
}

/** What it is worth in quote, as the limits see it. */
export const valueOf = (market: Market, { price, quantity }: Pick<Leg, "price" | "quantity">): Amount =>
  quoteAmount(market, quantity, price, "up")

/** Warns of orders that the limits refuse whenever they are to be placed. */
export const checkValues = (
  [first, ...others]: ReadonlyArray<Amount>,
  at: Span,
  { limits: { minOrder, maxNotional } = {}, market, to }: KindContext
): void => {
  if (first === undefined) return
  const [least, most] = [others.reduce(min, first), others.reduce(max, first)]
  const say = (key: string, worth: string, limit: Amount, hint: string) =>
    warn(
      to,
      at,
      `an order worth ${worth} is not placed: limits.${key} is ${formatWithSymbol(limit, market.quote)}`,
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
