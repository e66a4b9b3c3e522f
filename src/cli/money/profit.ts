/** `limitbot profit`: what trading has earned and cost so far, by the method that the user names. */
import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { withLedger } from "../../app/money/LedgerView.ts"
import * as Answer from "../../app/process/Answer.ts"
import { minutesOf } from "../../journal/PriceStore.ts"
import { methods } from "../../ledger/Lots.ts"
import * as Profit from "../../ledger/Profit.ts"
import { qualityOf } from "../../ledger/Quality.ts"
import { returnsOf } from "../../ledger/Returns.ts"
import * as Standing from "../../ledger/Standing.ts"
import * as ProfitText from "../../report/text/ProfitText.ts"
import { profitInFull } from "../../views/Profit.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "profit",
  {
    bot: WhichBot.flags,
    by: flags.choice("by", Profit.groupings, "Break it down"),
    method: flags.choiceOr("method", methods, "Which purchase a sale closes; strategies see average cost", "average"),
    json: flags.json
  },
  Effect.fn(function* ({ bot, by, method }) {
    return yield* withLedger(
      yield* WhichBot.named(bot),
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
        const days = Profit.grouped(items, "day")
        const flows = trading.flows.map(Profit.itemOfFlow)
        const standings = Standing.of(whole, { flows, markets: trading.markets, mark, now, days })
        const quotes = new Map(trading.orders.map(({ market, quote }) => [market, quote]))
        const charged = Map.groupBy(state.echoedFees.values(), ({ market }) => quotes.get(market))
        const profit = { standings, method, whole, by: grouping, groups, markedAt, statistics, charged }
        return { data: () => profitInFull(profit, assets), lines: () => ProfitText.lines(profit, assets) }
      })
    )
  }, Answer.print)
).pipe(
  help("Show profit and loss: what rounds earned, what the inventory did, fees, and capital that came or went", {
    "limitbot profit --by slot": "What each slot has earned",
    "limitbot profit --method fifo --json": "As tax offices count it"
  })
)
