/** The tables of the CSV export, cell by cell, and the years and lots that they are of. */
import { assert, describe, it } from "@effect/vitest"
import type { Recorded } from "../../src/domain/BotEvent.ts"
import * as Trades from "../../src/ledger/Trades.ts"
import * as Tables from "../../src/ledger/tables/Tables.ts"
import { decimals, journal, start } from "./account.ts"

const fold = Trades.make(decimals)
journal.forEach(fold.see)
const trading = fold.result()

const minute = (count: number) => start + count * 60_000
const table = (
  name: string,
  record = trading,
  span = { from: start, to: minute(10_000) },
  method: "fifo" | "lifo" = "fifo"
) => {
  const found = Tables.tablesOf(record, { decimals, method, span }).find((each) => each.name === name)
  return [found?.titles.join(","), ...(found?.rows.map((row) => row.join(",")) ?? [])]
}

describe("the tables of the export", () => {
  it("have fills, with both amounts and the price", () => {
    assert.deepStrictEqual(table("fills"), [
      "time,market,side,quantity,base,value,quote,price,slot,order,fill",
      "2026-01-01T00:18:00.000Z,BTC/USDC,BUY,0.0008,BTC,48,USDC,60000,grid/cell-p1,order-p1,f1",
      "2026-01-01T00:19:00.000Z,BTC/USDC,BUY,0.0012,BTC,72,USDC,60000,grid/cell-p1,order-p1,f2",
      "2026-01-01T00:33:00.000Z,BTC/USDC,SELL,0.001,BTC,66,USDC,66000,grid/cell-p2,order-p2,f1"
    ])
    const [fill] = trading.trades
    if (fill === undefined) return assert.fail("no fill")
    const { orderId: _, ...nameless } = fill
    const odd = [
      { ...nameless, baseAmount: 0n },
      { ...nameless, baseAmount: 300_000_000n, quoteAmount: 2_000_000n }
    ]
    assert.deepStrictEqual(table("fills", { ...trading, trades: odd }).slice(1), [
      "2026-01-01T00:18:00.000Z,BTC/USDC,BUY,0,BTC,48,USDC,,grid/cell-p1,,f1",
      "2026-01-01T00:18:00.000Z,BTC/USDC,BUY,3,BTC,2,USDC,0.666666666666,grid/cell-p1,,f1"
    ])
  })

  it("have payouts and refunds, with what arrived", () => {
    assert.deepStrictEqual(table("payouts"), [
      "time,kind,asset,received,fee,slot,placement,transactions",
      "2026-01-01T00:23:00.000Z,payout,BTC,0.00199993,0.00000007,grid/cell-p1,p1,tx-1 tx-2",
      "2026-01-01T00:36:00.000Z,payout,USDC,65.99999,0.00001,grid/cell-p2,p2,tx-3",
      "2026-01-01T00:37:00.000Z,refund,BTC,0.00199997,0.00000003,grid/cell-p2,p2,tx-4",
      "2026-01-02T00:14:00.000Z,refund,USDC,119.99998,0.00002,grid/cell-p3,p3,"
    ])
  })

  it("have fees above zero, in their asset and in quote, beside the estimate", () => {
    const free = trading.fees.map((fee) => ({ ...fee, amount: 0n }))
    assert.lengthOf(table("fees", { ...trading, fees: trading.fees.map((fee) => ({ ...fee, amount: 1n })) }), 5)
    assert.deepStrictEqual(table("fees", { ...trading, fees: [...free, ...trading.fees] }), [
      "time,kind,asset,fee,value,quote,slot,estimated",
      "2026-01-01T00:23:00.000Z,payout,BTC,0.00000007,0.0042,USDC,grid/cell-p1,0.0000003",
      "2026-01-01T00:36:00.000Z,payout,USDC,0.00001,0.00001,USDC,grid/cell-p2,0.000035",
      "2026-01-01T00:37:00.000Z,refund,BTC,0.00000003,0.001981,USDC,grid/cell-p2,0.00000025",
      "2026-01-02T00:14:00.000Z,refund,USDC,0.00002,0.00002,USDC,grid/cell-p3,"
    ])
  })

  it("have flows of capital", () => {
    assert.deepStrictEqual(table("flows"), [
      "time,strategy,asset,amount",
      "2026-01-01T00:01:00.000Z,grid,USDC,1000",
      "2026-01-01T00:02:00.000Z,grid,BTC,0.0100005",
      "2026-01-02T00:30:00.000Z,grid,USDC,500",
      "2026-01-02T00:32:00.000Z,grid,BTC,-0.005"
    ])
  })

  it("have lots: the oldest purchase is sold first, and deposited coins count as bought at their value", () => {
    const titles = "acquired,sold,asset,quantity,cost,proceeds,gain,currency,basis,method"
    assert.deepStrictEqual(table("lots"), [
      titles,
      // 0.0100005 BTC came in at 600.035 USDC; the share of a lot is rounded down.
      "2026-01-01T00:02:00.000Z,2026-01-01T00:33:00.000Z,BTC,0.001,60.000499,66,5.999501,USDC,capital at its market value,fifo"
    ])
    assert.deepStrictEqual(table("lots", trading, { from: start, to: minute(10_000) }, "lifo"), [
      titles,
      "2026-01-01T00:19:00.000Z,2026-01-01T00:33:00.000Z,BTC,0.001,60,66,6,USDC,bought,lifo"
    ])
    const [first, , sale] = trading.trades
    if (first === undefined || sale === undefined) return assert.fail("too few trades")
    const short = { ...trading, flows: [], trades: [{ ...sale, at: minute(5) }, first] }
    assert.deepStrictEqual(table("lots", short), [
      titles,
      "2026-01-01T00:18:00.000Z,2026-01-01T00:05:00.000Z,BTC,0.0008,48,52.8,4.8,USDC,bought after the sale,fifo"
    ])
  })

  it("close the lots of coins that a person gives up as lost", () => {
    const [bought] = trading.trades
    if (bought === undefined) return assert.fail("no trade")
    const lost = { ...bought, at: minute(40), side: "SELL", quoteAmount: 0n, loss: "given up" } as const
    const found = { ...lost, at: minute(50), side: "BUY", loss: "found" } as const
    const sold = { ...bought, placement: "p9", at: minute(60), side: "SELL", quoteAmount: 52_800_000n } as const
    const rows = (losses: (typeof trading)["losses"], trades: (typeof trading)["trades"] = [bought]) =>
      table("lots", { ...trading, flows: [], trades, losses }).slice(1)
    const gone = "2026-01-01T00:18:00.000Z,2026-01-01T00:40:00.000Z,BTC,0.0008,48,0,-48,USDC,given up as lost,fifo"
    const back = "2026-01-01T00:18:00.000Z,2026-01-01T00:50:00.000Z,BTC,0.0008,0,48,48,USDC,came after all,fifo"
    assert.deepStrictEqual(rows([lost]), [gone])
    assert.deepStrictEqual(rows([lost, found], [bought, sold]), [
      gone,
      back,
      "2026-01-01T00:18:00.000Z,2026-01-01T01:00:00.000Z,BTC,0.0008,48,52.8,4.8,USDC,bought,fifo"
    ])
  })

  it("include the first instant of the span and exclude its last", () => {
    const rows = (name: string, from: number, to: number) => table(name, trading, { from, to }).length - 1
    for (const [name, at] of [
      ["fills", 33],
      ["payouts", 37],
      ["fees", 37],
      ["flows", 1_470],
      ["lots", 33]
    ] as const) {
      assert.strictEqual(rows(name, minute(at), minute(at) + 1), 1, name)
      assert.strictEqual(rows(name, minute(at) + 1, minute(at) + 2), 0, name)
      assert.strictEqual(rows(name, minute(at) - 1, minute(at)), 0, name)
    }
  })
})

describe("purchases for taxes", () => {
  it("are those of all strategies in a market, in the order of time, with capital in base", () => {
    const [pool, ...more] = [...Tables.taxPools(trading)]
    assert.deepStrictEqual(more, [])
    assert.strictEqual(pool?.[0], "BTC/USDC")
    assert.deepStrictEqual(
      pool?.[1].map(({ at, side, baseAmount, quoteAmount }) => [at, side, baseAmount, quoteAmount]),
      [
        [minute(2), "BUY", 1_000_050n, 600_035_000n],
        [minute(18), "BUY", 80_000n, 48_000_000n],
        [minute(19), "BUY", 120_000n, 72_000_000n],
        [minute(33), "SELL", 100_000n, 66_000_000n]
      ]
    )
    const late = { ...trading, flows: trading.flows.map((flow) => ({ ...flow, at: minute(20) })) }
    assert.deepStrictEqual(
      Tables.taxPools(late)
        .get("BTC/USDC")
        ?.map(({ at }) => at),
      [18, 19, 20, 33].map(minute)
    )
  })

  it("have the base budgets of all markets of a strategy at their value", () => {
    const budget: Recorded = {
      sequence: 3,
      at: minute(2),
      event: { _tag: "BudgetAllotted", strategy: "grid", asset: "ETH", amount: 2_000_000n }
    }
    const withBudget = Trades.make(decimals)
    for (const entry of journal) {
      if (entry.event._tag === "Decided") withBudget.see(budget)
      withBudget.see(entry)
    }
    const pools = Tables.taxPools(withBudget.result())
    assert.deepStrictEqual(
      pools.get("ETH/USDC")?.map(({ at, side, baseAmount, quoteAmount }) => [at, side, baseAmount, quoteAmount]),
      [[minute(2), "BUY", 2_000_000n, 6_002_000_000n]]
    )
    assert.deepStrictEqual(pools.get("BTC/USDC"), Tables.taxPools(trading).get("BTC/USDC"))
  })

  it("exclude capital that is quote, is removed, is zero, or has no market or price", () => {
    const flow = { at: start, strategy: "grid", asset: "BTC", amount: 5n, market: "BTC/USDC", worth: 7n }
    const { market: _, ...homeless } = flow
    const { worth: __, ...worthless } = flow
    const none = [{ ...flow, asset: "USDC" }, { ...flow, amount: -5n }, { ...flow, amount: 0n }, homeless, worthless]
    assert.strictEqual(Tables.taxPools({ ...trading, trades: [], flows: none }).size, 0)
    assert.strictEqual(Tables.taxPools({ ...trading, trades: [], flows: [flow] }).get("BTC/USDC")?.length, 1)
  })
})
