/** The place of every unit of every asset: by place, by strategy and order, and at the end of each day. */
import { Schema } from "effect"
import { dustSlot, type Ledger, places } from "../domain/Ledger.ts"
import { type BotState, unfinished } from "../engine/state/BotState.ts"
import { slotKey } from "../engine/state/SlotFold.ts"
import type { DayEnd } from "../ledger/MoneyOverTime.ts"
import * as MoneyText from "../report/text/Money.ts"
import * as Table from "../report/text/Table.ts"
import { asOf } from "./AsOf.ts"

const Text = Schema.String

const MoneyView = Schema.Struct({
  places: Schema.Array(Text),
  rows: Schema.Array(Schema.Struct({ asset: Text, place: Text, amount: Text })),
  notCounted: Schema.Array(Schema.Struct({ strategy: Text, asset: Text, amount: Text })),
  residual: Schema.Record(Text, Text)
})
export const Money = Schema.Struct({ ...asOf, ...MoneyView.fields })

export const moneyView = ({ ledger }: Pick<BotState, "ledger">, assets: MoneyText.Assets): typeof MoneyView.Type => ({
  places,
  rows: MoneyText.rows(ledger, assets),
  notCounted: MoneyText.notCounted(ledger, assets),
  residual: MoneyText.residual(ledger, assets)
})

export const moneySums = (state: Pick<BotState, "ledger">, assets: MoneyText.Assets) => {
  const { notCounted, residual, rows } = moneyView(state, assets)
  return { money: rows, notCounted, residual }
}

export const moneyInFull = (state: BotState, assets: MoneyText.Assets, now: number, days: ReadonlyArray<DayEnd>) => {
  const { notCounted, residual, rows } = moneyView(state, assets)
  const history = days.map(({ at, places }) => ({
    at,
    places: places.map(({ asset, place, amount }) => ({
      asset,
      place,
      amount: MoneyText.amountText(assets, asset, amount)
    }))
  }))
  const [strategies, orders, fees] = [ofStrategies(state, assets), ofOrders(state, assets), feesOf(state, assets)]
  return { at: now, places: rows, notCounted, strategies, orders, history, unexplained: residual, fees }
}

const entriesOf = ({ balances }: Ledger) =>
  [...balances.values()].filter(({ entry: { account } }) => places.some((place) => place === account))

const ofStrategies = ({ ledger, strategies }: BotState, assets: MoneyText.Assets) =>
  entriesOf(ledger).flatMap(({ entry: { asset, account, owner }, amount }) =>
    strategies.has(owner)
      ? [{ strategy: owner, place: account, asset, amount: MoneyText.amountText(assets, asset, amount) }]
      : []
  )

const ofOrders = ({ ledger, placements, strategies }: BotState, assets: MoneyText.Assets) =>
  entriesOf(ledger).flatMap(({ entry: { asset, account, owner }, amount }) => {
    if (strategies.has(owner)) return []
    const placement = placements.get(owner)
    const slot = placement === undefined ? "-" : slotKey(placement.strategy, placement.slot)
    const text = MoneyText.amountText(assets, asset, amount)
    return [{ order: placement?.order?.id ?? null, placement: owner, slot, place: account, asset, amount: text }]
  })

type FeeKind = "paid" | "estimatedPayout" | "estimatedRefund"

/** Paid fees are in the ledger. The venue's estimates for open orders belong to no account yet. */
const feesOf = (state: BotState, assets: MoneyText.Assets) => {
  const sums = new Map<string, Map<FeeKind, bigint>>()
  const add = (asset: string, kind: FeeKind, amount: bigint) => {
    const ofAsset = sums.get(asset) ?? new Map<FeeKind, bigint>()
    sums.set(asset, ofAsset.set(kind, (ofAsset.get(kind) ?? 0n) + amount))
  }
  for (const { entry, amount } of state.ledger.balances.values())
    if (entry.account === "fees") add(entry.asset, "paid", amount)
  for (const { order, inputAsset, outputAsset } of unfinished(state)) {
    if (order === undefined) continue
    add(outputAsset, "estimatedPayout", order.estimatedWithdrawFee)
    add(inputAsset, "estimatedRefund", order.estimatedRefundFee)
  }
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted.flatMap(([asset, kinds]) =>
    [...kinds].map(([kind, amount]) => ({ asset, kind, amount: MoneyText.amountText(assets, asset, amount) }))
  )
}

export const dustList = (assets: MoneyText.Assets) =>
  Table.of<ReturnType<typeof dustIn>[number]>([
    { key: "strategy", title: "STRATEGY", value: ({ strategy }) => strategy },
    { key: "asset", value: ({ asset }) => asset },
    {
      key: "amount",
      title: "AMOUNT",
      value: ({ asset, amount }) => MoneyText.amountText(assets, asset, amount),
      text: ({ asset, amount }) => `${MoneyText.amountText(assets, asset, amount)} ${asset}`
    },
    { key: "slot", value: ({ slot }) => slot },
    {
      key: "order",
      title: "SOLD BY",
      value: ({ order }) => order,
      text: ({ order }) => order ?? "too small for an order yet"
    }
  ])

export const dustIn = (state: BotState) => {
  const orders = new Map(unfinished(state).map(({ id, slot, strategy }) => [slotKey(strategy, slot), id]))
  return [...state.ledger.balances.values()].flatMap(({ amount, entry: { account, asset, owner } }) => {
    const slot = slotKey(owner, dustSlot(asset))
    return account === "dust" ? [{ strategy: owner, asset, amount, slot, order: orders.get(slot) }] : []
  })
}
