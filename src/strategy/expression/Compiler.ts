/**
 * Turns the tree of an expression into its meaning: finds names, checks types, applies units. Problems are reported at their exact columns.
 * What an expression needs (candles, clock) is collected on the way.
 */
import { Result } from "effect"
import { nameRule } from "../../domain/Signal.ts"
import { placesIn, quoted, report, type Span, suggestion, warn } from "../Problem.ts"
import type { YamlScalar } from "../YamlReader.ts"
import { checked, written } from "./Checks.ts"
import { noteCrossing } from "./Crossing.ts"
import { areAlike, candleNames, functions, longestLength } from "./functions.ts"
import { distanceHint, type Expression, type Operator, operatorHint, parse } from "./Grammar.ts"
import * as Never from "./Never.ts"
import { clockOfCandles, clocks, clockTerm } from "./names/Clocks.ts"
import { depthTerm } from "./names/DepthTerm.ts"
import * as MarketNames from "./names/MarketNames.ts"
import { candlesIn, isMarketName, noteVolume, priceNames, remembered } from "./names/MarketNames.ts"
import { ownNamed, ownWords, positionTerm, sinceOf } from "./names/OwnNames.ts"
import { signalTerm, signalUsage } from "./names/SignalTerm.ts"
import {
  arithmetic,
  choose,
  comparisons,
  dependenceOf,
  described,
  join,
  movingName,
  positive,
  resultType,
  scales,
  seriesOf
} from "./Operators.ts"
import type { Compiling, Scope, Use } from "./Scope.ts"
import { shifted } from "./series/Past.ts"
import { combine, constantTerm, othersOf, type Term, type ValueType } from "./Term.ts"

export const compile = (node: YamlScalar, wanted: ValueType, use: Use, scope: Scope): Term | undefined => {
  const term = compileAny(node, use, scope)
  if (term?.demands?.never !== undefined) {
    warn(scope.to, node, `this can never be true: ${term.demands.never}`)
  }
  if (term === undefined) return undefined
  if (term.type === wanted || (term.isLiteral && wanted !== "boolean")) {
    const isPrice = wanted === "price" && term.constant !== undefined
    if (!isPrice || (term.constant ?? 0) > 0) return term
    return report(scope.to, node, `expected a price above zero, found ${term.constant}`)
  }
  return report(
    scope.to,
    node,
    `expected ${described(wanted)}, found ${described(term.type)}`,
    wanted === "boolean"
      ? "a condition compares, such as mid < 60000"
      : wanted === "price" && term.type === "ratio"
        ? distanceHint(scope.names.has("entry") ? "entry" : "mid", node.text)
        : undefined
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
      return ofState(termOfName(tree.name, tree, context), tree, context)
    case "market": {
      const hint = `mid("${tree.name}"), close("${tree.name}", 4h)`
      return report(context.to, context.placeOf(tree), "a market says where a price or candles are from", hint)
    }
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

/** A state uses only closed candles of its own timeframe, so that every run finds the same values. */
const ofState = (
  term: Term | undefined,
  at: Expression & { type: "name" | "call" },
  { state, timeframe, to, placeOf }: Compiling
): Term | undefined => {
  if (term === undefined || state === undefined) return term
  const { series } = term
  const isOwn = series?.timeframe === timeframe && othersOf(series).length === 0
  const isOfCandles = series === undefined ? term.constant !== undefined : isOwn
  if (isOfCandles) state.leaves.push(term)
  const isJoined = at.type === "call" && term.series === undefined && functions.has(at.name)
  if (isOfCandles || isJoined) return term
  return report(to, placeOf(at), `a state can use only closed candles of its own market and timeframe (${timeframe})`)
}

const literal = ({ value, unit, ...at }: Expression & { type: "number" }, context: Compiling): Term | undefined => {
  const { base, quote } = context.market
  const [type, scale] = scales.get(unit) ?? []
  if (type !== undefined && scale !== undefined) return constantTerm(value * scale, type, unit === "")
  if (unit === base.symbol || unit === quote.symbol) return constantTerm(value, `amount of ${unit}`, false)
  const units = ["%", "bps", "s", "m", "h", "d", base.symbol, quote.symbol]
  return report(context.to, context.placeOf(at), `unknown unit ${quoted(unit)}`, suggestion(unit, units))
}

const termOfName = (name: string, at: Span, context: Compiling): Term | undefined => {
  if (context.state?.previous.has(name) === true) {
    const hint = `${name}[1], its last value`
    return report(context.to, context.placeOf(at), `the value of ${name} in this candle is not known yet`, hint)
  }
  const own = context.names.get(name)
  if (own !== undefined) return own
  if (isMarketName(name)) return MarketNames.ownNamed(name, at, context)
  const clock = clocks.get(name)
  if (clock !== undefined && context.state !== undefined) return clockOfCandles(name, clock, context.timeframe)
  if (clock !== undefined) {
    context.needs.clockMillis = Math.min(clock.everyMillis, context.needs.clockMillis ?? clock.everyMillis)
    return clockTerm(clock)
  }
  if (name === "position") return positionTerm(context.market)
  const ofOwn = ownNamed(name, context.market, context.budget)
  if (ofOwn !== undefined) return ofOwn
  const place = context.placeOf(at)
  if (functions.has(name)) return report(context.to, place, `${name} needs arguments`, functions.get(name)?.usage)
  const candidates = [
    ...context.names.keys(),
    ...candleNames,
    ...priceNames,
    ...clocks.keys(),
    "position",
    ...ownWords,
    ...functions.keys()
  ]
  const hint = name === "market" ? "an order at the market is price: mid with by: swap" : suggestion(name, candidates)
  return report(context.to, place, `unknown name ${quoted(name)}`, hint)
}

const called = (name: string, given: ReadonlyArray<Expression>, at: Span, context: Compiling): Term | undefined => {
  const { to, placeOf } = context
  if (isMarketName(name)) return MarketNames.called(name, given, at, context)
  if (name === "since") return sinceCalled(given, at, context)
  if (name === "depth") return depthOf(given, at, context)
  if (name === "signal") return signalOf(given, at, context)
  const definition = functions.get(name)
  if (definition === undefined) {
    return report(
      to,
      placeOf({ start: at.start, end: at.start + name.length }),
      `unknown function ${quoted(name)}`,
      suggestion(name, [...functions.keys(), ...candleNames, "since", "depth", "signal"])
    )
  }
  const { parameters, usage, make } = definition
  const needed = parameters.filter((parameter) => !parameter.endsWith("?")).length
  if (given.length < needed || given.length > parameters.length) {
    return report(
      to,
      placeOf(at),
      `${name} takes ${needed === given.length ? parameters.length : needed} arguments, found ${given.length}`,
      usage
    )
  }
  const wrong = (at: Expression) => report(to, placeOf(at), "expected a timeframe such as 4h", usage)
  const candles = candlesIn(given.slice(needed), wrong, context)
  if (candles === undefined) return undefined
  noteVolume(name, at, candles, context)
  const terms = given
    .slice(0, needed)
    .map((tree, index) => argument(tree, parameters[index] ?? "value", usage, context))
  const good = terms.filter((term) => term !== undefined)
  if (good.length < terms.length || !areAlike(good, parameters, given, usage, context)) return undefined
  const builtTerm = make({ terms: good, candles })
  if (builtTerm.type !== "boolean") return remembered(builtTerm, context)
  return remembered({ ...builtTerm, ...checked(written(at, context.text), good, builtTerm.value) }, context)
}

const sinceCalled = (given: ReadonlyArray<Expression>, at: Span, context: Compiling): Term | undefined => {
  const { knowsStart = false, needs, placeOf, to } = context
  const term = sinceOf(given, knowsStart)
  const choices = knowsStart ? "fill, placement or start" : "fill or placement"
  if (term === undefined) return report(to, placeOf(at), `since takes ${choices}, such as since(fill)`)
  needs.start ||= given.some((each) => each.type === "name" && each.name === "start")
  return term
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

const signalOf = (given: ReadonlyArray<Expression>, at: Span, context: Compiling): Term | undefined => {
  const { needs, to, placeOf } = context
  const term = signalTerm(given)
  if (term === undefined) {
    const expected = "signal takes a name in quotes and how old its value may be"
    return report(to, placeOf(at), expected, `${signalUsage}; a name has ${nameRule}`)
  }
  needs.signals.set(term.name, Math.min(term.ageMillis, needs.signals.get(term.name) ?? term.ageMillis))
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
    const expectation = tree.operator === "not" ? "a condition" : "a number"
    return report(
      context.to,
      context.placeOf(tree.operand),
      `expected ${expectation}, found ${described(operand.type)}`
    )
  }
  if (!isCondition) return combine(constantTerm(0, "number", true), operand, "-", (a, b) => a - b, operand)
  const { demands: _, ...opposite } = operand
  const history = seriesOf(constantTerm(1, "boolean", false), opposite, "not", (one, value) => one - value)
  return { ...opposite, ...history, value: (moment) => 1 - operand.value(moment) }
}

const past = (tree: Expression & { type: "past" }, context: Compiling): Term | undefined => {
  const name = tree.operand.type === "name" ? tree.operand.name : ""
  const previous = context.state?.previous.get(name)
  if (previous !== undefined) {
    if (tree.back === 1) return previous
    const isAlone = context.state?.previous.size === 1
    const message = isAlone
      ? "a state knows only its last value"
      : `only the last value of ${name} is known here, because both states need each other`
    return report(context.to, context.placeOf(tree), message, `${name}[1]`)
  }
  const operand = termOf(tree.operand, context)
  if (operand === undefined) return undefined
  const { series } = operand
  const at = context.placeOf(tree)
  if (series === undefined) return report(context.to, at, "only a series of candles has a past", "such as close[1]")
  if (tree.back > longestLength) return report(context.to, at, `at most ${longestLength} candles back are possible`)
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
    return report(context.to, at, "in a condition, only the question or its answers may move with the price, not both")
  }
  return choose(asked, yes, no)
}

const hintFor = (operator: Operator, left: Term, right: Term): string | undefined => {
  if (left.type === "price" && right.type === "ratio") return `multiply instead: … * (1 ${operator} …)`
  const arePrices = left.type.startsWith("price") && right.type.startsWith("price")
  return arePrices && operator in comparisons ? `divide one by the other: … / … ${operator} 0.05` : undefined
}

const binary = (tree: Expression & { type: "binary" }, context: Compiling): Term | undefined => {
  const [left, right] = [termOf(tree.left, context), termOf(tree.right, context)]
  if (left === undefined || right === undefined) return undefined
  if (tree.operator === "and" || tree.operator === "or") return logical(tree, left, right, context)
  const at = context.placeOf(tree)
  const type = resultType(tree.operator, left, right, context.market)
  if (type === undefined) {
    const words = `${described(left.type)} ${tree.operator} ${described(right.type)}`
    return report(context.to, at, `these do not fit together: ${words}`, hintFor(tree.operator, left, right))
  }
  const dependence = dependenceOf(tree.operator, left, right)
  if (dependence === "other" && context.use === "condition") {
    return report(
      context.to,
      at,
      `in a condition ${movingName(left, right)} can only be compared, added, subtracted, or multiplied by a value that does not depend on it`
    )
  }
  if (type !== "boolean") {
    const isLiteral = left.isLiteral && right.isLiteral && type === "number"
    const shape = { type, isLiteral, dependence }
    if (tree.operator === "/") return divided(tree, left, right, shape, context)
    return {
      ...combine(left, right, tree.operator, arithmetic[tree.operator] ?? Math.min, shape),
      ...positive(tree.operator, left, right)
    }
  }
  const holds = comparisons[tree.operator] ?? (() => false)
  const value: Term["value"] = (moment) => {
    const { found } = moment
    // A comparison may stand within another one. Only its own sides decide whether it is undefined.
    const before = found.isUndefined
    found.isUndefined = false
    const [a, b] = [left.value(moment), right.value(moment)]
    const lacks = found.isUndefined
    found.isUndefined = before
    if (Number.isNaN(a) || Number.isNaN(b)) {
      if (lacks) return 0
      found.isCold = true
    } else noteCrossing(left, right, moment)
    return holds(a, b) ? 1 : 0
  }
  const texts = [written(tree.left, context.text), written(tree.right, context.text)] as const
  const comparison = { operator: tree.operator, texts }
  const ofText = checked(written(tree, context.text), [left, right], value, comparison)
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

/** A division by zero has no value. Records its text for the term that uses it. */
const divided = (
  at: Span,
  left: Term,
  right: Term,
  shape: Pick<Term, "type" | "isLiteral" | "dependence">,
  { placeOf, text, to }: Compiling
): Term | undefined => {
  const division = written(at, text)
  if (right.constant === 0) return report(to, placeOf(at), `this divides by zero: ${division}`)
  const quotient = combine(left, right, "/", (a, b) => (b === 0 ? Number.NaN : a / b), shape)
  if (right.constant !== undefined) return { ...quotient, ...positive("/", left, right) }
  const value: Term["value"] = (moment) => {
    if (right.value(moment) === 0) moment.found.dividesByZero.add(division)
    return quotient.value(moment)
  }
  return { ...quotient, ...positive("/", left, right), value }
}

/** Both sides are always evaluated, because either may have a value that would change the answer. */
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
