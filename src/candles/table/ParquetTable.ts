/** Reads a Parquet file into a table of text. The reader is loaded for the first such file. */
import * as zlib from "node:zlib"
import { Effect } from "effect"
import { type Run, textOf } from "./TableText.ts"

const magic = new TextEncoder().encode("PAR1")

export const isParquet = (bytes: Uint8Array): boolean => magic.every((byte, at) => bytes[at] === byte)

/** The reader itself has none and Snappy. */
const compressors = {
  GZIP: (input: Uint8Array) => zlib.gunzipSync(input),
  ZSTD: (input: Uint8Array) => zlib.zstdDecompressSync(input),
  BROTLI: (input: Uint8Array) => zlib.brotliDecompressSync(input)
}

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
