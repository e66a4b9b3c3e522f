/** `limitbot money`: where every unit is, by place, strategy and order, and where it was at the end of each day. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { withJournal } from "../../app/journal/JournalView.ts"
import { readAlong } from "../../app/money/LedgerView.ts"
import { places } from "../../domain/Accounts.ts"
import { type Ledger, movingTags } from "../../domain/Ledger.ts"
import { utcDate } from "../../domain/Text.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import * as MoneyOverTime from "../../ledger/MoneyOverTime.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import * as flags from "../flags.ts"

export const command = Command.make(
  "money",
  { config: flags.config, json: flags.json },
  Effect.fn(function* ({ config, json }) {
    const overTime = MoneyOverTime.make()
    yield* withJournal(
      config,
      Effect.fnUntraced(function* (view) {
        yield* readAlong(view, movingTags, overTime.see)
        const { state, assets, now } = view
        const orders = orderRows(state, assets)
        const strategies = strategyRows(state, assets)
        if (json) {
          const history = overTime.result().map(({ at, places }) => ({
            at,
            places: places.map(({ asset, place, amount }) => ({
              asset,
              place,
              amount: Money.amountText(assets, asset, amount)
            }))
          }))
          const unexplained = Money.residual(state.ledger, assets)
          const placesNow = Money.rows(state.ledger, assets)
          const notCounted = Money.notCounted(state.ledger, assets)
          const fees = feeRows(state, assets)
          const all = { at: now, places: placesNow, notCounted, strategies, orders, history, unexplained, fees }
          return yield* Console.log(JSON.stringify(all))
        }
        return yield* Console.log(
          [
            ...Money.table(state.ledger, assets),
            ...block(
              ["STRATEGY", "PLACE"],
              strategies.map(({ strategy, place, amount, asset }) => [strategy, place, `${amount} ${asset}`])
            ),
            ...block(
              ["ORDER", "SLOT", "PLACE"],
              orders.map(({ order, placement, slot, place, amount, asset }) => [
                order ?? placement,
                slot,
                place,
                `${amount} ${asset}`
              ])
            ),
            ...block(
              ["FEES OF", "KIND"],
              feeRows(state, assets).map(({ asset, kind, amount }) => [asset, feeKinds[kind], `${amount} ${asset}`])
            ),
            ...historyLines(overTime.result(), assets)
          ].join("\n")
        )
      })
    )
  })
).pipe(Command.withDescription("Show where every unit of money is: by place, strategy and order, and over time"))

const entriesOf = ({ balances }: Ledger) =>
  [...balances.values()].filter(({ entry: { account } }) => places.some((place) => place === account))

/** Wallets and fees belong to a strategy; everything else belongs to an order. */
const strategyRows = ({ ledger, strategies }: BotState, assets: Money.Assets) =>
  entriesOf(ledger).flatMap(({ entry: { asset, account, owner }, amount }) =>
    strategies.has(owner)
      ? [{ strategy: owner, place: account, asset, amount: Money.amountText(assets, asset, amount) }]
      : []
  )

const orderRows = ({ ledger, placements, strategies }: BotState, assets: Money.Assets) =>
  entriesOf(ledger).flatMap(({ entry: { asset, account, owner }, amount }) => {
    if (strategies.has(owner)) return []
    const placement = placements.get(owner)
    const slot = placement === undefined ? "-" : `${placement.strategy}/${placement.slot}`
    const text = Money.amountText(assets, asset, amount)
    return [{ order: placement?.order?.id ?? null, placement: owner, slot, place: account, asset, amount: text }]
  })

const feeKinds = {
  paid: "paid so far",
  estimatedPayout: "estimated, if all open orders fill",
  estimatedRefund: "estimated, if all open orders are withdrawn"
} as const

/** Paid fees are in the ledger; the venue's estimates for open orders are nobody's money yet. */
const feeRows = (state: BotState, assets: Money.Assets) => {
  const sums = new Map<string, Map<keyof typeof feeKinds, bigint>>()
  const add = (asset: string, kind: keyof typeof feeKinds, amount: bigint) => {
    const ofAsset = sums.get(asset) ?? new Map<keyof typeof feeKinds, bigint>()
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
    [...kinds].map(([kind, amount]) => ({ asset, kind, amount: Money.amountText(assets, asset, amount) }))
  )
}

const block = (titles: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  rows.length === 0
    ? []
    : ["", ...Table.render([...titles.map((title) => ({ title })), { title: "AMOUNT", align: "decimal" }], rows)]

const historyLines = (days: ReturnType<ReturnType<typeof MoneyOverTime.make>["result"]>, assets: Money.Assets) =>
  block(
    ["DAY (UTC)", "PLACE"],
    days.flatMap(({ at, places }) =>
      places.map(({ asset, place, amount }) => [utcDate(at), place, Money.withSymbol(assets, asset, amount)])
    )
  )
