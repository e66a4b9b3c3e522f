/** `limitbot first-order`: a small order far from the market, cancelled again, and its cost. */
import { Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { place, usualUsd } from "../../app/order/FirstOrder.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { ways } from "./order.ts"

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
    confirm: flags.text("confirm", "`--confirm place` is an older form of --yes"),
    ...ways
  },
  place
).pipe(
  help("Test a venue: place the smallest order far from the market, cancel it, and report its cost", {
    "limitbot first-order --dry": "Only checks, and shows the order",
    "limitbot first-order BTC/USDC": "Asks before any payment",
    "limitbot first-order --yes --json": "For programs"
  })
)
