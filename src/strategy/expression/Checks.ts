/**
 * Explains a condition: each comparison as written, the numbers on its sides, and its result. For explanations only; evaluating it records
 * no bounds.
 */

import * as Decimal from "../../domain/Decimal.ts"
import { dayMillis, hourMillis } from "../../domain/Durations.ts"
import type { Span } from "../Problem.ts"
import type { Input } from "../Strategy.ts"
import { type Moment, nothingFound, type Term, type ValueType } from "./Term.ts"

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

export const checked = (text: string, operands: ReadonlyArray<Term>, value: Term["value"]) =>
  ({
    checks: [{ text, operands, value }],
    value: (moment) => (moment.flipped === text ? 1 - value(moment) : value(moment))
  }) satisfies Pick<Term, "checks" | "value">

export const inputsOf = (
  conditions: ReadonlyArray<Term | undefined>,
  moment: Moment,
  verdict: (moment: Moment) => boolean
): ReadonlyArray<Input> => {
  const evaluation: Moment = { ...moment, found: nothingFound() }
  const present = verdict(evaluation)
  const checks = new Map(conditions.flatMap((term) => term?.checks ?? []).map((check) => [check.text, check]))
  return [...checks.values()].map(({ text, operands, value }) => {
    const moving = operands.filter(({ constant }) => constant === undefined)
    const values = moving.map((term) => valueText(term.value(evaluation), term.type)).join(" and ")
    const decides = verdict({ ...evaluation, flipped: text }) !== present
    return { text, values, holds: value(evaluation) > 0, decides }
  })
}

const valueText = (value: number, type: ValueType): string => {
  if (Number.isNaN(value)) return "not known"
  if (!Number.isFinite(value)) return "endless"
  if (type === "boolean") return value > 0 ? "true" : "false"
  if (type === "ratio") return `${short(value * 100, 4)}%`
  if (type === "duration") return duration(value)
  if (type.startsWith("amount of ")) return `${short(value, 8)} ${type.slice("amount of ".length)}`
  return short(value, type.startsWith("price") ? 8 : 5)
}

const short = (value: number, digits: number): string => Decimal.format(Decimal.fromNumber(value, digits))

const units = [
  ["d", dayMillis],
  ["h", hourMillis],
  ["m", 60_000]
] as const

const duration = (millis: number): string => {
  const [unit, size] = units.find(([, size]) => Math.abs(millis) >= size) ?? ["s", 1_000]
  return `${short(millis / size, 3)}${unit}`
}
