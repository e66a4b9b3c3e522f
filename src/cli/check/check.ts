/** `limitbot check FILE…`: every mistake of the strategy files, with its place, before anything runs. */
import { Argument, Command, Flag } from "effect/cli"
import * as FileCheck from "../../app/backtest/FileCheck.ts"
import * as runFlags from "../backtest/runFlags.ts"
import * as FileName from "../FileName.ts"
import * as flags from "../flags.ts"

export const command = Command.make(
  "check",
  {
    files: FileName.argument("file").pipe(
      Argument.withDescription("Strategy files (YAML)"),
      Argument.variadic({ min: 1 })
    ),
    config: FileName.flag("config").pipe(
      Flag.withAlias("c"),
      Flag.withDescription(
        `The configuration file, whose markets count; default: ${flags.defaultConfig}, where a file may name other markets too`
      ),
      Flag.optional
    ),
    lookahead: flags.toggle(
      "lookahead",
      "Also find out, on the candles of --data, whether a strategy looks into the future"
    ),
    data: runFlags.data.pipe(Flag.optional),
    ...runFlags.partFlags,
    json: flags.json
  },
  (asked) => FileCheck.check({ ...asked, usual: flags.defaultConfig })
).pipe(
  Command.withDescription("Check strategy files: every mistake with file, line and column"),
  Command.withExamples([
    { command: "limitbot check strategies/*.yaml --config config/example.yaml", description: "Check all strategies" },
    {
      command: "limitbot check strategies/rules.yaml --lookahead --data eth-1h.csv",
      description: "Also make sure that it does not see the future"
    }
  ])
)
