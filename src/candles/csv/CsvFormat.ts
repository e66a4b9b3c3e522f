/**
 * Detects the format of a text file: its delimiter, its kind (candles or trades), and the role of each column. `names` lists the names of
 * each role, by preference. If several columns name one role, the first rows decide. Of two volumes one must be the other times the price;
 * other columns must have equal values. Otherwise the file is refused, and the message names the columns.
 */
import { Result } from "effect"
import type { DataProblem } from "../DataProblem.ts"
import { parseField, type Role, textIn } from "./CsvField.ts"

export interface CsvFormat {
  readonly kind: "candles" | "trades"
  readonly delimiter: number
  /** Role of each field: an index into `roles`, -1 for none, or `oneMarket`. */
  readonly roleOfField: Int8Array
  readonly roles: ReadonlyArray<Role>
  readonly names: ReadonlyArray<string>
  /** Offset of the first row in the file. `linesBefore` is the number of lines before it. */
  readonly start: number
  readonly linesBefore: number
  readonly columns: string
  readonly isChoice: boolean
}

/** In `roleOfField`: a column of markets or timeframes, which must have one value in all rows. */
export const oneMarket = -2
const marketNames =
  /^(trading|currency|coin|token|base|quote)?(symbols?|sym|pairs?|market|ticker|tic|coin|token|currency|crypto|asset|contract|pool|stock|security|isin|figi|series|underlying|slug|bar|barsize|name|code|exchange|venue|interval|timeframe|tf|period|freq|frequency|resolution|granularity|product|instrument|inst|base|quote|source|ex|s$)(id|name|symbol|code|address)?$/

const amounts = /^(base)?(volume|vol|v|size|qty|quantity|amount|q)(base|from)?$/

/** Names of each role, reduced to lower-case letters and digits. Earlier patterns win. */
const names: Readonly<Record<Role, ReadonlyArray<RegExp>>> = {
  time: [
    /^(candle|bar|kline)?(open|start|begin)(at|time|timestamp|date|datetime)(ms|utc|unix)?$|^(time|timestamp|date|datetime)(open|start|begin)(ms|utc)?$|^(start|begin)$/,
    /^(trade|candle|event|exchange|transact|transaction|created|executed|local)?(date|unix|epoch)?(time|timestamp|stamp|date|unix|epoch|ts|t|at)(gmt|utc|ms|millis|s|sec|us|ns)?$/
  ],
  open: [/^(o|open|openprice|priceopen)$/],
  high: [/^(h|high|max|highprice|pricehigh)$/],
  low: [/^(l|low|min|lowprice|pricelow)$/],
  close: [/^(c|close|last|closeprice|priceclose|closelast)$/, /^(price|lastprice)$/],
  // The last pattern is quote volume, which is not used as volume.
  volume: [
    amounts,
    /^vol(ume)?(?!ume|(in)?(quote|to|notional|usd|[bt]usd|fdusd|eur|gbp|jpy|krw|try|dai))/,
    /^vol(ume)?/
  ],
  price: [/^(p|price|px|rate|tradeprice|execprice|executionprice|lastprice)$/],
  quantity: [amounts, /^(trade|exec|executed|last|filled)(size|qty|quantity|amount|volume)$/]
}
const quoteRank = 2
const endOfCandle = /^(close|end)(at|time|timestamp|date|datetime)(ms|utc|unix)?$|^(time|timestamp|date)(close|end)$/

const rolesOf: Readonly<Record<CsvFormat["kind"], ReadonlyArray<Role>>> = {
  candles: ["time", "open", "high", "low", "close", "volume"],
  trades: ["time", "price", "quantity"]
}
const isOptional = (role: Role | undefined): boolean => role === "volume"

const delimiters = [",", ";", "\t", "|"]
const headBytes = 65_536
const sampleRows = 20
const linesBeforeTable = 20
const byteOrderMark = [0xef, 0xbb, 0xbf]

const normalised = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

const fieldsOf = (line: string, delimiter: string): ReadonlyArray<string> => line.split(delimiter).map(textIn)

type Table = Readonly<NonNullable<ReturnType<typeof tableOf>>>

const isRow = (fields: ReadonlyArray<string>): boolean =>
  fields.filter((field) => /^([-+]?\.?\d|$)/.test(field)).length * 2 >= fields.length

/** Begins at the first line with more than one field, because some files have banners, comments and blank lines before it. */
const tableOf = (bytes: Uint8Array, file: string) => {
  const textOf = (from: number, to: number) => new TextDecoder().decode(bytes.subarray(from, to))
  let start = byteOrderMark.every((byte, index) => bytes[index] === byte) ? byteOrderMark.length : 0
  for (let line = 1; line <= linesBeforeTable && start < bytes.length; line++) {
    const feed = bytes.indexOf(10, start)
    const end = feed < 0 ? bytes.length : feed + 1
    const text = textOf(start, Math.min(end, start + headBytes)).trim()
    const count = (delimiter: string) => text.split(delimiter).length
    const delimiter = delimiters.reduce((best, next) => (count(next) > count(best) ? next : best))
    if (!/^(#|sep=)/i.test(text) && count(delimiter) > 1) {
      const fields = fieldsOf(text, delimiter)
      const hasHeader = !isRow(fields)
      const rows = hasHeader ? end : start
      const lines = textOf(rows, rows + headBytes).split("\n")
      const sample = lines.filter((row) => row.includes(delimiter) && !row.startsWith("#")).slice(0, sampleRows)
      return {
        ...{ fields, hasHeader, delimiter, file, line },
        start: rows,
        linesBefore: hasHeader ? line : line - 1,
        sample: sample.map((row) => fieldsOf(row, delimiter))
      }
    }
    start = end
  }
  return undefined
}

const problem = ({ file, line }: Pick<Table, "file" | "line">, message: string, advice: string): DataProblem => {
  const column = Math.min(1, line)
  return { severity: "error", file, line, column, message, advice }
}

const valuesOf = ({ sample }: Table, field: number, role: Role): ReadonlyArray<number> =>
  sample.map((row) => Result.getOrElse(parseField(row[field] ?? "", role), () => ({ value: Number.NaN })).value)

/** Returns the one column of which every other volume is a multiple by a price of its row; `undefined` unless there is exactly one. */
const baseAmong = (table: Table, candidates: ReadonlyArray<number>): number | undefined => {
  const isPrice = (name: string) =>
    (["open", "high", "low", "close", "price"] as const).some((role) => names[role].some((each) => each.test(name)))
  const prices = table.fields.flatMap((name, field) =>
    isPrice(normalised(name)) ? [valuesOf(table, field, "price")] : []
  )
  const isMultiple = (base: number, other: number): boolean => {
    const [bases, others] = [valuesOf(table, base, "volume"), valuesOf(table, other, "volume")]
    const traded = bases.flatMap((value, row) => (value > 0 && (others[row] ?? 0) > 0 ? [row] : []))
    return (
      traded.length > 0 &&
      traded.every((row) => {
        const ratio = (others[row] ?? 0) / (bases[row] ?? 1)
        const rowPrices = prices.map((values) => values[row] ?? Number.NaN)
        return ratio >= Math.min(...rowPrices) * 0.98 && ratio <= Math.max(...rowPrices) * 1.02
      })
    )
  }
  const bases = candidates.filter((base) => candidates.every((other) => other === base || isMultiple(base, other)))
  return bases.length === 1 ? bases[0] : undefined
}

interface Choice {
  /** -1 for none. */
  readonly field: number
  readonly isChoice: boolean
  readonly contradiction?: string
  readonly advice?: string
}

const columnOf = (table: Table, role: Role): Choice => {
  const columnNames = table.fields.map(normalised)
  const ranks = columnNames.map((name) => names[role].findIndex((pattern) => pattern.test(name)))
  const candidates = ranks.flatMap((rank, field) => (rank < 0 ? [] : [field]))
  if (candidates.length === 0) return { field: -1, isChoice: false }
  const best = Math.min(...candidates.map((field) => ranks[field] ?? 0))
  const preferred = candidates.filter((field) => ranks[field] === best)
  const [first = -1] = preferred
  const hasBase = candidates.length > 1 && (role === "volume" || role === "quantity")
  const field = (hasBase ? baseAmong(table, candidates) : undefined) ?? first
  const isChoice = candidates.length > 1 || (role === "close" && best > 0) || (role === "volume" && best === quoteRank)
  const columnText = (each: number) => valuesOf(table, each, role).join()
  const others = role === "time" ? columnNames.flatMap((name, other) => (endOfCandle.test(name) ? [other] : [])) : []
  const end = others.find((other) => best > 0 && columnText(other) === columnText(field))
  if (end !== undefined) {
    const contradiction = `the column ${table.fields[field]} has the end of each candle, not its time`
    const advice = "add the time at which each candle begins, or name that column time"
    return { field, isChoice, contradiction, advice }
  }
  const other = preferred.find((each) => columnText(each) !== columnText(first))
  if (field === first && other !== undefined) {
    const [one, two] = [table.fields[first], table.fields[other]]
    return { field, isChoice, contradiction: `the columns ${one} and ${two} both name the ${role}, and differ` }
  }
  return { field: role === "volume" && ranks[field] === quoteRank ? -1 : field, isChoice }
}

const kindOf = ({ fields }: Table): CsvFormat["kind"] => {
  const has = (role: Role) => fields.some((name) => names[role].some((pattern) => pattern.test(normalised(name))))
  return (["open", "high", "low"] as const).filter(has).length < 2 && has("price") ? "trades" : "candles"
}

const formatOf = (
  { delimiter, hasHeader, start, linesBefore, fields, sample }: Table,
  kind: CsvFormat["kind"],
  choices: ReadonlyArray<Pick<Choice, "field">>,
  origin: Pick<CsvFormat, "columns" | "isChoice">
): CsvFormat => {
  const isText = (field: number) => sample.every((row) => /^(?!true|false|nan|null|none)[a-z]/i.test(row[field] ?? ""))
  const isShared = (name: string, field: number) =>
    marketNames.test(name) || (isText(field) && (!hasHeader || name === "id"))
  const roleOfField = Int8Array.from(fields, (name, field) => (isShared(normalised(name), field) ? oneMarket : -1))
  for (const [role, { field }] of choices.entries()) if (field >= 0) roleOfField[field] = role
  const columnNames = hasHeader ? fields : fields.map((_, field) => `${field + 1}`)
  const layout = { delimiter: delimiter.charCodeAt(0), names: columnNames, start, linesBefore }
  return { ...origin, ...layout, kind, roleOfField, roles: rolesOf[kind] }
}

const byName = (table: Table): CsvFormat | DataProblem => {
  const { fields } = table
  const kind = kindOf(table)
  const roles = rolesOf[kind]
  const choices = roles.map((role) => columnOf(table, role))
  const { advice = "keep one of them, or rename the other", contradiction } =
    choices.find((choice) => choice.contradiction !== undefined) ?? {}
  if (contradiction !== undefined) return problem(table, contradiction, advice)
  const missing = roles.filter((role, index) => (choices[index]?.field ?? -1) < 0 && !isOptional(role))
  if (missing.length > 0) {
    const message = `no column for ${missing.join(", ")} among ${fields.join(", ")}`
    return problem(table, message, `name the columns ${roles.join(",")} in the first line`)
  }
  const sources = choices.map(({ field }, role) => {
    const [name, column] = [roles[role] ?? "", fields[field]]
    return column === undefined ? `no ${name}` : normalised(column) === name ? name : `${name} from ${column}`
  })
  const columns = `read as ${kind}: ${sources.join(", ")}`
  return formatOf(table, kind, choices, { columns, isChoice: choices.some(({ isChoice }) => isChoice) })
}

/** Three columns without names are trades, and at least five are candles. The first must be a time. */
const byPosition = (table: Table): CsvFormat | DataProblem => {
  const { fields } = table
  const kind = fields.length === rolesOf.trades.length ? "trades" : "candles"
  const roles = rolesOf[kind]
  const advice = `name the columns ${rolesOf.candles.join(",")} or ${rolesOf.trades.join(",")} in the first line`
  const fieldCountText = `${fields.length} fields and no header`
  if (roles.some((role, index) => index >= fields.length && !isOptional(role)))
    return problem(table, fieldCountText, advice)
  if (Result.isFailure(parseField(fields[0] ?? "", "time")))
    return problem(table, `${fieldCountText}, and the first field, ${fields[0]}, is not a time`, advice)
  const columns = `read as ${kind}: ${roles.slice(0, fields.length).join(", ")} by position, because the first line names none`
  const choices = roles.map((_, index) => ({ field: index < fields.length ? index : -1 }))
  return formatOf(table, kind, choices, { columns, isChoice: true })
}

export const detect = (bytes: Uint8Array, file: string): CsvFormat | DataProblem => {
  if (bytes.length === 0) return problem({ file, line: 0 }, "the file is empty", "give a file with a header and rows")
  const table = tableOf(bytes, file)
  if (table === undefined) {
    const message = "no line has fields separated by comma, semicolon, tab or bar"
    return problem({ file, line: 1 }, message, `write ${rolesOf.candles.join(",")}`)
  }
  return table.hasHeader ? byName(table) : byPosition(table)
}
