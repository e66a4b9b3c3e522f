/** Profit and loss of a backtest is what the live accounts give for the same fills, and holdings are what fills made them. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Candles from "../../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as TimeAxis from "../../../../src/candles/TimeAxis.ts"
import type { BotEvent } from "../../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import type * as Backtest from "../../../../src/lab/backtest/Backtest.ts"
import { noCosts } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import * as BandSide from "../../../../src/lab/backtest/results/BandSide.ts"
import * as FillRows from "../../../../src/lab/backtest/results/FillRows.ts"
import * as RoundTrips from "../../../../src/lab/backtest/results/RoundTrips.ts"
import * as Profit from "../../../../src/ledger/Profit.ts"
import * as Trades from "../../../../src/ledger/Trades.ts"
import type { Decision } from "../../../../src/strategy/Decision.ts"
import type { Strategy } from "../../../../src/strategy/Strategy.ts"
import * as StrategyFile from "../../../../src/strategy/StrategyFile.ts"
import { emptyRecord } from "../../../ledger/emptyRecord.ts"
import { runOneMarket } from "../../../world/oneMarket.ts"

const assets = [
  { symbol: "SOL", id: "sol", decimals: 9 },
  { symbol: "USDC", id: "usdc", decimals: 6 }
]

const rule = `{ timeframe: 1m, orders: { dip: { when: mid < 99, side: buy, price: mid * 0.99, size: { base: 1 }, times: 3, then: { price: entry * 1.02 } } } }`
const grid = "{ levels: [90, 94, 98, 102], size: { base: 2 } }"

const strategyOf = (kind: string, section: string, base: string, quote = 1000) => {
  const text = `name: s\nmarket: SOL/USDC\nkind: ${kind}\nlimits: { budget: { base: ${base}, quote: ${quote} }, maxPriceDeviation: 10% }\n${kind}: ${section}\n`
  return Result.getOrThrow(StrategyFile.parse(text, "s.yaml", { assets, ticks: new Map() }))
}

/** Falls, recovers a little, falls further. */
const closes = [100, 98, 96, 99.5, 97, 94, 96, 93, 91, 89.37]
const candles: Candles.Candles = (() => {
  const opens = closes.map((close, bar) => closes[bar - 1] ?? close)
  const of = (value: (open: number, close: number) => number) =>
    Candles.columnOf(closes.map((close, bar) => value(opens[bar] ?? close, close)))
  return {
    bars: closes.length,
    time: TimeAxis.regular(closes.length, Date.UTC(2026, 0, 1), 60_000),
    open: of((open) => open),
    high: of(Math.max),
    low: of(Math.min),
    close: of((_, close) => close),
    volume: Candles.column(closes.length),
    priceScale: 2
  }
})()

const costless: Backtest.Options = { costs: noCosts, changes: { volumeShare: 0 } }
const last = Decimal.fromNumber(closes.at(-1) ?? 0, 2)

const run = (kind: string, section: string, base: string) => {
  const strategy = strategyOf(kind, section, base)
  const indices = CrossingIndex.linearIndices(candles)
  return runOneMarket(strategy, candles, indices, "optimistic", costless)
}

/** The figures of `limitbot profit` for these fills at the last close. */
const liveRows = (kind: string, side: BandSide.BandSide, by?: Profit.Grouping): ReadonlyArray<Profit.Row> => {
  const about = { strategy: "s", market: "SOL/USDC" }
  const orders = [...FillRows.rows(side.outcome, candles)].flatMap((fill, index): ReadonlyArray<BotEvent> => {
    const [inputAsset, outputAsset] = fill.side === "BUY" ? (["USDC", "SOL"] as const) : (["SOL", "USDC"] as const)
    const placement = { strategy: "s", slot: fill.slotName, placement: `p${index}` }
    const order = { ...placement, side: fill.side, price: fill.price, inputAsset, outputAsset }
    const amounts = { quantity: fill.quantity, inputAmount: fill.input, outputAmount: fill.output }
    const plan = { ...about, ...order, ...amounts, deadline: fill.openTime + 1, why: { code: "cell", text: "" } }
    const execution = { ...order, fillId: "1", amountIn: fill.input, amountOut: fill.output, filledAt: fill.openTime }
    return [
      { _tag: "Planned", ...plan },
      { _tag: "FillSeen", ...execution }
    ]
  })
  const fold = Trades.make((symbol) => (symbol === "SOL" ? 9 : 6))
  const events: ReadonlyArray<BotEvent> = [
    { _tag: "StrategyLoaded", ...about, kind, file: "s.yaml", hash: "h" },
    ...orders
  ]
  for (const [index, event] of events.entries()) fold.see({ sequence: index + 1, at: index + 1, event })
  const mark: Profit.Mark = (_market, _base, _quote, amount) => (amount * 89_370_000n) / 1_000_000_000n
  const record = { ...emptyRecord, trades: fold.result().trades }
  return Profit.report(record, { method: "fifo", mark, now: 0, ...(by === undefined ? {} : { by }) })
}

describe("the holdings of a strategy", () => {
  it("let a rebalance continue from the order that filled, not from the one that it replaced", () => {
    const strategy = strategyOf("rebalance", "{ target: 50%, band: 0.2% }", "10")
    const decided: Array<Decision> = []
    const watched: Strategy = {
      ...strategy,
      decide: (view, memory) => {
        const decision = strategy.decide(view, memory)
        decided.push(decision)
        return decision
      }
    }
    const side = runOneMarket(watched, candles, CrossingIndex.linearIndices(candles), "optimistic", costless)
    assert.isAbove(side.fills, 10)
    const quote = Number(side.quote) / 1e6
    const anew = strategyOf("rebalance", "{ target: 50%, band: 0.2% }", `${Number(side.outcome.base) / 1e9}`, quote)
    const view = { now: 0, market: anew.market, price: { bid: last, ask: last, at: 0 }, slots: new Map() }
    const legs = ({ desired }: Decision) => desired.map(({ legs: [leg] }) => leg)
    assert.deepStrictEqual(legs(decided.at(-1) ?? assert.fail()), legs(anew.decide(view, null)))
  })
})

describe("profit of a backtest", () => {
  it("excludes the loss of a rule's start inventory", () => {
    const [bare, stocked] = [run("rules", rule, "0.001"), run("rules", rule, "5")]
    assert.isAbove(bare.fills, 2)
    assert.strictEqual(stocked.fills, bare.fills)
    assert.closeTo(Number(BandSide.profitOf(stocked)), Number(BandSide.profitOf(bare)), 1)
    // Five that fell from 100 to 89.37.
    assert.strictEqual(stocked.holdPnlQuote, -53_150_000n)
    assert.strictEqual(stocked.pnlQuote - BandSide.profitOf(stocked), -53_150_000n)
    const json = BandSide.toJson(strategyOf("rules", rule, "5"), stocked)
    assert.closeTo(Number(json.profitQuote), Number(json.pnlQuote) + 53.15, 1e-9)
  })

  it.each([
    ["rules", rule],
    ["grid", grid]
  ])("%s: equals the live accounts of the same fills", (kind, section) => {
    const side = run(kind, section, "6")
    assert.isAbove(side.fills, 2)
    // Each open purchase is rounded down for itself there.
    assert.closeTo(Number(BandSide.profitOf(side)), Number(liveRows(kind, side)[0]?.figures.total), side.fills)
  })
})

describe("the gain of each slot of a backtest", () => {
  it("is its grid profit in live accounts, and the rest of the profit is the inventory", () => {
    const fine = run("grid", "{ levels: [93, 95, 97, 99], size: { base: 2 } }", "6")
    assert.isTrue(RoundTrips.trades(fine.outcome, candles).some(({ gained }) => gained > 0))
    for (const [kind, side] of [["grid", fine] as const, ["rules", run("rules", rule, "5")] as const]) {
      const bySlot = RoundTrips.bySlot(side.outcome, candles)
      const live = new Map(liveRows(kind, side, "slot").map(({ group, figures }) => [group, figures]))
      assert.isAbove(live.size, 0)
      let gained = 0
      for (const [slot, trips] of bySlot) {
        assert.approximately(trips.gained, Number(live.get(`s/${slot}`)?.gridProfit ?? 0n) / 1e6, 1e-5, slot)
        gained += trips.gained
      }
      const [whole] = liveRows(kind, side)
      assert.approximately(Number(whole?.figures.gridProfit) / 1e6, gained, 1e-5)
      assert.approximately(Number(whole?.figures.inventory) / 1e6 + gained, Number(BandSide.profitOf(side)) / 1e6, 1e-5)
    }
  })

  it("includes what the exit at a grid's end lost with the purchases of all cells, as in live accounts", () => {
    const side = run("grid", "{ levels: [95, 97, 99], size: { base: 2 }, stop: 94.9 }", "0.001")
    const exit = RoundTrips.bySlot(side.outcome, candles).get("exit")
    if (exit === undefined) return assert.fail("the stop sold nothing")
    assert.isBelow(exit.gained, 0)
    const live = liveRows("grid", side, "slot").find(({ group }) => group === "s/exit")
    assert.approximately(exit.gained, Number(live?.figures.gridProfit) / 1e6, 1e-5)
    const [whole] = liveRows("grid", side)
    // Only the start inventory was not bought by a cell.
    assert.approximately(Number(whole?.figures.inventory) / 1e6, 0, 0.02)
  })
})
