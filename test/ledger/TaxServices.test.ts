/** The tables for tax services, row by row; and that they move exactly what the account's trades and fees moved. */
import { assert, describe, it } from "@effect/vitest"
import * as Csv from "../../src/domain/Csv.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as Trades from "../../src/ledger/Trades.ts"
import * as ByHand from "../../src/ledger/tables/ByHand.ts"
import * as TaxServices from "../../src/ledger/tables/TaxServices.ts"
import { decimals, journal, start } from "./account.ts"

const fold = Trades.make(decimals, Trades.emptyBooks(), true)
journal.forEach(fold.see)
const trading = ByHand.directed(fold.result())
const day = 86_400_000
const ever = { from: start, to: start + 100 * day }

const rowsOf = (service: TaxServices.TaxService, record = trading, span = ever): ReadonlyArray<string> => {
  const { titles, rows } = TaxServices.tableOf(service, record, { decimals, span })
  return [titles, ...rows].map((row) => row.join(","))
}

/** What a table takes out of an account, or brings in, by asset. */
const moved = (service: TaxServices.TaxService, amount: string, currency: string): ReadonlyMap<string, string> => {
  const { titles, rows } = TaxServices.tableOf(service, trading, { decimals, span: ever })
  const [at, of] = [titles.indexOf(amount), titles.indexOf(currency)]
  const sums = new Map<string, Decimal.Decimal>()
  for (const row of rows) {
    const [value, asset = ""] = [Decimal.parse(row[at] ?? ""), row[of]]
    if (value !== undefined) sums.set(asset, Decimal.add(sums.get(asset) ?? Decimal.zero, value))
  }
  return new Map([...sums].map(([asset, sum]) => [asset, Decimal.format(sum)]))
}

describe("the tables for tax services", () => {
  it("have a row for each fill and each fee, in order of time (Koinly)", () => {
    assert.deepStrictEqual(rowsOf("koinly").slice(0, 8), [
      "Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash",
      "2026-01-01 00:18:00 UTC,48,USDC,0.0008,BTC,,,,,,grid/cell-p1 order-p1/f1,",
      "2026-01-01 00:19:00 UTC,72,USDC,0.0012,BTC,,,,,,grid/cell-p1 order-p1/f2,",
      "2026-01-01 00:23:00 UTC,0.00000007,BTC,,,,,,,cost,grid/cell-p1 payout of p1,",
      "2026-01-01 00:33:00 UTC,0.001,BTC,66,USDC,,,,,,grid/cell-p2 order-p2/f1,",
      "2026-01-01 00:36:00 UTC,0.00001,USDC,,,,,,,cost,grid/cell-p2 payout of p2,",
      "2026-01-01 00:37:00 UTC,0.00000003,BTC,,,,,,,cost,grid/cell-p2 refund of p2,",
      "2026-01-02 00:14:00 UTC,0.00002,USDC,,,,,,,cost,grid/cell-p3 refund of p3,"
    ])
  })

  it("have the same rows, with the strategy as group (CoinTracking)", () => {
    assert.deepStrictEqual(rowsOf("cointracking").slice(0, 5), [
      "Type,Buy Amount,Buy Currency,Sell Amount,Sell Currency,Fee,Fee Currency,Exchange,Trade-Group,Comment,Date",
      "Trade,0.0008,BTC,48,USDC,,,limitbot,grid,cell-p1 order-p1/f1,2026-01-01 00:18:00",
      "Trade,0.0012,BTC,72,USDC,,,limitbot,grid,cell-p1 order-p1/f2,2026-01-01 00:19:00",
      "Other Fee,,,0.00000007,BTC,,,limitbot,grid,cell-p1 payout of p1,2026-01-01 00:23:00",
      "Trade,66,USDC,0.001,BTC,,,limitbot,grid,cell-p2 order-p2/f1,2026-01-01 00:33:00"
    ])
  })

  it("move exactly what trades and fees moved, to the smallest unit", () => {
    // 0.002 bought by the grid and 0.002 by hand; 0.001 sold; fees of 7 + 3 + 10 satoshi, and of 10 + 20 millionths of a dollar.
    const [received, sent] = [
      { BTC: "0.004", USDC: "66" },
      { USDC: "240.00003", BTC: "0.0010002" }
    ].map((each) => new Map(Object.entries(each)))
    assert.deepStrictEqual(moved("koinly", "Received Amount", "Received Currency"), received)
    assert.deepStrictEqual(moved("koinly", "Sent Amount", "Sent Currency"), sent)
    assert.deepStrictEqual(moved("cointracking", "Buy Amount", "Buy Currency"), received)
    assert.deepStrictEqual(moved("cointracking", "Sell Amount", "Sell Currency"), sent)
  })

  it("list what is given up as lost, unless it arrives after all", () => {
    const [bought] = trading.trades
    if (bought === undefined) return assert.fail("no trade")
    const lost = { ...bought, side: "SELL", quoteAmount: 0n, fillId: "given up", loss: "given up" } as const
    const found = { ...lost, side: "BUY", fillId: "found", loss: "found" } as const
    const only = { ...trading, trades: [], fees: [] }
    assert.deepStrictEqual(rowsOf("koinly", { ...only, losses: [lost] }).slice(1), [
      "2026-01-01 00:18:00 UTC,0.0008,BTC,,,,,,,lost,grid/cell-p1 p1,"
    ])
    assert.deepStrictEqual(rowsOf("cointracking", { ...only, losses: [lost] }).slice(1), [
      "Lost,,,0.0008,BTC,,,limitbot,grid,cell-p1 p1,2026-01-01 00:18:00"
    ])
    const { loss: _, ...takenByFee } = { ...lost, isFee: true as const }
    assert.lengthOf(rowsOf("koinly", { ...only, losses: [lost, found] }), 1)
    assert.lengthOf(rowsOf("koinly", { ...only, losses: [takenByFee] }), 1)
  })

  it("cover the requested time, its end excluded", () => {
    assert.lengthOf(rowsOf("koinly", trading, { from: start + 18 * 60_000, to: start + 19 * 60_000 }), 2)
  })

  it("hold nothing that a spreadsheet would run", () => {
    const evil = trading.trades.map((trade) => ({ ...trade, strategy: "=1+1", slot: "@x" }))
    for (const service of TaxServices.taxServices) {
      const { titles, rows } = TaxServices.tableOf(service, { ...trading, trades: evil }, { decimals, span: ever })
      assert.notMatch(Csv.render(titles, rows), /(?:^|,)"?[=@+]/m)
    }
  })
})
