/** `limitbot money --dust`: what legs left unsold because it was too little for an order, and what will become of it. */

import { dustSlot } from "../../domain/Ledger.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import { ofJournal } from "../journal/JournalView.ts"
import * as Answer from "../process/Answer.ts"

export const dust = (config: string) =>
  ofJournal(config, ({ assets, state }) => {
    const answer = Answer.ofList(list(assets), dustIn(state), "No dust.")
    return { ...answer, data: () => ({ dust: answer.data() }) }
  })

const list = (assets: Money.Assets) =>
  Table.of<ReturnType<typeof dustIn>[number]>([
    { key: "strategy", title: "STRATEGY", value: ({ strategy }) => strategy },
    { key: "asset", value: ({ asset }) => asset },
    {
      key: "amount",
      title: "AMOUNT",
      value: ({ asset, amount }) => Money.amountText(assets, asset, amount),
      text: ({ asset, amount }) => `${Money.amountText(assets, asset, amount)} ${asset}`
    },
    { key: "slot", value: ({ slot }) => slot },
    {
      key: "order",
      title: "SOLD BY",
      value: ({ order }) => order,
      text: ({ order }) => order ?? "waits until it is enough for an order"
    }
  ])

const dustIn = (state: BotState) => {
  const orders = new Map(unfinished(state).map(({ id, slot, strategy }) => [slotKey(strategy, slot), id]))
  return [...state.ledger.balances.values()].flatMap(({ amount, entry: { account, asset, owner } }) => {
    const slot = slotKey(owner, dustSlot(asset))
    return account === "dust" ? [{ strategy: owner, asset, amount, slot, order: orders.get(slot) }] : []
  })
}
