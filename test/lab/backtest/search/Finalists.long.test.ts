/** Searches choose finalists by their sides, and rank them by simulated runs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../../src/candles/Generate.ts"
import * as Backtest from "../../../../src/lab/backtest/Backtest.ts"
import * as Band from "../../../../src/lab/backtest/Band.ts"
import { noCosts } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import * as BandSide from "../../../../src/lab/backtest/results/BandSide.ts"
import * as Finalists from "../../../../src/lab/backtest/search/Finalists.ts"
import * as Objective from "../../../../src/lab/backtest/search/Objective.ts"
import * as Sweep from "../../../../src/lab/backtest/search/Sweep.ts"
import * as SweepSpace from "../../../../src/lab/backtest/search/SweepSpace.ts"
import * as Trial from "../../../../src/lab/backtest/search/Trial.ts"
import type { TrialResult } from "../../../../src/lab/backtest/search/TrialResult.ts"
import { isLong } from "../../../long.ts"
import { assets } from "../../../world/bitcoin.ts"

const text = `name: quotes
market: BTC/USDC
kind: market-making
limits: { budget: { base: 0.5, quote: 20000 } }
market-making: { levels: 2, size: 0.01, maxInventory: 0.05, spread: 0.2%, step: 0.1%, requote: 0.1% }
`
const space = [Result.getOrThrow(SweepSpace.dimension("market-making.spread=0.1%,0.2%,0.3%,0.4%,0.6%,0.9%"))]
const search: Trial.Search = {
  ...{ text, file: "quotes.yaml", markets: { assets, ticks: new Map() }, space },
  ...{ mode: "worse", objective: "profitQuote" }
}
const candles = Generate.generate({ ...Generate.defaults, bars: 100 })
const inputs = [
  { candles, indices: CrossingIndex.buildIndices(candles), options: { costs: noCosts, changes: {} } }
] as const
const trials = [0, 1, 2, 3, 4, 5]

const searched = (mode: Trial.Search["mode"], rank: Objective.Rank, threads: number) =>
  Effect.gen(function* () {
    const plan = { team: yield* Sweep.team(threads), search: { ...search, mode }, inputs, trials }
    const results: Array<TrialResult> = []
    yield* Sweep.run(plan, (result) => results.push(result))
    const ranked = Objective.ranked(results, "profitQuote", [])
    return { ranked, finalists: yield* Finalists.of([plan], ranked, rank) }
  }).pipe(Effect.scoped)

describe("finalists of a search", () => {
  it.effect.skipIf(!isLong)("are the best five by the worse side, in the order of their p5 or p50", () =>
    Effect.gen(function* () {
      for (const rank of Objective.ranks) {
        const { ranked, finalists } = yield* searched("worse", rank, 2)
        const numbers = (results: ReadonlyArray<TrialResult>) => results.map(({ trial }) => trial)
        assert.sameMembers(numbers(finalists.slice(0, 5)), numbers(ranked.slice(0, 5)))
        assert.deepStrictEqual(finalists.slice(5), ranked.slice(5))
        const scores = finalists.slice(0, 5).map(({ simulated }) => simulated?.[rank] ?? Number.NaN)
        assert.deepStrictEqual(
          scores,
          scores.toSorted((a, b) => b - a)
        )
      }
    })
  )

  it.effect("have the quantiles of the runs that a backtest simulates, for any number of threads", () =>
    Effect.gen(function* () {
      const { finalists } = yield* searched("worse", "p5", 2)
      const [best] = finalists
      const strategy = Result.getOrThrow(Trial.strategyOf(search, best?.values ?? []))
      const sides = [
        Backtest.runAll(strategy, inputs, "pessimistic"),
        Backtest.runAll(strategy, inputs, "optimistic")
      ] as const
      const simulated = Band.simulated(strategy, inputs, sides, 19)
      const { p5, p50 } = Band.quantilesOf(simulated, BandSide.profitOf)
      assert.deepStrictEqual(best?.simulated, { runs: 19, p5: Number(p5) / 1e6, p50: Number(p50) / 1e6 })
      assert.deepStrictEqual((yield* searched("worse", "p5", 1)).finalists, finalists)
    })
  )

  it.effect("keep their order if one side alone ranks", () =>
    Effect.gen(function* () {
      const { ranked, finalists } = yield* searched("optimistic", "p5", 1)
      assert.deepStrictEqual(finalists, ranked)
    })
  )
})
