/**
 * What kind of table a text file is: its delimiter, whether the first line names the columns, and which column is what.
 * Exchanges name them differently; the meaning is recognised, never the position when there are names.
 */
import type { DataProblem } from "../DataProblem.ts"

export interface CsvFormat {
  readonly hasHeader: boolean
  readonly delimiter: number
  /** Meaning of each field: an index into `roles`, or -1. */
  readonly roleOfField: Int8Array
  readonly roles: ReadonlyArray<Role>
  /** Where the rows start: offset in the file, and the number of lines before. */
  readonly start: number
  readonly linesBefore: number
}

export type Role = "time" | "open" | "high" | "low" | "close" | "volume" | "price" | "quantity"

const names: Readonly<Record<Role, ReadonlyArray<string>>> = {
  time: [
    "time",
    "timestamp",
    "opentime",
    "opentimems",
    "tradetimems",
    "timems",
    "date",
    "datetime",
    "unix",
    "unixtime",
    "unixtimestamp",
    "ts",
    "t",
    "start",
    "starttime",
    "epoch"
  ],
  open: ["open", "o", "openprice"],
  high: ["high", "h", "max", "highprice"],
  low: ["low", "l", "min", "lowprice"],
  close: ["close", "c", "last", "closeprice"],
  volume: ["volume", "vol", "v", "basevolume", "volumebase", "size"],
  price: ["price", "p", "rate"],
  quantity: ["qty", "quantity", "size", "amount", "q", "volume", "vol"]
}

/** The columns of a candle file, in the order that files without a header have. */
export const candleRoles: ReadonlyArray<Role> = ["time", "open", "high", "low", "close", "volume"]
export const tradeRoles: ReadonlyArray<Role> = ["time", "price", "quantity"]

const delimiters = [",", ";", "\t", "|"]
const headBytes = 65_536

const isNumberOrDate = (field: string): boolean => /^[-+]?[\d.]/.test(field.replaceAll('"', ""))

const normalised = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** The column of each role: the name that stands first in the list wins; "Volume BTC" is a volume. */
const fieldsByName = (header: ReadonlyArray<string>, roles: ReadonlyArray<Role>): ReadonlyArray<number> => {
  const known = header.map(normalised)
  return roles.map((role) => {
    const exact = names[role].map((name) => known.indexOf(name)).find((field) => field >= 0)
    return exact ?? (role === "volume" ? known.findIndex((name) => name.startsWith("volume")) : -1)
  })
}

const optional = new Set<Role>(["volume"])

interface Line {
  readonly text: string
  /** Offsets of the line in the file, its line end included. */
  readonly start: number
  readonly end: number
  readonly number: number
}

const linesBeforeTable = 20
const byteOrderMark = [0xef, 0xbb, 0xbf]

/** The first line with more than one field: banners, comments and blank lines come before it in some files. */
const firstTableLine = (bytes: Uint8Array): Line | undefined => {
  let start = byteOrderMark.every((byte, index) => bytes[index] === byte) ? byteOrderMark.length : 0
  for (let number = 1; number <= linesBeforeTable && start < bytes.length; number++) {
    const feed = bytes.indexOf(10, start)
    const end = feed < 0 ? bytes.length : feed + 1
    const text = new TextDecoder().decode(bytes.subarray(start, Math.min(end, start + headBytes))).trim()
    if (!text.startsWith("#") && delimiters.some((delimiter) => text.includes(delimiter)))
      return { text, start, end, number }
    start = end
  }
  return undefined
}

const problem = (
  file: string,
  line: number,
  kind: DataProblem["kind"],
  message: string,
  advice: string
): DataProblem => ({
  severity: "error",
  kind,
  file,
  line,
  column: line === 0 ? 0 : 1,
  message,
  advice
})

/** Recognises the table; `roles` are the columns wanted. */
export const detect = (bytes: Uint8Array, file: string, roles: ReadonlyArray<Role>): CsvFormat | DataProblem => {
  if (bytes.length === 0) return problem(file, 0, "empty", "the file is empty", "give a file with a header and rows")
  const line = firstTableLine(bytes)
  const wanted = roles.join(",")
  if (line === undefined)
    return problem(file, 1, "header", "no line has fields separated by comma, semicolon, tab or bar", `write ${wanted}`)
  const count = (delimiter: string) => line.text.split(delimiter).length
  const delimiter = delimiters.reduce((best, next) => (count(next) > count(best) ? next : best))
  const fields = line.text.split(delimiter).map((field) => field.trim())
  const hasHeader = fields.some((field) => field !== "" && !isNumberOrDate(field))
  const byName = hasHeader ? fieldsByName(fields, roles) : roles.map((_, index) => (index < fields.length ? index : -1))
  const missing = roles.filter((role, index) => (byName[index] ?? -1) < 0 && !optional.has(role))
  if (missing.length > 0)
    return problem(
      file,
      line.number,
      "header",
      hasHeader
        ? `no column for ${missing.join(", ")} among ${fields.join(", ")}`
        : `${fields.length} fields and no header`,
      `name the columns ${wanted} in the first line`
    )
  const roleOfField = new Int8Array(fields.length).fill(-1)
  for (const [role, field] of byName.entries()) if (field >= 0) roleOfField[field] = role
  return {
    hasHeader,
    delimiter: delimiter.charCodeAt(0),
    roleOfField,
    roles,
    start: hasHeader ? line.end : line.start,
    linesBefore: hasHeader ? line.number : line.number - 1
  }
}
