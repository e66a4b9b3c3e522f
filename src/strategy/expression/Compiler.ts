/**
 * Turns the tree of an expression into its meaning: finds names, checks types, applies units. Problems are reported at their exact columns.
 * What an expression needs (candles, clock) is collected on the way.
 */
import { Result } from "effect"
import { countText } from "../../domain/Text.ts"
import { placesIn, quoted, report, type Span, suggestion, warn } from "../Problem.ts"
import type { YamlScalar } from "../YamlReader.ts"
import { checked, written } from "./Checks.ts"
import { noteCrossing } from "./Crossing.ts"
import { areAlike, candleNames, functions, longestLength, shifted } from "./functions.ts"
import { distanceHint, type Expression, type Operator, operatorHint, parse } from "./Grammar.ts"
import * as Never from "./Never.ts"
import { clockNamed, clocks, depthCalled, signalCalled } from "./names/Inputs.ts"
import * as MarketNames from "./names/MarketNames.ts"
import { ownNamed, ownWords, positionTerm, sinceCalled } from "./names/OwnNames.ts"
import * as Operators from "./Operators.ts"
import type { Compiling, Scope, Use } from "./Scope.ts"
import { combine, constantTerm, isStill, othersOf, stillTerm, type Term, type ValueType } from "./Term.ts"

export const compile = (node: YamlScalar, wanted: ValueType, use: Use, scope: Scope): Term | undefined => {
  const term = compileAny(node, use, scope)
  if (term?.demands?.never !== undefined) warn(scope.to, node, `this can never be true: ${term.demands.never}`)
  if (term === undefined) return undefined
  if (term.type === wanted || (term.isLiteral && wanted !== "boolean")) {
    const isPrice = wanted === "price" && term.constant !== undefined
    if (!isPrice || (term.constant ?? 0) > 0) return term
    return report(scope.to, node, `expected a price above zero, found ${term.constant}`)
  }
  const isDistance = wanted === "price" && term.type === "ratio"
  const hint = isDistance ? distanceHint(scope.names.has("entry") ? "entry" : "mid", node.text) : undefined
  const text = `expected ${Operators.described(wanted)}, found ${Operators.described(term.type)}`
  return report(scope.to, node, text, wanted === "boolean" ? "a condition compares, such as mid < 60000" : hint)
}

export const compileAny = (node: YamlScalar, use: Use, scope: Scope): Term | undefined => {
  const placeOf = placesIn(node, scope.to)
  const wrong: Compiling["wrong"] = (at, ...said) => report(scope.to, placeOf(at), ...said)
  const parsed = parse(node.text)
  if (Result.isFailure(parsed)) {
    const { message, ...at } = parsed.failure
    return wrong(at, message, operatorHint(node.text.slice(at.start), node.text))
  }
  return termOf(parsed.success, { ...scope, use, placeOf, wrong, text: node.text })
}

const termOf = (tree: Expression, context: Compiling): Term | undefined => {
  switch (tree.type) {
    case "number":
      return literal(tree, context)
    case "name":
      return ofState(termOfName(tree.name, tree, context), tree, context)
    case "market": {
      const hint = `mid("${tree.name}"), close("${tree.name}", 4h)`
      return context.wrong(tree, "a market says where a price or candles are from", hint)
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
  { state, timeframe, wrong }: Compiling
): Term | undefined => {
  if (term === undefined || state === undefined) return term
  const { series } = term
  const isOwn = series?.timeframe === timeframe && othersOf(series).length === 0
  const isOfCandles = series === undefined ? term.constant !== undefined : isOwn
  if (isOfCandles) state.leaves.push(term)
  const isJoined = at.type === "call" && term.series === undefined && functions.has(at.name)
  if (isOfCandles || isJoined) return term
  return wrong(at, `a state can use only closed candles of its own market and timeframe (${timeframe})`)
}

const literal = ({ value, unit, ...at }: Expression & { type: "number" }, context: Compiling): Term | undefined => {
  const { base, quote } = context.market
  const [type, scale] = Operators.scales.get(unit) ?? []
  if (type !== undefined && scale !== undefined) return constantTerm(value * scale, type, unit === "")
  if (unit === base.symbol || unit === quote.symbol) return constantTerm(value, `amount of ${unit}`, false)
  const units = ["%", "bps", "s", "m", "h", "d", base.symbol, quote.symbol]
  return context.wrong(at, `unknown unit ${quoted(unit)}`, suggestion(unit, units))
}

const termOfName = (name: string, at: Span, context: Compiling): Term | undefined => {
  if (context.state?.previous.has(name) === true)
    return context.wrong(at, `the value of ${name} in this candle is not known yet`, `${name}[1], its last value`)
  const own = context.names.get(name)
  if (own !== undefined) return own
  if (MarketNames.isMarketName(name)) return MarketNames.ownNamed(name, at, context)
  if (name === "position") return positionTerm(context.market)
  const term = clockNamed(name, context) ?? ownNamed(name, context.market, context.budget)
  if (term !== undefined) return term
  if (functions.has(name)) return context.wrong(at, `${name} needs arguments`, functions.get(name)?.usage)
  const candidates = [
    ...context.names.keys(),
    ...candleNames,
    ...MarketNames.priceNames,
    ...clocks.keys(),
    "position",
    ...ownWords,
    ...functions.keys()
  ]
  const hint = name === "market" ? "an order at the market is price: mid with by: swap" : suggestion(name, candidates)
  return context.wrong(at, `unknown name ${quoted(name)}`, hint)
}

const called = (name: string, given: ReadonlyArray<Expression>, at: Span, context: Compiling): Term | undefined => {
  const { wrong } = context
  if (MarketNames.isMarketName(name)) return MarketNames.called(name, given, at, context)
  if (name === "since") return sinceCalled(given, at, context)
  if (name === "depth") return depthCalled(given, at, context)
  if (name === "signal") return signalCalled(given, at, context)
  const definition = functions.get(name)
  if (definition === undefined) {
    const place = { start: at.start, end: at.start + name.length }
    const hint = suggestion(name, [...functions.keys(), ...candleNames, "since", "depth", "signal"])
    return wrong(place, `unknown function ${quoted(name)}`, hint)
  }
  const { parameters, usage, make } = definition
  const needed = parameters.filter((parameter) => !parameter.endsWith("?")).length
  if (given.length < needed || given.length > parameters.length) {
    const count = needed === given.length ? parameters.length : needed
    return wrong(at, `${name} takes ${countText(count, "argument")}, found ${given.length}`, usage)
  }
  const noTimeframe = (at: Expression) => wrong(at, "expected a timeframe such as 4h", usage)
  const candles = MarketNames.candlesIn(given.slice(needed), noTimeframe, context)
  if (candles === undefined) return undefined
  MarketNames.noteVolume(name, at, candles, context)
  const terms = given
    .slice(0, needed)
    .map((tree, index) => argument(tree, parameters[index] ?? "value", usage, context))
  const good = terms.filter((term) => term !== undefined)
  if (good.length < terms.length || !areAlike(good, parameters, given, usage, context)) return undefined
  const builtTerm = make({ terms: good, candles })
  if (builtTerm.type !== "boolean") return MarketNames.remembered(builtTerm, context)
  if (!isCrossable(good, given, context)) return undefined
  return MarketNames.remembered({ ...builtTerm, ...checked(written(at, context.text), good, builtTerm.value) }, context)
}

/** A crossing is two comparisons, so its second side may move as a side of a comparison may. */
const isCrossable = (
  [first, second]: ReadonlyArray<Term>,
  [, tree]: ReadonlyArray<Expression>,
  context: Compiling
): true | undefined => {
  if (first === undefined || second === undefined || tree === undefined || second.dependence === "none") return true
  if (context.use === "condition" && Operators.dependenceOf(">", first, second) === "other")
    return unbounded(tree, first, second, context)
  const [name, text] = [Operators.movingName(first, second), written(tree, context.text)]
  const message = `${text} may move with ${name}: both candles are compared with its value now`
  const advice = "compare the price itself (mid > …), or cross a series or a level such as averageEntry"
  warn(context.to, context.placeOf(tree), message, advice)
  return true
}

const unbounded = (at: Span, left: Term, right: Term, { wrong }: Compiling): undefined => {
  const name = Operators.movingName(left, right)
  const advice = `compare, add, subtract, or multiply it by a value that does not depend on ${name}`
  return wrong(at, `in a condition, it is unknown where this turns as ${name} moves`, advice)
}

const argument = (tree: Expression, parameter: string, usage: string, context: Compiling): Term | undefined => {
  const term = termOf(tree, context)
  if (term === undefined) return undefined
  const wrong = (message: string) => context.wrong(tree, message, usage)
  if (parameter === "series" && term.series === undefined) return wrong("expected a series of candles, such as close")
  if (parameter === "condition") {
    if (term.type === "boolean" && term.series !== undefined) return term
    return wrong("expected a condition on candles of one timeframe, such as close > open")
  }
  if (parameter === "length") {
    const length = term.isLiteral ? term.constant : undefined
    const isGood = length !== undefined && Number.isInteger(length) && length >= 1 && length <= longestLength
    return isGood ? term : wrong(`expected a whole number from 1 to ${longestLength}`)
  }
  if (parameter === "number" && (term.constant === undefined || !term.isLiteral)) return wrong("expected a number")
  return term.type === "boolean" ? wrong("expected a number, found a condition") : term
}

const unary = (tree: Expression & { type: "unary" }, context: Compiling): Term | undefined => {
  const operand = termOf(tree.operand, context)
  if (operand === undefined) return undefined
  const isCondition = operand.type === "boolean"
  if (isCondition !== (tree.operator === "not")) {
    const expectation = tree.operator === "not" ? "a condition" : "a number"
    return context.wrong(tree.operand, `expected ${expectation}, found ${Operators.described(operand.type)}`)
  }
  if (!isCondition) return combine(constantTerm(0, "number", true), operand, "-", (a, b) => a - b, operand)
  const { demands: _, ...opposite } = operand
  const history = Operators.seriesOf(constantTerm(1, "boolean", false), opposite, "not", (one, value) => one - value)
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
      : `only the last value of ${name} is known here, because these states need each other`
    return context.wrong(tree, message, `${name}[1]`)
  }
  const operand = termOf(tree.operand, context)
  if (operand === undefined) return undefined
  const { series } = operand
  if (series === undefined) return context.wrong(tree, "only a series of candles has a past", "such as close[1]")
  if (tree.back > longestLength) return context.wrong(tree, `at most ${longestLength} candles back are possible`)
  return MarketNames.remembered(shifted({ ...operand, series }, tree.back), context)
}

const choice = (tree: Expression & { type: "if" }, context: Compiling): Term | undefined => {
  const [asked, yes, no] = [tree.condition, tree.then, tree.otherwise].map((part) => termOf(part, context))
  if (asked === undefined || yes === undefined || no === undefined) return undefined
  if (asked.type !== "boolean")
    return context.wrong(tree.condition, `expected a condition, found ${Operators.described(asked.type)}`)
  const isAlike = yes.type === no.type || yes.isLiteral || no.isLiteral
  if (!isAlike || (yes.type === "boolean") !== (no.type === "boolean")) {
    const types = `${Operators.described(yes.type)} else ${Operators.described(no.type)}`
    return context.wrong(tree, `these do not fit together: ${types}`)
  }
  const chosen = Operators.choose(asked, yes, no)
  const { dependence } = chosen
  if (context.use === "condition" && (dependence === "other" || (dependence !== "none" && asked.isJumping === true)))
    return context.wrong(tree, "in a condition, only what follows `if` or the values may move with the price, not both")
  return chosen
}

const hintFor = (operator: Operator, left: Term, right: Term): string | undefined => {
  if (left.type === "price" && right.type === "ratio") return `multiply instead: … * (1 ${operator} …)`
  const arePrices = left.type.startsWith("price") && right.type.startsWith("price")
  return arePrices && operator in Operators.comparisons ? `divide one by the other: … / … ${operator} 0.05` : undefined
}

const binary = (tree: Expression & { type: "binary" }, context: Compiling): Term | undefined => {
  const [left, right] = [termOf(tree.left, context), termOf(tree.right, context)]
  if (left === undefined || right === undefined) return undefined
  if (tree.operator === "and" || tree.operator === "or") return logical(tree, left, right, context)
  const type = Operators.resultType(tree.operator, left, right, context.market)
  if (type === undefined) {
    const words = `${Operators.described(left.type)} ${tree.operator} ${Operators.described(right.type)}`
    return context.wrong(tree, `these do not fit together: ${words}`, hintFor(tree.operator, left, right))
  }
  const dependence = Operators.dependenceOf(tree.operator, left, right)
  if (dependence === "other" && context.use === "condition") return unbounded(tree, left, right, context)
  if (type !== "boolean") {
    const isLiteral = left.isLiteral && right.isLiteral && type === "number"
    const shape = { type, isLiteral, dependence }
    if (tree.operator === "/") return divided(tree, left, right, shape, context)
    return {
      ...combine(left, right, tree.operator, Operators.arithmetic[tree.operator] ?? Math.min, shape),
      ...Operators.positive(tree.operator, left, right)
    }
  }
  const holds = Operators.comparisons[tree.operator] ?? (() => false)
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
  const isMoving = !isStill(left) || !isStill(right)
  const history = Operators.seriesOf(left, right, tree.operator, (a, b) =>
    Number.isNaN(a + b) ? Number.NaN : holds(a, b) ? 1 : 0
  )
  return { ...stillTerm(type, ofText.value), ...ofText, demands, ...history, ...(isMoving ? { isJumping: true } : {}) }
}

/** A division by zero has no value. Records its text for the term that uses it. */
const divided = (
  at: Span,
  left: Term,
  right: Term,
  shape: Pick<Term, "type" | "isLiteral" | "dependence">,
  { text, wrong }: Compiling
): Term | undefined => {
  const division = written(at, text)
  if (right.constant === 0) return wrong(at, `this divides by zero: ${division}`)
  const quotient = combine(left, right, "/", (a, b) => (b === 0 ? Number.NaN : a / b), shape)
  if (right.constant !== undefined) return { ...quotient, ...Operators.positive("/", left, right) }
  const value: Term["value"] = (moment) => {
    if (right.value(moment) === 0) moment.found.dividesByZero.add(division)
    return quotient.value(moment)
  }
  return { ...quotient, ...Operators.positive("/", left, right), value }
}

/** Both sides are always evaluated, because either may have a value that would change the answer. */
const logical = (
  { operator, left, right }: Expression & { type: "binary" },
  a: Term,
  b: Term,
  context: Compiling
): Term | undefined => {
  const [tree, term] = a.type === "boolean" ? [right, b] : [left, a]
  if (term.type !== "boolean")
    return context.wrong(tree, `${operator} joins conditions, found ${Operators.described(term.type)}`)
  return Operators.join(operator === "and" ? "and" : "or", a, b)
}
