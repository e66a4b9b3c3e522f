/**
 * Passes an operator's answer to a running bot that cannot be reached: a file beside the journal, which has only one writer. The bot
 * records the answer, then removes the file. After a crash in between it finds the answer settled.
 */
import { Effect, FileSystem, Option, Path, Schema } from "effect"
import { Amount } from "../../domain/EventValues.ts"
import type { OperatorAnswer } from "../../engine/funding/Problems.ts"
import * as WholeFile from "../../journal/WholeFile.ts"

const Said = Schema.fromJsonString(
  Schema.Struct({
    placement: Schema.String,
    word: Schema.Literals(["paid", "not-paid", "adopt", "forget"]),
    text: Schema.String,
    received: Schema.optionalKey(Amount)
  })
)
const decode = Schema.decodeUnknownOption(Said)
const encode = Schema.encodeSync(Said)

const infix = ".resolve."

export const put = Effect.fn("ResolveFile.put")(function* (journal: string, answer: OperatorAnswer) {
  const name = `${journal}${infix}${answer.placement}`
  yield* WholeFile.writeAtomically(name, encode(answer))
  return name
})

/** Passes each waiting answer to `note`, then removes its file. A folder or file that cannot be read now counts as empty. */
export const takeUp = Effect.fn("ResolveFile.takeUp")(function* <E, R>(
  journal: string,
  note: (answer: OperatorAnswer) => Effect.Effect<void, E, R>
) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.dirname(journal)
  const names = yield* fileSystem.readDirectory(folder).pipe(Effect.orElseSucceed(() => []))
  const commandFiles = names.filter(
    (name) => name.startsWith(`${path.basename(journal)}${infix}`) && !name.endsWith(".new")
  )
  for (const name of commandFiles) {
    const file = path.join(folder, name)
    const text = yield* fileSystem.readFileString(file).pipe(Effect.option)
    if (Option.isNone(text)) continue
    const answer = decode(text.value)
    if (Option.isSome(answer)) yield* note(answer.value)
    yield* Effect.ignore(fileSystem.remove(file, { force: true }))
  }
})
