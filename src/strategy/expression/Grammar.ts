/**
 * The grammar of expressions: `rsi(close, 14) < 30 and mid < ema(close, 200) * 0.99`. Text in, a tree with places out, or
 * the place where it stops making sense. What names mean and which types fit together is `ExpressionTypes`' business.
 *
 * Length and nesting are bounded, so no text can exhaust the stack.
 */
import { Result } from "effect"

const maxLength = 2_000
const maxNesting = 40
/** Operators in one expression: a long chain nests as deeply as its tree. */
const maxOperators = 200

export type Operator = "or" | "and" | "<" | "<=" | ">" | ">=" | "==" | "!=" | "+" | "-" | "*" | "/"

/** Offsets count from the beginning of the expression. */
interface Place {
  readonly start: number
  readonly end: number
}

export type Expression = Place &
  (
    | { readonly type: "number"; readonly value: number; readonly unit: string }
    | { readonly type: "name"; readonly name: string }
    | { readonly type: "call"; readonly name: string; readonly arguments: ReadonlyArray<Expression> }
    | { readonly type: "unary"; readonly operator: "-" | "not"; readonly operand: Expression }
    | {
        readonly type: "binary"
        readonly operator: Operator
        readonly left: Expression
        readonly right: Expression
      }
  )

export interface SyntaxProblem extends Place {
  readonly message: string
}

const spaces = /[\0- ]*/y
/** A word that joins conditions, and no letter or digit behind it. */
const keyword = String.raw`(?:or|and|not)(?![\p{L}\d])`
const number = String.raw`(?<number>\d+(?:\.\d+)?)(?: ?(?<unit>%|(?!${keyword})\p{L}[\p{L}\d]*))?`
const name = String.raw`(?<name>(?!${keyword})\p{L}[\p{L}\d_]*)`
const sign = `(?<sign>${keyword}|[<>=!]=|[-+*/<>(),])`
const anyToken = new RegExp(`${number}|${name}|${sign}`, "uy")

interface Token extends Place {
  readonly number?: string
  readonly unit?: string
  readonly name?: string
  /** Absent at the end of the text, and where no token is. */
  readonly sign?: string
}

interface Reader {
  readonly text: string
  token: Token
  /** Where the token before ends. */
  end: number
  /** The first place that makes no sense. From there on nothing is read any more. */
  problem: SyntaxProblem | undefined
}

const tokenAt = (text: string, from: number): Token => {
  spaces.lastIndex = from
  const start = from + (spaces.exec(text)?.[0].length ?? 0)
  anyToken.lastIndex = start
  const found = anyToken.exec(text)
  return { ...found?.groups, start, end: start + (found?.[0].length ?? 0) }
}

const advance = (reader: Reader): void => {
  reader.end = reader.token.end
  reader.token = tokenAt(reader.text, reader.end)
}

const accept = (reader: Reader, sign: string): boolean => {
  if (reader.token.sign !== sign) return false
  advance(reader)
  return true
}

const operand = "a number, a name or a bracket"
const continuation = "an operator, a closing bracket or the end"

const refuse = (reader: Reader, expected: string): void => {
  const { text, token } = reader
  const rest = text.slice(token.start)
  const found = rest === "" ? "its end" : `"${rest.split(/\s/)[0]?.slice(0, 20) || rest[0]}"`
  const { start } = token
  reader.problem ??= { start, end: start + 1, message: `expected ${expected}, found ${found}` }
  reader.token = { start: text.length, end: text.length }
}

const comparisons: ReadonlyArray<Operator> = ["<=", ">=", "==", "!=", "<", ">"]
/** What binds least comes first. */
const levels: ReadonlyArray<ReadonlyArray<Operator>> = [["or"], ["and"], comparisons, ["+", "-"], ["*", "/"]]

const chain = (reader: Reader, level: number): Expression => {
  const operators = levels[level]
  if (operators === undefined) return factor(reader)
  const isComparison = operators === comparisons
  if (isComparison && reader.token.sign === "not") return unary(reader, "not", () => chain(reader, level))
  let left = chain(reader, level + 1)
  for (;;) {
    const operator = operators.find((candidate) => candidate === reader.token.sign)
    if (operator === undefined) return left
    advance(reader)
    const right = chain(reader, level + 1)
    left = { type: "binary", operator, left, right, start: left.start, end: right.end }
    // Comparisons do not chain.
    if (isComparison) return left
  }
}

const unary = (reader: Reader, operator: "-" | "not", read: () => Expression): Expression => {
  const { start } = reader.token
  advance(reader)
  const operand = read()
  return { type: "unary", operator, operand, start, end: reader.end }
}

const close = (reader: Reader): void => {
  if (!accept(reader, ")")) refuse(reader, continuation)
}

const factor = (reader: Reader): Expression => {
  const { start, end, number, unit = "", name = "", sign } = reader.token
  if (sign === "-") return unary(reader, "-", () => factor(reader))
  if (accept(reader, "(")) {
    const inner = chain(reader, 0)
    close(reader)
    return inner
  }
  if (number === undefined && name === "") refuse(reader, operand)
  else advance(reader)
  if (number !== undefined) return { type: "number", value: Number(number), unit, start, end }
  if (!accept(reader, "(")) return { type: "name", name, start, end }
  const given: Array<Expression> = []
  if (reader.token.sign !== ")") {
    do given.push(chain(reader, 0))
    while (accept(reader, ","))
  }
  close(reader)
  return { type: "call", name, arguments: given, start, end: reader.end }
}

export const parse = (text: string): Result.Result<Expression, SyntaxProblem> => {
  if (text.length > maxLength) {
    return Result.fail({ start: 0, end: 1, message: `the expression is longer than ${maxLength} characters` })
  }
  const operatorCount = [...text.matchAll(/[-+*/<>=!,]|\b(?:and|or|not)\b/g)].length
  if (operatorCount > maxOperators) {
    return Result.fail({ start: 0, end: 1, message: `the expression has more than ${maxOperators} operators` })
  }
  const deep = tooDeepAt(text)
  if (deep !== undefined) {
    return Result.fail({ start: deep, end: deep + 1, message: `nesting deeper than ${maxNesting} levels` })
  }
  const reader: Reader = { text, token: tokenAt(text, 0), end: 0, problem: undefined }
  const tree = chain(reader, 0)
  if (reader.token.start < text.length) refuse(reader, continuation)
  return reader.problem === undefined ? Result.succeed(tree) : Result.fail(reader.problem)
}

/** Brackets, signs and `not` nest; a run of signs or words does so without brackets. */
const tooDeepAt = (text: string): number | undefined => {
  let depth = 0
  let prefixes = 0
  for (const { 0: token, index } of text.matchAll(/\(|\)|-|\bnot\b|[^\s()-]+/g)) {
    if (token === "(") depth += 1
    else if (token === ")") depth -= 1
    prefixes = token === "-" || token === "not" ? prefixes + 1 : token === "(" ? prefixes : 0
    if (depth + prefixes > maxNesting) return index
  }
  return undefined
}
