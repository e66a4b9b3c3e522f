import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Candles } from "../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../src/candles/Generate.ts"
import { hourMillis } from "../../../src/domain/Durations.ts"
import type * as Backtest from "../../../src/lab/backtest/Backtest.ts"
import * as Band from "../../../src/lab/backtest/Band.ts"
import { noCosts } from "../../../src/lab/backtest/kernel/FillPresets.ts"
import * as StrategyFile from "../../../src/strategy/StrategyFile.ts"

const assets = ["BTC", "USDC"].map((symbol) => ({ symbol, id: symbol, decimals: 8 }))
const strategyOf = (kind: string, section: string) =>
  Result.getOrThrow(
    StrategyFile.parse(
      `name: s\nmarket: BTC/USDC\nkind: ${kind}\nlimits: { budget: { base: 0.5, quote: 20000 } }\n${kind}: ${section}\n`,
      "s.yaml",
      { assets, ticks: new Map() }
    )
  )
const grid = strategyOf("grid", "{ lower: 36000, upper: 44000, levels: 41, size: { base: 0.01 } }")
const hours = Generate.generate({ ...Generate.defaults, bars: 700, stepMillis: hourMillis })

const inputOf = (candles: Candles): Backtest.MarketInputs => [
  { candles, indices: CrossingIndex.linearIndices(candles), options: { costs: noCosts, changes: {} } }
]
const band = Band.run(grid, inputOf(hours))

describe("simulated runs", () => {
  it("are repeatable, and as many as the quantiles need to settle", () => {
    assert.deepStrictEqual(Band.run(grid, inputOf(hours)).simulated, band.simulated)
    assert.strictEqual(band.simulated.ended, "enough")
    assert.isAtLeast(band.simulated.runs.length, 39)
  })

  it("are as many as requested, and the first of those that would run", () => {
    const few = Band.simulated(grid, inputOf(hours), band.sides, 5)
    assert.strictEqual(few.ended, "as asked")
    assert.deepStrictEqual([...few.runs], band.simulated.runs.slice(0, 5))
  })

  it("are as many as the work of the first run allows, by no clock", () => {
    assert.deepStrictEqual([1, 20_000, 50_000, 1_000_000].map(Band.runsWithin), [199, 199, 79, 19])
    assert.deepStrictEqual([2_600_000, 10_000_000, 400_000_000].map(Band.runsWithin), [19, 5, 1])
  })

  it("count the cells of a grid that a bar crosses several times, which neither named side does", () => {
    const { p50 } = Band.quantilesOf(band.simulated, ({ fills }) => fills)
    for (const { fills } of band.sides) assert.isAbove(p50, fills)
  })

  it("keep only their figures in memory", () => {
    for (const figures of band.simulated.runs)
      for (const value of Object.values(figures)) assert.include(["bigint", "number"], typeof value)
  })
})
