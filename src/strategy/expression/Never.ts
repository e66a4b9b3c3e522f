/**
 * Finds conditions that can never be true: a comparison outside the range of its sides (`rsi(close, 14) > 100`), or comparisons that
 * exclude each other (`hour < 3 and hour > 5`). Such a file is accepted with a warning.
 */
import { present } from "../../domain/Present.ts"
import type { Operator } from "./Grammar.ts"

/** Both ends included. */
export type Range = readonly [low: number, high: number]

/** The demands of a condition on values, by the text of each. `never`: the reason why no value can satisfy them. */
export interface Demands {
  readonly confines: ReadonlyMap<string, Range>
  readonly never?: string
}

export const notNegative: Range = [0, Number.POSITIVE_INFINITY]

const anything: Range = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]

interface Side {
  readonly constant?: number
  readonly range?: Range
}

const mirrored: { readonly [K in Operator]?: Operator } = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==" }

/** The next number above the limit, or below it. */
const nextTo = (limit: number, sign: 1 | -1): number =>
  limit + sign * Math.max(Number.MIN_VALUE, Math.abs(limit) * Number.EPSILON)

const confinesOf = (operator: Operator, limit: number): Range | undefined => {
  const [low, high] = anything
  if (operator === "<") return [low, nextTo(limit, -1)]
  if (operator === "<=") return [low, limit]
  if (operator === ">") return [nextTo(limit, 1), high]
  if (operator === ">=") return [limit, high]
  return operator === "==" ? [limit, limit] : undefined
}

const meet = (a: Range, b: Range): Range => [Math.max(a[0], b[0]), Math.min(a[1], b[1])]

const isEmpty = ([low, high]: Range): boolean => low > high

const nothing: Demands = { confines: new Map() }

export const ofComparison = (
  operator: Operator,
  left: Side,
  right: Side,
  texts: readonly [left: string, right: string]
): Demands => {
  const isRight = left.constant !== undefined
  const [value, limit, text] = isRight ? [right, left, texts[1]] : [left, right, texts[0]]
  const relation = isRight ? mirrored[operator] : operator
  if (relation === undefined || limit.constant === undefined) return nothing
  const confines = confinesOf(relation, limit.constant)
  if (confines === undefined) return nothing
  const [low, high] = value.constant === undefined ? (value.range ?? anything) : [value.constant, value.constant]
  const never = isEmpty(meet(confines, [low, high]))
  return { confines: new Map([[text, confines]]), ...(never ? { never: `${text} is ${rangeText(low, high)}` } : {}) }
}

const rangeText = (low: number, high: number): string => {
  if (low === high) return `always ${low}`
  if (high === Number.POSITIVE_INFINITY) return `never below ${low}`
  return low === Number.NEGATIVE_INFINITY ? `never above ${high}` : `always from ${low} to ${high}`
}

export const ofAnd = (a: Demands | undefined, b: Demands | undefined): Demands => {
  const confines = new Map(a?.confines)
  let never = a?.never ?? b?.never
  for (const [text, other] of b?.confines ?? []) {
    const earlierRange = confines.get(text)
    const both = earlierRange === undefined ? other : meet(earlierRange, other)
    if (isEmpty(both)) never ??= `${text} cannot meet both conditions at once`
    confines.set(text, both)
  }
  return { confines, ...present({ never }) }
}

export const ofOr = (a: Demands | undefined, b: Demands | undefined): Demands =>
  a?.never !== undefined && b?.never !== undefined ? { ...nothing, never: a.never } : nothing
