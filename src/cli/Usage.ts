/** How wrong usage is said: the mistake and where to read on, on standard error; the whole help only to who asks for it. */
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
