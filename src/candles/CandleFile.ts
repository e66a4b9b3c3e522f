/** Reads a candle file into candles and their index, through the column cache. */
import * as fs from "node:fs"
import { Effect, Predicate, Schema } from "effect"
import { messageOf } from "../domain/Text.ts"
import * as CacheFolder from "./CacheFolder.ts"
import { type Candles, column } from "./Candles.ts"
import * as ColumnCache from "./ColumnCache.ts"
import * as CrossingIndex from "./CrossingIndex.ts"
import * as CandleChecks from "./csv/CandleChecks.ts"
import { format } from "./DataProblem.ts"
import * as ColumnTable from "./table/ColumnTable.ts"
import * as PlainBytes from "./table/PlainBytes.ts"

export class DataFileError extends Schema.TaggedError<DataFileError>()("DataFileError", { message: Schema.String }) {}

export interface LoadOptions extends ColumnCache.ReadAs {
  readonly cache: "kept" | "never"
  readonly wanted: ColumnCache.WantedColumns
}

export interface Loaded extends Omit<ColumnCache.Cached, "problemCount"> {
  readonly source: "cache" | "file"
}

const phrases: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EACCES: "no permission to read it",
  EPERM: "no permission to read it",
  ENOTDIR: "a part of its path is not a folder",
  ENAMETOOLONG: "the name is too long"
}

const phraseOf = (cause: unknown): string =>
  (Predicate.hasProperty(cause, "code") ? phrases[String(cause.code)] : undefined) ?? messageOf(cause)

const unreadable = (file: string, cause: unknown): DataFileError =>
  new DataFileError({ message: `${file}: ${phraseOf(cause)}; give a readable candle or trade file` })

const attempt = <A>(file: string, run: () => A): Effect.Effect<A, DataFileError> =>
  Effect.try({ try: run, catch: (cause) => unreadable(file, cause) })

const tableOf = (file: string, bytes: Uint8Array): Effect.Effect<Uint8Array, DataFileError> =>
  ColumnTable.csvOf(bytes, (cause) => unreadable(file, cause)) ?? attempt(file, () => PlainBytes.textOf(bytes))

const refused = (file: string, checked: CandleChecks.Checked): DataFileError => {
  const errors = checked.problems.filter(({ severity }) => severity === "error")
  const more = checked.problemCount - checked.problems.length
  const lines = [...errors.map(format), ...(more > 0 ? [`… and ${more} more`] : [])]
  return new DataFileError({ message: lines.length === 0 ? `${file}: no candles` : lines.join("\n") })
}

const trimmed = (candles: Candles, wanted: ColumnCache.WantedColumns): Candles => ({
  ...candles,
  open: wanted.open === false ? column(0) : candles.open,
  volume: wanted.volume === false ? column(0) : candles.volume
})

const opened = (file: string) =>
  Effect.acquireRelease(
    attempt(file, () => fs.openSync(file, "r")),
    (descriptor) => Effect.sync(() => fs.closeSync(descriptor))
  )

const fromCache = (cacheFile: string, file: string, stamp: ColumnCache.Stamp, { wanted, ...options }: LoadOptions) =>
  opened(cacheFile).pipe(
    Effect.flatMap((descriptor) =>
      attempt(cacheFile, () =>
        ColumnCache.load(descriptor, stamp, () => ColumnCache.sha256OfFile(file), options, wanted)
      )
    ),
    Effect.orElseSucceed(() => undefined)
  )

/** Loads a file's candles. Columns requested as `late` stay in the cache file and can be read until the scope ends. */
export const load = Effect.fn("CandleFile.load")(function* (file: string, options: LoadOptions) {
  const stamp = yield* attempt(file, () => ColumnCache.stampOf(file))
  const cacheFile = options.cache === "never" ? undefined : yield* CacheFolder.cacheFileOf(file)
  const cached = cacheFile === undefined ? undefined : yield* fromCache(cacheFile, file, stamp, options)
  if (cached !== undefined) return { ...cached, source: "cache" } satisfies Loaded
  const bytes = yield* attempt(file, () => fs.readFileSync(file))
  const table = yield* tableOf(file, bytes)
  const checked = yield* attempt(file, () => CandleChecks.parse(table, { ...options, file }))
  const { candles } = checked
  if (candles === undefined) return yield* refused(file, checked)
  const sha256 = ColumnCache.sha256Of(bytes)
  const store = (cache: string) =>
    attempt(cache, () => ColumnCache.store(cache, stamp, sha256, options, { ...checked, candles }))
  const linear = () => CrossingIndex.linearIndices(candles)
  const indices = cacheFile === undefined ? linear() : yield* Effect.orElseSucceed(store(cacheFile), linear)
  return { ...checked, candles: trimmed(candles, options.wanted), indices, sha256, source: "file" } satisfies Loaded
})
