/**
 * The questions of `limitbot init` for a kind of strategy, and the section of the file that the answers make. A kind asks only for values
 * without a default. The question for a key and its line in the new file are declared with the key.
 */
import { type Amount, type Asset, format, formatWithSymbol, fromDecimal } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import type { Market, Price } from "../domain/Market.ts"
import { present } from "../domain/Present.ts"
import * as Read from "./Fields.ts"
import { report } from "./Problem.ts"

export interface Question {
  readonly key: string
  readonly text: string
  readonly fallback?: string
  /** For a price: the share of the present price that is offered as the answer, if that price is known. */
  readonly around?: number
  readonly read: Read.Reader<unknown>
}

export type Answers = ReadonlyMap<string, string>
export type AnswerOf = (key: string) => string

/** Depends on earlier answers. Returns no question if they or a flag have answered it. */
export type NextQuestion = (answer: AnswerOf) => Question | undefined

export interface Setup {
  readonly steps: ReadonlyArray<NextQuestion>
  /** Text in units of either asset. Missing: nothing. */
  readonly budget: (answer: AnswerOf) => { readonly base?: string; readonly quote?: string }
  /** The text after the name of the kind. A comment follows two spaces and a #. */
  readonly section: (answer: AnswerOf) => string
  readonly earns?: (answer: AnswerOf, price?: Price) => string
}

type Text = string | ((answer: AnswerOf, key: string) => string)
type Asking = (key: string, read: Read.Reader<unknown>) => NextQuestion

interface Line {
  readonly ask?: Asking
  /** The value. Missing: the answer. */
  readonly is?: Text
  /** The example in the commented-out line of this key. */
  readonly hint?: Text
  /** A comment behind the value. `true`, or no question: the description of the key. */
  readonly note?: Text | true
}

const textOf = (text: Text, answer: AnswerOf, key: string): string =>
  typeof text === "string" ? text : text(answer, key)

const lineText = (key: string, says: string | undefined, line: Line, answer: AnswerOf): string => {
  const { ask, is = answer(key), hint, note = ask === undefined } = line
  const comment = textOf(note === true ? (says ?? "") : note || "", answer, key)
  const value = textOf(hint ?? is, answer, key)
  return `\n  ${hint === undefined ? "" : "# "}${key}: ${value}${comment && `  # ${comment}`}`
}

/** `lines` are in the order of the file, `asks` in the order of the questions. A string in `asks` is the key of its line. */
export const setupOf = <T extends Read.Keys>(
  keys: T,
  {
    asks,
    lines,
    ...others
  }: Pick<Setup, "budget" | "earns"> & {
    readonly asks: ReadonlyArray<NextQuestion | (keyof T & string)>
    readonly lines: { readonly [K in keyof T]?: Line }
  }
): Setup => {
  const all = Object.entries<Line | undefined>(lines)
  return {
    ...others,
    steps: asks.flatMap((each) => {
      if (typeof each !== "string") return each
      const [ask, key] = [lines[each]?.ask, keys[each]]
      return ask === undefined || key === undefined ? [] : ask(each, key.read)
    }),
    section: (answer) => all.map(([key, line = {}]) => lineText(key, keys[key]?.says, line, answer)).join("")
  }
}

const decimalOf = (text: string): Decimal.Decimal => Decimal.parse(text) ?? Decimal.zero

export const unitsOf = (asset: Asset, text: string): Amount => fromDecimal(decimalOf(text), asset.decimals) ?? 0n

/** An empty answer takes the fallback. `narrower` replaces the reader of a key that accepts more than the question asks for. */
export const text =
  (text: Text, fallback?: string, narrower?: Read.Reader<unknown>): Asking =>
  (key, read) =>
  (answer) => ({ key, text: textOf(text, answer, key), read: narrower ?? read, ...present({ fallback }) })

export const price =
  (text: Text, around: (answer: AnswerOf) => number): Asking =>
  (key, read) =>
  (answer) => ({ key, text: textOf(text, answer, key), around: around(answer), read })

export const priceBeyond =
  (
    text: string,
    than: string,
    side: (answer: AnswerOf) => "above" | "below",
    around: (answer: AnswerOf) => number
  ): Asking =>
  (key) =>
  (answer) => {
    const other = decimalOf(answer(than))
    const isAbove = side(answer) === "above"
    const reader = Read.scalar(`a price ${side(answer)} ${answer(than)}`, (found) => {
      const value = Decimal.parse(found)
      if (value === undefined || !Decimal.isPositive(value)) return undefined
      return (isAbove ? Decimal.isGreater(value, other) : Decimal.isLess(value, other)) ? value : undefined
    })
    return { key, text: `${text}, ${side(answer)} ${answer(than)}`, around: around(answer), read: reader }
  }

export const question = (key: string, asset: Asset, text: string, fallback?: string): Question => ({
  key,
  text: `${asset.symbol} ${text}`,
  read: Read.amount(asset, { zero: fallback === "0" }),
  ...present({ fallback })
})

export const amount =
  (...about: Parameters<typeof question>): NextQuestion =>
  () =>
    question(...about)

/** Asks for the total, unless a flag has set the size of each order. */
export const total =
  (asset: Asset, text: string, key = "budget"): NextQuestion =>
  (answer) =>
    answer("size") !== "" && answer(key) === "" ? undefined : question(key, asset, text)

export const totalOf = (asset: Asset, answer: AnswerOf, count: number, key = "budget"): string =>
  answer(key) === "" ? format(unitsOf(asset, answer("size")) * BigInt(count), asset.decimals) : answer(key)

/** Asks for the size of each order. Offers an even share of the total, and refuses more. */
export const share =
  (asset: Asset, text: string, count: (answer: AnswerOf) => number, whole = "budget"): Asking =>
  (key) =>
  (answer) => {
    const free = question(key, asset, text)
    if (answer(whole) === "") return free
    const most = unitsOf(asset, answer(whole)) / BigInt(count(answer))
    const readShare = Read.mapped(Read.amount(asset), (amount, node, to) => {
      if (amount <= most) return amount
      const needed = formatWithSymbol(amount * BigInt(count(answer)), asset)
      const text = `${count(answer)} of them need ${needed}, of ${answer(whole)}`
      return report(to, node, text, `at most ${roundedText(most, asset)}`)
    })
    return { ...free, read: readShare, ...(most > 0n ? { fallback: roundedText(most, asset) } : {}) }
  }

/** Rounded down to six places, unless that leaves nothing. */
const roundedText = (amount: Amount, asset: Asset): string => {
  const step = 10n ** BigInt(Math.max(0, asset.decimals - 6))
  return format(amount < step ? amount : amount - (amount % step), asset.decimals)
}

export const side = text("buy or sell", "buy")
export const isBuy = (answer: AnswerOf): boolean => answer("side") === "buy"

export const onItsSide =
  (distance: number) =>
  (answer: AnswerOf): number =>
    isBuy(answer) ? 1 - distance : 1 + distance

export const inputOf = ({ base, quote }: Market, answer: AnswerOf) =>
  isBuy(answer) ? ({ key: "quote", asset: quote } as const) : ({ key: "base", asset: base } as const)

export const paidAmount =
  (text: string, market: Market): Asking =>
  (key) =>
  (answer) =>
    question(key, inputOf(market, answer).asset, `to ${isBuy(answer) ? "spend" : "sell"} ${text}`)
export const paidSize =
  (market: Market): Text =>
  (answer, key) =>
    `{ ${inputOf(market, answer).key}: ${answer(key)} }`
export const quoteSize: Text = (answer, key) => `{ quote: ${answer(key)} }`

export const per = ({ base, quote }: Pick<Market, "base" | "quote">): string => `${quote.symbol} per ${base.symbol}`
