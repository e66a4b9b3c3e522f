/** Stores results as they come, so that an interrupted search continues. The first line names the search; a file of another is refused. */
import { Array as Arr, Effect, FileSystem, Schema } from "effect"
import { StoredTrial, type TrialResult } from "./TrialResult.ts"

export class StoreMismatch extends Schema.TaggedError<StoreMismatch>()("StoreMismatch", { message: Schema.String }) {}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(StoredTrial))

/** Returns the results stored under this fingerprint. Ignores an incomplete last line. */
export const open = Effect.fn("SweepStore.open")(function* (file: string, fingerprint: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const content = (yield* fileSystem.exists(file)) ? yield* fileSystem.readFileString(file) : ""
  const [first = "", ...rest] = content.split("\n")
  const header = JSON.stringify({ fingerprint })
  if (content !== "" && first !== header) {
    const message = `${file}: results of another search (other strategy, data or flags); name another file`
    return yield* new StoreMismatch({ message })
  }
  if (content === "") yield* fileSystem.writeFileString(file, `${header}\n`)
  if (content !== "" && !content.endsWith("\n")) yield* fileSystem.writeFileString(file, "\n", { flag: "a" })
  const rows = yield* Effect.forEach(rest, (line) => Effect.option(decode(line)))
  return Arr.getSomes(rows)
})

export const append = Effect.fn("SweepStore.append")(function* (file: string, results: ReadonlyArray<TrialResult>) {
  if (results.length === 0) return
  const fileSystem = yield* FileSystem.FileSystem
  const lines = results.map((result) => `${JSON.stringify(result)}\n`)
  yield* fileSystem.writeFileString(file, lines.join(""), { flag: "a" })
})
