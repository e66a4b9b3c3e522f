/**
 * Names for the strategy's own trading. A view that does not record it lacks these names, which is reported. A name without a value now
 * (the average entry without a position) is undefined, and every comparison with it is false.
 */
import { type Amount, type Asset, asNumber } from "../../../domain/Amount.ts"
import { noDust } from "../../../domain/CostBasis.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Market } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import { anyMarket } from "../../Fields.ts"
import type { Span } from "../../Problem.ts"
import type { Budget } from "../../Strategy.ts"
import type { OwnState } from "../../View.ts"
import { notePrice } from "../Crossing.ts"
import type { Expression } from "../Grammar.ts"
import { notNegative, type Range } from "../Never.ts"
import type { Compiling } from "../Scope.ts"
import { type Moment, type PriceDependence, stillTerm, type Term, type ValueType } from "../Term.ts"

interface OwnName {
  readonly type: ValueType
  readonly dependence: PriceDependence
  readonly range?: Range
  readonly exact?: (own: OwnState) => Amount
  readonly read: (own: OwnState, moment: Moment) => number
}

const moneyOf = (asset: Asset, exact: (own: OwnState) => Amount): OwnName => ({
  type: `amount of ${asset.symbol}`,
  dependence: "none",
  exact,
  read: (own) => asNumber(exact(own), asset)
})

/** The budget at the present price, plus the result of trading. */
const equityIn =
  ({ base, quote }: Market, budget: Budget | undefined): OwnName["read"] =>
  ({ averageEntry, dust = noDust, realisedProfit, setAside = 0n }, { mid, position }) => {
    const began = asNumber(budget?.quote ?? 0n, quote) + asNumber((budget?.base ?? 0n) + dust.base, base) * mid
    const open = averageEntry === undefined ? 0 : position * (mid - Decimal.toNumber(averageEntry))
    return began + asNumber(realisedProfit - setAside - dust.cost, quote) + open
  }

const ownNames = (market: Market, budget: Budget | undefined): Readonly<Record<string, OwnName>> => ({
  openOrders: { type: "number", dependence: "none", range: notNegative, read: ({ openOrders }) => openOrders },
  averageEntry: {
    type: "price",
    dependence: "none",
    read: ({ averageEntry }) => (averageEntry === undefined ? Number.NaN : Decimal.toNumber(averageEntry))
  },
  freeBase: moneyOf(market.base, ({ freeBase }) => freeBase),
  freeQuote: moneyOf(market.quote, ({ freeQuote }) => freeQuote),
  realisedProfit: moneyOf(market.quote, ({ realisedProfit }) => realisedProfit),
  equity: { type: `amount of ${market.quote.symbol}`, dependence: "linear", read: equityIn(market, budget) },
  // Undefined unless the equity is positive.
  exposure: {
    type: "ratio",
    dependence: "monotone",
    read: (own, moment) => {
      const equity = equityIn(market, budget)(own, moment)
      const baseAmount = asNumber((budget?.base ?? 0n) + (own.dust?.base ?? 0n), market.base) + moment.position
      // At another price the equity may be positive.
      if (equity <= 0) notePrice(moment, moment.mid)
      return equity > 0 ? (baseAmount * moment.mid) / equity : Number.NaN
    }
  },
  // Before the first fill it is the mid, so it moves with the price.
  last: {
    type: "price",
    dependence: "linear",
    read: ({ lastFill }, { mid }) => (lastFill === undefined ? mid : Decimal.toNumber(lastFill.price))
  }
})

export const ownWords: ReadonlyArray<string> = Object.keys(ownNames(anyMarket, undefined))

const events: ReadonlyMap<string, (own: OwnState) => number | undefined> = new Map([
  ["fill", ({ lastFill }: OwnState) => lastFill?.at],
  ["placement", ({ lastPlacedAt }: OwnState) => lastPlacedAt]
])

export const positionTerm = ({ base }: Market): Term => ({
  ...stillTerm(`amount of ${base.symbol}`, ({ position }) => position),
  exact: ({ exactPosition }) => exactPosition
})

const ownTerm = (name: string, { type, dependence, exact, read, range }: OwnName): Term => ({
  ...present({ range }),
  ...(exact === undefined ? {} : { exact: ({ own }) => own && exact(own) }),
  type,
  isLiteral: false,
  dependence,
  value: (moment) => {
    if (moment.own === undefined) {
      moment.found.lacking.add(name)
      return Number.NaN
    }
    const value = read(moment.own, moment)
    if (Number.isNaN(value)) moment.found.isUndefined = true
    return value
  }
})

export const ownNamed = (name: string, market: Market, budget: Budget | undefined): Term | undefined => {
  const own = ownWords.includes(name) ? ownNames(market, budget)[name] : undefined
  return own === undefined ? undefined : ownTerm(name, own)
}

/** `since(fill)` is infinite if the event never happened. */
export const sinceCalled = (
  [event, ...others]: ReadonlyArray<Expression>,
  at: Span,
  { knowsStart, needs, wrong }: Compiling
): Term | undefined => {
  const name = event?.type === "name" && others.length === 0 ? event.name : undefined
  if (name === "start" && knowsStart) {
    needs.start = true
    return sinceStart
  }
  const happenedAt = events.get(name ?? "")
  const choices = knowsStart ? "fill, placement or start" : "fill or placement"
  if (happenedAt === undefined) return wrong(at, `since takes ${choices}, such as since(fill)`)
  return ownTerm(`since(${name})`, {
    type: "duration",
    dependence: "time",
    range: notNegative,
    read: (own, { now, elapsed }) => now + elapsed - (happenedAt(own) ?? Number.NEGATIVE_INFINITY)
  })
}

const sinceStart: Term = {
  type: "duration",
  isLiteral: false,
  dependence: "time",
  range: notNegative,
  value: ({ elapsed, now, startedAt = now }) => now + elapsed - startedAt
}
