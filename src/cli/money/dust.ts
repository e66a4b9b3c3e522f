/** `limitbot dust`: what legs left unsold because it was too little for an order, and what will become of it. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { withJournal } from "../../app/journal/JournalView.ts"
import { dustSlot } from "../../domain/Ledger.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import * as flags from "../flags.ts"

export const command = Command.make(
  "dust",
  { config: flags.config, json: flags.json },
  Effect.fn(function* ({ config, json }) {
    yield* withJournal(config, ({ assets, state }) => {
      const dust = rowsOf(state, assets)
      if (json) return Console.log(JSON.stringify({ dust }))
      if (dust.length === 0) return Console.log("No dust.")
      const titles = ["STRATEGY", "AMOUNT", "SOLD BY"].map((title) => ({ title }))
      const lines = dust.map(({ amount, asset, order, strategy }) => [
        strategy,
        `${amount} ${asset}`,
        order ?? "waits until it is enough for an order"
      ])
      return Console.log(Table.render(titles, lines).join("\n"))
    })
  })
).pipe(Command.withDescription("List leftovers that are too small for an order"))

const rowsOf = (state: BotState, assets: Money.Assets) => {
  const orders = new Map(unfinished(state).map(({ id, slot, strategy }) => [slotKey(strategy, slot), id]))
  return [...state.ledger.balances.values()].flatMap(({ amount, entry: { account, asset, owner } }) =>
    account === "dust"
      ? [
          {
            strategy: owner,
            asset,
            amount: Money.amountText(assets, asset, amount),
            slot: slotKey(owner, dustSlot(asset)),
            order: orders.get(slotKey(owner, dustSlot(asset))) ?? null
          }
        ]
      : []
  )
}
