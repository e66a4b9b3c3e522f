/** Shows the place of every unit, by strategy and order, now and at the end of each day, and amounts too small for an order. */
import { Effect } from "effect"
import { utcDate } from "../../domain/Text.ts"
import * as MoneyOverTime from "../../ledger/MoneyOverTime.ts"
import * as Answer from "../../process/Answer.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import { dustIn, dustList, moneyInFull } from "../../views/Money.ts"
import * as StoredBooks from "../../views/profit/StoredBooks.ts"
import { type JournalView, ofJournal, withJournal } from "../journal/JournalView.ts"
import { booksOf } from "./LedgerView.ts"

export const places = withJournal(
  Effect.fnUntraced(function* (view) {
    const { overTime } = yield* booksOf(view, StoredBooks.storedDays)
    return answerOf(view, MoneyOverTime.result(overTime))
  })
)

export const dust = ofJournal(({ assets, state }) => {
  const answer = Answer.ofList(dustList(assets), dustIn(state), "No dust.")
  return { ...answer, data: () => ({ dust: answer.data() }) }
})

const answerOf = (view: JournalView, days: ReadonlyArray<MoneyOverTime.DayEnd>): Answer.CommandAnswer => {
  const all = moneyInFull(view.state, view.assets, view.now, days)
  return { data: () => all, csv: () => placesNow.csv(all.places), lines: () => linesOf(view, all, days) }
}

const placesNow = Table.of<ReturnType<typeof moneyInFull>["places"][number]>([
  { key: "asset", value: ({ asset }) => asset },
  { key: "place", value: ({ place }) => place },
  { key: "amount", value: ({ amount }) => amount }
])

const linesOf = (
  { assets, state }: JournalView,
  all: ReturnType<typeof moneyInFull>,
  days: ReadonlyArray<MoneyOverTime.DayEnd>
) => {
  const moneyText = ({ amount, asset }: { readonly amount: string; readonly asset: string }) => `${amount} ${asset}`
  return [
    ...Money.table(state.ledger, assets),
    ...block(
      ["STRATEGY", "PLACE"],
      all.strategies.map((row) => [row.strategy, row.place, moneyText(row)])
    ),
    ...block(
      ["ORDER", "SLOT", "PLACE"],
      all.orders.map((row) => [row.order ?? row.placement, row.slot, row.place, moneyText(row)])
    ),
    ...block(
      ["FEES OF", "KIND"],
      all.fees.map((row) => [row.asset, feeKinds[row.kind], moneyText(row)])
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
  estimatedRefund: "estimated, if all open orders are cancelled"
} as const

const block = (titles: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  rows.length === 0 ? [] : ["", ...Table.render([...titles, Table.decimal("AMOUNT")], rows)]
