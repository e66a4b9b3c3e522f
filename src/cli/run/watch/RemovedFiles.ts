/**
 * A file that was removed while the bot ran must not keep a service from starting again with the same arguments. It
 * is left out if the journal says that its strategy was removed; a name that was never known is still a mistake.
 */
import { Effect, FileSystem, Stream } from "effect"
import type { BotEvent, Tag } from "../../../domain/BotEvent.ts"
import { Journal } from "../../../journal/Journal.ts"
import * as Modes from "../../Modes.ts"

const readTags = Effect.fnUntraced(function* (tags: ReadonlyArray<Tag>) {
  const journal = yield* Journal
  return yield* Stream.runCollect(journal.events({ tags }))
})

/** Files by strategy, for strategies that were removed and not loaded since. */
const filesOf = (events: ReadonlyArray<BotEvent>): ReadonlySet<string> => {
  const loaded = new Map<string, string>()
  const removed = new Set<string>()
  for (const event of events) {
    if (event._tag === "StrategyLoaded") {
      loaded.set(event.strategy, event.file)
      removed.delete(event.file)
    }
    const file = event._tag === "StrategyRemoved" ? loaded.get(event.strategy) : undefined
    if (file !== undefined) removed.add(file)
  }
  return removed
}

/** The files to start with, and those that are left out. */
export const sort = Effect.fn("RemovedFiles.sort")(function* (files: ReadonlyArray<string>, journal: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const exists = (path: string) => Effect.orElseSucceed(fileSystem.exists(path), () => false)
  const missing = yield* Effect.filter(files, (file) => Effect.map(exists(file), (isThere) => !isThere))
  if (missing.length === 0 || missing.length === files.length || !(yield* exists(journal))) return { files, left: [] }
  const events = yield* Effect.provide(readTags(["StrategyLoaded", "StrategyRemoved"]), Modes.readOnlyJournal(journal))
  const removed = filesOf(events.map(({ event }) => event))
  const left = missing.filter((file) => removed.has(file))
  return { files: files.filter((file) => !left.includes(file)), left }
})
