/** Writes figures as pages show them: grouped thousands, a true minus, and at most 8 digits. */
import { grouped } from "../../domain/Text.ts"

/** A single zero before the point does not count. */
const mostDigits = 8

const rewritten = (number: string, plus: string): string => {
  const [whole = "", places = ""] = number.replaceAll(/[,-]/g, "").split(".")
  const room = Math.max(0, mostDigits - (whole === "0" ? 0 : whole.length))
  const text = grouped(places === "" ? whole : Number(`${whole}.${places}`).toFixed(Math.min(places.length, room)))
  return /[1-9]/.test(text) ? `${number.startsWith("-") ? "−" : plus}${text}` : text
}

export const figure = (value: number, places = 2): string => rewritten(value.toFixed(places), "")

/** `places` are those of the ratio. */
export const share = (ratio: number, places = 4): string => `${figure(ratio * 100, Math.max(0, places - 2))} %`

/** Matches numbers that are not a part of a name, a date, a time, a version, or a number in another notation. */
const numbers = /(?<![\w.:/+-])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w:/]|[.,]\d|-\w)/g

export const polished = (text: string): string =>
  text.replaceAll(numbers, (number) => (/^(?:19|20)\d\d$/.test(number) ? number : rewritten(number, "")))

export const signed = (text: string): string => text.replaceAll(numbers, (number) => rewritten(number, "+"))

/** Returns the class that colours a signed text; "" for zero and for a range from a loss to a profit. */
export const toneOf = (text: string): string =>
  text.includes("−") === text.includes("+") ? "" : text.includes("+") ? "up" : "down"
