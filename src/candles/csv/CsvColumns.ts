/**
 * Parses rows of numbers into columns of doubles. Digits are gathered as an integer and divided once by a power of ten, which gives the
 * nearest double for up to fifteen digits. `parseField` reads other forms (quotes, exponents, dates, more digits) slowly, with the same
 * result. A row that cannot be read is reported with line and column, and left out.
 */
import { Result } from "effect"
import { leastOf } from "../../domain/Bisection.ts"
import { type Column, column } from "../Candles.ts"
import { type DataFault, type DataProblem, maxProblems } from "../DataProblem.ts"
import { parseField, textIn } from "./CsvField.ts"
import { type CsvFormat, oneMarket } from "./CsvFormat.ts"

const LF = 10
const CR = 13
const DOT = 46
const maxExactDigits = 15
const powers = Float64Array.from({ length: 23 }, (_, power) => 10 ** power)

interface Reader {
  readonly bytes: Uint8Array
  readonly file: string
  readonly format: CsvFormat
  columns: ReadonlyArray<Column>
  capacity: number
  readonly places: Int32Array
  rows: number
  line: number
  position: number
  readonly problems: Array<DataProblem>
  problemCount: number
  unreadable: number
  /** Count of numbers with more digits than a double keeps. */
  rounded: number
  /** Lines that are not rows, as pairs: the next row, and the number of lines left out before it. */
  readonly skipped: Array<readonly [row: number, lines: number]>
  readonly markets: Map<number, Uint8Array>
  mixed: DataProblem | undefined
}

export type CsvRows = Readonly<Omit<Reader, "bytes" | "capacity" | "file" | "format" | "line" | "position">>

const grow = (reader: Reader): void => {
  reader.capacity = Math.ceil(reader.capacity * 1.5) + 16
  reader.columns = reader.columns.map((old) => {
    const largerColumn = column(reader.capacity)
    largerColumn.set(old)
    return largerColumn
  })
}

const estimateRows = (bytes: Uint8Array, start: number): number => {
  const sample = bytes.subarray(start, start + 65_536)
  let lines = 1
  for (let at = sample.indexOf(LF); at >= 0; at = sample.indexOf(LF, at + 1)) lines++
  return Math.ceil(((bytes.length - start) / Math.max(1, sample.length)) * lines * 1.05) + 16
}

const fieldEnd = (bytes: Uint8Array, from: number, delimiter: number): number => {
  let at = from
  while (at < bytes.length && bytes[at] !== delimiter && bytes[at] !== LF) at++
  return at
}

const report = (reader: Reader, column: number, problem: DataFault): void => {
  reader.problemCount++
  if (reader.problems.length < maxProblems)
    reader.problems.push({ severity: "error", file: reader.file, line: reader.line, column, ...problem })
}

const readSlowly = (reader: Reader, lineStart: number, role: number): boolean => {
  const { bytes, format, rows } = reader
  const from = reader.position
  reader.position = fieldEnd(bytes, from, format.delimiter)
  const name = format.roles[role] ?? "time"
  const fieldResult = parseField(new TextDecoder().decode(bytes.subarray(from, reader.position)), name)
  if (Result.isFailure(fieldResult)) {
    const { advice, message } = fieldResult.failure
    const mayLeaveOut = advice.includes("--repair") ? "" : ", or --repair invalid leaves the line out"
    report(reader, from - lineStart + 1, { message, advice: `${advice}${mayLeaveOut}` })
    return false
  }
  const { places, rounded, value } = fieldResult.success
  const values = reader.columns[role]
  if (values !== undefined) values[rows] = value
  reader.places[role] = Math.max(reader.places[role] ?? 0, places)
  if (rounded) reader.rounded++
  return true
}

const readNumber = (reader: Reader, values: Column, lineStart: number, role: number): boolean => {
  const { bytes, format } = reader
  const start = reader.position
  let at = start
  let mantissa = 0
  let digit = (bytes[at] ?? 0) - 48
  while (digit >= 0 && digit <= 9) {
    mantissa = mantissa * 10 + digit
    digit = (bytes[++at] ?? 0) - 48
  }
  let digits = at - start
  let places = 0
  if (bytes[at] === DOT) {
    const point = at
    digit = (bytes[++at] ?? 0) - 48
    while (digit >= 0 && digit <= 9) {
      mantissa = mantissa * 10 + digit
      digit = (bytes[++at] ?? 0) - 48
    }
    places = at - point - 1
    digits += places
  }
  const next = bytes[at] ?? LF
  if (digits === 0 || digits > maxExactDigits || (next !== format.delimiter && next !== LF && next !== CR))
    return readSlowly(reader, lineStart, role)
  reader.position = at
  values[reader.rows] = places === 0 ? mantissa : mantissa / (powers[places] ?? 1)
  if (places > (reader.places[role] ?? 0)) reader.places[role] = places
  return true
}

const checkMarket = (reader: Reader, lineStart: number, field: number): void => {
  const { bytes, file, line, markets, position } = reader
  reader.position = fieldEnd(bytes, position, reader.format.delimiter)
  const market = bytes.subarray(position, reader.position)
  const first = markets.get(field) ?? market
  if (first === market) markets.set(field, first)
  if (first.length === market.length && first.every((byte, at) => byte === market[at])) return
  const [one, other] = [first, market].map((written) => textIn(new TextDecoder().decode(written)))
  if (one === other || reader.mixed !== undefined) return
  const column = position - lineStart + 1
  const message = `${other} in the column ${reader.format.names[field]}, but the rows before have ${one}`
  reader.mixed = { severity: "error", file, line, column, message, advice: "give each market a separate file" }
}

const readLine = (reader: Reader): boolean => {
  const { bytes, format, columns } = reader
  const { roleOfField, delimiter } = format
  const lineStart = reader.position
  let good = true
  let field = 0
  for (; ; field++) {
    const role = roleOfField[field] ?? -1
    const values = columns[role]
    if (role === oneMarket) checkMarket(reader, lineStart, field)
    else if (values === undefined) reader.position = fieldEnd(bytes, reader.position, delimiter)
    else if (!readNumber(reader, values, lineStart, role)) good = false
    if (bytes[reader.position] === delimiter) reader.position++
    else break
  }
  const end = reader.position < bytes.length && bytes[reader.position] !== LF
  reader.position = end ? fieldEnd(bytes, reader.position, LF) + 1 : reader.position + 1
  if (field + 1 === roleOfField.length) return good
  const message = `${field + 1} fields, expected ${roleOfField.length}`
  const advice = "complete the line, or write decimal points instead of commas; --repair invalid leaves it out"
  report(reader, 1, { message, advice })
  return false
}

const isSkippable = (bytes: Uint8Array, position: number): boolean => {
  const first = bytes[position]
  return first === LF || first === 35 || (first === CR && (bytes[position + 1] ?? LF) === LF)
}

export const parseCsv = (bytes: Uint8Array, file: string, format: CsvFormat): CsvRows => {
  const capacity = estimateRows(bytes, format.start)
  const reader: Reader = {
    bytes,
    file,
    format,
    columns: format.roles.map(() => column(capacity)),
    capacity,
    places: new Int32Array(format.roles.length),
    rows: 0,
    line: format.linesBefore,
    position: format.start,
    problems: [],
    problemCount: 0,
    unreadable: 0,
    rounded: 0,
    skipped: [[0, format.linesBefore]],
    markets: new Map(),
    mixed: undefined
  }
  let skipped = format.linesBefore
  while (reader.position < bytes.length) {
    reader.line++
    if (reader.rows === reader.capacity) grow(reader)
    const isRow = !isSkippable(bytes, reader.position)
    if (isRow && readLine(reader)) reader.rows++
    else {
      if (isRow) reader.unreadable++
      else reader.position = fieldEnd(bytes, reader.position, LF) + 1
      skipped++
      reader.skipped.push([reader.rows, skipped])
    }
  }
  return { ...reader, columns: reader.columns.map((all) => all.subarray(0, reader.rows)) }
}

/** Counts from 1. */
export const lineOf = ({ skipped }: CsvRows, row: number): number => {
  const next = leastOf(skipped.length, (at) => (skipped[at]?.[0] ?? 0) > row)
  return row + 1 + (skipped[next - 1]?.[1] ?? 0)
}
