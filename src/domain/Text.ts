/** Text forms of values for people and programs. Times are UTC: `utc` for sentences, `iso` for data. */
import { DateTime, type Schema, SchemaIssue } from "effect"

export const iso = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

export const utcDate = (at: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(at))

export const utc = (at: number): string => `${iso(at).slice(0, 19).replace("T", " ")} UTC`

/** A figure that rounds to zero has no sign. */
export const fixed = (value: number, places = 2): string => value.toFixed(places).replace(/^-(?=[0.]+$)/, "")

export const percent = (ratio: number, places = 2): string => `${fixed(ratio * 100, places)} %`

export const grouped = (figure: string): string => {
  const [whole = "", ...places] = figure.split(".")
  return [whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ","), ...places].join(".")
}

export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

export const plainJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? part.toString() : part)) ?? ""

/** Like `plainJson`, with the keys of every object sorted, so that equal values have equal texts. */
export const orderedJson = (value: unknown): string =>
  plainJson(JSON.parse(plainJson(value), (_key, part: unknown) => (isRecord(part) ? inOrder(part) : part)))

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const inOrder = (record: object): object =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))

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

/** Replaces control and direction characters: foreign text must not be able to repaint the terminal. */
export const printable = (text: string): string => text.replace(unprintable, "\uFFFD")

/** Appends the id by which the venue can find the request. */
export const correlationText = ({ correlationId }: { readonly correlationId?: string | undefined }): string =>
  correlationId === undefined ? "" : ` (correlation id ${correlationId})`

export const age = (millis: number): string => {
  const seconds = Math.max(0, millis) / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}

export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

export const clock = (at: number): string => iso(at).slice(-13, -1)

export const clockText = (skewMillis: number): string =>
  `this machine's clock is ${(Math.abs(skewMillis) / 1000).toFixed(1)} s ${skewMillis > 0 ? "ahead of" : "behind"} the venue's`

export const operatorLimit = "operator"

export const diskFullText = "the disk is full"

/** Without a stated reason, the reason repeats the name. Older journals have no name. */
export const pausedBy = (pause: { readonly by?: string; readonly limit: string; readonly reason: string }) => {
  const { by, limit, reason } = pause
  const who = `by ${limit === operatorLimit ? (by ?? "the operator") : `its limit ${limit}`}`
  return reason === who ? who : `${who}: ${reason}`
}
