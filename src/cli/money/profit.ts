/** `limitbot profit`: what trading has earned and cost so far, by the method that the user names. */
import { Command } from "effect/cli"
import { profit } from "../../app/money/TradingResults.ts"
import { methods } from "../../ledger/Lots.ts"
import { groupings } from "../../ledger/Profit.ts"
import * as Answer from "../../process/Answer.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "profit",
  {
    bot: WhichBot.flags,
    by: flags.choice("by", groupings, "Break it down"),
    method: flags.choiceOr("method", methods, "Which purchase a sale closes; strategies see average cost", "average"),
    json: flags.json
  },
  Answer.printAnswerOf(profit)
).pipe(
  WhichBot.ofBot,
  help("Show profit and loss: rounds, change of the inventory, fees, and capital in and out", {
    "limitbot profit --by slot": "What each slot has earned",
    "limitbot profit --method fifo --json": "As tax offices count it"
  })
)
