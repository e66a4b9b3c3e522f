/** Explains a condition: each comparison as written, the numbers on its sides, and its result. Evaluating it here records no bounds. */
import * as Decimal from "../../domain/Decimal.ts"
import { unitMillis } from "../../domain/Durations.ts"
import { present } from "../../domain/Present.ts"
import type { Span } from "../Problem.ts"
import type { Input } from "../Strategy.ts"
import { type Check, type Moment, nothingFound, type Term, type ValueType } from "./Term.ts"

export const written = ({ start, end }: Span, text: string): string => {
  let [first, last] = [start, end]
  let depth = 0
  for (const sign of text.slice(start, end)) {
    depth += sign === "(" ? 1 : sign === ")" ? -1 : 0
    if (depth < 0) {
      first = text.lastIndexOf("(", first - 1)
      depth = 0
    }
  }
  for (; depth > 0; depth -= 1) last = text.indexOf(")", last) + 1
  return text.slice(Math.max(0, first), last).replace(/\s+/g, " ").trim()
}

export const checked = (
  text: string,
  operands: ReadonlyArray<Term>,
  value: Term["value"],
  comparison?: Check["comparison"]
) =>
  ({
    checks: [{ text, operands, value, ...present({ comparison }) }],
    value: (moment) => (moment.flipped === text ? 1 - value(moment) : value(moment))
  }) satisfies Pick<Term, "checks" | "value">

export const inputsOf = (
  conditions: ReadonlyArray<Term | undefined>,
  moment: Moment,
  verdict: (moment: Moment) => boolean
): ReadonlyArray<Input> => {
  const evaluation: Moment = { ...moment, found: nothingFound() }
  const answer = verdict(evaluation)
  const checks = new Map(conditions.flatMap((term) => term?.checks ?? []).map((check) => [check.text, check]))
  return [...checks.values()].map((check) => {
    const { text, operands, value } = check
    const moving = operands.filter(({ constant }) => constant === undefined)
    const values = moving.map((term) => valueText(term.value(evaluation), term.type)).join(" and ")
    const decides = verdict({ ...evaluation, flipped: text }) !== answer
    const holds = value(evaluation) > 0
    return { text, values, holds, decides, ...present({ distance: distanceOf(check, evaluation, holds) }) }
  })
}

/** By operator: the other side's value at which the comparison turns true, and false. */
const turns: Readonly<Record<string, readonly [isTrue: string, isFalse: string]>> = {
  "<": ["below", "at or above"],
  "<=": ["at or below", "above"],
  ">": ["above", "at or below"],
  ">=": ["at or above", "below"],
  "==": ["at", "away from"],
  "!=": ["away from", "at"]
}

/** "rsi(close, 14) is 41, true below 35". A constant comes last, even if the file has it first. */
const distanceOf = ({ comparison, operands }: Check, moment: Moment, holds: boolean): string | undefined => {
  const sides = operands.map((term, at) => ({
    term,
    text: comparison?.texts[at],
    now: valueText(term.value(moment), term.type)
  }))
  const isTurned = operands[0]?.constant !== undefined
  const [moving, other] = isTurned ? sides.toReversed() : sides
  if (comparison === undefined || moving === undefined || other === undefined) return undefined
  const { operator } = comparison
  const phrases = turns[isTurned ? operator.replace(/[<>]/, (sign) => (sign === "<" ? ">" : "<")) : operator] ?? []
  const beside = other.term.constant === undefined ? ` (${other.now})` : ""
  return `${moving.text} is ${moving.now}, ${holds ? "false" : "true"} ${phrases[holds ? 1 : 0]} ${other.text}${beside}`
}

/** Journals of older versions have no distance. */
const distanceText = ({ distance, holds, text, values }: Input): string =>
  distance ?? `${text} turning ${holds ? "false" : "true"} (was ${values})`

/** The checks that would change the answer alone. If there is none, all checks that block it together. */
export const turningPoints = (checks: ReadonlyArray<Input>): ReadonlyArray<string> => {
  const deciding = checks.filter(({ decides }) => decides)
  if (deciding.length > 0) return deciding.map(distanceText)
  const failing = checks.filter(({ holds }) => !holds)
  return failing.length > 1 ? [failing.map(distanceText).join(" and ")] : []
}

const valueText = (value: number, type: ValueType): string => {
  if (Number.isNaN(value)) return "not known"
  if (value === Number.POSITIVE_INFINITY) return type === "duration" ? "never" : "infinite"
  if (value === Number.NEGATIVE_INFINITY) return "-infinite"
  if (type === "boolean") return value > 0 ? "true" : "false"
  if (type === "ratio") return `${short(value * 100, 4)}%`
  if (type === "duration") return duration(value)
  if (type.startsWith("amount of ")) return `${short(value, 8)} ${type.slice("amount of ".length)}`
  return short(value, type.startsWith("price") ? 8 : 5)
}

const short = (value: number, digits: number): string => Decimal.format(Decimal.fromNumber(value, digits))

const duration = (millis: number): string => {
  const [unit, size] = Object.entries(unitMillis).findLast(([, size]) => Math.abs(millis) >= size) ?? ["s", 1_000]
  return `${short(millis / size, 3)}${unit}`
}
