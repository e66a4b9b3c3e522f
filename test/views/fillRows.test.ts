/** An order is one line of the table, whatever it took to fill it, and says what it earned against its own slot. */
import { assert, describe, it } from "@effect/vitest"
import * as Profit from "../../src/ledger/Profit.ts"
import * as Trades from "../../src/ledger/Trades.ts"
import { filledOrders, fillRows, table } from "../../src/views/Fills.ts"
import { decimals, journal } from "../ledger/account.ts"

const fold = Trades.make(decimals)
for (const entry of journal) fold.see(entry)
const trading = fold.result()
const assets = new Map(
  ["BTC", "USDC"].map((symbol) => [symbol, { symbol, id: symbol.toLowerCase(), decimals: decimals(symbol) }])
)

describe("the table of fills", () => {
  it("has one line for the two fills of an order, with their sums and one payout fee", () => {
    const [, bought, sold] = table.lines(filledOrders(trading.trades, trading, new Map(), assets))
    const words = (line = "") => line.split(/\s+/).slice(2).join(" ")
    assert.strictEqual(words(bought), "BUY 60000 120 USDC 0.002 BTC 0.00000007 BTC 2")
    assert.strictEqual(words(sold), "SELL 66000 0.001 BTC 66 USDC 0.00001 USDC 1")
  })

  it("says what a sale earned against the cost of its own slot", () => {
    const own = trading.trades.map((trade) => ({ ...trade, slot: "cell-p1" }))
    const gridProfit = Profit.gridProfitByFill({ trades: own, losses: [] })
    const [, , sold] = table.lines(filledOrders(own, trading, gridProfit, assets))
    assert.match(sold ?? "", /\s6\s+USDC\s+1$/)
    const rows = fillRows(own, trading, gridProfit, assets)
    assert.deepStrictEqual(
      rows.map((row) => row.gridProfit),
      [null, null, "6"]
    )
  })
})
