/** Which fills make a trade: of slots that take turns, of deals, and of strategies whose exits are other slots. */
import { assert, describe, it } from "@effect/vitest"
import type { Candles } from "../../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../../src/candles/Generate.ts"
import { type Costs, noCosts } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import type { FillRules } from "../../../../src/lab/backtest/kernel/FillRules.ts"
import * as FillRows from "../../../../src/lab/backtest/results/FillRows.ts"
import * as RoundTrips from "../../../../src/lab/backtest/results/RoundTrips.ts"
import { strategyOf } from "../../../strategy/support.ts"
import { runOneMarket } from "../../../world/oneMarket.ts"

const candles = Generate.generate({
  bars: 6_000,
  seed: 7,
  startMillis: Date.UTC(2021, 0, 1),
  stepMillis: 60_000,
  startPrice: 1_000
})
const withFees: Costs = { ...noCosts, feeBasisPoints: 20 }

const run = (text: string, costs: Costs, changes: Partial<FillRules> = {}, on: Candles = candles) => {
  const strategy = strategyOf(`name: test\nmarket: BTC/USDC\n${text}`)
  const side = runOneMarket(strategy, on, CrossingIndex.linearIndices(on), "optimistic", { costs, changes })
  return { ...side, trades: RoundTrips.trades(side.outcome, on), rows: [...FillRows.rows(side.outcome, on)] }
}

/** Base and quote that the fills moved, and what is worth more or less now. */
const worthOf = (rows: ReadonlyArray<FillRows.FillRow>, close: number): number =>
  rows.reduce(
    (sum, { side, input, output }) =>
      side === "BUY"
        ? sum + (Number(output) / 1e8) * close - Number(input) / 1e6
        : sum + Number(output) / 1e6 - (Number(input) / 1e8) * close,
    0
  )

const deals = `kind: deals
limits: { budget: { quote: 9000 } }
deals:
  size: { quote: 100 }
  reach: 0.5%
  safety: { orders: 3, size: { quote: 100 }, distance: 0.5%, sizeScale: 1.4, distanceScale: 1.2 }
  takeProfit: 0.5%
`

describe("round trips", () => {
  it.each([
    ["no fees", noCosts],
    ["fees", withFees]
  ] as const)("count a deal as one trade although its exit is another slot (%s)", (_, costs) => {
    const { trades, rows } = run(deals, costs)
    const exits = rows.filter(({ slotName, endsOrder }) => slotName === "exit" && endsOrder)
    assert.isAbove(exits.length, 5)
    assert.deepStrictEqual(
      trades.map(({ slotName, entrySlotName, exitBar }) => [slotName, entrySlotName, exitBar]),
      exits.map(({ bar }) => ["exit", "base", bar])
    )
    const begins = rows.filter(({ slotName, endsOrder }) => slotName === "base" && endsOrder)
    assert.deepStrictEqual(
      trades.map(({ entryBar }) => entryBar),
      begins.slice(0, trades.length).map(({ bar }) => bar)
    )
    const close = 1_000
    const closed = rows.slice(0, rows.findLastIndex(({ slotName }) => slotName === "exit") + 1)
    const gained = trades.reduce((sum, trade) => sum + trade.gained, 0)
    assert.closeTo(gained, worthOf(closed, close), 0.05)
  })

  it("keep no trade open because of fees on the purchase that ends a sold deal", () => {
    const sold = deals
      .replace("{ quote: 9000 }", "{ base: 9, quote: 9000 }")
      .replace("deals:\n", "deals:\n  side: sell\n")
    const { trades, rows } = run(sold, withFees)
    assert.isAbove(trades.length, 2)
    const begins = rows.filter(({ slotName, endsOrder }) => slotName === "base" && endsOrder).map(({ bar }) => bar)
    for (const { side, entryBar } of trades) {
      assert.strictEqual(side, "SELL")
      assert.include(begins, entryBar)
    }
    assert.strictEqual(new Set(trades.map(({ entryBar }) => entryBar)).size, trades.length)
  })

  it("count an exit that fills in parts as one trade", () => {
    const { trades, rows } = run(deals, noCosts, { volumeShare: 0.000_1, price: "limit" })
    const exits = rows.filter(({ slotName }) => slotName === "exit")
    const ended = exits.filter(({ endsOrder }) => endsOrder)
    assert.isAbove(exits.length, ended.length)
    assert.strictEqual(trades.length, exits.at(-1)?.endsOrder === true ? ended.length : ended.length + 1)
  })

  it("close a purchase of market making with the next sale", () => {
    const section = "market-making: { levels: 2, spread: 0.4%, size: 0.1, requote: 0.2% }\n"
    const { trades, rows } = run(
      `kind: market-making\nlimits: { budget: { base: 1, quote: 2000 } }\n${section}`,
      withFees
    )
    assert.isAbove(rows.length, 50)
    assert.isAbove(trades.length, rows.length / 4)
    for (const trade of trades) assert.notStrictEqual(trade.slotName, trade.entrySlotName)
  })

  it("exist for rebalancing, which buys in one slot and sells in another", () => {
    const section = "rebalance: { target: 50%, band: 0.5% }\n"
    const { trades, rows } = run(`kind: rebalance\nlimits: { budget: { base: 1, quote: 1000 } }\n${section}`, noCosts)
    assert.isAbove(rows.length, 5)
    assert.isAbove(trades.length, 0)
  })

  it("keep no trade of a cell that sells first open because of fees on a purchase", () => {
    const grid = "grid: { lower: 960, upper: 1040, levels: 17, size: { base: 0.1 } }\n"
    const { trades, rows } = run(`kind: grid\nlimits: { budget: { base: 1, quote: 9000 } }\n${grid}`, withFees)
    const first = trades.filter(({ side }) => side === "SELL")
    assert.isAtLeast(first.length, 10)
    const bySlot = Map.groupBy(rows, ({ slotName }) => slotName)
    for (const { slotName, entryBar, exitBar } of trades) {
      const own = bySlot.get(slotName) ?? []
      const exit = own.findIndex(({ bar }) => bar === exitBar)
      assert.strictEqual(own[exit - 1]?.bar, entryBar, slotName)
    }
  })
})
