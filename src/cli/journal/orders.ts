/** `limitbot orders`: every unsettled order, with the ids by which the venue knows it. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { ofJournal } from "../../app/journal/JournalView.ts"
import { stuck } from "../../app/journal/Unresolved.ts"
import { iso } from "../../domain/Text.ts"
import * as Answer from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as Table from "../../report/text/Table.ts"
import { type OrderView, ordersOf } from "../../views/Orders.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"

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
    order: flags.optionalArgument(
      "order",
      "With --out or --proof: the venue's order id, its deposit address, an intent hash, or our placement (p7)"
    ),
    out: flags.file("out", "Write all evidence of ORDER into this new file, for a support ticket"),
    proof: flags.file(
      "proof",
      "Write the deposits, fills and payouts of ORDER into this new file, to be verified by others with deploy/verify.mjs"
    ),
    offline: flags.toggle("offline", "With --out: only from the journal, without the venue and its history"),
    stuck: flags.toggle("stuck", "Only orders that wait too long, the oldest first, and for what"),
    after: flags.duration(
      "after",
      "With --stuck: one term for all states, for example 10m; default: those of stuckAfter in the configuration"
    ),
    bot: WhichBot.flags,
    csv: flags.csv,
    json: flags.json
  },
  Effect.fn(function* ({ after, csv, json, order, stuck: isStuck, ...file }) {
    if (order !== undefined) {
      if (isStuck || csv || json) return yield* wrongUsage("ORDER goes with --out and --proof only")
      const { write } = yield* Effect.promise(() => import("../../app/money/EvidenceFile.ts"))
      return yield* write({ ...file, order })
    }
    if (file.out !== undefined || file.proof !== undefined || file.offline)
      return yield* wrongUsage("--out, --proof and --offline are about one order: name it")
    const listed = Effect.gen(function* () {
      if (isStuck) return yield* stuck(after)
      if (after !== undefined) return yield* wrongUsage("--after goes with --stuck only")
      const orders = ofJournal(({ state, assets }) => ordersOf(state, assets))
      return Answer.ofList(list, yield* orders, "Every order is settled.")
    })
    yield* Answer.print(listed, { csv, json })
  })
).pipe(
  WhichBot.ofBot,
  flags.help("List the orders that are not settled yet, or those that are stuck; or write evidence of one", {
    "limitbot orders --stuck": "Orders that wait too long, and for what",
    "limitbot orders p7 --out evidence.json": "All evidence of an order, for a support ticket"
  })
)
