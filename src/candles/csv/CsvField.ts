/** Reads one field of a table from its text into a number or a time: slowly, but every accepted form. */
import { Result } from "effect"
import * as Timestamp from "../../domain/Timestamp.ts"
import type { DataFault } from "../DataProblem.ts"

export type Role = "time" | "open" | "high" | "low" | "close" | "volume" | "price" | "quantity"

type Field = Result.Result<Readonly<ReturnType<typeof rounding>>, DataFault>

const plain = /^[+-]?(\d+\.?\d*|\.\d+)$/
const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/

const placesOf = (text: string): number => {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e")
  const point = mantissa.indexOf(".")
  const places = point < 0 ? 0 : mantissa.replace(/0+$/, "").length - point - 1
  return Math.max(0, places - Number(exponent))
}

const numberAdvice = (text: string): string => {
  if (/^\d+,\d+$/.test(text)) return "write a decimal point instead of the comma"
  if (/^[\d,' ]+\.\d+$/.test(text)) return "write the number without thousands separators"
  if (/^[$€£]/.test(text)) return "write the number without a currency sign"
  return "write a plain number such as 42000.5, or --repair invalid leaves the line out"
}

/** No coin was traded before 2009. From then to 2100, no number is a time in two of the units. */
const [earliest, latest] = [Date.UTC(2009, 0), Date.UTC(2100, 0)]

/** Converts seconds, milli-, micro- or nanoseconds to epoch milliseconds. NaN if the number is not a time from 2009 to 2099. */
export const toMillis = (time: number): number => {
  const millis = time < 1e11 ? time * 1000 : time < 1e14 ? time : Math.floor(time / (time < 1e17 ? 1e3 : 1e6))
  return millis >= earliest && millis < latest ? millis : Number.NaN
}

const timeAdvice = (text: string): string => {
  const [, year, month, day] = /^(20\d\d)([01]\d)([0-3]\d)\d*$/.exec(text) ?? []
  if (year !== undefined) return `it looks like a date without dashes: write ${year}-${month}-${day}`
  if (Number(text) > 20_000 && Number(text) < 80_000)
    return "it looks like the day number of a spreadsheet: show the column as 2024-01-31 12:00:00, and export again"
  return "write epoch milliseconds or 2024-01-31T12:00:00Z"
}

export const notATime = (text: string): DataFault => {
  const isTime = plain.test(text) || Timestamp.written(text) !== undefined
  const message = `time ${JSON.stringify(text)} is ${isTime ? "out of range, which is 2009 to 2099" : "not a time"}`
  return { message, advice: timeAdvice(text) }
}

/** Removes the quotes around a field, and spaces. */
export const textIn = (field: string): string => field.trim().replace(/^"\s*(.*?)\s*"$/, "$1")

export const parseField = (raw: string, role: Role): Field => {
  const text = textIn(raw)
  if (text === "")
    return Result.fail({ message: `${role} is empty`, advice: "fill it in, or --repair invalid leaves the line out" })
  if (role === "time") {
    // A double cannot hold the digits of nanoseconds, so they are cut to microseconds.
    const number = plain.test(text) ? Number(text.replace(/^(\d{16})\d{3}(\.\d*)?$/, "$1")) : Number.NaN
    const value = toMillis(Timestamp.written(text) ?? number)
    return Number.isNaN(value) ? Result.fail(notATime(text)) : Result.succeed({ value, places: 0, rounded: false })
  }
  const value = Number(text)
  if (number.test(text) && Number.isFinite(value)) return Result.succeed(rounding(value, text))
  return Result.fail({ message: `${role} ${JSON.stringify(text)} is not a number`, advice: numberAdvice(text) })
}

/** Keeps at most fifteen significant digits, so that each double is exactly one decimal number. */
const rounding = (value: number, text: string) => {
  const shortValue = Number(value.toPrecision(15))
  const rounded =
    text
      .replace(/e.*/i, "")
      .replace(/^[+-]?0*\.?0*/, "")
      .replace(/\D/g, "")
      .replace(/0+$/, "").length > 15
  return { value: shortValue, places: placesOf(rounded ? String(shortValue) : text), rounded }
}
