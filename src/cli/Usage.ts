/** How wrong usage is reported: the mistake and where to read more, on standard error. Help only for who asks. */
import { Console, Effect, type Result, Schema } from "effect"
import { CliOutput } from "effect/cli"

/** The request makes no sense: a flag's value means nothing, or flags contradict each other. Exit code 2. */
export class WrongUsage extends Schema.TaggedError<WrongUsage>()("WrongUsage", { message: Schema.String }) {}

/** What was read from the command line, or a sentence that says what is wrong with it. */
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
