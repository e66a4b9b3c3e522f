/** `limitbot first-order`: the smallest order far from the market, cancelled again, and its cost. */
import { Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { place, theWord } from "../../app/first/FirstOrder.ts"
import { usualUsd } from "../../app/first/Terms.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "first-order",
  {
    market: Argument.String("market").pipe(
      Argument.withDescription(
        "BASE/QUOTE; default: the first asset of the configuration against the first stable one, else the first two"
      ),
      Argument.optional
    ),
    usd: Flag.Finite("usd").pipe(
      Flag.withSchema(Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 1_000 }))),
      Flag.withDescription(`Value of the order in USD; default: venue.minOrderUsd, or ${usualUsd}`),
      Flag.optional
    ),
    confirm: flags.text("confirm", `Agree without a terminal, by this word: ${theWord}`),
    dry: flags.toggle("dry", "Only the checks and the order: nothing is created or paid"),
    config: flags.config,
    json: flags.json
  },
  place
).pipe(
  help("Test a venue: place the smallest order far from the market, cancel it, and report its cost", {
    "limitbot first-order --dry": "Only checks, and shows the order",
    "limitbot first-order BTC/USDC": "Asks for the word before any payment",
    [`limitbot first-order --confirm ${theWord} --json`]: "For programs"
  })
)
