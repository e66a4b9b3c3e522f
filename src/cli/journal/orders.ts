/** `limitbot orders`: every unsettled order, with the ids by which the venue knows it. */
import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { ofJournal } from "../../app/journal/JournalView.ts"
import { stuck } from "../../app/journal/Stuck.ts"
import { iso } from "../../domain/Text.ts"
import * as Answer from "../../process/Answer.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as Table from "../../report/text/Table.ts"
import { type OrderView, ordersOf } from "../../views/Orders.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
import { help } from "../help.ts"

const list = Table.of<typeof OrderView.Type>([
  { key: "slot", title: "SLOT", value: ({ slot }) => slot },
  { key: "placement", value: ({ placement }) => placement },
  { key: "orderId", title: "ORDER", value: ({ orderId }) => orderId },
  { key: "market", value: ({ market }) => market },
  { key: "side", title: "SIDE", value: ({ side }) => side },
  { key: "price", title: Table.decimal("PRICE"), value: ({ price }) => price },
  { key: "quantity", title: Table.decimal("QUANTITY"), value: ({ quantity }) => quantity },
  { key: "filled", title: Table.decimal("FILLED"), value: ({ filled }) => filled },
  { key: "state", title: "STATE", value: ({ state }) => state },
  { key: "status", title: "VENUE SAYS", value: ({ status }) => status },
  { key: "deadline", title: "DEADLINE", value: ({ deadline }) => iso(deadline) },
  { key: "depositAddress", value: ({ depositAddress }) => depositAddress },
  { key: "why", value: ({ why }) => why }
])

export const command = Command.make(
  "orders",
  {
    stuck: flags.toggle("stuck", "Only those that wait longer than they should, the oldest first, and for what"),
    after: flags.duration(
      "after",
      "With --stuck: one term for all states, for example 10m; default: those of stuckAfter in the configuration"
    ),
    bot: WhichBot.flags,
    csv: flags.csv,
    json: flags.json
  },
  Effect.fn(function* ({ after, bot: given, stuck: isStuck }) {
    const bot = yield* WhichBot.botOf(given)
    if (isStuck) return yield* stuck(bot, after)
    if (Option.isSome(after)) return yield* new WrongUsage({ message: "--after goes with --stuck only" })
    return yield* ofJournal(bot, ({ state, assets }) =>
      Answer.ofList(list, ordersOf(state, assets), "No orders are open.")
    )
  }, Answer.print)
).pipe(help("List the orders that are not settled yet, or those that are stuck"))
