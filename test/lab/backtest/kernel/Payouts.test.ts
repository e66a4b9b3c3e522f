/** A strategy that is asked after each fill and one whose legs go on by themselves are the same, whatever takes time. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../../src/candles/Generate.ts"
import { noCosts } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import { rows } from "../../../../src/lab/backtest/results/FillRows.ts"
import type { Decide, Strategy } from "../../../../src/strategy/Strategy.ts"
import * as StrategyFile from "../../../../src/strategy/StrategyFile.ts"
import { assets } from "../../../world/bitcoin.ts"
import { runOneMarket } from "../../../world/oneMarket.ts"

const text = `name: grid
market: BTC/USDC
kind: grid
limits: { budget: { quote: 100000 } }
grid: { lower: 36000, upper: 44000, levels: 201, size: { quote: 400 } }
`
describe("a grid in YAML and the same grid in code, which decides after each fill", () => {
  it("fill the same on both sides", () => {
    const strategy = Result.getOrThrow(StrategyFile.parse(text, "grid.yaml", { assets, ticks: new Map() }))
    const decide: Decide = (view, memory) => {
      const decision = strategy.decide(view, memory)
      return { ...decision, until: { ...decision.until, onFill: true } }
    }
    const candles = Generate.generate({ ...Generate.defaults, bars: 20_000, seed: 3 })
    const indices = CrossingIndex.linearIndices(candles)
    for (const mode of ["optimistic", "pessimistic"] as const) {
      const fillsOf = (each: Strategy) => {
        const { outcome } = runOneMarket(each, candles, indices, mode, { costs: noCosts, changes: {} })
        return [...rows(outcome, candles)].map(({ bar, side, slotName }) => `${bar} ${slotName} ${side}`)
      }
      const fills = fillsOf(strategy)
      assert.isAbove(fills.length, 50)
      assert.deepStrictEqual(fillsOf({ ...strategy, decide }), fills, mode)
    }
  })
})
