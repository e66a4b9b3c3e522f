/** `limitbot orders`: every unsettled order, with the ids by which the venue knows it. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { withJournal } from "../../app/journal/JournalView.ts"
import { iso } from "../../domain/Text.ts"
import * as Table from "../../report/text/Table.ts"
import { ordersOf } from "../../views/Orders.ts"
import * as flags from "../flags.ts"

export const command = Command.make(
  "orders",
  { config: flags.config, json: flags.json },
  Effect.fn(function* ({ config, json }) {
    yield* withJournal(config, ({ state, assets }) => {
      const rows = ordersOf(state, assets).map((order) => ({ ...order, deadline: iso(order.deadline) }))
      if (json) return Console.log(JSON.stringify(rows))
      if (rows.length === 0) return Console.log("No orders are open.")
      const lines = Table.render(
        [
          { title: "SLOT" },
          { title: "ORDER" },
          { title: "SIDE" },
          { title: "PRICE", align: "decimal" },
          { title: "QUANTITY", align: "decimal" },
          { title: "FILLED", align: "decimal" },
          { title: "STATE" },
          { title: "VENUE SAYS" },
          { title: "DEADLINE" }
        ],
        rows.map((order) => [
          order.slot,
          order.orderId ?? "-",
          order.side,
          order.price,
          order.quantity,
          order.filled,
          order.state,
          order.status ?? "-",
          order.deadline
        ])
      )
      return Console.log(lines.join("\n"))
    })
  })
).pipe(Command.withDescription("List the orders that are not settled yet"))
