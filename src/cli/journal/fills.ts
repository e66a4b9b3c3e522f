/** `limitbot fills`: every recorded fill, oldest first, with its price, its payout fee and its profit. */
import { Command } from "effect/cli"
import { fills } from "../../app/money/TradingResults.ts"
import * as Answer from "../../process/Answer.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "fills",
  {
    bot: WhichBot.flags,
    strategy: flags.text("strategy", "Only of this strategy"),
    slot: flags.text("slot", "Only of this slot, such as grid/cell-07"),
    market: flags.text("market", "Only of this market"),
    since: flags.duration("since", "Only of the last 30s, 5m, 6h, 7d"),
    csv: flags.csv,
    json: flags.json
  },
  Answer.printAnswerOf(fills)
).pipe(
  WhichBot.ofBot,
  help("List the fills, oldest first", { "limitbot fills --since 1d --csv": "Yesterday and today for a spreadsheet" })
)
