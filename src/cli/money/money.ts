/** `limitbot money`: the place of every unit, by place, strategy and order, and at the end of each day. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { ChosenBot } from "../../app/journal/ChosenBot.ts"
import { dust as dustNow, places } from "../../app/money/MoneyPlaces.ts"
import * as Answer from "../../process/Answer.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
import { help } from "../help.ts"

export const command = Command.make(
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
    if (dust) return yield* new WrongUsage({ message: refusal })
    const config = yield* (yield* ChosenBot).file(refusal)
    const { balances } = yield* Effect.promise(() => import("../../app/history/AccountHistory.ts"))
    yield* Answer.print(balances({ config }), form)
  })
).pipe(WhichBot.ofBot, help("Show where every unit of money is: by place, strategy and order, and over time"))
