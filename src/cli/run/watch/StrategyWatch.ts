/**
 * Watches the strategy files of a running bot. A saved file is checked with all the others; good ones replace what runs, bad
 * ones change nothing and their problems are recorded. Files are looked at by content once a second: no file system
 * notifies reliably, and a strategy is small.
 */
import { Effect, FileSystem, Semaphore } from "effect"
import type { Engine } from "../../../engine/Engine.ts"
import { Bookkeeper } from "../../../engine/state/Bookkeeper.ts"
import type { Markets } from "../../../strategy/Markets.ts"
import type { Strategy } from "../../../strategy/Strategy.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"

const lookMillis = 1_000
/** An editor that replaces a file leaves a moment without one: only a file missing this often in a row is gone. */
const missesUntilGone = 3

export interface WatchOptions {
  readonly files: ReadonlyArray<string>
  readonly markets: Markets
  /** What becomes of the orders of a strategy whose file is removed. */
  readonly onRemoved: "drained" | "left"
}

/** `look` takes up what has changed; `forever` looks again and again. */
export const make = Effect.fn("StrategyWatch.make")(function* (
  engine: Engine,
  running: ReadonlyArray<Strategy>,
  { files, markets, onRemoved }: WatchOptions
) {
  const fileSystem = yield* FileSystem.FileSystem
  const books = yield* Bookkeeper
  const looking = yield* Semaphore.make(1)
  const misses = new Map<string, number>()
  let strategies = running
  let lastRefusal = ""

  const present = Effect.filter(files, (file) =>
    Effect.map(
      Effect.orElseSucceed(fileSystem.exists(file), () => true),
      (exists) => {
        const missed = exists ? 0 : (misses.get(file) ?? 0) + 1
        misses.set(file, missed)
        return missed < missesUntilGone
      }
    )
  )

  const look = Effect.gen(function* () {
    const there = yield* present
    // Between an editor's two steps: look again later.
    if (there.some((file) => (misses.get(file) ?? 0) > 0)) return
    const read = yield* StrategyFiles.readAll(there, markets)
    if (read.problems.length > 0) {
      const refusal = read.rendered.join("\n")
      if (refusal === lastRefusal) return
      yield* books.record({ _tag: "StrategiesRefused", problems: read.rendered })
      lastRefusal = refusal
      return
    }
    if (lastRefusal !== "") yield* books.record({ _tag: "EditMended" })
    lastRefusal = ""
    // An unchanged file keeps its very object, so that the engine does not even ask it again.
    const next = read.strategies.map((strategy) => strategies.find((old) => isSame(old, strategy)) ?? strategy)
    if (next.length === strategies.length && next.every((strategy) => strategies.includes(strategy))) return
    yield* engine.replace(next, onRemoved)
    strategies = next
  }).pipe(looking.withPermit, Effect.provideService(FileSystem.FileSystem, fileSystem))

  return {
    look,
    forever: Effect.forever(Effect.andThen(Effect.sleep(lookMillis), look)),
    /** What runs now. */
    strategies: () => strategies
  } as const
})

const isSame = (a: Strategy, b: Strategy): boolean => a.file === b.file && a.hash === b.hash
