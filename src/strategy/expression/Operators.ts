/** The operators of the expression language: the types that they join, and how a result moves with its parts. */
import { unitMillis } from "../../domain/Durations.ts"
import type { Market } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import type { Operator } from "./Grammar.ts"
import * as Never from "./Never.ts"
import { combine, jumps, movedBy, movesOf, seriesFrom, stillTerm, type Term, type ValueType } from "./Term.ts"

type Table<A> = { readonly [K in Operator]?: (a: number, b: number) => A }

export const arithmetic: Table<number> = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b }

export const comparisons: Table<boolean> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b
}

interface Rate {
  readonly base: string
  readonly quote: string
}

const ofPrice = "price of "

const rateOf = (type: ValueType, market: Market): Rate | undefined => {
  if (type === "price") return ratesOf(market)
  if (!type.startsWith(ofPrice)) return undefined
  const [first = "", second = ""] = type.slice(ofPrice.length).split("/")
  return { base: first, quote: second }
}

const ratesOf = ({ base, quote }: Market): Rate => ({ base: base.symbol, quote: quote.symbol })

const priceType = ({ base, quote }: Rate, market: Market): ValueType =>
  base === market.base.symbol && quote === market.quote.symbol ? "price" : `price of ${base}/${quote}`

export const priceTypeOf = (market: Market, own: Market): ValueType => priceType(ratesOf(market), own)

/** An amount of base times its price is an amount of quote. An amount of quote divided by a price is an amount of base. */
const converted = (operator: Operator, a: ValueType, b: ValueType, market: Market): ValueType | undefined => {
  const [left, right] = [rateOf(a, market), rateOf(b, market)]
  if (operator === "*" && right !== undefined && a === `amount of ${right.base}`) return `amount of ${right.quote}`
  if (operator === "*" && left !== undefined && b === `amount of ${left.base}`) return `amount of ${left.quote}`
  if (operator === "/" && right !== undefined && a === `amount of ${right.quote}`) return `amount of ${right.base}`
  return left === undefined || right === undefined ? undefined : ofRates(operator, left, right, market)
}

/**
 * The price of BTC in ETH times the price of ETH in USDC is the price of BTC in USDC. The price of ETH in USDC divided by the price of BTC
 * in USDC is the price of ETH in BTC. Without a common asset, a quotient is a plain number.
 */
const ofRates = (operator: Operator, a: Rate, b: Rate, market: Market): ValueType | undefined => {
  const isSame = a.base === b.base && a.quote === b.quote
  if (operator === "/" && !isSame) {
    if (a.quote === b.quote) return priceType({ base: a.base, quote: b.base }, market)
    return a.base === b.base ? priceType({ base: b.quote, quote: a.quote }, market) : "number"
  }
  if (operator !== "*") return undefined
  if (a.quote === b.base && a.base === b.quote) return "ratio"
  if (a.quote === b.base) return priceType({ base: a.base, quote: b.quote }, market)
  return a.base === b.quote ? priceType({ base: b.base, quote: a.quote }, market) : undefined
}

const isFactor = ({ type }: Term): boolean => type === "number" || type === "ratio"

export const resultType = (operator: Operator, a: Term, b: Term, market: Market): ValueType | undefined => {
  const other = converted(operator, a.type, b.type, market)
  if (other !== undefined) return other
  if (a.type === "boolean" || b.type === "boolean") return undefined
  const common = a.type === b.type || b.isLiteral ? a.type : a.isLiteral ? b.type : undefined
  if (operator === "*" && isFactor(a)) return a.type === "ratio" && b.type === "number" ? "ratio" : b.type
  if (operator === "*") return isFactor(b) ? a.type : undefined
  if (operator === "/" && a.type === b.type) return a.type.startsWith("price") ? "ratio" : "number"
  if (operator === "/") return isFactor(b) ? a.type : undefined
  if (operator === "+" || operator === "-") return common
  return common === undefined ? undefined : "boolean"
}

export const movingName = ({ dependence }: Term, other: Term): string =>
  dependence === "time" || other.dependence === "time" ? "since" : "mid"

/** The box of a comparison (see `Crossing`) has a corner for each combination of price ends, so their number is limited. */
const maxPrices = 4

export const dependenceOf = (operator: Operator, a: Term, b: Term): Term["dependence"] => {
  const kinds = new Set([a.dependence, b.dependence])
  if (kinds.has("other")) return "other"
  if (kinds.has("time")) return ofTime(operator, a, b)
  const [left, right] = [movesOf(a), movesOf(b)]
  const all = new Set([...left, ...right])
  if (all.size === 0) return "none"
  const isShared = all.size < left.size + right.size
  if (all.size > maxPrices) return "other"
  if (operator === "/" && right.size > 0) return isShared || !isPositive(b) ? "other" : "monotone"
  const isLine = !kinds.has("monotone")
  if (isShared) return isLine && operator !== "*" ? "linear" : "other"
  return isLine ? "linear" : "monotone"
}

const ofTime = (operator: Operator, a: Term, b: Term): Term["dependence"] => {
  if (operator === "/") return b.dependence === "none" ? "time" : "other"
  if (a.dependence === "none" || b.dependence === "none") return "time"
  return operator === "*" || a.dependence !== b.dependence ? "other" : "time"
}

const isPositive = (term: Term): boolean => term.isPositive === true || (term.constant ?? 0) > 0

export const positive = (operator: Operator, a: Term, b: Term): Pick<Term, "isPositive"> =>
  (operator === "*" || operator === "/") && isPositive(a) && isPositive(b) ? { isPositive: true } : {}

export const described = (type: ValueType): string =>
  type === "boolean" ? "a condition" : type.startsWith("amount") ? `an ${type}` : `a ${type}`

export const scales: ReadonlyMap<string, readonly [ValueType, number]> = new Map<string, readonly [ValueType, number]>([
  ["", ["number", 1]],
  ["%", ["ratio", 0.01]],
  ["bps", ["ratio", 0.0001]],
  ...Object.entries(unitMillis).map(([unit, millis]) => [unit, ["duration", millis]] as const)
])

/** A value in every candle, if the condition depends on candles alone. */
export const seriesOf = (a: Term, b: Term, name: string, apply: (a: number, b: number) => number) => {
  const { series } = combine(a, b, name, apply, { type: "boolean", isLiteral: false, dependence: "none" })
  return present({ series })
}

const checksOf = (terms: ReadonlyArray<Term>) => terms.flatMap(({ checks = [] }) => checks)

export const join = (operator: "and" | "or", a: Term, b: Term): Term => {
  const apply = operator === "and" ? Math.min : Math.max
  return {
    ...stillTerm("boolean", (moment) => apply(a.value(moment), b.value(moment))),
    checks: checksOf([a, b]),
    demands: (operator === "and" ? Never.ofAnd : Never.ofOr)(a.demands, b.demands),
    ...seriesOf(a, b, operator, apply),
    ...jumps([a, b])
  }
}

/** Has no value while a comparison in the term has no answer yet, which is not "no". */
export const warm =
  ({ value }: Term): Term["value"] =>
  (moment) => {
    const { found } = moment
    const before = found.isCold
    found.isCold = false
    const answer = value(moment)
    const { isCold } = found
    found.isCold ||= before
    return isCold ? Number.NaN : answer
  }

export const choose = (asked: Term, yes: Term, no: Term): Term => {
  const lines = new Set([yes, no].map(({ dependence }) => dependence).filter((dependence) => dependence !== "none"))
  const [line = "none"] = lines
  const series = seriesFrom([asked, yes, no], "if", ([is = Number.NaN, a = Number.NaN, b = Number.NaN]) =>
    Number.isNaN(is) ? is : is > 0 ? a : b
  )
  const condition = warm(asked)
  return {
    ...present({ series }),
    type: yes.isLiteral ? no.type : yes.type,
    isLiteral: yes.isLiteral && no.isLiteral,
    dependence: lines.size > 1 ? "other" : line,
    ...movedBy([yes, no]),
    checks: checksOf([asked, yes, no]),
    ...jumps([asked, yes, no]),
    value: (moment) => {
      const [a, b, is] = [yes.value(moment), no.value(moment), condition(moment)]
      return Number.isNaN(is) ? is : is > 0 ? a : b
    }
  }
}
