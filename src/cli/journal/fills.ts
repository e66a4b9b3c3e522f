/** `limitbot fills`: every recorded fill, oldest first, with its price, what its payout cost and what it earned. */
import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { withLedger } from "../../app/money/LedgerView.ts"
import * as Answer from "../../app/process/Answer.ts"
import * as Profit from "../../ledger/Profit.ts"
import { chargedLine } from "../../report/text/LearnedFee.ts"
import * as Fills from "../../views/Fills.ts"
import * as AccountBooks from "../../views/profit/AccountBooks.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "fills",
  {
    bot: WhichBot.flags,
    strategy: flags.text("strategy", "Only of this strategy"),
    slot: flags.text("slot", "Only of this slot, such as grid/cell-07"),
    market: flags.text("market", "Only of this market"),
    since: flags.duration("since", "Only of the last 30s, 5m, 6h, 7d"),
    csv: flags.csv,
    json: flags.json
  },
  Effect.fn(function* ({ bot, strategy, slot, market, since }) {
    return yield* withLedger(yield* WhichBot.named(bot), ({ assets, books, decimals, now, state, trading }) => {
      const all = AccountBooks.ofAccount(books, decimals)
      const is = (wanted: Option.Option<string>, value: string) => Option.getOrElse(wanted, () => value) === value
      const from = Option.match(since, { onNone: () => Number.NEGATIVE_INFINITY, onSome: (millis) => now - millis })
      const gridProfit = Profit.gridProfitByFill(trading.trades)
      const wanted = all.trades.filter(
        (trade) =>
          trade.at >= from &&
          is(strategy, trade.strategy) &&
          is(slot, `${trade.strategy}/${trade.slot}`) &&
          is(market, trade.market)
      )
      const markets = new Set(wanted.map((trade) => trade.market))
      const charged = [...state.echoedFees.values()].filter((fee) => markets.has(fee.market)).map(chargedLine)
      const notes = ["A line is an order; fees are not deducted from grid profit.", ...charged]
      const rows = () => Fills.fillRows(wanted, all, gridProfit, assets)
      const orders = () => Fills.table.lines(Fills.filledOrders(wanted, all, gridProfit, assets))
      return Effect.succeed({
        data: rows,
        csv: () => Fills.table.csv(rows()),
        lines: () => (wanted.length === 0 ? ["No fills yet."] : [...orders(), "", ...notes])
      })
    })
  }, Answer.print)
).pipe(
  help("List the fills, oldest first", { "limitbot fills --since 1d --csv": "Yesterday and today for a spreadsheet" })
)
