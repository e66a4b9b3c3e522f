/** `limitbot explain [STRATEGY/SLOT] [--at TIME]`: the reason why a slot has (or had) its order, or none. */
import { Command } from "effect/cli"
import { explanationOf } from "../../app/plan/Explaining.ts"
import * as Answer from "../../process/Answer.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"

export const command = Command.make(
  "explain",
  {
    slot: flags.optionalArgument("strategy/slot", "A slot as `status` shows it, or a strategy; default: all slots"),
    at: flags.text("at", "A time in the past: 2026-01-31T12:00:00Z, or how long ago: 30s, 5m, 6h, 7d"),
    bot: WhichBot.flags,
    json: flags.json
  },
  Answer.printAnswerOf(explanationOf)
).pipe(
  WhichBot.ofBot,
  flags.help("Explain why a slot has its order, or none, now or in the past, and what would change that", {
    "limitbot explain btc-grid/cell-07": "One slot now",
    "limitbot explain btc-grid --at 2h": "All slots of a strategy two hours ago"
  })
)
