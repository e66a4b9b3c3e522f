/** `limitbot money`: where every unit is, by place, strategy and order, and where it was at the end of each day. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { withJournal } from "../../app/journal/JournalView.ts"
import { readAlong } from "../../app/money/LedgerView.ts"
import { movingTags } from "../../domain/Ledger.ts"
import { utcDate } from "../../domain/Text.ts"
import * as MoneyOverTime from "../../ledger/MoneyOverTime.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import { moneyInFull } from "../../views/Money.ts"
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
        const days = overTime.result()
        const all = moneyInFull(state, assets, now, days)
        if (json) return yield* Console.log(JSON.stringify(all))
        return yield* Console.log(
          [
            ...Money.table(state.ledger, assets),
            ...block(
              ["STRATEGY", "PLACE"],
              all.strategies.map(({ strategy, place, amount, asset }) => [strategy, place, `${amount} ${asset}`])
            ),
            ...block(
              ["ORDER", "SLOT", "PLACE"],
              all.orders.map(({ order, placement, slot, place, amount, asset }) => [
                order ?? placement,
                slot,
                place,
                `${amount} ${asset}`
              ])
            ),
            ...block(
              ["FEES OF", "KIND"],
              all.fees.map(({ asset, kind, amount }) => [asset, feeKinds[kind], `${amount} ${asset}`])
            ),
            ...historyLines(days, assets)
          ].join("\n")
        )
      })
    )
  })
).pipe(Command.withDescription("Show where every unit of money is: by place, strategy and order, and over time"))

const feeKinds = {
  paid: "paid so far",
  estimatedPayout: "estimated, if all open orders fill",
  estimatedRefund: "estimated, if all open orders are withdrawn"
} as const

const block = (titles: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  rows.length === 0 ? [] : ["", ...Table.render([...titles, Table.decimal("AMOUNT")], rows)]

const historyLines = (days: ReturnType<ReturnType<typeof MoneyOverTime.make>["result"]>, assets: Money.Assets) =>
  block(
    ["DAY (UTC)", "PLACE"],
    days.flatMap(({ at, places }) =>
      places.map(({ asset, place, amount }) => [utcDate(at), place, Money.withSymbol(assets, asset, amount)])
    )
  )
