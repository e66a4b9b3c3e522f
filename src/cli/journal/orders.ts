/** `limitbot orders`: every unsettled order, with the ids by which the venue knows it. */
import { Command } from "effect/cli"
import { ofJournal } from "../../app/journal/JournalView.ts"
import * as Answer from "../../app/process/Answer.ts"
import { iso } from "../../domain/Text.ts"
import * as Table from "../../report/text/Table.ts"
import { type OrderView, ordersOf } from "../../views/Orders.ts"
import * as flags from "../flags.ts"

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
  { config: flags.config, csv: flags.csv, json: flags.json },
  Answer.said(({ config }) =>
    ofJournal(config, ({ state, assets }) => Answer.ofList(list, ordersOf(state, assets), "No orders are open."))
  )
).pipe(Command.withDescription("List the orders that are not settled yet"))
