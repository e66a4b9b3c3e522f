/** `limitbot fills`: every fill that was seen, oldest first. */
import { Console, DateTime, Effect } from "effect"
import { Command } from "effect/cli"
import type { Of } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import * as flags from "../flags.ts"
import { eventsOf, withJournal } from "./JournalView.ts"

const row = (event: Of<"FillSeen">, assets: Money.Assets) => ({
  at: DateTime.formatIso(DateTime.makeUnsafe(event.filledAt)),
  slot: `${event.strategy}/${event.slot}`,
  side: event.side,
  limit: Decimal.format(event.price),
  paid: Money.amountText(assets, event.inputAsset, event.amountIn),
  paidAsset: event.inputAsset,
  received: Money.amountText(assets, event.outputAsset, event.amountOut),
  receivedAsset: event.outputAsset,
  fillId: event.fillId
})

export const command = Command.make(
  "fills",
  { config: flags.config, json: flags.json },
  Effect.fn(function* ({ config, json }) {
    yield* withJournal(config, ({ assets }) =>
      Effect.gen(function* () {
        const rows = (yield* eventsOf("FillSeen")).map((event) => row(event, assets))
        if (json) return yield* Console.log(JSON.stringify(rows))
        if (rows.length === 0) return yield* Console.log("No fills yet.")
        const lines = Table.render(
          [
            { title: "TIME" },
            { title: "SLOT" },
            { title: "SIDE" },
            { title: "LIMIT", align: "decimal" },
            { title: "PAID", align: "decimal" },
            { title: "RECEIVED", align: "decimal" }
          ],
          rows.map((fill) => [
            fill.at,
            fill.slot,
            fill.side,
            fill.limit,
            `${fill.paid} ${fill.paidAsset}`,
            `${fill.received} ${fill.receivedAsset}`
          ])
        )
        yield* Console.log(lines.join("\n"))
      })
    )
  })
).pipe(Command.withDescription("List the fills, oldest first"))
