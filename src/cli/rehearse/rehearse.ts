/** `limitbot rehearse FILE…`: puts files through days of outages and crashes on a sandbox in virtual time, before any money. */
import { Command } from "effect/cli"
import * as Answer from "../../process/Answer.ts"
import { levelNames, rehearsed } from "../../rehearsal/rehearse/Rehearsing.ts"
import * as flags from "../flags.ts"
import { allow } from "../plan/allow.ts"
import * as sandboxFlags from "../run/sandboxFlags.ts"

export const command = Command.make(
  "rehearse",
  {
    files: flags.files("Strategy files (YAML)"),
    config: flags.config,
    candles: sandboxFlags.candles,
    price: flags.figure(
      "price",
      "Price of the first market at which generated prices begin; default: the sandbox's own"
    ),
    days: flags.figureIn("days", 0.01, 365).pipe(flags.byDefault("Virtual days; one takes about a minute", 1)),
    bad: flags.choiceOr(
      "bad",
      levelNames,
      "How bad the network, the service and the machine are: none, low, medium or high",
      "medium"
    ),
    seed: sandboxFlags.seed,
    allow,
    json: flags.json
  },
  Answer.printAnswerOf((asked) => rehearsed({ ...asked, usual: flags.defaultConfig }))
).pipe(
  flags.help("Put strategy files through days of outages and crashes on a sandbox, before any money", {
    "limitbot rehearse strategies/grid.yaml --days 3": "Three virtual days",
    "limitbot rehearse grid.yaml --candles prices.csv --bad high": "On recorded prices, in the worst weather"
  })
)
