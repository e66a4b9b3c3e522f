/** Keeps the newest 100 runs of `limitbot backtest` in the user's state folder, each in a file named by its number, for its owner only. */
import { join } from "node:path"
import { Console, Effect, FileSystem, Result, Schema } from "effect"
import { userFolder } from "../../candles/CacheFolder.ts"
import { isRecord } from "../../domain/Text.ts"
import { wordsOf } from "../../process/Failure.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import { version } from "../../version.ts"

export const maxSaved = 100
const maxCharacters = 1_000_000

const Text = Schema.String
const FigureRow = Schema.Record(Text, Schema.Json)
export type FigureRow = typeof FigureRow.Type
const identity = { strategy: Text, market: Text, hash: Text, from: Schema.Int, to: Schema.Int, bars: Schema.Int }

const Content = Schema.Struct({
  version: Schema.Literal(1),
  at: Schema.Int,
  limitbot: Text,
  file: Text,
  text: Text,
  data: Schema.Array(Schema.Struct({ market: Text, file: Text, sha256: Text })),
  inputs: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Text, file: Text, sha256: Text }))),
  /** Flags that decide the figures, as typed or by default. */
  options: FigureRow,
  /** Answer of `backtest --json` for this strategy. */
  figures: Schema.StructWithRest(Schema.Struct({ ...identity, sides: Schema.Record(Text, FigureRow) }), [FigureRow])
})
const decode = Schema.decodeResult(Schema.fromJsonString(Content))

export interface SavedBacktest extends Schema.Schema.Type<typeof Content> {
  readonly id: string
}

/** Returns the figures of p5 and p95; none if there were too few simulated runs. */
export const quantilesOf = ({ band }: SavedBacktest["figures"]): ReadonlyArray<FigureRow> =>
  isRecord(band) ? [band["p5"], band["p95"]].filter(Schema.is(FigureRow)) : []

const folder = Effect.map(userFolder("XDG_STATE_HOME", ".local/state"), (state) => join(state, "backtests"))
const fileOf = (place: string, id: number): string => join(place, `${id}.json`)

const idsIn = Effect.fnUntraced(function* (place: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const names = (yield* fileSystem.exists(place)) ? yield* fileSystem.readDirectory(place) : []
  return names.flatMap((name) => (/^\d+\.json$/.test(name) ? [Number.parseInt(name, 10)] : [])).sort((a, b) => a - b)
})

/** Returns the number; `undefined` after a line on standard error, because a backtest does not fail if it cannot be saved. */
export const save = Effect.fn("SavedBacktests.save")(
  function* (content: Omit<SavedBacktest, "id" | "version" | "limitbot" | "figures"> & { figures: object }) {
    const text = JSON.stringify({ version: 1, limitbot: version, ...content })
    if (text.length > maxCharacters) return yield* wrongUsage(`more than ${maxCharacters} characters`)
    const fileSystem = yield* FileSystem.FileSystem
    const place = yield* folder
    yield* fileSystem.makeDirectory(place, { recursive: true, mode: 0o700 })
    const ids = yield* idsIn(place)
    const id = (ids.at(-1) ?? 0) + 1
    yield* fileSystem.writeFileString(fileOf(place, id), text, { flag: "wx", mode: 0o600 })
    const old = ids.slice(0, Math.max(0, ids.length + 1 - maxSaved))
    yield* Effect.forEach(old, (each) => fileSystem.remove(fileOf(place, each), { force: true }), { discard: true })
    return `${id}`
  },
  // Retries if another process took this number first.
  Effect.retry({ times: maxSaved, while: (error) => "reason" in error && error.reason._tag === "AlreadyExists" }),
  Effect.catchDefect((defect) => Effect.fail(defect)),
  Effect.tapError((error) => Console.error(`limitbot: not saved: ${wordsOf(error)}; --no-save leaves it out`)),
  Effect.orElseSucceed(() => undefined)
)

const readIn = Effect.fnUntraced(function* (place: string, id: number) {
  const file = fileOf(place, id)
  const content = decode(yield* (yield* FileSystem.FileSystem).readFileString(file))
  if (Result.isSuccess(content)) return { id: `${id}`, ...content.success } satisfies SavedBacktest
  return yield* wrongUsage(`${file} is not a backtest that this version saved: remove it`)
})

/** Returns the readable backtests, the oldest first, and a sentence for each other file. */
export const all = Effect.gen(function* () {
  const place = yield* folder
  const [backtests, faults] = yield* Effect.partition(yield* idsIn(place), (id) => readIn(place, id))
  return { place, backtests, faults: faults.map(({ message }) => message) }
})

export const load = Effect.fn("SavedBacktests.load")(function* (wanted: string) {
  const place = yield* folder
  const ids = yield* idsIn(place)
  if (ids.some((id) => `${id}` === wanted)) return yield* readIn(place, Number(wanted))
  const hint = ids.length === 0 ? `${place} is empty` : `there are ${ids[0]} to ${ids.at(-1)}, see \`backtest list\``
  return yield* wrongUsage(`${wanted}: no saved backtest has this number; ${hint}`)
})
