/**
 * Stores results as they come, so that an interrupted search continues. The first line has all that the results depend on, by name; a file
 * of another search is refused.
 */
import { Array as Arr, Effect, FileSystem, Option, Schema } from "effect"
import { commandFailed } from "../../../app/CommandFailed.ts"
import { StoredTrial, type TrialResult } from "./TrialResult.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(StoredTrial))
const Identity = Schema.Record(Schema.String, Schema.String)
const decodeIdentity = Schema.decodeUnknownOption(Schema.fromJsonString(Identity))

/** Returns the stored results of this search. Ignores an incomplete last line. */
export const open = Effect.fn("SweepStore.open")(function* (file: string, identity: typeof Identity.Type) {
  const fileSystem = yield* FileSystem.FileSystem
  const content = (yield* fileSystem.exists(file)) ? yield* fileSystem.readFileString(file) : ""
  const [first = "", ...rest] = content.split("\n")
  const header = JSON.stringify(identity)
  if (content !== "" && first !== header) {
    const before = Option.getOrElse(decodeIdentity(first), (): typeof Identity.Type => ({}))
    const names = Object.keys(identity).filter((name) => before[name] !== identity[name])
    const isOlder = before["fingerprint"] !== undefined
    const other = isOlder ? "an older version of this file" : `another search: other ${names.join(", ")}`
    const message = `${file}: its results are of ${other}; name another file, or remove this one to start again`
    return yield* commandFailed(message)
  }
  if (content === "") yield* fileSystem.writeFileString(file, `${header}\n`)
  if (content !== "" && !content.endsWith("\n")) yield* fileSystem.writeFileString(file, "\n", { flag: "a" })
  return Arr.getSomes(yield* Effect.forEach(rest, (line) => Effect.option(decode(line))))
})

export const append = Effect.fn("SweepStore.append")(function* (file: string, results: ReadonlyArray<TrialResult>) {
  if (results.length === 0) return
  const fileSystem = yield* FileSystem.FileSystem
  const lines = results.map((result) => `${JSON.stringify(result)}\n`)
  yield* fileSystem.writeFileString(file, lines.join(""), { flag: "a" })
})
