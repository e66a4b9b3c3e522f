/**
 * The operator's word on its way to a running bot: one small file beside the journal for each, because the journal has only
 * one writer. The bot takes it up at its next turn, writes it into the journal, and removes the file; a crash in between
 * means that it is taken up again, and found to be settled.
 */
import { Effect, FileSystem, Option, Path, Schema } from "effect"
import type { OperatorAnswer } from "../../engine/funding/Problems.ts"

const Said = Schema.fromJsonString(
  Schema.Struct({
    placement: Schema.String,
    word: Schema.Literals(["paid", "not-paid", "adopt", "forget"]),
    text: Schema.String
  })
)
const decode = Schema.decodeUnknownOption(Said)

const infix = ".resolve."

/** Complete at once under its name, so that it is never read half. */
export const put = Effect.fn("ResolveFile.put")(function* (journal: string, { placement, text, word }: OperatorAnswer) {
  const fileSystem = yield* FileSystem.FileSystem
  const name = `${journal}${infix}${placement}`
  yield* fileSystem.writeFileString(`${name}.new`, JSON.stringify({ placement, word, text }))
  yield* fileSystem.rename(`${name}.new`, name)
  return name
})

/** Hands over what has been said since, each once it is durable. A folder that cannot be read says nothing. */
export const takeUp = Effect.fn("ResolveFile.takeUp")(function* <E, R>(
  journal: string,
  note: (answer: OperatorAnswer) => Effect.Effect<void, E, R>
) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.dirname(journal)
  const names = yield* fileSystem.readDirectory(folder).pipe(Effect.orElseSucceed(() => []))
  const said = names.filter((name) => name.startsWith(`${path.basename(journal)}${infix}`) && !name.endsWith(".new"))
  for (const name of said) {
    const file = path.join(folder, name)
    const text = yield* fileSystem.readFileString(file).pipe(Effect.option)
    const answer = Option.flatMap(text, decode)
    if (Option.isSome(answer)) yield* note(answer.value)
    yield* Effect.ignore(fileSystem.remove(file, { force: true }))
  }
})
