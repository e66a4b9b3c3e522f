/** How wrong usage is said: the mistake and where to read on, on standard error; the whole help only to who asks for it. */
import { Console, Schema } from "effect"
import { CliOutput } from "effect/cli"

/** What was asked for cannot be meant: a flag's value means nothing, or flags do not go together. Exit code 2. */
export class WrongUsage extends Schema.TaggedError<WrongUsage>()("WrongUsage", { message: Schema.String }) {}

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
