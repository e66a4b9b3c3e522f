/** One field of a table as text: the slow, thorough way to a number or a time. */

import { Result } from "effect"
import * as Timestamp from "../../domain/Timestamp.ts"
import type { DataProblem } from "../DataProblem.ts"
import type { Role } from "./CsvFormat.ts"

export interface FieldValue {
  readonly value: number
  readonly places: number
  readonly rounded: boolean
}

type Field = Result.Result<FieldValue, Pick<DataProblem, "kind" | "message" | "advice">>

const plain = /^[+-]?(\d+\.?\d*|\.\d+)$/
const withExponent = /^[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?\d{1,3}$/

const placesOf = (text: string): number => {
  const point = text.indexOf(".")
  return point < 0 ? 0 : text.replace(/0+$/, "").length - point - 1
}

const numberAdvice = (text: string): string => {
  if (/^\d+,\d+$/.test(text)) return "write a decimal point instead of the comma"
  if (/^[\d,' ]+\.\d+$/.test(text)) return "write the number without thousands separators"
  if (/^[$€£]/.test(text)) return "write the number without a currency sign"
  return "write a plain number such as 42000.5, or --repair invalid leaves the line out"
}

export const parseField = (raw: string, role: Role): Field => {
  const text = raw
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .trim()
  const kind = role === "time" ? "time" : "number"
  if (text === "")
    return Result.fail({
      kind,
      message: `${role} is empty`,
      advice: "fill it in, or --repair invalid leaves the line out"
    })
  if (role === "time") {
    const time = Timestamp.written(text)
    if (time !== undefined) return Result.succeed({ value: time, places: 0, rounded: false })
    if (!plain.test(text))
      return Result.fail({
        kind,
        message: `${role} ${JSON.stringify(text)} is not a time`,
        advice: "write epoch milliseconds or 2024-01-31T12:00:00Z"
      })
    // Nanoseconds have more digits than a double: cut to microseconds.
    return Result.succeed({
      value: text.length > 17 ? Number(text.slice(0, -3)) : Number(text),
      places: 0,
      rounded: false
    })
  }
  const value = Number(text)
  if (plain.test(text)) return Result.succeed(rounding(value, text))
  if (withExponent.test(text) && Number.isFinite(value)) return Result.succeed(rounding(value, exponentless(text)))
  return Result.fail({ kind, message: `${role} ${JSON.stringify(text)} is not a number`, advice: numberAdvice(text) })
}

/** At most fifteen significant digits, so that the double stands for exactly one decimal number. */
const rounding = (value: number, text: string): FieldValue => {
  const kept = Number(value.toPrecision(15))
  const rounded =
    text
      .replace(/^[+-]?0*\.?0*/, "")
      .replace(/\D/g, "")
      .replace(/0+$/, "").length > 15
  return { value: kept, places: rounded ? placesOf(String(kept)) : placesOf(text), rounded }
}

/** "1.5e-3" as "0.0015": only its decimal places matter. */
const exponentless = (text: string): string => {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e")
  const places = Math.max(0, placesOf(mantissa) - Number(exponent))
  return places === 0 ? "0" : `0.${"0".repeat(places - 1)}1`
}
