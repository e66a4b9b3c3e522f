/** Walk-forward and Monte Carlo: ways not to be fooled by one past. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Candles from "../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../src/candles/Generate.ts"
import * as Resample from "../../../src/candles/Resample.ts"
import * as TimeAxis from "../../../src/candles/TimeAxis.ts"
import { hourMillis } from "../../../src/domain/Durations.ts"
import { seeded } from "../../../src/domain/Seeded.ts"
import { noCosts } from "../../../src/lab/backtest/kernel/FillPresets.ts"
import * as MonteCarlo from "../../../src/lab/backtest/search/MonteCarlo.ts"
import * as Sweep from "../../../src/lab/backtest/search/Sweep.ts"
import * as SweepSpace from "../../../src/lab/backtest/search/SweepSpace.ts"
import type * as Trial from "../../../src/lab/backtest/search/Trial.ts"
import * as WalkForward from "../../../src/lab/backtest/search/WalkForward.ts"

const text = `name: walk
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.5, quote: 20000 } }
grid: { lower: 35000, upper: 45000, levels: 11, size: { base: 0.01 } }
`
const assets = ["BTC", "USDC"].map((symbol) => ({ symbol, id: symbol, decimals: 8 }))
const space = [Result.getOrThrow(SweepSpace.dimension("grid.levels=5..20:5"))]
const search: Trial.Search = {
  text,
  file: "walk.yaml",
  markets: { assets, ticks: new Map() },
  space,
  mode: "optimistic",
  objective: "profitQuote"
}
const candles = Generate.generate({ ...Generate.defaults, bars: 20_000 })
const indices = CrossingIndex.linearIndices(candles)
const inputs = [{ candles, indices, options: { costs: noCosts, changes: {} } }] as const

const drawn = (of: Candles.Candles, blockBars: number, seed = 2): Candles.Candles =>
  MonteCarlo.resampling(of, blockBars)(MonteCarlo.blocks(of.bars, blockBars, seeded(seed)))

describe("WalkForward", () => {
  it("searches and tests on separate periods, and tests each bar after the first search once", () => {
    for (const kind of ["rolling", "anchored"] as const)
      for (const [bars, count, train] of [
        [1000, 4, 3],
        [997, 7, 2.5],
        [100, 1, 1]
      ] as const) {
        const found = WalkForward.stretches(bars, count, train, kind)
        assert.strictEqual(found.length, count)
        assert.strictEqual(found.at(-1)?.end, bars)
        for (const [index, { from, to, end }] of found.entries()) {
          assert.isTrue(from < to && to < end)
          assert.strictEqual(to, found[index - 1]?.end ?? to)
          if (kind === "anchored") assert.strictEqual(from, 0)
        }
      }
  })

  it.effect("tests the best of the past on the future, with the same result each time", () =>
    Effect.gen(function* () {
      const stretches = WalkForward.stretches(candles.bars, 3, 2, "rolling")
      const plan = {
        team: yield* Sweep.team(2),
        search,
        inputs,
        trials: [0, 1, 2, 3],
        objective: "pnlQuote",
        conditions: [],
        rank: "p5",
        stretches
      } as const
      let trials = 0
      const steps = yield* WalkForward.run(plan, () => trials++)
      assert.strictEqual(trials, 4 * 3)
      for (const { train, test } of steps) assert.deepStrictEqual(train?.values, test?.values)
      assert.deepStrictEqual(yield* WalkForward.run(plan, () => undefined), steps)
    })
  )
})

describe("MonteCarlo", () => {
  const returns = Array.from({ length: 250 }, (_, index) => Math.sin(index * 7) * 0.01 + 0.0005)

  it("in another order changes the path, and not the end", () => {
    const next = seeded(1)
    const end = returns.reduce((equity, value) => equity * (1 + value), 1) - 1
    const fates = Array.from({ length: 50 }, () => MonteCarlo.ofReturns(returns, "order", next, false))
    for (const { gain } of fates) assert.closeTo(gain, end, 1e-9)
    assert.isAbove(new Set(fates.map(({ maxDrawdown }) => maxDrawdown)).size, 40)
  })

  it("has a fan over time from zero to the quantiles of the gain", () => {
    const next = seeded(1)
    const fates = Array.from({ length: 200 }, () => MonteCarlo.ofReturns(returns, "returns", next, true))
    const fan = MonteCarlo.fanOf(fates.map(({ path }) => path))
    assert.deepStrictEqual([...new Set(Object.values(fan[0] ?? {}))], [0])
    assert.deepStrictEqual(fan.at(-1), MonteCarlo.spreadOf(fates, 0.5).gain)
    for (const { p5 = 0, p50 = 0, p95 = 0 } of fan.slice(1)) assert.isTrue(p5 < p50 && p50 < p95)
  })

  it("gives the same result for the same seed", () => {
    const draw = (seed: number) => {
      const next = seeded(seed)
      return MonteCarlo.spreadOf(
        Array.from({ length: 100 }, () => MonteCarlo.ofReturns(returns, "returns", next, true)),
        0.5
      )
    }
    assert.deepStrictEqual(draw(3), draw(3))
    assert.notDeepEqual(draw(3), draw(4))
    const { gain } = draw(3)
    assert.isTrue((gain["p5"] ?? 0) < (gain["p50"] ?? 0) && (gain["p50"] ?? 0) < (gain["p95"] ?? 0))
  })

  it("keeps no unused path, and draws the same runs", () => {
    const drawn = (keepsPath: boolean) => {
      const next = seeded(9)
      return Array.from({ length: 3 }, () => MonteCarlo.ofReturns([0.02, -0.03, 0.05], "returns", next, keepsPath))
    }
    assert.deepStrictEqual(
      drawn(true).map((each) => ({ ...each, path: [] })),
      drawn(false)
    )
    assert.strictEqual(drawn(true)[0]?.path.length, 61)
  })

  it("draws as many trades as the run has, and reports the probability of ruin", () => {
    const next = seeded(1)
    // Ten tosses of a fair coin for an eighth each: five eighths are lost when the losses are once five ahead.
    const gains = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 0.125 : -0.125))
    const fates = Array.from({ length: 20_000 }, () => MonteCarlo.ofTrades(gains, next, false))
    const { ruin, lost } = MonteCarlo.spreadOf(fates, 0.625)
    // The reflection principle: the sum of ten is even, so P(ever -5) is 2 P(sum <= -6).
    assert.closeTo(ruin.probability, (2 * (45 + 10 + 1)) / 1024, 0.01)
    assert.closeTo(lost, (1 - 252 / 1024) / 2, 0.015)
  })

  it("reassembles valid candles, without jumps between the pieces", () => {
    const made = drawn(candles, 500)
    assert.strictEqual(made.bars, candles.bars)
    for (let bar = 0; bar < made.bars; bar++) {
      const [open, high, low, close] = [made.open, made.high, made.low, made.close].map((values) => values[bar] ?? 0)
      assert.isAtLeast(high ?? 0, Math.max(open ?? 0, close ?? 0))
      assert.isAtMost(low ?? 0, Math.min(open ?? 0, close ?? 0))
      if (bar > 0) assert.closeTo((open ?? 0) / (made.close[bar - 1] ?? 0), 1, 0.02)
    }
  })

  it("keeps the candles before a part of the data, so that indicators are as warm as in the real run", () => {
    const part = Candles.slice(candles, 12_000, 15_000)
    const made = drawn(part, part.bars)
    assert.deepStrictEqual([...made.close], [...part.close])
    assert.deepStrictEqual([...TimeAxis.opens(made.time)], [...TimeAxis.opens(part.time)])
    const hoursOf = (each: Candles.Candles) => [...Resample.of(each, hourMillis).columns.close.subarray(0, 250)]
    assert.deepStrictEqual(hoursOf(made), hoursOf(part))
    const pieces = drawn(part, 500)
    assert.deepStrictEqual(hoursOf(pieces).slice(0, 200), hoursOf(part).slice(0, 200))
    assert.notDeepEqual(hoursOf(pieces).slice(200), hoursOf(part).slice(200))
    // Only what was drawn is its own; what lies before is shared, with the candles that were made of it.
    assert.deepStrictEqual([pieces.close.length, pieces.whole], [part.bars, undefined])
    const again = MonteCarlo.resampling(part, 500)
    const [one, other] = [again([0, 500, 1000, 1500, 2000, 2500]), again([2500, 0, 0, 0, 0, 0])]
    assert.strictEqual(one.before, other.before)
  })

  it("continues candles of every length to the last unit, as if the bars before belonged to it", () => {
    const { column, columnsBy } = Candles
    const makeJoined = (made: Candles.Candles, head: number): Candles.Candles => {
      const columns = columnsBy((name) => {
        const values = column(head + made.bars)
        values.set(candles[name].subarray(0, head))
        values.set(made[name], head)
        return values
      })
      const times = Float64Array.from([...TimeAxis.opens(candles.time).subarray(0, head), ...TimeAxis.opens(made.time)])
      return { ...columns, bars: head + made.bars, time: TimeAxis.make(times), priceScale: made.priceScale }
    }
    for (const head of [1, 59, 60, 61, 1441, 12_007]) {
      const made = drawn(Candles.slice(candles, head, head + 3001), 500, head)
      const joined = makeJoined(made, head)
      for (const minutes of [1, 5, 60, 240, 1440, 10_080]) {
        const [shared, whole] = [made, joined].map((each) => Resample.of(each, minutes * 60_000))
        assert.deepStrictEqual(shared, whole, `${head} bars before, candles of ${minutes} minutes`)
      }
    }
  })
})
