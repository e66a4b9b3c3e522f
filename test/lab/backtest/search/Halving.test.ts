import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../../src/candles/Generate.ts"
import { noCosts } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import * as Halving from "../../../../src/lab/backtest/search/Halving.ts"
import * as Objective from "../../../../src/lab/backtest/search/Objective.ts"
import * as Sweep from "../../../../src/lab/backtest/search/Sweep.ts"
import * as SweepSpace from "../../../../src/lab/backtest/search/SweepSpace.ts"
import * as Trial from "../../../../src/lab/backtest/search/Trial.ts"
import type { TrialResult } from "../../../../src/lab/backtest/search/TrialResult.ts"
import { firstOf } from "../../../long.ts"

const text = `name: halve-me
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.5, quote: 20000 } }
grid: { lower: 35000, upper: 45000, levels: 11, size: { base: 0.01 } }
`
const assets = ["BTC", "USDC"].map((symbol) => ({ symbol, id: symbol, decimals: 8 }))
const space = ["grid.levels=5..32", "grid.lower=30000..38000:2000"].map((text) =>
  Result.getOrThrow(SweepSpace.dimension(text))
)
const search: Trial.Search = {
  text,
  file: "halve.yaml",
  markets: { assets, ticks: new Map() },
  space,
  mode: "optimistic",
  objective: "profitQuote"
}
const candles = Generate.generate({ ...Generate.defaults, bars: 12_000 })
const indices = CrossingIndex.buildIndices(candles)
const inputs = [{ candles, indices, options: { costs: noCosts, changes: {} } }] as const
const trials = SweepSpace.sample(space, Number.POSITIVE_INFINITY, 1)
const rungs = Halving.rungs(trials.length, candles.bars, 3)
const plan = { search, inputs, trials, objective: "pnlQuote", conditions: [], rungs } as const

const collect = (known: ReadonlyArray<TrialResult>, conditions: ReadonlyArray<Objective.Condition> = []) =>
  Effect.gen(function* () {
    const heard: Array<TrialResult> = []
    const team = yield* Sweep.team(1)
    const steps = yield* Halving.run({ ...plan, team, conditions }, known, (result) => heard.push(result))
    return { steps, heard }
  }).pipe(Effect.scoped)

describe("Halving", () => {
  it("plans steps that grow to all of the data and leave enough to compare", () => {
    assert.deepStrictEqual(rungs, [
      { bars: 1334, trials: 140 },
      { bars: 4000, trials: 47 },
      { bars: 12_000, trials: 16 }
    ])
    assert.closeTo(Halving.budget(rungs), (140 * 1334 + 47 * 4000 + 16 * 12_000) / (140 * 12_000), 1e-12)
    assert.deepStrictEqual(Halving.rungs(20, 12_000, 3), [{ bars: 12_000, trials: 20 }])
    assert.deepStrictEqual(Halving.rungs(1000, 2000, 3), [{ bars: 2000, trials: 1000 }])
    assert.deepStrictEqual(Halving.rungs(1000, 2000, Number.POSITIVE_INFINITY), [{ bars: 2000, trials: 1000 }])
  })

  it.effect("promotes the best, and its last results are those of single runs", () =>
    Effect.gen(function* () {
      const { steps } = yield* collect([])
      assert.deepStrictEqual(
        steps.map((results) => results.length),
        rungs.map((rung) => rung.trials)
      )
      for (const [index, results] of steps.entries()) {
        const next = new Set((steps[index + 1] ?? []).map(({ trial }) => trial))
        const kept = Objective.ranked(results, "pnlQuote", []).slice(0, next.size)
        assert.deepStrictEqual(new Set(kept.map(({ trial }) => trial)), next)
      }
      for (const { rung, ...result } of steps.at(-1) ?? []) {
        assert.strictEqual(rung, rungs.length - 1)
        assert.deepStrictEqual(result, Trial.run(search, result.trial, inputs))
      }
    })
  )

  it.effect("continues after an interruption at any point with the same results", () =>
    Effect.gen(function* () {
      const whole = yield* collect([])
      for (const cut of firstOf(2, [1, 150, 140, 200])) {
        const again = yield* collect(whole.heard.slice(0, cut))
        assert.deepStrictEqual(again.steps, whole.steps)
        assert.strictEqual(again.heard.length, whole.heard.length - cut)
      }
    })
  )

  it.effect("drops at once what breaks a condition for good, and keeps what may still meet one", () =>
    Effect.gen(function* () {
      const conditions = ["fills<=40", "fills>=30"].flatMap((condition) => Objective.condition(condition) ?? [])
      const { steps } = yield* collect([], conditions)
      const second = new Set((steps[1] ?? []).map(({ trial }) => trial))
      const first = (steps[0] ?? []).filter(({ trial }) => second.has(trial))
      assert.isTrue(first.every(({ fills }) => fills <= 40))
      assert.isTrue(first.some(({ fills }) => fills < 30))
    })
  )
})
