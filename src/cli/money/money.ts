/** Commands that read the books: `money`, `fills` and `profit`. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { ChosenBot } from "../../app/journal/ChosenBot.ts"
import { dust as dustNow, fills, places, profit } from "../../app/money/MoneyAnswers.ts"
import { methods } from "../../ledger/Lots.ts"
import { groupings } from "../../ledger/Profit.ts"
import * as Answer from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"

/** `limitbot money`: the place of every unit, by place, strategy and order, and at the end of each day. */
export const moneyCommand = Command.make(
  "money",
  {
    dust: flags.toggle("dust", "Only leftovers that are too small for an order"),
    atVenue: flags.toggle("at-venue", "Show the account's private and public balances at the venue now"),
    bot: WhichBot.flags,
    csv: flags.csv,
    json: flags.json
  },
  Effect.fn(function* ({ atVenue, dust, ...form }) {
    if (!atVenue) return yield* Answer.print(dust ? dustNow : places, form)
    const refusal = "--at-venue asks the venue: without --dust, and not for an account of a fleet"
    if (dust) return yield* wrongUsage(refusal)
    const config = yield* (yield* ChosenBot).file(refusal)
    const { balances } = yield* Effect.promise(() => import("../../app/money/VenueBalances.ts"))
    yield* Answer.print(balances(config), form)
  })
).pipe(WhichBot.ofBot, flags.help("Show where every unit of money is: by place, strategy and order, and over time"))

/** `limitbot fills`: every recorded fill, oldest first, with its price, its payout fee and its profit. */
export const fillsCommand = Command.make(
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
  flags.help("List the fills, oldest first", {
    "limitbot fills --since 1d --csv": "The last 24 hours, for a spreadsheet"
  })
)

/** `limitbot profit`: what trading has earned and cost so far, by the method that the user names. */
export const profitCommand = Command.make(
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
  flags.help("Show profit and loss: rounds, change of the inventory, fees, and capital in and out", {
    "limitbot profit --by slot": "What each slot has earned",
    "limitbot profit --method fifo --json": "First in, first out, as many tax offices count it"
  })
)
