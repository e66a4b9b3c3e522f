/**
 * `equity` of a strategy file: a stop, a take-profit and a trailing stop for the whole strategy. Equity is the budget and the result of
 * trading, after fees. Between two fills equity depends on the price alone, so each threshold is a price. The best equity is remembered in
 * steps, so that not every tick changes the answer. A stop that has risen never falls.
 */
import { floorOf, formatWithSymbol, magnitude, toDecimal } from "../../domain/Amount.ts"
import { noDust } from "../../domain/CostBasis.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid } from "../../domain/Market.ts"
import { type Memory, narrowed, type PriceBounds } from "../Decision.ts"
import * as Read from "../Fields.ts"
import { decimalIn } from "../kinds/Memory.ts"
import { away, negate, part, share } from "../kinds/PriceLevels.ts"
import { followStep } from "../kinds/StopExit.ts"
import { report } from "../Problem.ts"
import type { Budget } from "../Strategy.ts"
import type { OwnState, View } from "../View.ts"

const keys = {
  stop: Read.optional(part(Read.ratio), "the strategy ends when its equity is this much below that of its beginning"),
  stopRises: Read.optional(share(Read.ratio), "the stop rises by this share of what sales have earned", "it stays"),
  takeProfit: Read.optional(Read.ratio, "it ends when its equity is this much above that of its beginning"),
  trail: Read.optional(part(Read.ratio), "it ends when its equity is this much below its highest"),
  trailFrom: Read.optional(Read.ratio, "trail counts once equity is this much above that of the beginning", "at once")
}

export type EquityEnd = Read.KnownSettings<typeof keys>

const partners = { stopRises: "stop", trailFrom: "trail" } as const

export const equityEnd: Read.Reader<EquityEnd> = Read.mapped(Read.fields(keys), (fields, node, to) => {
  for (const key of ["stopRises", "trailFrom"] as const) {
    const [given, other] = [fields[key], partners[key]]
    if (given !== undefined && fields[other] === undefined)
      report(to, given, `${key} without ${other} does nothing`, `give ${other}, or remove this key`)
  }
  const isEmpty = node.type === "map" && node.entries.size === 0
  return isEmpty ? report(to, node, "nothing ends it: give stop, takeProfit or trail") : Read.valuesOf(keys, fields)
})

const moneyOf = ({ base, quote }: Market, money: Pick<Budget, "base" | "quote">) => ({
  quote: toDecimal(money.quote, quote.decimals),
  base: toDecimal(money.base, base.decimals)
})

const equityOf = (
  market: Market,
  budget: Budget,
  { averageEntry = Decimal.zero, dust = noDust, position, realisedProfit, setAside = 0n }: OwnState
) => {
  // An average entry is rounded down, so the exact cost is the next larger amount.
  const size = toDecimal(-magnitude(position), market.base.decimals)
  const cost = -floorOf(Decimal.multiply(size, averageEntry), market.quote.decimals)
  const quote = budget.quote + realisedProfit - setAside - dust.cost + (position < 0n ? cost : -cost)
  return moneyOf(market, { quote, base: budget.base + position + dust.base })
}

export interface EquityCourse {
  readonly memory: { readonly [field: string]: Memory }
  /** Missing while the strategy continues. */
  readonly ended: string | undefined
  readonly until: PriceBounds
  readonly stops: PriceBounds
}

const places = 18

/** `undefined` if the view does not record the strategy's trading. */
export const courseOf = (end: EquityEnd, budget: Budget, view: View, memory: Memory): EquityCourse | undefined => {
  const { market, own } = view
  if (own === undefined) return undefined
  const { base, quote } = equityOf(market, budget, own)
  const price = mid(view.price)
  const now = Decimal.add(quote, Decimal.multiply(base, price))
  const capital = moneyOf(market, budget)
  // An edit of the budget moves capital, which is no profit and no loss.
  const more = (key: "base" | "quote") => Decimal.subtract(capital[key], decimalIn(memory, key) ?? capital[key])
  const moved = Decimal.add(more("quote"), Decimal.multiply(more("base"), price))
  const marked = (mark = Decimal.subtract(now, moved)) => Decimal.add(mark, moved)
  const began = marked(decimalIn(memory, "began"))
  const trailFrom = away(began, end.trailFrom ?? Decimal.zero)
  const goalAfter = (best: Decimal.Decimal) => (Decimal.isLess(best, trailFrom) ? trailFrom : away(best, followStep))
  const before = marked(decimalIn(memory, "best"))
  const best = Decimal.isLess(now, goalAfter(before)) ? before : now
  const profit = toDecimal(own.realisedProfit, market.quote.decimals)
  const profitBefore = decimalIn(memory, "profitBefore") ?? profit
  const earned = Decimal.max(Decimal.subtract(profit, profitBefore), decimalIn(memory, "earned") ?? Decimal.zero)
  const risen = Decimal.multiply(end.stopRises ?? Decimal.zero, earned)
  const stop = end.stop && Decimal.add(away(began, negate(end.stop)), risen)
  const trail = end.trail && !Decimal.isLess(best, trailFrom) ? away(best, negate(end.trail)) : undefined
  const low = stop && trail ? Decimal.max(stop, trail) : (stop ?? trail)
  const high = end.takeProfit && away(began, end.takeProfit)
  const endedBy = (equity: Decimal.Decimal, name: string): string =>
    `ended: its equity reached the ${name} of ${formatWithSymbol(floorOf(equity, market.quote.decimals), market.quote)}`
  const ended =
    low !== undefined && !Decimal.isGreater(now, low)
      ? endedBy(low, low === trail ? "trailing stop" : "stop")
      : high !== undefined && !Decimal.isLess(now, high)
        ? endedBy(high, "take-profit")
        : undefined
  const priceOf = (equity: Decimal.Decimal | undefined): Decimal.Decimal | undefined => {
    if (equity === undefined || !Decimal.isPositive(base)) return undefined
    const price = Decimal.divide(Decimal.subtract(equity, quote), base, places, "down")
    return Decimal.isPositive(price) ? price : undefined
  }
  const leaves = priceOf(low)
  return {
    memory: {
      began: Decimal.format(began),
      base: Decimal.format(capital.base),
      quote: Decimal.format(capital.quote),
      ...(end.trail && { best: Decimal.format(best) }),
      ...(end.stopRises && { profitBefore: Decimal.format(profitBefore), earned: Decimal.format(earned) })
    },
    ended,
    until: narrowed({}, [leaves], [priceOf(high), end.trail && priceOf(goalAfter(best))]),
    stops: narrowed({}, [leaves], [])
  }
}
