/** Candles of a longer timeframe contain nothing that happens after their end, whatever the bars of the data. */
import { assert, describe, it } from "@effect/vitest"
import type { Candles } from "../../src/candles/Candles.ts"
import { columnOf } from "../../src/candles/Candles.ts"
import * as Resample from "../../src/candles/Resample.ts"
import * as TimeAxis from "../../src/candles/TimeAxis.ts"

const minute = 60_000
const hour = 60 * minute

/** Each bar is higher than all bars before it, so a high tells which bars a candle has. */
const rising = (bars: number, startMillis: number, stepMillis: number): Candles => {
  const values = columnOf(Array.from({ length: bars }, (_, bar) => bar + 1))
  const time = TimeAxis.regular(bars, startMillis, stepMillis)
  return { bars, time, open: values, high: values, low: values, close: values, volume: values, priceScale: 0 }
}

describe("candles of a longer timeframe", () => {
  it.each([
    ["bars of 4 h in candles of 6 h", 0, 4 * hour, 6 * hour],
    ["bars of 2 h in candles of 3 h", 0, 2 * hour, 3 * hour],
    ["bars of 30 min in candles of 45 min", 0, 30 * minute, 45 * minute],
    ["days that begin at 16:00 in candles of a day", 16 * hour, 24 * hour, 24 * hour],
    ["hours that begin at :30 in candles of 4 h", 30 * minute, hour, 4 * hour],
    ["hours in candles of 4 h", 0, hour, 4 * hour]
  ])("contain nothing after their end: %s", (_, startMillis, stepMillis, timeframeMillis) => {
    const candles = rising(60, startMillis, stepMillis)
    const all = Resample.of(candles, timeframeMillis)
    for (let now = startMillis; now <= startMillis + 60 * stepMillis; now += 15 * minute) {
      const closed = Resample.closedAt(all, now)
      const past = Math.floor((now - startMillis) / stepMillis)
      const lastEnd = all.startMillis + closed * timeframeMillis
      const pastAtEnd = Math.floor((lastEnd - startMillis) / stepMillis)
      if (closed === 0) continue
      assert.isAtMost(all.columns.high[closed - 1] ?? Number.NaN, past)
      assert.strictEqual(all.columns.close[closed - 1], Math.max(1, pastAtEnd), "nor do they miss what happened before")
    }
  })

  it("have the bars that open in them if the bars fit", () => {
    const all = Resample.of(rising(24, 0, hour), 4 * hour)
    assert.deepStrictEqual([...all.columns.open], [1, 5, 9, 13, 17, 21])
    assert.deepStrictEqual([...all.columns.close], [4, 8, 12, 16, 20, 24])
    assert.strictEqual(all.startMillis, 0)
  })
})
