/**
 * What backtests do, counted instead of timed, so that it cannot grow unseen: how often each kind is asked and how much of the
 * candles is read. Each number is what it is now; a lower one should replace it.
 */
import { assert, describe, it } from "@effect/vitest"
import { files, strategyOf } from "../../bench/kinds.ts"
import * as Backtest from "../../src/backtest/Backtest.ts"
import { noCosts } from "../../src/backtest/kernel/FillPresets.ts"
import * as CrossingIndex from "../../src/candles/CrossingIndex.ts"
import * as Generate from "../../src/candles/Generate.ts"

const candles = Generate.generate({ ...Generate.defaults, bars: 20 * 1440 })

const counted = (body: string) => {
  const indices = CrossingIndex.buildIndices(candles, "at")
  const options = { costs: noCosts, changes: {} }
  const { counts, fills } = Backtest.run(strategyOf(body), candles, indices, "optimistic", options)
  const { orders, closes } = indices
  const reads = [orders, closes].reduce((sum, index) => sum + index.reads.bars + index.reads.nodes, 0)
  return { decisions: counts.decisions, reads, fills }
}

/** Of twenty days. */
const most: Readonly<Record<string, { readonly decisions: number; readonly reads: number }>> = {}

describe("counts of backtests", () => {
  for (const [name, [body]] of Object.entries(files))
    it(`${name}: decisions and reads`, () => {
      const { decisions, reads } = counted(body)
      const bound = most[name]
      console.log(JSON.stringify([name, { decisions, reads }]))
      assert.isAtMost(decisions, bound?.decisions ?? 0)
      assert.isAtMost(reads, bound?.reads ?? 0)
    })
})
