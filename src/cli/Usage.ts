/** How wrong usage is reported: the mistake and where to read more, on standard error. Help only for who asks. */
import { Console } from "effect"
import { CliOutput } from "effect/cli"

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
