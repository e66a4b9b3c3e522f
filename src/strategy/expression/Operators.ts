/** What the operators of the expression language do, which types they join, and how a result moves with its parts. */
import { dayMillis, hourMillis } from "../../domain/Durations.ts"
import type { Market } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import type { Operator } from "./Grammar.ts"
import * as Never from "./Never.ts"
import { combine, type PriceDependence, seriesFrom, type Term, type ValueType } from "./Term.ts"

type Table<A> = { readonly [K in Operator]?: (a: number, b: number) => A }

export const arithmetic: Table<number> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b
}

export const comparisons: Table<boolean> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b
}

/** An amount of base times its price is an amount of quote; an amount of quote divided by a price is one of base. */
const conversion = (operator: Operator, a: ValueType, b: ValueType, { base, quote }: Market): ValueType | undefined => {
  const [inBase, inQuote] = [`amount of ${base.symbol}`, `amount of ${quote.symbol}`] as const
  if (operator === "*" && ((a === inBase && b === "price") || (a === "price" && b === inBase))) return inQuote
  return operator === "/" && a === inQuote && b === "price" ? inBase : undefined
}

const isFactor = ({ type }: Term): boolean => type === "number" || type === "ratio"

/** How many times larger one price is than another: it compares with `%`. */
const quotientOf = (type: ValueType): ValueType => (type === "price" ? "ratio" : "number")

/** The type of the result of two terms, or `undefined` when they do not fit. */
export const resultType = (operator: Operator, a: Term, b: Term, market?: Market): ValueType | undefined => {
  const converted = market === undefined ? undefined : conversion(operator, a.type, b.type, market)
  if (converted !== undefined) return converted
  if (a.type === "boolean" || b.type === "boolean") return undefined
  const common = a.type === b.type || b.isLiteral ? a.type : a.isLiteral ? b.type : undefined
  if (operator === "*")
    return isFactor(a)
      ? a.type === "ratio" && b.type === "number"
        ? "ratio"
        : b.type
      : isFactor(b)
        ? a.type
        : undefined
  if (operator === "/") return a.type === b.type ? quotientOf(a.type) : isFactor(b) ? a.type : undefined
  if (operator === "+" || operator === "-") return common
  return common === undefined ? undefined : "boolean"
}

export const movingName = ({ dependence }: Term, other: Term): string =>
  dependence === "time" || other.dependence === "time" ? "since" : "mid"

export const dependenceOf = (operator: Operator, a: Term, b: Term): PriceDependence => {
  if (a.dependence === "none" && b.dependence === "none") return "none"
  const line = a.dependence === "none" ? b.dependence : a.dependence
  if (b.dependence !== "none" && b.dependence !== line) return "other"
  if (operator === "*") return a.dependence === "none" || b.dependence === "none" ? line : "other"
  if (operator === "/") return b.dependence === "none" ? line : "other"
  return line
}

/** For messages. */
export const described = (type: ValueType): string =>
  type === "boolean" ? "a condition" : type.startsWith("amount") ? `an ${type}` : `a ${type}`

/** Units of numbers: their type, and what one unit is worth. */
export const scales: ReadonlyMap<string, readonly [ValueType, number]> = new Map([
  ["", ["number", 1]],
  ["%", ["ratio", 0.01]],
  ["bps", ["ratio", 0.0001]],
  ["s", ["duration", 1_000]],
  ["m", ["duration", 60_000]],
  ["h", ["duration", hourMillis]],
  ["d", ["duration", dayMillis]]
])

/** What a condition was in every candle, if it depends on candles alone. */
export const seriesOf = (
  a: Term,
  b: Term,
  name: string,
  apply: (a: number, b: number) => number
): Pick<Term, "series"> => {
  const { series } = combine(a, b, name, apply, { type: "boolean", isLiteral: false, dependence: "none" })
  return series === undefined ? {} : { series }
}

const moving = (terms: ReadonlyArray<Term>): Pick<Term, "isMoving"> =>
  terms.some(({ isMoving }) => isMoving === true) ? { isMoving: true } : {}

const checksOf = (terms: ReadonlyArray<Term>) => terms.flatMap(({ checks = [] }) => checks)

/** Both sides are always evaluated, because what would change the answer may be on either. */
export const join = (operator: "and" | "or", a: Term, b: Term): Term => {
  const apply = operator === "and" ? Math.min : Math.max
  return {
    type: "boolean",
    isLiteral: false,
    dependence: "none",
    checks: checksOf([a, b]),
    demands: (operator === "and" ? Never.ofAnd : Never.ofOr)(a.demands, b.demands),
    ...seriesOf(a, b, operator, apply),
    ...moving([a, b]),
    value: (moment) => apply(a.value(moment), b.value(moment))
  }
}

/** One of two values, chosen by a condition. Both are always evaluated. */
export const choose = (asked: Term, yes: Term, no: Term): Term => {
  const lines = new Set([yes, no].map(({ dependence }) => dependence).filter((dependence) => dependence !== "none"))
  const [line = "none"] = lines
  const series = seriesFrom([asked, yes, no], "if", ([is = Number.NaN, a = Number.NaN, b = Number.NaN]) =>
    Number.isNaN(is) ? is : is > 0 ? a : b
  )
  return {
    ...present({ series }),
    type: yes.isLiteral ? no.type : yes.type,
    isLiteral: yes.isLiteral && no.isLiteral,
    dependence: lines.size > 1 ? "other" : line,
    checks: checksOf([asked, yes, no]),
    ...moving([asked, yes, no]),
    value: (moment) => {
      const [a, b] = [yes.value(moment), no.value(moment)]
      return asked.value(moment) > 0 ? a : b
    }
  }
}
