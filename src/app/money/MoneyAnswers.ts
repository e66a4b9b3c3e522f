/** Answers `money`, `fills` and `profit`: the place of every unit, now and at the end of each day, and every fill with its earnings. */
import { Effect } from "effect"
import { chargedLine } from "../../domain/EchoedFee.ts"
import { utcDate } from "../../domain/Text.ts"
import { minutesOf } from "../../journal/PriceStore.ts"
import type { LotMethod } from "../../ledger/Lots.ts"
import * as MoneyOverTime from "../../ledger/MoneyOverTime.ts"
import * as Profit from "../../ledger/Profit.ts"
import { qualityOf, quotingOf } from "../../ledger/Quality.ts"
import { returnsOf } from "../../ledger/Returns.ts"
import * as Standing from "../../ledger/Standing.ts"
import * as Answer from "../../process/Answer.ts"
import * as Money from "../../report/text/Money.ts"
import * as ProfitText from "../../report/text/ProfitText.ts"
import * as Table from "../../report/text/Table.ts"
import * as Fills from "../../views/Fills.ts"
import { dustIn, dustList, moneyInFull } from "../../views/Money.ts"
import { profitInFull } from "../../views/Profit.ts"
import * as AccountBooks from "../../views/profit/AccountBooks.ts"
import * as StoredBooks from "../../views/profit/StoredBooks.ts"
import { type JournalView, ofJournal, withJournal } from "../journal/JournalView.ts"
import { booksOf, withLedger } from "./LedgerView.ts"

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

interface Wanted {
  readonly strategy: string | undefined
  readonly slot: string | undefined
  readonly market: string | undefined
  /** Milliseconds before now. */
  readonly since: number | undefined
}

export const fills = ({ market, since, slot, strategy }: Wanted) =>
  withLedger(({ assets, books, decimals, now, state, trading }) => {
    const all = AccountBooks.ofAccount(books, decimals)
    const is = (wanted: string | undefined, value: string) => (wanted ?? value) === value
    const from = now - (since ?? Number.POSITIVE_INFINITY)
    const gridProfit = Profit.gridProfitByFill(trading)
    const trades = all.trades.filter(
      (trade) =>
        trade.at >= from &&
        is(strategy, trade.strategy) &&
        is(slot, `${trade.strategy}/${trade.slot}`) &&
        is(market, trade.market)
    )
    const markets = new Set(trades.map((trade) => trade.market))
    const charged = [...state.echoedFees.values()].filter((fee) => markets.has(fee.market)).map(chargedLine)
    const notes = ["A line is an order; fees are not deducted from grid profit.", ...charged]
    const rows = () => Fills.fillRows(trades, all, gridProfit, assets)
    const orders = () => Fills.table.lines(Fills.filledOrders(trades, all, gridProfit, assets))
    return Effect.succeed({
      data: rows,
      csv: () => Fills.table.csv(rows()),
      lines: () => (trades.length === 0 ? ["No fills yet."] : [...orders(), "", ...notes])
    })
  })

export const profit = ({ by, method }: { readonly by: Profit.Grouping | undefined; readonly method: LotMethod }) =>
  withLedger(
    Effect.fnUntraced(function* ({ trading, mark, markedAt, assets, now, decimals, state }) {
      const items = Profit.itemsOf(trading, { method, mark, now })
      const whole = Profit.grouped(items, undefined)
      const groups = by === undefined ? [] : Profit.grouped(items, by)
      const minutes = yield* minutesOf(trading.lastPrices.keys())
      const ofQuote = (quote: string) => ({ quote, minutes, decimals: (symbol: string) => decimals(symbol) ?? 0 })
      const statistics = new Map(
        whole.map(({ quote }) => {
          const of = ofQuote(quote)
          return [quote, { orders: qualityOf(trading, of), returns: returnsOf(trading, of) }] as const
        })
      )
      const makers = [...state.strategies.values()].flatMap(({ loaded, name }) => {
        const quote = loaded?.kind === "market-making" ? loaded.market.split("/")[1] : undefined
        return quote ? [{ strategy: name, quote, ...quotingOf(trading, name, ofQuote(quote), now) }] : []
      })
      const days = Profit.grouped(items, "day")
      const flows = trading.flows.map(Profit.itemOfFlow)
      const strategies = Profit.grouped(items, "strategy")
      const standings = Standing.of(whole, { flows, markets: trading.markets, mark, now, days, strategies })
      const quotes = new Map(trading.orders.map(({ market, quote }) => [market, quote]))
      const charged = Map.groupBy(state.echoedFees.values(), ({ market }) => quotes.get(market))
      const all = { standings, method, whole, by, groups, markedAt, statistics, charged, makers }
      return { data: () => profitInFull(all, assets), lines: () => ProfitText.lines(all, assets) }
    })
  )
