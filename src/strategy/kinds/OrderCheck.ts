/**
 * Checks the orders of a file. Refuses orders that cannot all be open at once within the budget. Warns of orders that the limits refuse, of
 * rounds that earn no more than they cost, and of orders whose fee takes half of their proceeds.
 */
import { type Amount, type Asset, formatWithSymbol, max, min } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { feesOf, gainOf, netOfFills, roundOf } from "../../domain/fees/RoundCost.ts"
import { inputAmount, type Market, outputAmount, outputAsset, quoteAmount, type Side } from "../../domain/Market.ts"
import { countText, percent } from "../../domain/Text.ts"
import type { Leg } from "../Decision.ts"
import type { KindContext } from "../Kind.ts"
import { report, type Span, warn } from "../Problem.ts"
import type { Size } from "./Size.ts"

const places = 8

const roundedText = (amount: Amount, asset: Asset, rounding: Decimal.Rounding): string => {
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

type Context = Pick<KindContext, "market" | "to">

interface Output {
  readonly asset: Asset
  readonly amount: Amount
}

const larger = "make the orders larger"

const checkOutputs = (outputs: ReadonlyArray<Output>, at: Span, { market: { costs }, to }: Context): void => {
  if (costs === undefined) return
  const fee = ({ amount, asset }: Output): Amount => feesOf(costs, asset.symbol, amount)
  const eaten = outputs.find((output) => output.amount > 0n && 2n * fee(output) >= output.amount)
  if (eaten === undefined) return
  const [taken, all] = [fee(eaten), eaten.amount].map((amount) => roundedText(amount, eaten.asset, "up"))
  warn(to, at, `fees take ${taken} of an order that brings ${all}`, larger)
}

export const checkFees = (orders: ReadonlyArray<Leg>, at: Span, context: Context): void => {
  const { market } = context
  const outputs = orders.map(({ price, quantity, side }) => {
    return { asset: outputAsset(market, side), amount: outputAmount(market, side, quantity, price) }
  })
  checkOutputs(outputs, at, context)
}

export const checkFeesOfSizes = (sizes: ReadonlyArray<Size>, side: Side, at: Span, context: Context): void => {
  const asset = outputAsset(context.market, side)
  const unit = side === "BUY" ? "base" : "quote"
  const outputs = sizes.flatMap((size) => (size.unit === unit ? [{ asset, amount: size.amount }] : []))
  checkOutputs(outputs, at, context)
}

export const checkRounds = (
  rounds: ReadonlyArray<{ readonly buy: Leg; readonly sell: Leg }>,
  name: string,
  at: Span,
  context: Context,
  hint: string
): void => {
  const { market, to } = context
  const orders = rounds.flatMap(({ buy, sell }) => [buy, sell])
  checkFees(orders, at, context)
  const { costs } = market
  if (costs === undefined) return
  const losing = rounds
    .map((round) => ({ round, ...roundOf(market, round.buy, round.sell, costs) }))
    .filter(({ fees, gain }) => gain <= fees)
    .sort((a, b) => Number(a.gain - a.fees - (b.gain - b.fees)))
  const [worst] = losing
  if (worst === undefined) return
  const { fees, gain, round } = worst
  const [earned, paid] = [gain, fees].map((amount) => roundedText(amount, market.quote, "up"))
  const prices = `${Decimal.format(round.buy.price)} and ${Decimal.format(round.sell.price)}`
  const which = rounds.length === 1 ? `its ${name} loses` : `${losing.length} of ${countText(rounds.length, name)} lose`
  warn(to, at, `${which}: between ${prices} it earns ${earned} and pays ${paid} in fees`, hint)
}

interface RatioRound {
  readonly ratio: Decimal.Decimal
  readonly isNet?: boolean
  readonly bought?: Amount | undefined
  readonly proceeds?: Amount | undefined
}

export const checkRatio = (
  { bought, isNet = false, proceeds, ratio }: RatioRound,
  name: string,
  at: Span,
  { market, to }: Context,
  hint: string
): void => {
  const { costs } = market
  if (costs === undefined) return
  const whole = isNet ? netOfFills(true, ratio, costs.fillBasisPoints) : ratio
  const before = Decimal.toNumber(whole) - 1
  const gain = gainOf(market, { ratio: before + 1, bought, proceeds }, costs)
  if (gain > 0) return
  const text = `it earns ${percent(before)} before fees, and fees take ${percent(before - gain)}`
  warn(to, at, `${name} loses ${percent(-gain)}: ${text}`, hint)
}

/** Checks a percentage target, which is net of the venue's share of fills. Payout fees may still exceed the profit of a small order. */
export const checkTarget = (
  target: Decimal.Decimal,
  side: Side,
  entries: ReadonlyArray<Leg>,
  at: Span,
  context: Context
): void => {
  const [smallest] = entries.toSorted((a, b) => Number(a.quantity - b.quantity))
  if (smallest === undefined) return
  const { price, quantity } = smallest
  const proceeds = quoteAmount(context.market, quantity, price, "down")
  const round = { ratio: ratioOf(side, target), isNet: true, bought: quantity, proceeds }
  checkRatio(round, "its take-profit", at, context, larger)
}

export const ratioOf = (side: Side, target: Decimal.Decimal): Decimal.Decimal =>
  side === "BUY" || !Decimal.isLess(target, Decimal.one)
    ? Decimal.add(Decimal.one, target)
    : Decimal.divide(Decimal.one, Decimal.subtract(Decimal.one, target), 18, "down")
