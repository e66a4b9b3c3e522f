/** How values are written for people and programs: times in UTC, shares, JSON of whole amounts, and why a value does not fit its schema. */
import { DateTime, type Schema, SchemaIssue } from "effect"

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

/** The same with the keys of every object in order, so that equal values have equal texts. */
export const orderedJson = (value: unknown): string =>
  plainJson(JSON.parse(plainJson(value), (_key, part: unknown) => (isRecord(part) ? inOrder(part) : part)))

/** An object of JSON: neither nothing nor a list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const inOrder = (record: object): object =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** What in a value does not fit its schema. */
export interface SchemaFault {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

export const faultsOf = ({ issue }: Schema.SchemaError): ReadonlyArray<SchemaFault> =>
  formatIssue(issue).issues.map(({ message, path }) => ({
    message,
    path: (path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment))
  }))

export const sentenceOf = (error: Schema.SchemaError): string =>
  faultsOf(error)
    .map(({ message, path }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`))
    .join("; ")

const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** Without control and direction characters: text of others must not be able to repaint the terminal. */
export const printable = (text: string): string => text.replace(unprintable, "\uFFFD")

/** The id by which the venue finds a request again, behind a sentence about its answer. */
export const correlationText = ({ correlationId }: { readonly correlationId?: string | undefined }): string =>
  correlationId === undefined ? "" : ` (correlation id ${correlationId})`
