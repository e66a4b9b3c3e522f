/** How wrong usage is said: the mistake and where to read on, on standard error; the whole help only to who asks for it. */
import { Console, Effect, type Result, Schema } from "effect"
import { CliOutput } from "effect/cli"

/** What was asked for cannot be meant: a flag's value means nothing, or flags do not go together. Exit code 2. */
export class WrongUsage extends Schema.TaggedError<WrongUsage>()("WrongUsage", { message: Schema.String }) {}

/** What was read of the command line, or the sentence that says what is wrong with it. */
export const orWrong = <A>(read: Result.Result<A, string>): Effect.Effect<A, WrongUsage> =>
  Effect.mapError(Effect.fromResult(read), (message) => new WrongUsage({ message }))

export const layer = CliOutput.layerPresenter({
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const mistakes = event.errors.map(({ message }) =>
      message.replace("Schema validation failed: ", "").replace("Expected: Expected", "Expected")
    )
    const text = mistakes.map((mistake) => `limitbot: ${mistake}`).join("\n")
    return Console.error(`${text}\nTry: ${[...event.commandPath, "--help"].join(" ")}`)
  }
})
