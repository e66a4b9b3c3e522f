/**
 * The grammar of expressions: `rsi(close, 14) < 30 and mid < ema(close, 200) * 0.99`. Returns a tree with places, or the place at which the
 * text stops making sense. `Compiler` decides what names mean and which types fit together. Length and nesting are bounded, so no text can
 * exhaust the stack.
 */
import { Result } from "effect"
import * as Ohm from "ohm-js"
import type { Span } from "../Problem.ts"

const maxLength = 2_000
const maxNesting = 40
/** A long chain of operators nests as deeply as its tree. */
const maxOperators = 200

const operators = ["or", "and", "<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/"] as const

export type Operator = (typeof operators)[number]

export type Expression = Span &
  (
    | { readonly type: "number"; readonly value: number; readonly unit: string }
    | { readonly type: "name"; readonly name: string }
    | { readonly type: "market"; readonly name: string }
    | { readonly type: "call"; readonly name: string; readonly arguments: ReadonlyArray<Expression> }
    | { readonly type: "unary"; readonly operator: "-" | "not"; readonly operand: Expression }
    /** Number of candles back. */
    | { readonly type: "past"; readonly operand: Expression; readonly back: number }
    | { readonly type: "if"; readonly condition: Expression; readonly then: Expression; readonly otherwise: Expression }
    | { readonly type: "binary"; readonly operator: Operator; readonly left: Expression; readonly right: Expression }
  )

const grammarText = `
  Expression {
    Choice = if Or then Choice else Choice -- choice
           | Or
    Or = Or or And -- or
       | And
    And = And and Not -- and
        | Not
    Not = not Not -- not
        | Comparison
    Comparison = Sum comparison Sum -- compare
               | Sum
    Sum = Sum ("+" | "-") Product -- sum
        | Product
    Product = Product ("*" | "/") Factor -- product
            | Factor
    Factor = "-" Factor -- minus
           | Past
    Past = Value "[" candles "]" -- past
         | Value
    Value = "(" Choice ")" -- group
           | name "(" ListOf<Choice, ","> ")" -- call
           | market
           | quantity
           | name -- name

    comparison (a comparison) = "<=" | ">=" | "==" | "!=" | "<" | ">"
    quantity (a number) = number " "? unit -- unit
                        | number           -- plain
    number = digit+ ("." digit+)?
    candles (a number) = digit+
    market = "\\"" (~"\\"" any)* "\\"" -- double
           | "'" (~"'" any)* "'" -- single
    unit = "%" | word
    word = ~keyword letter alnum*
    name (a name) = ~keyword letter (alnum | "_")*
    keyword = or | and | not | if | then | else
    if = "if" ~alnum
    then = "then" ~alnum
    else = "else" ~alnum
    or = "or" ~alnum
    and = "and" ~alnum
    not = "not" ~alnum
  }
`

const placeOf = ({ source }: Ohm.Node): Span => ({ start: source.startIdx, end: source.endIdx })

const binary = (left: Ohm.Node, operator: Ohm.Node, right: Ohm.Node): Expression => {
  const symbol = operators.find((candidate) => candidate === operator.sourceString) ?? "and"
  const [a, b] = [treeOf(left), treeOf(right)]
  return { type: "binary", operator: symbol, left: a, right: b, start: a.start, end: b.end }
}

const unary =
  (symbol: "-" | "not") =>
  (operator: Ohm.Node, operand: Ohm.Node): Expression => {
    const place = { start: operator.source.startIdx, end: operand.source.endIdx }
    return { type: "unary", operator: symbol, operand: treeOf(operand), ...place }
  }

const market = (open: Ohm.Node, name: Ohm.Node, close: Ohm.Node): Expression => {
  const place = { start: open.source.startIdx, end: close.source.endIdx }
  return { type: "market", name: name.sourceString, ...place }
}

const quantity = (whole: Ohm.Node, number: Ohm.Node, unit: string): Expression => ({
  type: "number",
  value: Number(number.sourceString),
  unit,
  ...placeOf(whole)
})

const actions: Ohm.ActionDict<Expression> = {
  Or_or: binary,
  And_and: binary,
  Comparison_compare: binary,
  Sum_sum: binary,
  Product_product: binary,
  Not_not: unary("not"),
  Factor_minus: unary("-"),
  Choice_choice(_if, condition, _then, then, _else, otherwise) {
    const [asked, yes, no] = [treeOf(condition), treeOf(then), treeOf(otherwise)]
    // biome-ignore lint/suspicious/noThenProperty: the word of the language; its value is never a function
    return { type: "if", condition: asked, then: yes, otherwise: no, ...placeOf(this) }
  },
  Past_past(operand, _open, candles, _close) {
    return { type: "past", operand: treeOf(operand), back: Number(candles.sourceString), ...placeOf(this) }
  },
  Value_group: (_open, inner, _close) => treeOf(inner),
  Value_call(name, _open, given, _close) {
    const list = given.asIteration().children.map(treeOf)
    return { type: "call", name: name.sourceString, arguments: list, ...placeOf(this) }
  },
  market_double: market,
  market_single: market,
  Value_name: (name) => ({ type: "name", name: name.sourceString, ...placeOf(name) }),
  quantity_unit(number, _space, unit) {
    return quantity(this, number, unit.sourceString)
  },
  quantity_plain(number) {
    return quantity(this, number, "")
  }
}

const make = () => {
  const grammar = Ohm.grammar(grammarText)
  return { grammar, semantics: grammar.createSemantics().addOperation<Expression>("tree", actions) }
}

/** Built with the first expression: it takes longer than the rest of a start, and most strategies have no expression. */
let cachedGrammar: ReturnType<typeof make> | undefined

const treeOf = (node: Ohm.Node): Expression => node["tree"]()

export const parse = (text: string): Result.Result<Expression, Span & { readonly message: string }> => {
  const failed = (start: number, message: string) => Result.fail({ start, end: start + 1, message })
  if (text.length > maxLength) return failed(0, `the expression is longer than ${maxLength} characters`)
  const operatorCount = [...text.matchAll(/[-+*/<>=!,]|\b(?:and|or|not|if)\b/g)].length
  if (operatorCount > maxOperators) return failed(0, `the expression has more than ${maxOperators} operators`)
  const deep = tooDeepAt(text)
  if (deep !== undefined) return failed(deep, `nesting deeper than ${maxNesting} levels`)
  cachedGrammar ??= make()
  const { grammar, semantics } = cachedGrammar
  const match = grammar.match(text, "Choice")
  if (!match.failed()) return Result.succeed(semantics(match)["tree"]())
  const start = match.getRightmostFailurePosition()
  const nextText =
    start >= text.length ? "its end" : `"${text.slice(start).split(/\s/)[0]?.slice(0, 20) || text[start]}"`
  return failed(start, `expected ${expectedBy(match)}, found ${nextText}`)
}

const tooDeepAt = (text: string): number | undefined => {
  let depth = 0
  let prefixes = 0
  for (const { 0: token, index } of text.matchAll(/\(|\)|-|\b(?:not|else|then)\b|[^\s()-]+/g)) {
    if (token === "(") depth += 1
    else if (token === ")") depth -= 1
    prefixes = token === "-" || token === "not" ? prefixes + 1 : token === "(" ? prefixes : 0
    if (depth + prefixes > maxNesting) return index
  }
  return undefined
}

/** The parser lists every possible token; people need the sort of thing that is expected. */
const expectedBy = (match: Ohm.FailedMatchResult): string =>
  /a number|a name/.test(match.getExpectedText())
    ? "a number, a name or a bracket"
    : "an operator, a closing bracket or the end"

/** Hints for habits of other languages. `rest`: the text from the first error. */
export const operatorHint = (rest: string, text: string): string | undefined => {
  if (rest === "" && text.split("(").length > text.split(")").length)
    return "a bracket is not closed; put an expression with a comma inside { … } in quotes"
  if (/^=[^=]/.test(rest)) return "== compares"
  if (/^&&/.test(rest)) return "write and"
  if (/^\|\|/.test(rest)) return "write or"
  if (/^!/.test(rest)) return "write not"
  if (/^\+ ?[\d.]+ ?(?:%|bps)$/.test(rest)) return distanceHint("mid", text)
  return undefined
}

/** Rewrites a distance as a price. Without a sign, it could be on either side. */
export const distanceHint = (from: "entry" | "mid", text: string): string => {
  const [, sign, distance] = /^([-+]?) ?([\d.]+ ?(?:%|bps))$/.exec(text.trim()) ?? []
  if (distance === undefined) return `write it as a price, such as ${from} * (1 + 2%)`
  const signs = sign === "" ? ["+", "-"] : [sign]
  return `write ${signs.map((each) => `${from} * (1 ${each} ${distance})`).join(" or ")}`
}
