/** Lists the trading results of the journal: every fill, its earnings and its costs. */
import { Effect, Option } from "effect"
import { minutesOf } from "../../journal/PriceStore.ts"
import type { LotMethod } from "../../ledger/Lots.ts"
import * as Profit from "../../ledger/Profit.ts"
import { qualityOf, quotingOf } from "../../ledger/Quality.ts"
import { returnsOf } from "../../ledger/Returns.ts"
import * as Standing from "../../ledger/Standing.ts"
import { chargedLine } from "../../report/text/LearnedFee.ts"
import * as ProfitText from "../../report/text/ProfitText.ts"
import * as Fills from "../../views/Fills.ts"
import { profitInFull } from "../../views/Profit.ts"
import * as AccountBooks from "../../views/profit/AccountBooks.ts"
import { withLedger } from "./LedgerView.ts"

interface Wanted {
  readonly strategy: Option.Option<string>
  readonly slot: Option.Option<string>
  readonly market: Option.Option<string>
  /** Milliseconds before now. */
  readonly since: Option.Option<number>
}

export const fills = ({ market, since, slot, strategy }: Wanted) =>
  withLedger(({ assets, books, decimals, now, state, trading }) => {
    const all = AccountBooks.ofAccount(books, decimals)
    const is = (wanted: Option.Option<string>, value: string) => Option.getOrElse(wanted, () => value) === value
    const from = Option.match(since, { onNone: () => Number.NEGATIVE_INFINITY, onSome: (millis) => now - millis })
    const gridProfit = Profit.gridProfitByFill(trading.trades)
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

export const profit = ({ by, method }: { readonly by: Option.Option<Profit.Grouping>; readonly method: LotMethod }) =>
  withLedger(
    Effect.fnUntraced(function* ({ trading, mark, markedAt, assets, now, decimals, state }) {
      const grouping = Option.getOrUndefined(by)
      const items = Profit.itemsOf(trading, { method, mark, now })
      const whole = Profit.grouped(items, undefined)
      const groups = grouping === undefined ? [] : Profit.grouped(items, grouping)
      const minutes = yield* minutesOf(trading.lastPrices.keys())
      const statistics = new Map(
        whole.map(({ quote }) => {
          const of = { quote, minutes, decimals: (symbol: string) => decimals(symbol) ?? 0 }
          return [quote, { orders: qualityOf(trading, of), returns: returnsOf(trading, of) }] as const
        })
      )
      const makers = [...state.strategies.values()].flatMap(({ loaded, name }) => {
        const quote = loaded?.kind === "market-making" ? loaded.market.split("/")[1] : undefined
        const of = quote && { quote, minutes, decimals: (symbol: string) => decimals(symbol) ?? 0 }
        return of ? [{ strategy: name, quote: of.quote, ...quotingOf(trading, name, of, now) }] : []
      })
      const days = Profit.grouped(items, "day")
      const flows = trading.flows.map(Profit.itemOfFlow)
      const standings = Standing.of(whole, { flows, markets: trading.markets, mark, now, days })
      const quotes = new Map(trading.orders.map(({ market, quote }) => [market, quote]))
      const charged = Map.groupBy(state.echoedFees.values(), ({ market }) => quotes.get(market))
      const all = { standings, method, whole, by: grouping, groups, markedAt, statistics, charged, makers }
      return { data: () => profitInFull(all, assets), lines: () => ProfitText.lines(all, assets) }
    })
  )
