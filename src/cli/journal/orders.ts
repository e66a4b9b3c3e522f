/** `limitbot orders`: every unsettled order, with the ids by which the venue knows it. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { withJournal } from "../../app/journal/JournalView.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { iso } from "../../domain/Text.ts"
import { unfinished } from "../../engine/state/BotState.ts"
import { filledBase, type Placement } from "../../engine/state/Placement.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import * as flags from "../flags.ts"

const row = (placement: Placement, assets: Money.Assets) => {
  const base = placement.side === "SELL" ? placement.inputAsset : placement.outputAsset
  return {
    slot: `${placement.strategy}/${placement.slot}`,
    placement: placement.id,
    orderId: placement.order?.id ?? null,
    market: placement.market,
    side: placement.side,
    price: Decimal.format(placement.price),
    quantity: Money.amountText(assets, base, placement.quantity),
    filled: Money.amountText(assets, base, filledBase(placement)),
    state: placement.state,
    status: placement.status ?? null,
    deadline: iso(placement.deadline),
    depositAddress: placement.order?.depositAddress ?? null,
    why: placement.why.text
  }
}

export const command = Command.make(
  "orders",
  { config: flags.config, json: flags.json },
  Effect.fn(function* ({ config, json }) {
    yield* withJournal(config, ({ state, assets }) => {
      const rows = unfinished(state).map((placement) => row(placement, assets))
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
