/** Formats usage errors and help. A mistake goes to standard error with a pointer to the help, which appears only on request. */
import { Console, Layer } from "effect"
import { CliConfig, CliOutput, GlobalFlag } from "effect/cli"

const { Completions, Help, LogLevel, Version } = GlobalFlag

export const layer = Layer.mergeAll(
  CliConfig.layer({ builtIns: [Help, Version, Completions, LogLevel] }),
  CliOutput.layer(CliOutput.defaultFormatter({ globalFlags: "none" })),
  CliOutput.layerPresenter({
    present: (event) => {
      if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
      const mistakes = event.errors.map(({ message }) =>
        message.replace("Schema validation failed: ", "").replace("Expected: Expected", "Expected")
      )
      const text = mistakes.map((mistake) => `limitbot: ${mistake}`).join("\n")
      return Console.error(`${text}\nTry: ${[...event.commandPath, "--help"].join(" ")}`)
    }
  })
)
