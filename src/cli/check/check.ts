/** `limitbot check FILE…`: every mistake of the strategy files, with its place, before anything runs. */
import { Command, Flag } from "effect/cli"
import * as FileCheck from "../../lab/runs/FileCheck.ts"
import * as runFlags from "../backtest/runFlags.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "check",
  {
    files: flags.files("Strategy files (YAML)"),
    config: flags
      .fileFlag("config")
      .pipe(
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
  help("Check strategy files: every mistake with file, line and column", {
    "limitbot check strategies/*.yaml --config config/example.yaml": "Check all strategies",
    "limitbot check strategies/rules.yaml --lookahead --data eth-1h.csv":
      "Also make sure that it does not see the future"
  })
)
