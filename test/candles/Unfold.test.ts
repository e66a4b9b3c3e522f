/** The number of small bars into which a bar is cut, so that a backtest asks a strategy as often as a live bot does. */
import { assert, describe, it } from "@effect/vitest"
import * as TimeAxis from "../../src/candles/TimeAxis.ts"
import * as Unfold from "../../src/candles/within/Unfold.ts"

const candles = (bars: number, stepMillis: number) => {
  const series = new Float64Array(new SharedArrayBuffer(8 * bars)).fill(100)
  return {
    bars,
    time: TimeAxis.regular(bars, 0, stepMillis),
    open: series,
    high: series,
    low: series,
    close: series,
    volume: series,
    priceScale: 2
  }
}

describe("the small bars of a bar", () => {
  it.each([
    ["a minute has one for each second", 1_000, 60_000, 60],
    ["a minute of a long series has five", 100_001, 60_000, 12],
    ["a bar has as many as give whole milliseconds", 10, 59, 59],
    ["a bar has none if no number does", 10, 61, 1]
  ])("%s", (_, bars, stepMillis, parts) => {
    assert.strictEqual(Unfold.partsOf(candles(bars, stepMillis)), parts)
  })
})
