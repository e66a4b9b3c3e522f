/** What the operators of the expression language do, which types they join, and how the result moves with what it is made of. */
import type { Operator } from "./Grammar.ts"
import type { PriceDependence, Term, ValueType } from "./Term.ts"

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

const isFactor = ({ type }: Term): boolean => type === "number" || type === "ratio"

/** The type that two terms give, or `undefined` when they do not fit. */
export const resultType = (operator: Operator, a: Term, b: Term): ValueType | undefined => {
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
  if (operator === "/") return a.type === b.type ? "number" : isFactor(b) ? a.type : undefined
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
