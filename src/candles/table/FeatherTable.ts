/**
 * Reads a Feather file into a table of text. It is an Arrow file, in which freqtrade keeps its candles, compressed with LZ4 (as pandas
 * does) or ZSTD, or not at all. The first version of Feather is another format and is refused. The reader is loaded for the first such
 * file.
 *
 * A file states its unpacked size and its numbers of rows and columns before its data. So size and rows are trusted only up to what a file
 * of its size can contain, and a file that takes the reader too long is refused.
 */
import { runInNewContext } from "node:vm"
import * as zlib from "node:zlib"
import { Effect } from "effect"
import { messageOf } from "../../domain/Text.ts"
import { type Run, textOf } from "./TableText.ts"

const magic = "ARROW1"
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

const beginsWith = (bytes: Uint8Array, text: string): boolean =>
  Buffer.from(bytes.subarray(0, text.length)).toString("latin1") === text

export const isFeather = (bytes: Uint8Array): boolean => beginsWith(bytes, magic) || beginsWith(bytes, firstVersion)

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
  if (beginsWith(bytes, firstVersion))
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

export const csvOf = <E>(bytes: Uint8Array, failureOf: (cause: unknown) => E): Effect.Effect<Uint8Array, E> =>
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
