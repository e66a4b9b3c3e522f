/** `limitbot run FILE…`: the bot itself, live or dry. */
import { Command, Flag } from "effect/cli"
import { run } from "../../app/run/Running.ts"
import { age } from "../../domain/Words.ts"
import { defaults } from "../../engine/EngineSettings.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { allow } from "../plan/allow.ts"

export const command = Command.make(
  "run",
  {
    files: flags.files("Strategy files (YAML)"),
    config: flags.config,
    forMillis: flags.forDuration,
    dryRun: flags.toggle("dry-run", "Prices from the venue, but nothing is created or signed; fills are simulated"),
    cancelOnExit: flags.toggle("cancel-on-exit", "Before leaving cancel all orders and wait until their money is back"),
    onRemoved: flags.choiceOr(
      "on-removed",
      ["drain", "leave"],
      "What becomes of the orders of a strategy whose file is removed while the bot runs",
      "drain"
    ),
    payAgain: Flag.String("pay-again").pipe(
      Flag.withDescription(
        "An unclear payment, as `status` names it, that was not made: the wallet is asked once more"
      ),
      Flag.between(0, 20)
    ),
    allow,
    poll: flags.duration(
      "poll",
      `Shortest pause between two looks at the venue, for example 0.5s (default: ${age(defaults.pollMinMillis)})`
    ),
    json: flags.json
  },
  run
).pipe(
  help("Run strategies: place, fund, track and account for their orders until stopped", {
    "limitbot run strategies/grid.yaml --config config/limitbot.yaml": "Run one strategy",
    "limitbot run strategies/*.yaml --dry-run --for 5m": "Watch what they would do"
  })
)
