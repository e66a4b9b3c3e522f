/**
 * Turns the tree of an expression into its meaning: finds names, checks types, applies units. Everything that does
 * not fit is reported at its exact columns. What an expression needs (candles, clock) is collected on the way.
 */

import { Result } from "effect"
import type { Market } from "../../domain/Market.ts"
import { placesIn, problemAt, quoted, type Report, report, type Span, suggestion, warn } from "../Problem.ts"
import type { Budget } from "../Strategy.ts"
import type { YamlScalar } from "../YamlReader.ts"
import { checked, written } from "./Checks.ts"
import { clocks } from "./Clocks.ts"
import { depthTerm } from "./DepthTerm.ts"
import { areAlike, candle, candleNames, functions, longestLength, timeframeOf } from "./functions.ts"
import { type Expression, operatorHint, parse } from "./Grammar.ts"
import type { Needs } from "./Needs.ts"
import * as Never from "./Never.ts"
import {
  arithmetic,
  choose,
  comparisons,
  dependenceOf,
  described,
  join,
  movingName,
  resultType,
  scales,
  seriesOf
} from "./Operators.ts"
import { ownNamed, ownWords, sinceOf } from "./OwnNames.ts"
import { shifted } from "./series/Past.ts"
import { combine, constantTerm, noteCrossing, type Term, type ValueType } from "./Term.ts"

/** What the expressions of one file share. */
export interface Scope {
  readonly market: Market
  /** Missing where it could not be read. */
  readonly budget?: Budget | undefined
  /** For candles without a written timeframe: `close` means `close(timeframe)`. */
  readonly timeframe: string
  readonly names: ReadonlyMap<string, Term>
  readonly needs: Needs
  readonly to: Report
  /** Only inside of a state's own expression. */
  readonly state?: OwnPast
}

/** A state while its next value is compiled: only its last value is known. */
export interface OwnPast {
  readonly name: string
  readonly previous: Term
  /** All that the expression looks at, in its order. */
  readonly leaves: Array<Term>
}

/** Bounds can be computed only for a straight line of the price. A price that is computed just once needs none. */
type Use = "condition" | "price"

interface Compiling extends Scope {
  readonly use: Use
  readonly placeOf: (at: Span) => Span
  /** The expression as written. */
  readonly text: string
}

export const compile = (node: YamlScalar, wanted: ValueType, use: Use, scope: Scope): Term | undefined => {
  const term = compileAny(node, use, scope)
  if (term?.demands?.never !== undefined) {
    warn(scope.to, node, `this can never be true: ${term.demands.never}`)
  }
  if (term === undefined || term.type === wanted || (term.isLiteral && wanted !== "boolean")) return term
  return report(
    scope.to,
    node,
    `expected ${described(wanted)}, found ${described(term.type)}`,
    wanted === "boolean" ? "a condition compares, such as mid < 60000" : undefined
  )
}

export const compileAny = (node: YamlScalar, use: Use, scope: Scope): Term | undefined => {
  const placeOf = placesIn(node, scope.to)
  const parsed = parse(node.text)
  if (Result.isFailure(parsed)) {
    const { message, ...at } = parsed.failure
    return report(scope.to, placeOf(at), message, operatorHint(node.text.slice(at.start), node.text))
  }
  return termOf(parsed.success, { ...scope, use, placeOf, text: node.text })
}

const termOf = (tree: Expression, context: Compiling): Term | undefined => {
  switch (tree.type) {
    case "number":
      return literal(tree, context)
    case "name":
      return ofState(named(tree.name, tree, context), tree, context)
    case "call":
      return ofState(called(tree.name, tree.arguments, tree, context), tree, context)
    case "unary":
      return unary(tree, context)
    case "past":
      return past(tree, context)
    case "if":
      return choice(tree, context)
    case "binary":
      return binary(tree, context)
  }
}

/** A state follows from closed candles of its own timeframe, so that every run finds the same values. */
const ofState = (
  term: Term | undefined,
  at: Expression & { type: "name" | "call" },
  { state, timeframe, to, placeOf }: Compiling
): Term | undefined => {
  if (term === undefined || state === undefined) return term
  const isOfCandles = term.series === undefined ? term.constant !== undefined : term.series.timeframe === timeframe
  if (isOfCandles) state.leaves.push(term)
  const isJoined = at.type === "call" && term.series === undefined && functions.has(at.name)
  if (isOfCandles || isJoined) return term
  return report(to, placeOf(at), `a state looks at closed candles of its own timeframe (${timeframe}) alone`)
}

const literal = ({ value, unit, ...at }: Expression & { type: "number" }, context: Compiling): Term | undefined => {
  const { base, quote } = context.market
  const [type, scale] = scales.get(unit) ?? []
  if (type !== undefined && scale !== undefined) return constantTerm(value * scale, type, unit === "")
  if (unit === base.symbol || unit === quote.symbol) return constantTerm(value, `amount of ${unit}`, false)
  const units = ["%", "bps", "s", "m", "h", "d", base.symbol, quote.symbol]
  return report(context.to, context.placeOf(at), `unknown unit ${quoted(unit)}`, suggestion(unit, units))
}

const priceNames = ["mid", "bid", "ask"] as const

const noteVolume = (name: string, at: Span, { needs, to, placeOf }: Compiling): void => {
  if (name !== "volume" && name !== "vwap") return
  const hint = "use prices alone, such as sma(close, 20)"
  needs.volume ??= problemAt(to.source, placeOf(at), `the venue tells no volume: ${name} is for backtests only`, hint)
}

const named = (name: string, at: Span, context: Compiling): Term | undefined => {
  noteVolume(name, at, context)
  if (name === context.state?.name) {
    const hint = `${name}[1], its last value`
    return report(context.to, context.placeOf(at), `the value of ${name} in this candle is not known yet`, hint)
  }
  const own = context.names.get(name)
  if (own !== undefined) return own
  const ofCandle = candleNames.find((candidate) => candidate === name)
  if (ofCandle !== undefined) return remembered(candle(ofCandle, context.timeframe, context.market), context)
  const price = priceNames.find((candidate) => candidate === name)
  if (price !== undefined) return priceTerm(price, at, context)
  const clock = clocks.get(name)
  if (clock !== undefined) {
    const { everyMillis, range, value } = clock
    context.needs.clockMillis = Math.min(everyMillis, context.needs.clockMillis ?? everyMillis)
    return { type: "number", isLiteral: false, dependence: "none", range, value: ({ now }) => value(now) }
  }
  if (name === "position") {
    const type = `amount of ${context.market.base.symbol}` as const
    return { type, isLiteral: false, dependence: "none", value: ({ position }) => position }
  }
  const ofOwn = ownNamed(name, context.market, context.budget)
  if (ofOwn !== undefined) return ofOwn
  const place = context.placeOf(at)
  if (functions.has(name)) return report(context.to, place, `${name} needs arguments`, functions.get(name)?.usage)
  const known = [
    ...context.names.keys(),
    ...candleNames,
    ...priceNames,
    ...clocks.keys(),
    "position",
    ...ownWords,
    ...functions.keys()
  ]
  return report(context.to, place, `unknown name ${quoted(name)}`, suggestion(name, known))
}

const priceTerm = (name: (typeof priceNames)[number], at: Span, { use, to, placeOf }: Compiling): Term | undefined => {
  if (use === "condition" && name !== "mid") {
    return report(to, placeOf(at), `${name} may stand in a price only`, "use mid in conditions")
  }
  return { type: "price", isLiteral: false, dependence: "linear", range: Never.notNegative, value: (at) => at[name] }
}

/** Records how many candles a series needs, and returns it. */
const remembered = (term: Term, { needs }: Compiling): Term => {
  const { series } = term
  if (series !== undefined) {
    // One candle more than the first number needs, because crossings look one candle back.
    const least = series.warmUp + 1
    needs.candles.set(series.timeframe, Math.max(least, needs.candles.get(series.timeframe) ?? 0))
  }
  return term
}

const called = (name: string, given: ReadonlyArray<Expression>, at: Span, context: Compiling): Term | undefined => {
  const { to, placeOf } = context
  noteVolume(name, at, context)
  const ofCandle = candleNames.find((candidate) => candidate === name)
  if (ofCandle !== undefined) {
    const timeframe = given.length === 1 ? timeframeOf(given[0]) : undefined
    if (timeframe !== undefined) return remembered(candle(ofCandle, timeframe, context.market), context)
    return report(to, placeOf(at), `${name} takes a timeframe, such as ${name}(4h)`)
  }
  if (name === "since")
    return sinceOf(given) ?? report(to, placeOf(at), "since takes fill or placement, such as since(fill)")
  if (name === "depth") return depthOf(given, at, context)
  const known = functions.get(name)
  if (known === undefined) {
    return report(
      to,
      placeOf({ start: at.start, end: at.start + name.length }),
      `unknown function ${quoted(name)}`,
      suggestion(name, [...functions.keys(), ...candleNames, "since", "depth"])
    )
  }
  const { parameters, usage, make } = known
  const needed = parameters.filter((parameter) => parameter !== "timeframe?").length
  if (given.length < needed || given.length > parameters.length) {
    return report(
      to,
      placeOf(at),
      `${name} takes ${needed === given.length ? parameters.length : needed} arguments, found ${given.length}`,
      usage
    )
  }
  const last = given[needed]
  const timeframe = last === undefined ? undefined : timeframeOf(last)
  if (last !== undefined && timeframe === undefined)
    return report(to, placeOf(last), "expected a timeframe such as 4h", usage)
  const terms = given
    .slice(0, needed)
    .map((tree, index) => argument(tree, parameters[index] ?? "value", usage, context))
  const good = terms.filter((term) => term !== undefined)
  if (good.length < terms.length || !areAlike(good, parameters, given, usage, context)) return undefined
  const made = make({ terms: good, timeframe, defaultTimeframe: context.timeframe })
  if (made.type !== "boolean") return remembered(made, context)
  return remembered({ ...made, ...checked(written(at, context.text), good, made.value) }, context)
}

const depthOf = (given: ReadonlyArray<Expression>, at: Span, context: Compiling): Term | undefined => {
  const { market, needs, to, placeOf } = context
  const term = depthTerm(given, market)
  if (term === undefined) {
    return report(to, placeOf(at), "depth takes an amount of base, written out", `depth(0.5 ${market.base.symbol})`)
  }
  needs.depth.add(term.quantity)
  return term
}

const argument = (tree: Expression, parameter: string, usage: string, context: Compiling): Term | undefined => {
  const term = termOf(tree, context)
  if (term === undefined) return undefined
  const place = context.placeOf(tree)
  if (parameter === "series" && term.series === undefined) {
    return report(context.to, place, "expected a series of candles, such as close", usage)
  }
  if (parameter === "condition") {
    if (term.type === "boolean" && term.series !== undefined) return term
    return report(context.to, place, "expected a condition on candles of one timeframe, such as close > open", usage)
  }
  if (parameter === "length") {
    const length = term.isLiteral ? term.constant : undefined
    const isGood = length !== undefined && Number.isInteger(length) && length >= 1 && length <= longestLength
    return isGood ? term : report(context.to, place, `expected a whole number from 1 to ${longestLength}`, usage)
  }
  if (parameter === "number" && (term.constant === undefined || !term.isLiteral)) {
    return report(context.to, place, "expected a number", usage)
  }
  return term.type === "boolean" ? report(context.to, place, "expected a number, found a condition", usage) : term
}

const unary = (tree: Expression & { type: "unary" }, context: Compiling): Term | undefined => {
  const operand = termOf(tree.operand, context)
  if (operand === undefined) return undefined
  const isCondition = operand.type === "boolean"
  if (isCondition !== (tree.operator === "not")) {
    const wanted = tree.operator === "not" ? "a condition" : "a number"
    return report(context.to, context.placeOf(tree.operand), `expected ${wanted}, found ${described(operand.type)}`)
  }
  if (!isCondition) return combine(constantTerm(0, "number", true), operand, "-", (a, b) => a - b, operand)
  const { demands: _, ...opposite } = operand
  const history = seriesOf(constantTerm(1, "boolean", false), opposite, "not", (one, value) => one - value)
  return { ...opposite, ...history, value: (moment) => 1 - operand.value(moment) }
}

const past = (tree: Expression & { type: "past" }, context: Compiling): Term | undefined => {
  const { state } = context
  if (state !== undefined && tree.operand.type === "name" && tree.operand.name === state.name) {
    if (tree.back === 1) return state.previous
    return report(context.to, context.placeOf(tree), "a state knows its last value alone", `${state.name}[1]`)
  }
  const operand = termOf(tree.operand, context)
  if (operand === undefined) return undefined
  const { series } = operand
  const at = context.placeOf(tree)
  if (series === undefined) return report(context.to, at, "only a series of candles has a past", "such as close[1]")
  if (tree.back > longestLength) return report(context.to, at, `looks back ${longestLength} candles at most`)
  return remembered(shifted({ ...operand, series }, tree.back), context)
}

const choice = (tree: Expression & { type: "if" }, context: Compiling): Term | undefined => {
  const [asked, yes, no] = [tree.condition, tree.then, tree.otherwise].map((part) => termOf(part, context))
  if (asked === undefined || yes === undefined || no === undefined) return undefined
  const at = context.placeOf(tree)
  if (asked.type !== "boolean") {
    return report(context.to, context.placeOf(tree.condition), `expected a condition, found ${described(asked.type)}`)
  }
  const isAlike = yes.type === no.type || yes.isLiteral || no.isLiteral
  if (!isAlike || (yes.type === "boolean") !== (no.type === "boolean")) {
    return report(context.to, at, `these do not fit together: ${described(yes.type)} else ${described(no.type)}`)
  }
  const { dependence } = choose(asked, yes, no)
  if (context.use === "condition" && (dependence === "other" || (dependence !== "none" && asked.isMoving === true))) {
    return report(
      context.to,
      at,
      "in a condition only one of both may move with the price: the question, or its answers"
    )
  }
  return choose(asked, yes, no)
}

const binary = (tree: Expression & { type: "binary" }, context: Compiling): Term | undefined => {
  const [left, right] = [termOf(tree.left, context), termOf(tree.right, context)]
  if (left === undefined || right === undefined) return undefined
  if (tree.operator === "and" || tree.operator === "or") return logical(tree, left, right, context)
  const at = context.placeOf(tree)
  const type = resultType(tree.operator, left, right, context.market)
  if (type === undefined) {
    const words = `${described(left.type)} ${tree.operator} ${described(right.type)}`
    const isShift = left.type === "price" && right.type === "ratio"
    const hint = isShift ? `multiply instead: … * (1 ${tree.operator} …)` : undefined
    return report(context.to, at, `these do not fit together: ${words}`, hint)
  }
  const dependence = dependenceOf(tree.operator, left, right)
  if (dependence === "other" && context.use === "condition") {
    return report(
      context.to,
      at,
      `in a condition ${movingName(left, right)} can only be compared, added, subtracted, or multiplied by what does not depend on it`
    )
  }
  if (type !== "boolean") {
    const isLiteral = left.isLiteral && right.isLiteral && type === "number"
    return combine(left, right, tree.operator, arithmetic[tree.operator] ?? Math.min, { type, isLiteral, dependence })
  }
  const holds = comparisons[tree.operator] ?? (() => false)
  const value: Term["value"] = (moment) => {
    moment.found.isUndefined = false
    const [a, b] = [left.value(moment), right.value(moment)]
    if (Number.isNaN(a) || Number.isNaN(b)) {
      if (moment.found.isUndefined) return 0
      moment.found.isCold = true
    } else noteCrossing(left, right, moment)
    return holds(a, b) ? 1 : 0
  }
  const ofText = checked(written(tree, context.text), [left, right], value)
  const texts = [written(tree.left, context.text), written(tree.right, context.text)] as const
  const demands = Never.ofComparison(tree.operator, left, right, texts)
  const isMoving = [left, right].some((term) => term.dependence !== "none" || term.isMoving === true)
  const history = seriesOf(left, right, tree.operator, (a, b) =>
    Number.isNaN(a + b) ? Number.NaN : holds(a, b) ? 1 : 0
  )
  return {
    type,
    isLiteral: false,
    dependence: "none",
    demands,
    ...history,
    ...(isMoving ? { isMoving } : {}),
    ...ofText
  }
}

/** Both sides are always evaluated, because what would change the answer may be on either. */
const logical = (
  { operator, left, right }: Expression & { type: "binary" },
  a: Term,
  b: Term,
  context: Compiling
): Term | undefined => {
  for (const [tree, term] of [
    [left, a],
    [right, b]
  ] as const) {
    if (term.type === "boolean") continue
    return report(context.to, context.placeOf(tree), `${operator} joins conditions, found ${described(term.type)}`)
  }
  return join(operator === "and" ? "and" : "or", a, b)
}
