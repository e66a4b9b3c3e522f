/** How values are written for people and programs: times in UTC, shares, and JSON of whole amounts. */
import { DateTime } from "effect"

/** Date and time to the millisecond: 2026-01-31T12:00:00.000Z. */
export const iso = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

/** 2026-01-31. */
export const utcDate = (at: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(at))

export const utcYear = (at: number): number => DateTime.toPartsUtc(DateTime.makeUnsafe(at)).year

/** A share of one: 12.34 %. */
export const percent = (ratio: number, places = 2): string => `${(ratio * 100).toFixed(places)} %`

/** A figure with its thousands apart: 1,234,567.89. */
export const grouped = (figure: string): string => {
  const [whole = "", ...places] = figure.split(".")
  return [whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ","), ...places].join(".")
}

/** What was thrown, in words. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/** JSON in which a bigint is its decimal text. */
export const plainJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? part.toString() : part)) ?? ""
