/** Kill switch: while its file exists, the bot signs nothing and cancels everything. It needs no server and survives restarts. */
import { Effect, FileSystem } from "effect"

const pathOf = (journal: string): string => `${journal}.kill`

/** Returns an effect that reads the reason; `undefined` when the switch is off. An unreadable file counts as on, to be safe. */
export const watch = Effect.fn("KillFile.watch")(function* (journal: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const file = pathOf(journal)
  // A process without a free file descriptor cannot read a file, but can still see that there is none.
  const isThere = Effect.orElseSucceed(fileSystem.exists(file), () => true)
  const reasonText = fileSystem.readFileString(file).pipe(
    Effect.map((text) => text.trim() || "no reason given"),
    Effect.catchTag("PlatformError", (error) =>
      error.reason._tag === "NotFound"
        ? Effect.undefined
        : Effect.map(isThere, (isSet) => (isSet ? `the kill file cannot be read: ${error.message}` : undefined))
    )
  )
  // The file is checked several times a second and hardly ever exists.
  return Effect.flatMap(isThere, (isSet) => (isSet ? reasonText : Effect.undefined))
})

export const set = Effect.fn("KillFile.set")(function* (journal: string, why: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const file = pathOf(journal)
  // A full disk still has room for an empty file, which counts as well.
  yield* Effect.catch(fileSystem.writeFileString(file, `${why}\n`), (error) =>
    Effect.flatMap(
      Effect.orElseSucceed(fileSystem.exists(file), () => false),
      (isSet) => (isSet ? Effect.void : Effect.fail(error))
    )
  )
})

export const release = Effect.fn("KillFile.release")(function* (journal: string) {
  const fileSystem = yield* FileSystem.FileSystem
  yield* fileSystem.remove(pathOf(journal), { force: true })
})
