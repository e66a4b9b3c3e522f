/** `limitbot money`: where every unit is, by place, strategy and order, and where it was at the end of each day. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { type JournalView, withJournal } from "../../app/journal/JournalView.ts"
import { dust } from "../../app/money/Dust.ts"
import { readAlong } from "../../app/money/LedgerView.ts"
import * as Answer from "../../app/process/Answer.ts"
import { movingTags } from "../../domain/Ledger.ts"
import { utcDate } from "../../domain/Text.ts"
import * as MoneyOverTime from "../../ledger/MoneyOverTime.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import { moneyInFull } from "../../views/Money.ts"
import * as flags from "../flags.ts"

export const command = Command.make(
  "money",
  {
    dust: flags.toggle("dust", "Only leftovers that are too small for an order"),
    config: flags.config,
    csv: flags.csv,
    json: flags.json
  },
  Effect.fn(function* ({ config, dust: isDust }) {
    if (isDust) return yield* dust(config)
    const overTime = MoneyOverTime.make()
    return yield* withJournal(
      config,
      Effect.fnUntraced(function* (view) {
        yield* readAlong(view, movingTags, overTime.see)
        const { state, assets, now } = view
        const days = overTime.result()
        const all = moneyInFull(state, assets, now, days)
        return { data: () => all, csv: () => placesNow.csv(all.places), lines: () => linesOf(view, all, days) }
      })
    )
  }, Answer.print)
).pipe(Command.withDescription("Show where every unit of money is: by place, strategy and order, and over time"))

const placesNow = Table.of<ReturnType<typeof moneyInFull>["places"][number]>([
  { key: "asset", value: ({ asset }) => asset },
  { key: "place", value: ({ place }) => place },
  { key: "amount", value: ({ amount }) => amount }
])

type Days = ReturnType<ReturnType<typeof MoneyOverTime.make>["result"]>

const linesOf = ({ assets, state }: JournalView, all: ReturnType<typeof moneyInFull>, days: Days) => {
  const said = ({ amount, asset }: { readonly amount: string; readonly asset: string }) => `${amount} ${asset}`
  return [
    ...Money.table(state.ledger, assets),
    ...block(
      ["STRATEGY", "PLACE"],
      all.strategies.map((row) => [row.strategy, row.place, said(row)])
    ),
    ...block(
      ["ORDER", "SLOT", "PLACE"],
      all.orders.map((row) => [row.order ?? row.placement, row.slot, row.place, said(row)])
    ),
    ...block(
      ["FEES OF", "KIND"],
      all.fees.map((row) => [row.asset, feeKinds[row.kind], said(row)])
    ),
    ...block(
      ["DAY (UTC)", "PLACE"],
      days.flatMap(({ at, places }) =>
        places.map(({ asset, place, amount }) => [utcDate(at), place, Money.withSymbol(assets, asset, amount)])
      )
    )
  ]
}

const feeKinds = {
  paid: "paid so far",
  estimatedPayout: "estimated, if all open orders fill",
  estimatedRefund: "estimated, if all open orders are withdrawn"
} as const

const block = (titles: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  rows.length === 0 ? [] : ["", ...Table.render([...titles, Table.decimal("AMOUNT")], rows)]
