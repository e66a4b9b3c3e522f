/**
 * Formats usage errors and help. A mistake and a pointer to the help go to standard error; the full help appears only on request. Flags
 * that every command has are in the help of the whole program.
 */
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
