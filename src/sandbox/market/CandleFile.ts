/**
 * Reads a candle CSV (plain or gzip) for the sandbox to replay. The header names the columns: a time (`open_time_ms`,
 * `open_time` or `time`), `open`, `high`, `low`, `close`; others are ignored. Rows are played one after another, each for
 * the usual distance of two rows, so that holes in the data are skipped instead of waited for.
 */
import { createHash } from "node:crypto"
import { gunzipSync } from "node:zlib"
import { Effect, FileSystem, Result, Schema } from "effect"
import type { Candle } from "./PricePath.ts"

export interface CandleSeries {
  readonly candles: ReadonlyArray<Candle>
  /** Market time that one candle lasts. */
  readonly candleMillis: number
  /** SHA-256 of the text. */
  readonly hash: string
}

class CandleFileError extends Schema.TaggedError<CandleFileError>()("CandleFileError", {
  file: Schema.String,
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int),
  problem: Schema.String
}) {
  override get message(): string {
    const place = [this.file, this.line, this.column].filter((part) => part !== undefined).join(":")
    return `${place}: ${this.problem}`
  }
}

const plainNumber = /^\d+(?:\.\d*)?$/
const maxBytes = 512 * 1024 * 1024
const timeColumns = ["open_time_ms", "open_time", "time"]
const priceColumns = ["open", "high", "low", "close"] as const

export const read = Effect.fn("CandleFile.read")(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const failed = (problem: string) => new CandleFileError({ file, problem })
  const stored = yield* fileSystem
    .readFile(file)
    .pipe(Effect.mapError((error) => failed(`cannot be read: ${error.message}`)))
  const text = yield* Effect.try({
    try: () => {
      const plain = file.endsWith(".gz") ? gunzipSync(stored, { maxOutputLength: maxBytes }) : stored
      return new TextDecoder().decode(plain)
    },
    catch: (cause) => failed(`cannot be unpacked: ${cause instanceof Error ? cause.message : String(cause)}`)
  })
  return yield* Effect.fromResult(parse(file, text))
})

/** The rows of a CSV text; the first mistake ends it, named by line and column. */
export const parse = (file: string, text: string): Result.Result<CandleSeries, CandleFileError> =>
  Result.gen(function* () {
    const lines = text.split(/\r?\n/)
    const columns = yield* header(file, lines[0] ?? "")
    const candles: Array<Candle> = []
    const times: Array<number> = []
    for (let index = 1; index < lines.length; index++) {
      const line = lines[index]
      if (line === undefined || line.trim() === "") continue
      const row = yield* readRow(file, index + 1, line, columns)
      const previous = times.at(-1)
      if (previous !== undefined && row.time <= previous) {
        return yield* Result.fail(
          new CandleFileError({ file, line: index + 1, problem: `time ${row.time} does not come after ${previous}` })
        )
      }
      times.push(row.time)
      candles.push(row.candle)
    }
    if (candles.length < 2) {
      return yield* Result.fail(new CandleFileError({ file, problem: "holds fewer than two candles" }))
    }
    return {
      candles,
      candleMillis: usualDistance(times) * millisPerUnit(times[0] ?? 0),
      hash: createHash("sha256").update(text).digest("hex")
    }
  })

type Columns = Record<"time" | (typeof priceColumns)[number], number>

const header = (file: string, line: string): Result.Result<Columns, CandleFileError> => {
  const names = line
    .replace(/^\uFEFF/, "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
  const time = names.findIndex((name) => timeColumns.includes(name))
  const missing = [
    ...(time < 0 ? [timeColumns.join(" or ")] : []),
    ...priceColumns.filter((name) => !names.includes(name))
  ]
  const [open = -1, high = -1, low = -1, close = -1] = priceColumns.map((name) => names.indexOf(name))
  if (missing.length === 0) return Result.succeed({ time, open, high, low, close })
  const problem = `the header has no column ${missing.join(", ")}; found ${names.join(", ") || "nothing"}`
  return Result.fail(new CandleFileError({ file, line: 1, problem }))
}

const readRow = (
  file: string,
  line: number,
  text: string,
  columns: Columns
): Result.Result<{ readonly time: number; readonly candle: Candle }, CandleFileError> =>
  Result.gen(function* () {
    const cells = text.split(",")
    const columnOf = (cell: number) => cells.slice(0, cell).reduce((column, before) => column + before.length + 1, 1)
    const number = (column: number): Result.Result<number, CandleFileError> => {
      const cell = (cells[column] ?? "").trim()
      const value = plainNumber.test(cell) ? Number(cell) : 0
      if (value > 0 && Number.isFinite(value)) return Result.succeed(value)
      const problem = `expected a positive number, found "${cell}"`
      return Result.fail(new CandleFileError({ file, line, column: columnOf(column), problem }))
    }
    const time = yield* number(columns.time)
    const open = yield* number(columns.open)
    const high = yield* number(columns.high)
    const low = yield* number(columns.low)
    const close = yield* number(columns.close)
    if (high < Math.max(open, close) || low > Math.min(open, close)) {
      const problem = `open ${open} and close ${close} are not between low ${low} and high ${high}`
      return yield* Result.fail(new CandleFileError({ file, line, problem }))
    }
    return { time, candle: { open, high, low, close } }
  })

/** The most frequent distance would need a count; the median is the same for candles and needs only a sort. */
const usualDistance = (times: ReadonlyArray<number>): number => {
  const distances = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  distances.sort((a, b) => a - b)
  return distances[distances.length >> 1] ?? 1
}

/** Seconds, milliseconds or microseconds, told apart by their size today. */
const millisPerUnit = (time: number): number => (time < 1e11 ? 1000 : time < 1e14 ? 1 : 0.001)
