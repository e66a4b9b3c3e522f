import { assert, describe, it } from "@effect/vitest"
import * as Candles from "../../src/candles/Candles.ts"
import { sha256Of } from "../../src/candles/ColumnCache.ts"
import * as CrossingIndex from "../../src/candles/CrossingIndex.ts"
import * as Generate from "../../src/candles/Generate.ts"
import * as Kernel from "../../src/lab/backtest/kernel/Kernel.ts"
import * as RankSet from "../../src/lab/backtest/kernel/orders/RankSet.ts"
import { random } from "../lab/backtest/RandomStrategies.ts"
import * as ladder from "../world/ladder.ts"

describe("CrossingIndex", () => {
  it("finds what a plain search finds, between any two bars", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const next = random(seed)
      const length = Math.floor(next() * 6000)
      const [lower, upper] = [Candles.column(length), Candles.column(length)]
      for (let bar = 0, price = 100; bar < length; bar++) {
        price += next() - 0.5
        lower[bar] = price - next()
        upper[bar] = price + next()
      }
      const [tree, line] = [CrossingIndex.build(lower, upper), CrossingIndex.linear(lower, upper)]
      for (let probe = 0; probe < 60; probe++) {
        const from = Math.floor(next() * (length + 1))
        const to = from + Math.floor(next() * (length - from + 1))
        const below = next() < 0.1 ? Number.NEGATIVE_INFINITY : 100 - next() * 40
        const above = next() < 0.1 ? Number.POSITIVE_INFINITY : 100 + next() * 40
        const found = CrossingIndex.nextCrossing(tree, from, to, below, above)
        assert.strictEqual(found, CrossingIndex.nextCrossing(line, from, to, below, above), `seed ${seed}`)
      }
    }
  })

  it("reads no more if rare crossings are twelve times further apart", () => {
    const reads = (bars: number): number => {
      const flat = Candles.columnOf(new Float64Array(bars).fill(100))
      for (let hit = 1; hit <= 50; hit++) flat[Math.floor((hit * (bars - 1)) / 50)] = 90
      const index = CrossingIndex.build(flat, flat)
      let crossings = 0
      for (let at = CrossingIndex.nextCrossing(index, 0, bars, 95, 200); at < bars; crossings++)
        at = CrossingIndex.nextCrossing(index, at + 1, bars, 95, 200)
      assert.strictEqual(crossings, 50)
      return index.reads.bars + index.reads.nodes
    }
    const [once, twelve] = [reads(100_000), reads(1_200_000)]
    assert.isBelow(twelve, once * 1.5)
    assert.isBelow(twelve, 50 * 2 * 16 * 5 + 50 * 96 + 128)
  })

  it("reads in proportion to a run's fills, not to its bars", () => {
    const candles = Generate.generate({ ...Generate.defaults, bars: 300_000 })
    const levels = ladder.levelsOf(candles, 4, 0.1)
    const indices = CrossingIndex.buildIndices(candles)
    const { fills } = Kernel.simulate(ladder.conditions(candles, levels), candles, indices)
    assert.isAbove(fills.count, 5)
    assert.isBelow(indices.orders.reads.bars + indices.orders.reads.nodes, (fills.count + 1) * 250)
  })
})

describe("RankSet", () => {
  it("knows its smallest and largest member like a sorted list", () => {
    for (let seed = 1; seed <= 30; seed++) {
      const next = random(seed)
      const capacity = 1 + Math.floor(next() ** 3 * 40_000)
      const set = RankSet.make(capacity)
      const members = new Set<number>()
      for (let step = 0; step < 400; step++) {
        const rank = Math.floor(next() * capacity)
        if (next() < 0.55) {
          RankSet.insert(set, rank)
          members.add(rank)
        } else {
          const gone = next() < 0.5 ? rank : ([...members][0] ?? rank)
          RankSet.remove(set, gone)
          members.delete(gone)
        }
        assert.strictEqual(RankSet.greatest(set), members.size === 0 ? -1 : Math.max(...members), `seed ${seed}`)
        assert.strictEqual(RankSet.least(set), members.size === 0 ? -1 : Math.min(...members), `seed ${seed}`)
      }
    }
  })
})

describe("Generate", () => {
  it("makes the same candles for the same seed on every machine", () => {
    const { open, high, low, close, volume } = Generate.generate({ ...Generate.defaults, bars: 10_000 })
    const all = Buffer.concat(
      [open, high, low, close, volume].map((values) => Buffer.from(new Uint8Array(values.buffer)))
    )
    assert.strictEqual(sha256Of(all), "5d8774f16d90d0861b49d97b783168b279fe658c1c6861cb3e9a34fd5ea4a6e7")
  })

  it("makes valid candles", () => {
    const { bars, open, high, low, close } = Generate.generate({ ...Generate.defaults, bars: 5000, seed: 9 })
    for (let bar = 0; bar < bars; bar++) {
      const [o, h, l, c] = [open, high, low, close].map((values) => values[bar] ?? 0)
      assert.isTrue(Math.max(o ?? 0, c ?? 0) <= (h ?? 0) && Math.min(o ?? 0, c ?? 0) >= (l ?? 0) && (l ?? 0) > 0)
    }
  })
})
