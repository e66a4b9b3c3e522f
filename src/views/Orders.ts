/** Every placement that is not settled, with its ids at the venue. */
import { Schema } from "effect"
import * as Decimal from "../domain/Decimal.ts"
import { age, iso } from "../domain/Text.ts"
import { type BotState, unfinished } from "../engine/state/BotState.ts"
import { filledBase, type Placement } from "../engine/state/Placement.ts"
import { slotKey } from "../engine/state/SlotFold.ts"
import type { Overdue } from "../engine/tracking/Overdue.ts"
import * as Money from "../report/text/Money.ts"
import * as Table from "../report/text/Table.ts"
import { asOf, Side, Time } from "./AsOf.ts"

const Text = Schema.String

export const OrderView = Schema.Struct({
  slot: Text,
  placement: Text,
  orderId: Schema.NullOr(Text),
  market: Text,
  side: Side,
  price: Text,
  quantity: Text,
  filled: Text,
  state: Text,
  status: Schema.NullOr(Text),
  deadline: Time,
  depositAddress: Schema.NullOr(Text),
  why: Text
})
export const Orders = Schema.Struct({ ...asOf, orders: Schema.Array(OrderView) })

export const orderView = (placement: Placement, assets: Money.Assets): typeof OrderView.Type => {
  const base = placement.side === "SELL" ? placement.inputAsset : placement.outputAsset
  return {
    slot: slotKey(placement.strategy, placement.slot),
    placement: placement.id,
    orderId: placement.order?.id ?? null,
    market: placement.market,
    side: placement.side,
    price: Decimal.format(placement.price),
    quantity: Money.amountText(assets, base, placement.quantity),
    filled: Money.amountText(assets, base, filledBase(placement)),
    state: placement.state,
    status: placement.status ?? null,
    deadline: placement.deadline,
    depositAddress: placement.order?.depositAddress ?? null,
    why: placement.why.text
  }
}

export const ordersOf = (state: BotState, assets: Money.Assets): ReadonlyArray<typeof OrderView.Type> =>
  unfinished(state).map((placement) => orderView(placement, assets))

export const nameOfStuck = ({ placement: { id, order } }: Overdue): string => order?.id ?? id

export const stuckOrders = (assets: Money.Assets, now: number) =>
  Table.of<Overdue>([
    { key: "slot", title: "SLOT", value: ({ placement: { strategy, slot } }) => slotKey(strategy, slot) },
    { key: "placement", value: ({ placement }) => placement.id },
    { key: "order", title: "ORDER", value: ({ placement }) => placement.order?.id, text: nameOfStuck },
    { key: "state", title: "STATE", value: ({ placement }) => placement.state },
    { key: "since", value: ({ since }) => iso(since) },
    { key: "forMillis", title: "AGE", value: ({ since }) => now - since, text: ({ since }) => age(now - since) },
    { key: "termMillis", value: ({ term }) => term },
    {
      key: "term",
      title: "TERM",
      value: ({ waitsFor }) => waitsFor,
      text: ({ term, waitsFor }) => `${waitsFor} ${age(term)}`
    },
    { key: "waitsFor", title: "WAITS FOR", value: ({ text }) => text },
    {
      key: "input",
      title: "MONEY",
      value: ({ placement: { inputAsset, inputAmount } }) => Money.withSymbol(assets, inputAsset, inputAmount)
    },
    { key: "depositAddress", value: ({ placement }) => placement.order?.depositAddress }
  ])
