/** The list of trades: what it says of each against the plainest way to find it out, and that nothing is lost. */
import { assert, describe, it } from "@effect/vitest"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../../src/candles/Generate.ts"
import { noCosts } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import * as FillRows from "../../../../src/lab/backtest/results/FillRows.ts"
import * as RoundTrips from "../../../../src/lab/backtest/results/RoundTrips.ts"
import { strategyOf } from "../../../strategy/support.ts"
import { runOneMarket } from "../../../world/oneMarket.ts"

const candles = Generate.generate({
  bars: 4_000,
  seed: 5,
  startMillis: Date.UTC(2021, 0, 1),
  stepMillis: 60_000,
  startPrice: 1_000
})
const run = (section: string) => {
  const text = `name: test\nmarket: BTC/USDC\nkind: grid\nlimits: { budget: { base: 1, quote: 9000 } }\ngrid: ${section}\n`
  const strategy = strategyOf(text)
  const indices = CrossingIndex.linearIndices(candles)
  return runOneMarket(strategy, candles, indices, "optimistic", { costs: noCosts, changes: {} })
}

describe("the list of trades", () => {
  const { outcome, parts } = run("{ lower: 960, upper: 1040, levels: 17, size: { base: 0.1 } }")
  const trades = RoundTrips.withExcursions(outcome, candles)

  it("has every fill that closes something, with the gains of the round trips", () => {
    const trips = RoundTrips.trades(outcome, candles)
    assert.isAbove(trips.length, 20)
    assert.deepStrictEqual(
      trades.map(({ gained }) => gained),
      trips.map(({ gained }) => gained)
    )
  })

  it("shows when each trade begins and ends, and how far the price moves meanwhile", () => {
    const opened = new Map<string, number>()
    let next = 0
    for (const { slotName, bar, price } of FillRows.rows(outcome, candles)) {
      const began = opened.get(slotName)
      if (began === undefined) {
        opened.set(slotName, bar)
        continue
      }
      opened.delete(slotName)
      const trade = trades[next++] ?? assert.fail()
      assert.deepStrictEqual([trade.slotName, trade.entryBar, trade.exitBar], [slotName, began, bar])
      assert.closeTo(trade.exitPrice, Number(price.digits) / 10 ** price.scale, 1e-9)
      const [highs, lows] = [candles.high.slice(began, bar + 1), candles.low.slice(began, bar + 1)]
      const [up, down] = [Math.max(...highs) / trade.entryPrice - 1, Math.min(...lows) / trade.entryPrice - 1]
      const [adverse, favourable] = trade.side === "BUY" ? [down, up] : [-up, -down]
      assert.closeTo(trade.adverse, Math.min(0, adverse), 1e-12)
      assert.closeTo(trade.favourable, Math.max(0, favourable), 1e-12)
    }
    assert.strictEqual(next, trades.length)
  })

  it("is a file with one line per trade", () => {
    const lines = RoundTrips.tradesCsv(parts).trim().split("\n")
    assert.strictEqual(lines.length, trades.length + 1)
    for (const line of lines) assert.strictEqual(line.split(",").length, 14)
  })
})
