/** `limitbot run FILE…`: the bot itself, live or dry. */
import { Command, Flag } from "effect/cli"
import { run } from "../../app/run/Running.ts"
import { age } from "../../domain/Text.ts"
import { defaults } from "../../engine/EngineSettings.ts"
import * as flags from "../flags.ts"
import { allow } from "../plan/allow.ts"

export const command = Command.make(
  "run",
  {
    files: flags.files("Strategy files (YAML)"),
    config: flags.config,
    forMillis: flags.forDuration,
    dryRun: flags.toggle("dry-run", "Use the venue's prices, but create and sign nothing; fills are simulated"),
    cancelOnExit: flags.toggle("cancel-on-exit", "Before stopping, cancel all orders and wait for their money"),
    onRemoved: flags.choiceOr(
      "on-removed",
      ["drain", "leave"],
      "The fate of a strategy's orders if its file is removed while the bot runs",
      "drain"
    ),
    payAgain: flags
      .textFlag("pay-again", "An unclear payment, as named by `status`, that was not made: the wallet pays again")
      .pipe(Flag.between(0, 20)),
    allow,
    poll: flags.duration(
      "poll",
      `Shortest interval between polls of the venue, for example 0.5s (default: ${age(defaults.pollMinMillis)})`
    ),
    json: flags.json
  },
  run
).pipe(
  flags.help("Run strategies: place, fund, track and account for their orders until stopped", {
    "limitbot run strategies/grid.yaml --config config/limitbot.yaml": "Run one strategy",
    "limitbot run strategies/*.yaml --dry-run --for 5m": "Simulate them for five minutes"
  })
)
