/**
 * The `state:` section of rules: named series that follow from their own last value, such as a trend that stays until
 * it turns. Each has a value per closed candle of one timeframe.
 */
import { compileAny } from "../../expression/Compiler.ts"
import { longestLength } from "../../expression/functions.ts"
import { noNeeds } from "../../expression/Needs.ts"
import { described as typeName } from "../../expression/Operators.ts"
import type { OwnPast, Scope } from "../../expression/Scope.ts"
import { recursive } from "../../expression/series/Recursion.ts"
import { constantTerm, keyOf, seriesTerm, type Term, type ValueType } from "../../expression/Term.ts"
import * as Read from "../../Fields.ts"
import { type Report, report } from "../../Problem.ts"
import { timeframe } from "../../Timeframe.ts"

const defaultOver = 200

export const stateFields = Read.fields({
  initial: Read.required(Read.expression, "the value that it begins with"),
  next: Read.required(Read.expression, "its value in each candle; NAME[1] is its last value"),
  timeframe: Read.optional(timeframe, "of its candles; default: that of the rules"),
  over: Read.optional(
    Read.integer(2, longestLength),
    "each value follows from so many candles, beginning with the initial value; default: 200"
  )
})

export type StateFields = NonNullable<ReturnType<typeof stateFields>>

export const stateOf = (name: string, read: StateFields, around: Scope): Term | undefined => {
  if (read.initial === undefined || read.next === undefined) return undefined
  const { initial, next } = read
  const scope = { ...around, timeframe: read.timeframe?.value ?? around.timeframe, needs: noNeeds() }
  const compiled = (type: ValueType, isLiteral: boolean, to: Report) => {
    const leaves: Array<Term> = []
    const previous: Term = { type, isLiteral, dependence: "none", value: (moment) => moment.previous ?? Number.NaN }
    const state: OwnPast = { name, previous, leaves }
    return { leaves, term: compileAny(next.value, "price", { ...scope, to, state }) }
  }
  // A bare number fits any type. So the first reading says which type the value has, and the second one checks it.
  const { type = "number" } = compiled("number", true, { ...scope.to, problems: [], warnings: [] }).term ?? {}
  const { term, leaves } = compiled(type, false, scope.to)
  const began: Array<Term> = []
  const none: OwnPast = { name: "", previous: constantTerm(Number.NaN, "number", true), leaves: began }
  const first = compileAny(initial.value, "price", { ...scope, state: none })
  if (term === undefined || first === undefined) return undefined
  if (type === "boolean") {
    return report(scope.to, next, "a state is a number, a price or an amount", "if … then 1 else 0")
  }
  for (const [part, at] of [
    [term, next],
    [first, initial]
  ] as const) {
    if (part.type === type || part.isLiteral) continue
    return report(scope.to, at, `expected ${typeName(type)}, found ${typeName(part.type)}`)
  }
  const over = read.over?.value ?? defaultOver
  const keys = (terms: ReadonlyArray<Term>) => terms.map(keyOf).join(", ")
  const series = recursive({
    timeframe: scope.timeframe,
    key: `state(${initial.value.text}: ${keys(began)}; ${next.value.text}: ${keys(leaves)}; ${over})`,
    warmUp: Math.max(1, ...[...began, ...leaves].map(({ series }) => series?.warmUp ?? 1)),
    initial: first,
    next: term,
    over
  })
  const { candles } = around.needs
  // One candle more than the first value needs, because crossings look one candle back.
  candles.set(series.timeframe, Math.max(series.warmUp + 1, candles.get(series.timeframe) ?? 0))
  around.needs.volume ??= scope.needs.volume
  return seriesTerm(series, type)
}
