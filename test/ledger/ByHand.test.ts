/** Swaps by hand in the tables of the account: as fills, with what they cost, and as the purchases and sales that they are. */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent, Recorded } from "../../src/domain/BotEvent.ts"
import { byHand } from "../../src/domain/Placement.ts"
import * as Trades from "../../src/ledger/Trades.ts"
import * as ByHand from "../../src/ledger/tables/ByHand.ts"
import * as Rp2 from "../../src/ledger/tables/Rp2.ts"
import * as Tables from "../../src/ledger/tables/Tables.ts"
import { price } from "../strategy/support.ts"
import { decimals, journal, start } from "./account.ts"

const minute = 60_000
const strategy = "grid"

/** A swap as it is recorded: it sells what it pays with. */
const swap = (name: string, at: number, [paid, amountIn]: Coins, [got, amountOut]: Coins, fee = 0n) => {
  const about = { strategy: byHand, slot: name, placement: name }
  const events: ReadonlyArray<BotEvent> = [
    {
      _tag: "Planned",
      ...about,
      market: `${paid}/${got}`,
      side: "SELL",
      price: price("1"),
      quantity: amountIn,
      by: "swap",
      inputAsset: paid,
      inputAmount: amountIn,
      outputAsset: got,
      outputAmount: 0n,
      deadline: start,
      why: { code: "by-hand", text: "" }
    },
    {
      _tag: "FillSeen",
      ...about,
      fillId: "f1",
      side: "SELL",
      price: price("1"),
      filledAt: start + at * minute,
      inputAsset: paid,
      amountIn,
      outputAsset: got,
      amountOut
    },
    { _tag: "PaidOut", ...about, asset: got, amount: amountOut - fee, fee, txHashes: [] }
  ]
  return events.map((event) => ({ at, event }))
}
type Coins = readonly [asset: string, amount: bigint]

const loaded: BotEvent = {
  _tag: "StrategyLoaded",
  strategy,
  file: "grid.yaml",
  kind: "grid",
  market: "BTC/USDC",
  hash: "a"
}

const recordOf = (entries: ReadonlyArray<{ readonly at: number; readonly event: BotEvent }>) => {
  const fold = Trades.make(decimals, Trades.emptyBooks(), true)
  for (const [index, { at, event }] of entries.entries())
    fold.see({ sequence: index + 1, at: start + at * minute, event })
  return ByHand.directed(fold.result())
}

const span = { from: start, to: start + 10_000 * minute }
const table = (name: string, record: Trades.TradingRecord) =>
  (Tables.tablesOf(record, { decimals, method: "fifo", span }).find((each) => each.name === name)?.rows ?? []).map(
    (row) => row.join(",")
  )

describe("swaps by hand", () => {
  const bought = swap("s1", 1, ["USDC", 60_000_000n], ["BTC", 100_000n], 10n)
  const sold = swap("s2", 5, ["BTC", 50_000n], ["USDC", 33_000_000n], 7n)
  const other = swap("s3", 6, ["USDC", 10_000_000n], ["SOL", 500_000n])
  const record = recordOf([{ at: 0, event: loaded }, ...bought, ...sold, ...other])

  it("are fills in the tables, and purchases with dollars are not sales of dollars", () => {
    assert.deepStrictEqual(table("fills", record), [
      "2026-01-01T00:01:00.000Z,BTC/USDC,BUY,0.001,BTC,60,USDC,60000,by hand/s1,,f1",
      "2026-01-01T00:05:00.000Z,BTC/USDC,SELL,0.0005,BTC,33,USDC,66000,by hand/s2,,f1",
      "2026-01-01T00:06:00.000Z,SOL/USDC,BUY,0.5,SOL,10,USDC,20,by hand/s3,,f1"
    ])
    assert.deepStrictEqual(table("payouts", record), [
      "2026-01-01T00:01:00.000Z,payout,BTC,0.0009999,0.0000001,by hand/s1,s1,",
      "2026-01-01T00:05:00.000Z,payout,USDC,32.999993,0.000007,by hand/s2,s2,",
      "2026-01-01T00:06:00.000Z,payout,SOL,0.5,0,by hand/s3,s3,"
    ])
    assert.deepStrictEqual(table("fees", record), [
      "2026-01-01T00:01:00.000Z,payout,BTC,0.0000001,0.006,USDC,by hand/s1,",
      "2026-01-01T00:05:00.000Z,payout,USDC,0.000007,0.000007,USDC,by hand/s2,"
    ])
  })

  it("are in the flows, so that flows, fills and fees add up", () => {
    assert.deepStrictEqual(table("flows", record), [
      "2026-01-01T00:01:00.000Z,by hand,USDC,60",
      "2026-01-01T00:01:00.000Z,by hand,BTC,-0.001",
      "2026-01-01T00:01:00.000Z,by hand,BTC,0.0000001",
      "2026-01-01T00:05:00.000Z,by hand,USDC,-33",
      "2026-01-01T00:05:00.000Z,by hand,BTC,0.0005",
      "2026-01-01T00:05:00.000Z,by hand,USDC,0.000007",
      "2026-01-01T00:06:00.000Z,by hand,USDC,10",
      "2026-01-01T00:06:00.000Z,by hand,SOL,-0.5"
    ])
  })

  it("are in the tax lots, so that later sales close the remaining purchases", () => {
    const lot = "2026-01-01T00:01:00.000Z,2026-01-01T00:05:00.000Z,BTC,0.0005,30,33,3,USDC,bought,fifo"
    assert.deepStrictEqual(table("lots", record), [lot])
    const sheets = Rp2.filesOf(record, { decimals, method: "fifo" }).map(({ content }) => content)
    assert.include(sheets[0], "assets = BTC, SOL")
  })

  it("have one direction for each pair if no strategy defines it", () => {
    const alone = recordOf([...bought, ...sold])
    assert.deepStrictEqual(
      alone.trades.map(({ market, side }) => [market, side]),
      [
        ["USDC/BTC", "SELL"],
        ["USDC/BTC", "BUY"]
      ]
    )
    const soldFirst = recordOf([...sold, ...swap("s4", 9, ["USDC", 60_000_000n], ["BTC", 100_000n])])
    assert.deepStrictEqual(
      soldFirst.trades.map(({ market, side }) => [market, side]),
      [
        ["BTC/USDC", "SELL"],
        ["BTC/USDC", "BUY"]
      ]
    )
  })

  it("that buy a later budget count as its only purchase", () => {
    const decided = journal.find(({ event }) => event._tag === "Decided")?.event
    if (decided === undefined) return assert.fail("no decision")
    const given: BotEvent = { _tag: "BudgetAllotted", strategy, asset: "BTC", amount: 150_000n }
    const pool = Tables.taxPools(
      recordOf([
        { at: 0, event: loaded },
        ...bought,
        { at: 2, event: given },
        { at: 3, event: decided },
        ...swap("s4", 4, ["USDC", 6_000_000n], ["BTC", 10_000n])
      ])
    ).get("BTC/USDC")
    // Half a thousandth of 150,000 at 60,000.5 was not bought by hand.
    assert.deepStrictEqual(
      pool?.map(({ baseAmount, fillId, quoteAmount }) => [fillId, baseAmount, quoteAmount]),
      [
        ["f1", 100_000n, 60_000_000n],
        ["capital", 50_000n, 30_000_250n],
        ["f1", 10_000n, 6_000_000n]
      ]
    )
  })

  it("do not count in strategies' earnings, and moves of an asset are not a sale in any table", () => {
    const move = swap("s5", 7, ["USDC", 20_000_000n], ["USDC", 19_998_000n])
    const entries: ReadonlyArray<Recorded> = [...bought, ...move].map(({ at, event }, index) => ({
      sequence: index + 1,
      at: start + at * minute,
      event
    }))
    const fold = Trades.make(decimals)
    entries.forEach(fold.see)
    assert.isEmpty(fold.result().trades)
    const moved = recordOf([{ at: 0, event: loaded }, ...move])
    assert.isEmpty(table("fills", moved))
    assert.isEmpty(table("lots", moved))
    assert.deepStrictEqual(table("fees", moved), ["2026-01-01T00:07:00.000Z,payout,USDC,0.002,0.002,USDC,by hand/s5,"])
  })
})
