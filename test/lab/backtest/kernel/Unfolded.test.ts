import { assert, describe, it } from "@effect/vitest"
import { type Candles, closeAt, column, columnOf, openAt, slice, volumeAt } from "../../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as BarPath from "../../../../src/candles/within/BarPath.ts"
import * as Unfold from "../../../../src/candles/within/Unfold.ts"
import { seeded } from "../../../../src/domain/Seeded.ts"
import type { Conditions } from "../../../../src/lab/backtest/kernel/Conditions.ts"
import { isImmediate } from "../../../../src/lab/backtest/kernel/FillRules.ts"
import * as Kernel from "../../../../src/lab/backtest/kernel/Kernel.ts"
import { anyRules, random, randomCandles, randomConditions, randomLimits } from "../RandomStrategies.ts"

/** Every small bar, written down before the run. */
const written = ({ candles, indices }: Unfold.Unfolded): Candles => {
  const { readOpen: _open, readClose: _close, readVolume: _volume, ...rest } = candles
  const all = Array.from({ length: candles.bars }, (_, bar) => bar)
  return {
    ...rest,
    open: columnOf(all.map((bar) => openAt(candles, bar) ?? 0)),
    close: columnOf(all.map((bar) => closeAt(candles, bar))),
    low: columnOf(all.map((bar) => CrossingIndex.lowerAt(indices.orders, bar))),
    high: columnOf(all.map((bar) => CrossingIndex.upperAt(indices.orders, bar))),
    volume: columnOf(all.map((bar) => volumeAt(candles, bar)))
  }
}

const run = (conditions: Conditions, candles: Candles, { orders, closes, told }: CrossingIndex.Indices) => {
  const indices = { closes, orders: conditions.rules.touch === "close" ? closes : orders }
  const { fills, table, slotNames, base, quote, fees, counts, openOrders, maxDrawdown } = Kernel.simulate(
    conditions,
    candles,
    told === undefined ? indices : { ...indices, told }
  )
  const rows = Array.from({ length: fills.count }, (_, index) => {
    const row = table.rows[fills.orders[index] ?? -1]
    return [fills.bars[index], slotNames[row?.slot ?? -1], row?.side, row?.input, row?.output]
  })
  return { rows, base, quote, fees, counts, openOrders, maxDrawdown }
}

const pathOf = ({ candles, priceScale }: Unfold.Foldable, seed: number) =>
  BarPath.bridges({ candles, priceScale, roughness: 1, randomOf: (bar) => seeded(seed * 1000 + bar) })

describe("a run over bars that are unfolded on demand", () => {
  it("equals the run over all small bars, for any strategy and rules", () => {
    let fills = 0
    for (let seed = 1; seed <= 12; seed++) {
      const next = random(seed)
      const rules = anyRules(next)
      const candles = randomCandles(next, 30 + Math.floor(next() * 60))
      const bare = randomConditions(seed, rules)
      const conditions = seed % 3 === 0 ? { ...bare, limits: randomLimits(next, bare) } : bare
      const foldable = Unfold.foldable(candles, seed % 2 === 0 ? 3 : 6)
      const unfolded = Unfold.unfolded(foldable, pathOf(foldable, seed))
      const small = written(unfolded)
      const { told } = unfolded.indices
      const expected = run(conditions, small, {
        ...CrossingIndex.linearIndices(small),
        ...(told === undefined ? {} : { told })
      })
      const found = run(conditions, unfolded.candles, unfolded.indices)
      assert.deepStrictEqual(found, expected, `seed ${seed}, ${isImmediate(rules) ? "immediate" : "any"} rules`)
      fills += found.rows.length
    }
    assert.isAbove(fills, 500)
  })

  it("shows a part of them as the same bars of the whole", () => {
    const foldable = Unfold.foldable(randomCandles(random(1), 40), 3)
    const { candles } = Unfold.unfolded(foldable, pathOf(foldable, 1))
    const rows = (series: Candles, from: number, to: number) =>
      Array.from({ length: to - from }, (_, bar) => [openAt, closeAt, volumeAt].map((at) => at(series, from + bar)))
    const part = slice(slice(candles, 20, 110), 5, 80)
    assert.deepStrictEqual(rows(part, 0, part.bars), rows(candles, 25, 100))
  })

  it("makes only the bars that can reach an order or a bound", () => {
    const bars = 100_000
    const candles: Candles = {
      ...randomCandles(random(1), bars),
      open: column(0)
    }
    const foldable = Unfold.foldable(candles, 3)
    const low = Math.min(...candles.low.subarray(0, 1000)) - 5
    let made = 0
    const path = pathOf(foldable, 1)
    const { indices } = Unfold.unfolded(foldable, (bar, into) => {
      made++
      path(bar, into)
    })
    CrossingIndex.nextCrossing(indices.orders, 0, bars * 3, low, Number.POSITIVE_INFINITY)
    assert.isAtMost(made, 1)
  })
})
