/** Profit and loss of an account whose figures are known, whole and by each grouping; and what is not known is not guessed. */
import { assert, describe, it } from "@effect/vitest"
import { dayMillis } from "../../src/domain/Durations.ts"
import * as Profit from "../../src/ledger/Profit.ts"
import * as Trades from "../../src/ledger/Trades.ts"
import { price } from "../strategy/support.ts"
import { decimals, journal, start } from "./account.ts"
import { emptyRecord } from "./emptyRecord.ts"

const fold = Trades.make(decimals)
journal.forEach(fold.see)
const trading = fold.result()
const now = start + 9 * dayMillis

/** 0.002 BTC bought for 120 USDC, half of it sold for 66; the rest would bring 70.000001. */
const mark: Profit.Mark = (market, base, quote, amount) =>
  market === "BTC/USDC" && base === "BTC" && quote === "USDC" ? (amount * 70_000_001n) / 100_000n : undefined
const options = { method: "average", mark, now } as const
const figures = {
  gridProfit: 0n,
  inventory: 15_999_181n,
  rounds: 1,
  realised: 6_000_181n,
  unrealised: 9_999_000n,
  fees: 6_211n,
  flows: 1_500_000_000n,
  total: 15_992_970n
}
const part = (some: Partial<Profit.Figures>) => Profit.plus(Profit.nothing, some)

describe("profit", () => {
  it("is what closed trades earn and open ones would earn, less fees, without capital", () => {
    assert.deepStrictEqual(Profit.report(trading, options), [{ group: "", quote: "USDC", figures }])
  })

  it("has a part for each slot, day and asset, and the parts add up to the total", () => {
    const by = (grouping: Profit.Grouping) => {
      const rows = Profit.report(trading, { ...options, by: grouping })
      assert.deepStrictEqual(
        rows.reduce((sum, row) => Profit.plus(sum, row.figures), Profit.nothing),
        figures
      )
      return rows.map(({ group, figures: of }) => [group, of] as const)
    }
    assert.deepStrictEqual(by("strategy"), [["grid", figures]])
    assert.deepStrictEqual(by("slot"), [
      ["grid/", part({ flows: 1_500_000_000n })],
      // The open lot is of the order that opened it, the gain of the one that closed.
      ["grid/cell-p1", part({ inventory: 19_999_301n, unrealised: 9_999_000n, fees: 4_200n })],
      ["grid/cell-p2", part({ inventory: -4_000_120n, rounds: 1, realised: 6_000_181n, fees: 1_991n })],
      ["grid/cell-p3", part({ fees: 20n })]
    ])
    assert.deepStrictEqual(by("day"), [
      ["2026-01-01", part({ realised: 6_000_181n, fees: 6_191n, flows: 1_000_000_000n })],
      ["2026-01-02", part({ rounds: 1, fees: 20n, flows: 500_000_000n })],
      ["2026-01-10", part({ inventory: 15_999_181n, unrealised: 9_999_000n })]
    ])
    assert.deepStrictEqual(by("asset"), [
      ["BTC", part({ inventory: 15_999_181n, rounds: 1, realised: 6_000_181n, unrealised: 9_999_000n, fees: 6_211n })],
      ["USDC", part({ flows: 1_500_000_000n })]
    ])
  })

  it("does not move with the price of base that a fee has taken", () => {
    const { fees, trades } = trading
    const signed = (side: "BUY" | "SELL", amount: bigint) => (side === "BUY" ? amount : -amount)
    const paid = (asset: string) => fees.reduce((sum, fee) => sum + (fee.asset === asset ? fee.amount : 0n), 0n)
    const base = trades.reduce((sum, { baseAmount, side }) => sum + signed(side, baseAmount), -paid("BTC"))
    const quote = trades.reduce((sum, { quoteAmount, side }) => sum - signed(side, quoteAmount), -paid("USDC"))
    assert.isAbove(Number(paid("BTC")), 0)
    for (const dollars of [1n, 50_000n, 70_000n, 1_000_000n]) {
      const at: Profit.Mark = (market, _base, _quote, amount) =>
        market === "BTC/USDC" ? (amount * dollars * 1_000_000n) / 100_000_000n : undefined
      const [row] = Profit.report(trading, { ...options, mark: at })
      assert.strictEqual(row?.figures.total, quote + (base * dollars * 1_000_000n) / 100_000_000n, `at ${dollars}`)
    }
  })

  it("of several quote assets has a row for each, in order", () => {
    const other = (asset: string) =>
      trading.trades.map((trade) => ({
        ...trade,
        quote: asset,
        market: `BTC/${asset}`,
        fillId: `${trade.fillId}-${asset}`
      }))
    const several = { ...trading, trades: [...other("USDT"), ...other("DAI"), ...trading.trades], flows: [] }
    const rows = Profit.report(several, { ...options, by: "strategy" })
    assert.deepStrictEqual(
      rows.map(({ quote }) => quote),
      ["DAI", "USDC", "USDT"]
    )
    const slots = Profit.report(several, { ...options, by: "slot" }).map(({ group, quote }) => `${group} ${quote}`)
    assert.deepStrictEqual(slots, slots.toSorted())
  })

  it("of a short sale is its proceeds less its current value", () => {
    const [, , sale] = trading.trades
    if (sale === undefined) return assert.fail("no sale")
    const [row] = Profit.report({ ...emptyRecord, trades: [sale] }, options)
    assert.deepStrictEqual(row?.figures, part({ inventory: -4_000_001n, unrealised: -4_000_001n }))
  })

  it("of an asset without a price is zero", () => {
    const [row] = Profit.report(trading, { ...options, mark: () => undefined })
    assert.strictEqual(row?.figures.unrealised, 0n)
  })

  it("counts capital in the currency of trading, even of fees alone; before any trading, all of it", () => {
    const flowsOf = (record: Trades.TradingRecord) =>
      Profit.report(record, options).map(({ quote, figures: { flows } }) => [quote, flows])
    const both = [
      ["BTC", 500_050n],
      ["USDC", 1_500_000_000n]
    ]
    assert.deepStrictEqual(flowsOf({ ...emptyRecord, flows: trading.flows }), both)
    assert.deepStrictEqual(flowsOf({ ...emptyRecord, flows: trading.flows, fees: trading.fees }), both.slice(1))
    assert.deepStrictEqual(flowsOf({ ...emptyRecord, flows: trading.flows, trades: trading.trades }), both.slice(1))
  })

  it("of each fill is what it closes of its own slot; a fill that only opens earns nothing", () => {
    const [first, second, sale] = trading.trades
    if (first === undefined || second === undefined || sale === undefined) return assert.fail("too few trades")
    const earnedBy = (...trades: ReadonlyArray<Trades.Trade>) => Profit.gridProfitByFill({ trades, losses: [] })
    assert.deepStrictEqual(earnedBy(first, second, sale), new Map())
    const own = { ...sale, slot: first.slot }
    assert.deepStrictEqual(earnedBy(first, second, own), new Map([[Profit.fillKey(own), 6_000_000n]]))
    // Bought back for what it brought in.
    const back = { ...own, side: "BUY", fillId: "f9" } as const
    assert.deepStrictEqual(earnedBy(own, back), new Map([[Profit.fillKey(back), 0n]]))
  })

  it("keeps the lots of strategies and markets apart", () => {
    const [first, , sale] = trading.trades
    if (first === undefined || sale === undefined) return assert.fail("too few trades")
    const own = { ...sale, slot: first.slot }
    for (const other of [{ strategy: "other" }, { market: "BTC/DAI" }])
      assert.strictEqual(Profit.gridProfitByFill({ trades: [{ ...first, ...other }, own], losses: [] }).size, 0)
  })
})

describe("the value of an amount", () => {
  const prices = new Map([["BTC/USDC", { price: price("60000.123456789"), at: 1 }]])
  const worth = Profit.markBy(prices, (symbol) => (symbol === "?" ? undefined : decimals(symbol)))

  it("is rounded down to the smallest unit of the quote asset", () => {
    assert.strictEqual(worth("BTC/USDC", "BTC", "USDC", 100_000n), 60_000_123n)
    assert.strictEqual(worth("BTC/USDC", "BTC", "USDC", -100_000n), -60_000_124n)
  })

  it("is unknown without a price, and without the decimals of either asset", () => {
    assert.strictEqual(worth("ETH/USDC", "BTC", "USDC", 1n), undefined)
    assert.strictEqual(worth("BTC/USDC", "?", "USDC", 1n), undefined)
    assert.strictEqual(worth("BTC/USDC", "BTC", "?", 1n), undefined)
  })
})
