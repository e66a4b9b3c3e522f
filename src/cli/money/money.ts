/** `limitbot money`: where every unit is, by place, strategy and order, and where it was at the end of each day. */
import { Command } from "effect/cli"
import { moneyOf } from "../../app/money/MoneyPlaces.ts"
import * as Answer from "../../process/Answer.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "money",
  {
    dust: flags.toggle("dust", "Only leftovers that are too small for an order"),
    bot: WhichBot.flags,
    csv: flags.csv,
    json: flags.json
  },
  Answer.printAnswerOf(WhichBot.withBot(moneyOf))
).pipe(help("Show where every unit of money is: by place, strategy and order, and over time"))
