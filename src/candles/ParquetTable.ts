/**
 * A Parquet file as the CSV table that says the same: the names of its columns in the first line, then a line for each row. So candles and
 * trades, and what is wrong with them, are one thing for both kinds of files. Times become epoch milliseconds; what is neither number, time
 * nor text is left empty. The reader is loaded when the first such file is.
 */
import * as zlib from "node:zlib"
import { Effect } from "effect"

const magic = new TextEncoder().encode("PAR1")
const linesAtOnce = 10_000

export const isParquet = (bytes: Uint8Array): boolean => magic.every((byte, at) => bytes[at] === byte)

/** Further codecs than the reader's own (none, Snappy). */
const compressors = {
  GZIP: (input: Uint8Array) => zlib.gunzipSync(input),
  ZSTD: (input: Uint8Array) => zlib.zstdDecompressSync(input),
  BROTLI: (input: Uint8Array) => zlib.brotliDecompressSync(input)
}

/** Text is told from a delimiter by having none. */
const fieldOf = (value: unknown): string => {
  if (value instanceof Date) return String(value.getTime())
  if (typeof value === "number" || typeof value === "bigint") return String(value)
  return typeof value === "string" ? value.replace(/[,;|"\s]+/g, " ") : ""
}

/** A run of values of one column, from a row on. */
interface Run {
  readonly columnName: string
  readonly rowStart: number
  readonly columnData: ArrayLike<unknown>
}

/** Row after row, from runs in their order. */
function* fieldsOf(runs: ReadonlyArray<Run>): Generator<string> {
  for (const { columnData } of runs) for (let at = 0; at < columnData.length; at++) yield fieldOf(columnData[at])
}

const textOf = (names: ReadonlyArray<string>, runs: ReadonlyArray<Run>): Uint8Array => {
  const rows = runs.reduce((most, { columnData, rowStart }) => Math.max(most, rowStart + columnData.length), 0)
  const inOrder = runs.toSorted((one, other) => one.rowStart - other.rowStart)
  const columns = names.map((name) => fieldsOf(inOrder.filter(({ columnName }) => columnName === name)))
  const parts: Array<Uint8Array> = []
  let lines = `${names.map(fieldOf).join(",")}\n`
  for (let row = 0; row < rows; row++) {
    for (const [index, column] of columns.entries()) lines += `${index === 0 ? "" : ","}${column.next().value ?? ""}`
    lines += "\n"
    if (row % linesAtOnce === 0 || row === rows - 1) {
      parts.push(Buffer.from(lines))
      lines = ""
    }
  }
  return Buffer.concat(parts)
}

/** `failureOf` makes a failure of what the reader says of a file that it cannot read. */
export const csvOf = <E>(bytes: Uint8Array, failureOf: (cause: unknown) => E): Effect.Effect<Uint8Array, E> =>
  Effect.gen(function* () {
    const { parquetMetadata, parquetRead, parquetSchema } = yield* Effect.promise(() => import("hyparquet"))
    const file = new Uint8Array(bytes).buffer
    const metadata = yield* Effect.try({ try: () => parquetMetadata(file), catch: failureOf })
    const names = parquetSchema(metadata).children.map(({ element }) => element.name)
    const runs: Array<Run> = []
    const onChunk = (run: Run) => {
      runs.push(run)
    }
    yield* Effect.tryPromise({ try: () => parquetRead({ file, metadata, compressors, onChunk }), catch: failureOf })
    return textOf(names, runs)
  })
