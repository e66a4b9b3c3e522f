/**
 * Reads the table of a file into candles, or into the problems that prevent them. Checks each row of candles or trades by itself and
 * against the row before. Makes only the requested repairs, and counts them. A candle must not begin before the previous one ends; if gaps
 * are filled, candles begin a whole number of bars apart.
 */
import { Result } from "effect"
import { hourMillis, minuteMillis } from "../../domain/Durations.ts"
import { countText, iso } from "../../domain/Text.ts"
import { stretched } from "../Alignment.ts"
import { type Candles, type Column, column, columnOf } from "../Candles.ts"
import { type DataFault, type DataProblem, maxProblems } from "../DataProblem.ts"
import * as Resample from "../Resample.ts"
import * as TimeAxis from "../TimeAxis.ts"
import { type CsvRows, lineOf, parseCsv } from "./CsvColumns.ts"
import { notATime, textIn, toMillis } from "./CsvField.ts"
import { type CsvFormat, detect } from "./CsvFormat.ts"

/**
 * `invalid` leaves out unreadable and impossible rows. `sort` orders rows by time. `duplicates` keeps the last row of a time. `range`
 * widens high and low to include open and close. `gaps` fills missing bars with the previous close.
 */
export const repairs = ["invalid", "sort", "duplicates", "range", "gaps"] as const
export type Repair = (typeof repairs)[number]

export interface Checked {
  readonly candles?: Candles
  readonly problems: ReadonlyArray<DataProblem>
  readonly problemCount: number
  readonly repaired: Readonly<Record<Repair, number>>
  /** Says in one line which column of the file holds which value; absent for a journal. */
  readonly columns?: string
  /** The columns that must have one value in all rows, each with its value, such as `symbol BTC`. */
  readonly shared?: string
}

interface Check {
  readonly rows: CsvRows
  /** Trades become candles of this length; `undefined` if the rows are candles. */
  readonly candleMillis: number | undefined
  readonly file: string
  readonly allowed: ReadonlySet<Repair>
  readonly columns: ReadonlyArray<Column>
  readonly problems: Array<DataProblem>
  problemCount: number
  readonly repaired: Record<Repair, number>
  readonly firstLines: Map<Repair, number>
}

const report = (check: Check, row: number, column: number, repair: Repair, problem: DataFault) => {
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
const tradeFieldNames = ["time", "price", "price", "price", "price", "quantity"]

const invalidField = (columns: ReadonlyArray<Column>, row: number): number => {
  if (Number.isNaN(toMillis(columns[0]?.[row] ?? 0))) return 0
  for (let field = 1; field < 5; field++) if (!((columns[field]?.[row] ?? 0) > 0)) return field
  return (columns[5]?.[row] ?? 0) >= 0 ? -1 : 5
}

/** Returns the next row that may be wrong, by itself or after the last valid row before it. */
const nextSuspect = ({ candleMillis, columns }: Check, from: number, rowBefore: number): number => {
  const [time, open, high, low, close, volume] = columns
  const isTrade = candleMillis !== undefined
  if (!time || !open || !high || !low || !close || !volume) return 0
  let before = time[rowBefore] ?? -1
  for (let row = from; row < time.length; row++) {
    const [at, first, last] = [time[row] ?? 0, open[row] ?? 0, close[row] ?? 0]
    const [top, bottom] = [high[row] ?? 0, low[row] ?? 0]
    const isWell =
      (isTrade ? at >= before : at > before) &&
      bottom > 0 &&
      bottom <= first &&
      bottom <= last &&
      top >= first &&
      top >= last
    if (!isWell || toMillis(at) !== at || !((volume[row] ?? 0) >= 0)) return row
    before = at
  }
  return time.length
}

const checkInvalid = (check: Check, row: number): boolean => {
  const field = invalidField(check.columns, row)
  if (field < 0) return true
  const value = check.columns[field]?.[row] ?? 0
  const name = (check.candleMillis === undefined ? fieldNames : tradeFieldNames)[field] ?? ""
  const message = `${name} ${value} is ${value < 0 ? "negative" : "zero"}`
  const problem = field === 0 ? notATime(String(value)) : { message, advice: "correct the line" }
  const advice = `${problem.advice}, or --repair invalid leaves it out`
  report(check, row, field + 1, "invalid", { ...problem, advice })
  return false
}

const checkRange = (check: Check, row: number): void => {
  const [, open = 0, high = 0, low = 0, close = 0] = check.columns.map((values) => values[row] ?? 0)
  if (high >= open && high >= close && low <= open && low <= close) return
  const field = high < Math.max(open, close) ? 2 : 3
  report(check, row, field + 1, "range", {
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
  if (time > last || (time === last && check.candleMillis !== undefined)) return
  if (time === last) reportDuplicate(check, row, before)
  else
    report(check, row, 1, "sort", {
      message: `the time goes back from ${iso(last)} to ${iso(time)}`,
      advice:
        last - time >= hourMillis / 2 && last - time < hourMillis
          ? "if these are local times, summer time ends here: export them in UTC; if not, sort the lines by time, or use --repair sort"
          : "sort the lines by time, or use --repair sort"
    })
}

const reportDuplicate = (check: Check, row: number, before: number): void => {
  report(check, row, 1, "duplicates", {
    message: `the time ${iso(check.columns[0]?.[row] ?? 0)} is already in line ${lineOf(check.rows, before)}`,
    advice: "delete one of the lines, or --repair duplicates keeps the last"
  })
}

/** Drops all but the last row of each time. Rows that were neighbours in the file are reported already. */
const sortedRows = (check: Check, times: Column, rows: Int32Array): Int32Array => {
  const nextInFile = new Int32Array(times.length)
  for (const [index, row] of rows.entries()) nextInFile[row] = rows[index + 1] ?? -1
  rows.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b)
  return rows.filter((row, index) => {
    const next = rows[index + 1] ?? -1
    if (times[row] !== times[next]) return true
    if (nextInFile[row] !== next) reportDuplicate(check, next, row)
    return false
  })
}

/** Keeps the order of trades of one time, or reverses it if the file begins with the newest. */
const sortedTrades = (times: Column, rows: Int32Array): Int32Array => {
  const isNewestFirst = (times[rows.at(-1) ?? 0] ?? 0) < (times[rows[0] ?? 0] ?? 0)
  return rows.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || (isNewestFirst ? b - a : a - b))
}

const gathered = (columns: ReadonlyArray<Column>, rows: Int32Array): ReadonlyArray<Column> =>
  columns.map((values) => columnOf(Float64Array.from(rows, (row) => values[row] ?? 0)))

/** Candles begin a whole number of bars apart (`checkSteps`). */
const withoutGaps = (candles: Candles): Candles => {
  const { stepMillis } = candles.time
  const [start, end] = [TimeAxis.openTime(candles.time, 0), TimeAxis.openTime(candles.time, candles.bars - 1)]
  return stretched(candles, TimeAxis.regular((end - start) / stepMillis + 1, start, stepMillis))
}

type LineOf = (bar: number) => number

const gapsFault = ({ time }: Candles, end: string): DataFault => {
  const { bars, count, longestMillis } = TimeAxis.gaps(time)
  const longest = countText(longestMillis / 60_000, "minute")
  const all = `${countText(bars, "missing bar")} in ${countText(count, "gap")}, the longest of ${longest}`
  const advice = "no orders fill within a gap; --repair gaps fills it with the close before"
  return { message: `${all}; the first ends ${end}`, advice }
}

const gapWarnings = (check: Check, candles: Candles, lineOfBar: LineOf): void => {
  if (TimeAxis.gaps(candles.time).count === 0) return
  const line = lineOfBar(candles.time.runBars[1] ?? 0)
  check.problemCount++
  check.problems.push(warningAt(check.file, line, gapsFault(candles, "here")))
}

/** Fills the gaps of a journal or of joined files, or warns of them. Fails if a gap to fill is not whole bars. */
export const closeGaps = (
  candles: Candles,
  file: string,
  isFilled: boolean
): Result.Result<{ readonly candles: Candles; readonly problem: DataProblem }, string> => {
  const { runTimes, stepMillis } = candles.time
  const [start = 0, firstEnd = 0] = runTimes
  if (!isFilled)
    return Result.succeed({ candles, problem: warningAt(file, 0, gapsFault(candles, `at ${iso(firstEnd)}`)) })
  const odd = runTimes.find((time) => (time - start) % stepMillis !== 0)
  if (odd !== undefined)
    return Result.fail(
      `${file}: the gap before ${iso(odd)} is not whole candles of ${stepMillis / 1000} s; write --repair ${repairs.filter((each) => each !== "gaps").join(",")}`
    )
  const whole = withoutGaps(candles)
  return Result.succeed({
    candles: whole,
    problem: warningAt(file, 0, gapsFilled(whole.bars - candles.bars))
  })
}

/** Gaps are filled with whole bars. Only the first bar of a run can differ. */
const checkSteps = (check: Check, { time }: Candles, lineOfBar: LineOf): void => {
  const { runBars, runTimes, stepMillis } = time
  for (let run = 1; run < runBars.length; run++) {
    const [bar, opens] = [runBars[run] ?? 0, runTimes[run] ?? 0]
    const apart = opens - TimeAxis.openTime(time, bar - 1)
    if (apart >= stepMillis && (apart % stepMillis === 0 || !check.allowed.has("gaps"))) continue
    check.problemCount++
    if (check.problems.length >= maxProblems) continue
    const before = `line ${lineOfBar(bar - 1)}, and candles here last ${stepMillis / 1000} s`
    const message = `the candle of ${iso(opens)} begins ${apart / 1000} s after the one of ${before}`
    const advice = "correct or delete the line; put candles of another length into a separate file, with times in UTC"
    check.problems.push({ severity: "error", file: check.file, line: lineOfBar(bar), column: 1, message, advice })
  }
}

const normaliseTimes = (times: Column): void => {
  for (const [row, time] of times.entries()) {
    const millis = toMillis(time)
    if (!Number.isNaN(millis)) times[row] = millis
  }
}

export const noRepair: Checked["repaired"] = { invalid: 0, sort: 0, duplicates: 0, range: 0, gaps: 0 }

interface ReadOptions {
  readonly file: string
  readonly repair: ReadonlySet<Repair>
  readonly tradeCandleMillis?: number
}

/** A missing volume column counts as zero. */
export const parse = (
  bytes: Uint8Array,
  { file, repair: allowed, tradeCandleMillis = minuteMillis }: ReadOptions
): Checked => {
  const format = detect(bytes, file)
  if ("message" in format) return { problems: [format], problemCount: 1, repaired: noRepair }
  const rows = parseCsv(bytes, file, format)
  // In the order of the format's roles.
  const [times = column(0), price = times, quantity = times] = rows.columns
  normaliseTimes(times)
  const candleMillis = format.kind === "trades" ? tradeCandleMillis : undefined
  const mayBeInvalid = allowed.has("invalid")
  const state: Check = {
    ...{ rows, candleMillis, file, allowed },
    columns: candleMillis === undefined ? rows.columns : [times, price, price, price, price, quantity],
    problems: mayBeInvalid ? [] : [...rows.problems],
    problemCount: mayBeInvalid ? 0 : rows.problemCount,
    repaired: { ...noRepair, invalid: mayBeInvalid ? rows.unreadable : 0 },
    firstLines: new Map()
  }
  const rejectedRows: Array<number> = []
  let before = -1
  for (let from = 0; from < rows.rows; ) {
    const row = nextSuspect(state, from, before)
    if (row > from) before = row - 1
    if (row === rows.rows) break
    from = row + 1
    if (!checkInvalid(state, row)) {
      rejectedRows.push(row)
      continue
    }
    checkRange(state, row)
    if (before >= 0) checkOrder(state, row, before)
    before = row
  }
  if (rows.mixed !== undefined) state.problems.unshift(rows.mixed)
  const valueOf = (bytes: Uint8Array) => textIn(new TextDecoder().decode(bytes))
  const shared = [...rows.markets].map(([field, value]) => `${format.names[field]} ${valueOf(value)}`).join(", ")
  return { ...finish(state, rejectedRows, format), columns: format.columns, shared }
}

const keptRows = (check: Check, left: ReadonlyArray<number>): Int32Array | undefined => {
  const { candleMillis, columns, repaired, rows } = check
  const [times = column(0)] = columns
  if (left.length === 0 && repaired.sort === 0 && repaired.duplicates === 0) return undefined
  const skip = new Set(left)
  const all = Int32Array.from({ length: rows.rows }, (_, row) => row).filter((row) => !skip.has(row))
  return candleMillis === undefined ? sortedRows(check, times, all) : sortedTrades(times, all)
}

const candlesOf = (check: Check, left: ReadonlyArray<number>): readonly [Candles, LineOf] => {
  const { candleMillis, rows } = check
  const rowsToKeep = keptRows(check, left)
  const columns = rowsToKeep === undefined ? check.columns : gathered(check.columns, rowsToKeep)
  const [times = column(0), price = times, , , , quantity = times] = columns
  const tradeCandles = candleMillis === undefined ? undefined : Resample.ofTrades(times, price, quantity, candleMillis)
  const [opens = times, open = times, high = times, low = times, close = times, volume = times] =
    tradeCandles?.columns ?? columns
  const priceScale = Math.max(...rows.places.subarray(1, candleMillis === undefined ? 5 : 2))
  const lineOfBar = (bar: number): number => {
    const row = tradeCandles?.firsts[bar] ?? bar
    return lineOf(rows, rowsToKeep?.[row] ?? row)
  }
  const time = TimeAxis.make(opens, candleMillis ?? TimeAxis.stepOf(opens, check.allowed.has("gaps")))
  return [{ bars: opens.length, time, open, high, low, close, volume, priceScale }, lineOfBar]
}

const emptyProblem = ({ file, firstLines, repaired }: Check, rows: number): DataProblem => {
  const line = firstLines.get("invalid") ?? 0
  const out = repaired.invalid === 0 ? "" : `, after ${repaired.invalid} unreadable or impossible ones were left out`
  const [message, advice] = [`only ${countText(rows, "row")}${out}`, "give at least two candles"]
  return { severity: "error", file, line, column: Math.min(1, line), message, advice }
}

const finish = (state: Check, left: ReadonlyArray<number>, format: CsvFormat): Checked => {
  const { rows, file, repaired, problems } = state
  const failed = () => ({ problems, problemCount: Math.max(state.problemCount, problems.length), repaired })
  const good = rows.rows - left.length
  if (good < 2 && problems.length === 0) problems.push(emptyProblem(state, good))
  if (problems.some(({ severity }) => severity === "error")) return failed()
  const [made, lineOfBar] = candlesOf(state, left)
  checkSteps(state, made, lineOfBar)
  if (problems.length > 0) return failed()
  problems.push(...repairWarnings(state))
  if (rows.rounded > 0) problems.push(warningAt(file, 0, precision(rows.rounded)))
  if (format.isChoice)
    problems.push(warningAt(file, 0, { message: format.columns, advice: "rename the columns if this is wrong" }))
  const candles = state.allowed.has("gaps") ? withoutGaps(made) : made
  const gaps = candles.bars - made.bars
  if (gaps > 0) problems.push(warningAt(file, 0, gapsFilled(gaps)))
  gapWarnings(state, candles, lineOfBar)
  return { candles, problems, problemCount: state.problemCount, repaired: { ...repaired, gaps } }
}

const done: Readonly<Record<Exclude<Repair, "gaps">, (rows: number) => string>> = {
  invalid: (rows) => `left out ${countText(rows, "unreadable or impossible row")}`,
  sort: (rows) => `sorted ${countText(rows, "row")} by time`,
  duplicates: (rows) => `left out ${countText(rows, "row")}, because a later one has the same time`,
  range: (rows) => `widened high or low of ${countText(rows, "row")} until open and close lie within`
}

const gapsFilled = (bars: number): DataFault => ({
  message: `filled ${countText(bars, "missing bar")} with the close before`,
  advice: "nothing fills in them; leave the repair out to jump over gaps"
})

const precision = (count: number): DataFault => ({
  message: `${countText(count, "number")} with more than 15 significant digits: rounded to 15`,
  advice: "nothing to do unless the venue trades in finer steps"
})

const warningAt = (file: string, line: number, fault: DataFault): DataProblem => {
  const column = Math.min(1, line)
  return { severity: "warning", file, line, column, ...fault }
}

const repairWarnings = ({ file, rows, repaired, firstLines }: Check): ReadonlyArray<DataProblem> =>
  repairs.flatMap((repair): ReadonlyArray<DataProblem> => {
    if (repair === "gaps" || repaired[repair] === 0) return []
    const unreadable = repair === "invalid" ? rows.problems[0]?.line : undefined
    const line = Math.min(firstLines.get(repair) ?? Number.POSITIVE_INFINITY, unreadable ?? Number.POSITIVE_INFINITY)
    const message = `${done[repair](repaired[repair])}, the first here`
    return [warningAt(file, line, { message, advice: "check the line, or correct the file" })]
  })
