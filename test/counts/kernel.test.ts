/**
 * What backtests do, counted instead of timed, so that it cannot grow unseen: how often each kind is asked, how often it answers
 * something else than before, and how much of the candles is read. Each number is what it is now; a lower one should replace it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Candles from "../../src/candles/Candles.ts"
import * as CrossingIndex from "../../src/candles/CrossingIndex.ts"
import * as Generate from "../../src/candles/Generate.ts"
import { noCosts } from "../../src/lab/backtest/kernel/FillPresets.ts"
import type { Decision } from "../../src/strategy/Decision.ts"
import type { Decide } from "../../src/strategy/Strategy.ts"
import { bodies, strategyOf } from "../world/kinds.ts"
import { runOneMarket } from "../world/oneMarket.ts"

const candles = Generate.generate({ ...Generate.defaults, bars: 20 * 1440 })

const counted = (body: string) => {
  const indices = CrossingIndex.buildIndices(candles)
  const options = { costs: noCosts, changes: {} }
  const strategy = strategyOf(body)
  let [answers, last]: [number, Decision | undefined] = [0, undefined]
  const decide: Decide = (view, memory) => {
    const decision = strategy.decide(view, memory)
    if (decision !== last) answers++
    last = decision
    return decision
  }
  const { counts } = runOneMarket({ ...strategy, decide }, candles, indices, "optimistic", options)
  const { orders, closes } = indices
  const reads = [orders, closes].reduce((sum, index) => sum + index.reads.bars + index.reads.nodes, 0)
  return { decisions: counts.decisions, answers, reads }
}

interface Bound {
  readonly decisions: number
  /** Fewer than decisions where the kind gives the very answer again that still stands. */
  readonly answers?: number
  readonly reads: number
}

/** Of twenty days. */
const most: Readonly<Record<string, Bound>> = {
  grid: { decisions: 1, reads: 569 },
  "grid, step": { decisions: 194, reads: 15_421 },
  "grid, trail": { decisions: 192, reads: 15_305 },
  "grid, fundNearest": { decisions: 13, reads: 569 },
  ladder: { decisions: 1, reads: 156 },
  "market making": { decisions: 2995, reads: 45_803 },
  "market making, ATR 5m": { decisions: 9002, answers: 6036, reads: 91_107 },
  deals: { decisions: 648, reads: 19_451 },
  "rules, 1m": { decisions: 1, reads: 220 },
  "rules, 5m": { decisions: 1, reads: 220 },
  "rules, 1h": { decisions: 1, reads: 220 },
  "DCA, 1,000 times": { decisions: 80, reads: 12_139 },
  "TWAP, 720 slices": { decisions: 48, reads: 1602 },
  iceberg: { decisions: 1, reads: 96 },
  rebalance: { decisions: 4, reads: 1380 },
  bracket: { decisions: 57, reads: 3534 }
}

describe("counts of backtests", () => {
  for (const [name, body] of Object.entries(bodies))
    it(`${name}: decisions, answers and reads stay within their bounds`, () => {
      const { answers, decisions, reads } = counted(body)
      const bound = most[name] ?? { decisions: 0, reads: 0 }
      assert.isAtMost(answers, bound.answers ?? bound.decisions)
      assert.isAtMost(decisions, bound.decisions)
      assert.isAtMost(reads, bound.reads)
    })

  it("lists the slots without orders for rules alone, because only rules say there that an order comes to nothing", () => {
    const twoDays = Candles.slice(candles, 0, 2 * 1440)
    const indices = CrossingIndex.buildIndices(twoDays)
    const listed = Object.entries(bodies).flatMap(([name, body]) => {
      const strategy = strategyOf(body)
      let lists = 0
      const decide: Decide = (view, memory) => {
        const decision = strategy.decide(view, memory)
        return Object.create(decision, {
          absent: {
            get: () => {
              lists++
              return decision.absent
            }
          }
        })
      }
      runOneMarket({ ...strategy, decide }, twoDays, indices, "optimistic", { costs: noCosts, changes: {} })
      return lists === 0 ? [] : [name]
    })
    assert.deepStrictEqual(listed, ["rules, 1m", "rules, 5m", "rules, 1h"])
  })
})
