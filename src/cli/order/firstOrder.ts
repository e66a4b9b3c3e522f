/** `limitbot first-order`: a small order far from the market, cancelled again, and its cost. */
import { Command } from "effect/cli"
import { place, usualUsd } from "../../app/order/FirstOrder.ts"
import * as flags from "../flags.ts"
import { ways } from "./order.ts"

export const command = Command.make(
  "first-order",
  {
    market: flags.optionalArgument(
      "market",
      "BASE/QUOTE; default: the first asset of the configuration against the first stable one, else the first two"
    ),
    usd: flags.figure("usd", `Value of the order in USD; default: venue.minOrderUsd, or ${usualUsd}`, 0.01, 1_000),
    confirm: flags.text("confirm", "`--confirm place` is an older form of --yes"),
    ...ways
  },
  place
).pipe(
  flags.help("Test a venue: place the smallest order far from the market, cancel it, and report its cost", {
    "limitbot first-order --dry": "Only checks, and shows the order",
    "limitbot first-order BTC/USDC": "Asks before any payment",
    "limitbot first-order --yes --json": "For programs"
  })
)
