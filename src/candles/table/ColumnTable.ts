/**
 * Reads files that store columns, Feather and Parquet, into a CSV table with names in the first line, so that one reader handles all kinds
 * of files. Each format's reader is loaded for the first such file.
 *
 * Feather is an Arrow file, in which freqtrade keeps its candles, compressed with LZ4 (as pandas does) or ZSTD, or not at all. Its first
 * version is another format and is refused. A file states its unpacked size and its numbers of rows and columns before its data. So size
 * and rows are trusted only up to what a file of its size can contain, and a file that takes the reader too long is refused.
 */
import { runInNewContext } from "node:vm"
import * as zlib from "node:zlib"
import { Effect } from "effect"
import { messageOf } from "../../domain/Text.ts"
import { startsWith } from "./PlainBytes.ts"

interface Run {
  readonly columnName: string
  readonly rowStart: number
  readonly columnData: ArrayLike<unknown>
}

const linesAtOnce = 10_000

/** Times become epoch milliseconds; a value that is neither number, time nor text becomes empty. */
const fieldOf = (value: unknown): string => {
  if (value instanceof Date) return String(value.getTime())
  if (typeof value === "number" || typeof value === "bigint") return String(value)
  return typeof value === "string" ? value.replace(/[,;|"\s]+/g, " ") : ""
}

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

const firstVersion = "FEA1"
/** LZ4 packs at most this many bytes into one. Candles do not come near it with any codec. */
const maxPacked = 255

/** A year of minutes (16 MB) takes half a second. */
const patienceMillis = (bytes: Uint8Array): number => 2_000 + Math.ceil(bytes.length / 1_000)

const within = <A>(timeout: number, run: () => A): A => {
  const outputs: Array<A> = []
  runInNewContext("run()", { run: () => void outputs.push(run()) }, { timeout })
  const [made] = outputs
  if (made === undefined) throw new Error("nothing was read")
  return made
}

const unpacked = (packed: Uint8Array, length: number, unpack: () => Uint8Array): Uint8Array => {
  if (length > packed.length * maxPacked) throw new Error(`${packed.length} bytes do not unpack to ${length}`)
  const bytes = unpack()
  if (bytes.length !== length) throw new Error(`${packed.length} bytes unpack to ${bytes.length}, not ${length}`)
  return bytes
}

const notWritten = (): never => {
  throw new Error("Feather is only read")
}

const reader = Effect.gen(function* () {
  const arrow = yield* Effect.promise(() => import("@uwdata/flechette"))
  const lz4 = yield* Effect.promise(() => import("lz4js"))
  arrow.setCompressionCodec(arrow.CompressionType.LZ4_FRAME, {
    encode: notWritten,
    decode: (packed, length) => unpacked(packed, length, () => lz4.decompress(packed, length))
  })
  arrow.setCompressionCodec(arrow.CompressionType.ZSTD, {
    encode: notWritten,
    decode: (packed, length) =>
      unpacked(packed, length, () => zlib.zstdDecompressSync(packed, { maxOutputLength: Math.max(1, length) }))
  })
  return arrow
})

const runsOf = (bytes: Uint8Array, { tableFromIPC }: Effect.Success<typeof reader>) => {
  if (startsWith(bytes, firstVersion))
    throw new Error("the first version of Feather; write it again with pandas 1 or later")
  const table = tableFromIPC(bytes, { useBigInt: true })
  if (table.numRows > bytes.length * maxPacked)
    throw new Error(`${table.numRows} rows are not in ${bytes.length} bytes`)
  const names = table.schema.fields.map(({ name }) => name)
  const runs = names.map((columnName, index): Run => {
    const values = table.getChildAt(index)
    if (values.length !== table.numRows) throw new Error(`${columnName} has ${values.length} rows of ${table.numRows}`)
    return { columnName, rowStart: 0, columnData: [...values] }
  })
  return { names, runs }
}

type Csv<E> = Effect.Effect<Uint8Array, E>

const ofFeather = <E>(bytes: Uint8Array, failureOf: (cause: unknown) => E): Csv<E> =>
  Effect.flatMap(reader, (arrow) =>
    Effect.try({
      try: () => {
        const { names, runs } = within(patienceMillis(bytes), () => runsOf(bytes, arrow))
        return textOf(names, runs)
      },
      // The reader's own message is about its internals.
      catch: (cause) => failureOf(new Error(`no whole Feather file (${messageOf(cause)})`))
    })
  )

/** The reader itself has none and Snappy. */
const compressors = {
  GZIP: (input: Uint8Array) => zlib.gunzipSync(input),
  ZSTD: (input: Uint8Array) => zlib.zstdDecompressSync(input),
  BROTLI: (input: Uint8Array) => zlib.brotliDecompressSync(input)
}

const ofParquet = <E>(bytes: Uint8Array, failureOf: (cause: unknown) => E): Csv<E> =>
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

/** Returns `undefined` for a file of another format. */
export const csvOf = <E>(bytes: Uint8Array, failureOf: (cause: unknown) => E): Csv<E> | undefined => {
  if (startsWith(bytes, "PAR1")) return ofParquet(bytes, failureOf)
  return startsWith(bytes, "ARROW1") || startsWith(bytes, firstVersion) ? ofFeather(bytes, failureOf) : undefined
}
