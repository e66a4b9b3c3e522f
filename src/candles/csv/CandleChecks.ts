/**
 * Are these candles, and if not, what is wrong and what could be done? Every row is checked against itself and the one
 * before. Nothing is repaired unless it is asked for, by name; what was repaired is counted.
 */

import { hourMillis } from "../../domain/Durations.ts"
import { iso } from "../../domain/Text.ts"
import { counted } from "../../domain/Words.ts"
import { type Candles, type Column, column } from "../Candles.ts"
import { type DataProblem, maxProblems } from "../DataProblem.ts"
import * as TimeAxis from "../TimeAxis.ts"
import { type CsvRows, lineOf } from "./CsvColumns.ts"

/**
 * `invalid` leaves out rows that cannot be, `sort` puts them in order, `duplicates` keeps the last of the same time,
 * `range` widens high and low until open and close lie within, `gaps` fills missing bars with the close before.
 */
export const repairs = ["invalid", "sort", "duplicates", "range", "gaps"] as const
export type Repair = (typeof repairs)[number]

export interface Checked {
  /** Absent when an error stands in the way. */
  readonly candles?: Candles
  readonly problems: ReadonlyArray<DataProblem>
  /** All problems, also those beyond the ones kept. */
  readonly problemCount: number
  readonly repaired: Readonly<Record<Repair, number>>
}

/** Seconds, milliseconds, microseconds or nanoseconds, by size: all four read as 2001 to 2286 in one of them only. */
export const toMillis = (time: number): number =>
  time < 1e11 ? time * 1000 : time < 1e14 ? time : time < 1e17 ? Math.floor(time / 1000) : Math.floor(time / 1e6)

interface Check {
  readonly rows: CsvRows
  readonly file: string
  readonly allowed: ReadonlySet<Repair>
  readonly columns: ReadonlyArray<Column>
  readonly problems: Array<DataProblem>
  problemCount: number
  readonly repaired: Record<Repair, number>
  /** The line of the first row that each repair changed. */
  readonly firstLines: Map<Repair, number>
}

const report = (
  check: Check,
  row: number,
  column: number,
  repair: Repair,
  problem: Pick<DataProblem, "kind" | "message" | "advice">
) => {
  if (check.allowed.has(repair)) {
    check.repaired[repair]++
    if (!check.firstLines.has(repair)) check.firstLines.set(repair, lineOf(check.rows, row))
    return
  }
  check.problemCount++
  if (check.problems.length >= maxProblems) return
  const line = lineOf(check.rows, row)
  check.problems.push({ severity: "error", file: check.file, line, column, ...problem })
}

const fieldNames = ["time", "open", "high", "low", "close", "volume"]

/** Which value makes the row impossible in itself; -1 when none does. */
const invalidField = (columns: ReadonlyArray<Column>, row: number): number => {
  const time = columns[0]?.[row] ?? 0
  if (!(time >= 0 && time < 1e13)) return 0
  for (let field = 1; field < 5; field++) if (!((columns[field]?.[row] ?? 0) > 0)) return field
  return (columns[5]?.[row] ?? 0) >= 0 ? -1 : 5
}

/** The next row, from here on, that is not perfectly well, taken for itself and after the one before it that counts. */
const nextSuspect = (columns: ReadonlyArray<Column>, from: number, rowBefore: number): number => {
  const [time, open, high, low, close, volume] = columns
  if (!time || !open || !high || !low || !close || !volume) return 0
  let before = time[rowBefore] ?? -1
  for (let row = from; row < time.length; row++) {
    const [at, first, top, bottom, last] = [
      time[row] ?? 0,
      open[row] ?? 0,
      high[row] ?? 0,
      low[row] ?? 0,
      close[row] ?? 0
    ]
    const isWell =
      at > before && at < 1e13 && bottom > 0 && bottom <= first && bottom <= last && top >= first && top >= last
    if (!isWell || !((volume[row] ?? 0) >= 0)) return row
    before = at
  }
  return time.length
}

const checkInvalid = (check: Check, row: number): boolean => {
  const field = invalidField(check.columns, row)
  if (field < 0) return true
  const name = fieldNames[field] ?? ""
  const value = check.columns[field]?.[row] ?? 0
  const message =
    field === 0 ? `${name} ${value} is out of range` : `${name} ${value} is ${value < 0 ? "negative" : "zero"}`
  const advice = "correct the line, or --repair invalid leaves it out"
  report(check, row, field + 1, "invalid", { kind: field === 0 ? "time" : "negative", message, advice })
  return false
}

const checkRange = (check: Check, row: number): void => {
  const [, open, high, low, close] = check.columns.map((values) => values[row] ?? 0)
  if (open === undefined || high === undefined || low === undefined || close === undefined) return
  if (high >= open && high >= close && low <= open && low <= close) return
  const field = high < Math.max(open, close) ? 2 : 3
  report(check, row, field + 1, "range", {
    kind: "range",
    message: `open ${open}, high ${high}, low ${low}, close ${close}: ${field === 2 ? "high is not the highest" : "low is not the lowest"}`,
    advice: "check which column is which, or --repair range widens high and low"
  })
  const [highs, lows] = [check.columns[2], check.columns[3]]
  if (!check.allowed.has("range") || highs === undefined || lows === undefined) return
  highs[row] = Math.max(open, high, low, close)
  lows[row] = Math.min(open, high, low, close)
}

const checkOrder = (check: Check, row: number, before: number): void => {
  const times = check.columns[0]
  const [time, last] = [times?.[row] ?? 0, times?.[before] ?? 0]
  if (time > last) return
  if (time === last)
    report(check, row, 1, "duplicates", {
      kind: "duplicate",
      message: `the time ${iso(time)} stands already in line ${lineOf(check.rows, before)}`,
      advice: "delete one of the lines, or --repair duplicates keeps the last"
    })
  else
    report(check, row, 1, "sort", {
      kind: "order",
      message: `the time goes back from ${iso(last)} to ${iso(time)}`,
      advice:
        last - time >= hourMillis / 2 && last - time < hourMillis
          ? "where these are local times, summer time ends here: export them in UTC; otherwise sort the lines by time, or --repair sort does"
          : "sort the lines by time, or --repair sort does"
    })
}

const identity = (rows: number): Int32Array => Int32Array.from({ length: rows }, (_, row) => row)

/** Rows in the order of time, the last one of each time. */
const sortedRows = (times: Column, rows: Int32Array): Int32Array => {
  rows.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b)
  return rows.filter((row, index) => times[row] !== times[rows[index + 1] ?? -1])
}

const gathered = (columns: ReadonlyArray<Column>, rows: Int32Array): ReadonlyArray<Column> =>
  columns.map((values) => {
    const made = column(rows.length)
    for (const [index, row] of rows.entries()) made[index] = values[row] ?? 0
    return made
  })

/** Missing bars get the close before as all four prices, and no volume. */
const withoutGaps = (candles: Candles): Candles => {
  const { time } = candles
  const [start, end] = [TimeAxis.openTime(time, 0), TimeAxis.openTime(time, candles.bars - 1)]
  const bars = Math.round((end - start) / time.stepMillis) + 1
  const made = { open: column(bars), high: column(bars), low: column(bars), close: column(bars), volume: column(bars) }
  let from = -1
  for (let bar = 0; bar < bars; bar++) {
    const opens = from + 1 < candles.bars && TimeAxis.openTime(time, from + 1) <= start + bar * time.stepMillis
    if (opens) from++
    const close = candles.close[from] ?? 0
    made.open[bar] = opens ? (candles.open[from] ?? 0) : close
    made.high[bar] = opens ? (candles.high[from] ?? 0) : close
    made.low[bar] = opens ? (candles.low[from] ?? 0) : close
    made.close[bar] = close
    made.volume[bar] = opens ? (candles.volume[from] ?? 0) : 0
  }
  return { ...made, bars, time: TimeAxis.regular(bars, start, time.stepMillis), priceScale: candles.priceScale }
}

const gapWarnings = (check: Check, candles: Candles): void => {
  const gaps = TimeAxis.gaps(candles.time)
  if (gaps.count === 0) return
  const first = candles.time.runBars[1] ?? 0
  check.problemCount++
  check.problems.push({
    severity: "warning",
    kind: "gap",
    file: check.file,
    line: lineOf(check.rows, first),
    column: 1,
    message: `${counted(gaps.bars, "missing bar")} in ${counted(gaps.count, "gap")}, the longest of ${counted(gaps.longestMillis / 60_000, "minute")}; the first ends here`,
    advice: "orders fill after a gap as if nothing happened within; --repair gaps fills them with the close before"
  })
}

/** Times in whatever unit become milliseconds, in place. */
const normaliseTimes = (times: Column): void => {
  for (let row = 0; row < times.length; row++) times[row] = toMillis(times[row] ?? 0)
}

const candlesOf = (check: Check): Candles => {
  const [times = column(0), open = times, high = times, low = times, close = times, volume = times] = check.columns
  const priceScale = Math.max(...check.rows.places.subarray(1, 5))
  return { bars: times.length, time: TimeAxis.make(times), open, high, low, close, volume, priceScale }
}

/** Columns in the order time, open, high, low, close, volume; a missing volume column counts as zero. */
export const check = (rows: CsvRows, file: string, allowed: ReadonlySet<Repair>): Checked => {
  const [times = column(0)] = rows.columns
  normaliseTimes(times)
  const state: Check = {
    rows,
    file,
    allowed,
    columns: rows.columns,
    problems: allowed.has("invalid") ? [] : [...rows.problems],
    problemCount: allowed.has("invalid") ? 0 : rows.problemCount,
    repaired: { invalid: allowed.has("invalid") ? rows.unreadable : 0, sort: 0, duplicates: 0, range: 0, gaps: 0 },
    firstLines: new Map()
  }
  const left: Array<number> = []
  let before = -1
  for (let from = 0; from < rows.rows; ) {
    const row = nextSuspect(rows.columns, from, before)
    if (row > from) before = row - 1
    if (row === rows.rows) break
    from = row + 1
    if (!checkInvalid(state, row)) {
      left.push(row)
      continue
    }
    checkRange(state, row)
    if (before >= 0) checkOrder(state, row, before)
    before = row
  }
  return finish(state, left)
}

const finish = (state: Check, left: ReadonlyArray<number>): Checked => {
  const { rows, file, repaired, problems } = state
  const [times = column(0)] = state.columns
  const good = rows.rows - left.length
  if (good < 2 && state.problemCount === 0) {
    state.problemCount++
    const advice = "give at least two candles"
    problems.push({ severity: "error", kind: "empty", file, line: 0, column: 0, message: `${good} rows`, advice })
  }
  if (problems.some(({ severity }) => severity === "error"))
    return { problems, problemCount: state.problemCount, repaired }
  const skip = new Set(left)
  const rebuilt = skip.size > 0 || repaired.sort > 0 || repaired.duplicates > 0
  const kept = rebuilt
    ? sortedRows(
        times,
        identity(rows.rows).filter((row) => !skip.has(row))
      )
    : undefined
  const columns = kept === undefined ? state.columns : gathered(state.columns, kept)
  const made = candlesOf({ ...state, columns })
  problems.push(...repairWarnings(state))
  if (rows.rounded > 0) problems.push(precisionWarning(file, rows.rounded))
  if (!state.allowed.has("gaps")) {
    gapWarnings(state, made)
    return { candles: made, problems, problemCount: state.problemCount, repaired }
  }
  const candles = withoutGaps(made)
  if (candles.bars > made.bars) problems.push(gapsFilled(file, candles.bars - made.bars))
  return {
    candles,
    problems,
    problemCount: state.problemCount,
    repaired: { ...repaired, gaps: candles.bars - made.bars }
  }
}

const done: Readonly<Record<Exclude<Repair, "gaps">, (rows: number) => string>> = {
  invalid: (rows) => `${rows} rows that cannot be read, or cannot be, were left out`,
  sort: (rows) => `${rows} rows were put in the order of time`,
  duplicates: (rows) => `${rows} rows were left out, because a later one has the same time`,
  range: (rows) => `high or low of ${rows} rows was widened until open and close lie within`
}

const gapsFilled = (file: string, bars: number): DataProblem => ({
  severity: "warning",
  kind: "repaired",
  file,
  line: 0,
  column: 0,
  message: `${bars} missing bars were filled with the close before`,
  advice: "nothing fills in them; leave the repair out to jump over gaps"
})

/** What was repaired is said. */
const repairWarnings = ({ file, rows, repaired, firstLines }: Check): ReadonlyArray<DataProblem> =>
  repairs.flatMap((repair): ReadonlyArray<DataProblem> => {
    if (repair === "gaps" || repaired[repair] === 0) return []
    const unreadable = repair === "invalid" ? rows.problems[0]?.line : undefined
    const line = Math.min(firstLines.get(repair) ?? Number.POSITIVE_INFINITY, unreadable ?? Number.POSITIVE_INFINITY)
    const message = `${done[repair](repaired[repair])}, the first here`
    const advice = "look at the line, or correct the file"
    return [{ severity: "warning", kind: "repaired", file, line, column: 1, message, advice }]
  })

const precisionWarning = (file: string, count: number): DataProblem => ({
  severity: "warning",
  kind: "precision",
  file,
  line: 0,
  column: 0,
  message: `${counted(count, "number")} with more than 15 significant digits: rounded to 15`,
  advice: "nothing to do unless the venue trades in finer steps"
})
