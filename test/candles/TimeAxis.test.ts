/** The times of bars with gaps: where each bar is, and what is missing between them. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as TimeAxis from "../../src/candles/TimeAxis.ts"

const minute = 60_000
const steps = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })))

describe("a time axis", () => {
  it("has no gaps if no bar is missing", () => {
    assert.deepStrictEqual(TimeAxis.gaps(TimeAxis.regular(5, 0, minute)), { count: 0, bars: 0, longestMillis: 0 })
    assert.deepStrictEqual(TimeAxis.gaps(TimeAxis.make(new Float64Array())), { count: 0, bars: 0, longestMillis: 0 })
  })

  it.prop("knows where each bar is, and how many are missing", { distances: steps }, ({ distances }) => {
    const times = [0]
    for (const distance of distances) times.push((times.at(-1) ?? 0) + distance * minute)
    const axis = TimeAxis.make(Float64Array.from(times), minute)
    for (const [bar, time] of times.entries()) {
      assert.strictEqual(TimeAxis.openTime(axis, bar), time)
      assert.strictEqual(TimeAxis.firstBarFrom(axis, time), bar)
      assert.strictEqual(TimeAxis.firstBarFrom(axis, time + 1), bar + 1)
    }
    const missing = distances.map((distance) => distance - 1).filter((bars) => bars > 0)
    assert.deepStrictEqual(TimeAxis.gaps(axis), {
      count: missing.length,
      bars: missing.reduce((sum, bars) => sum + bars, 0),
      longestMillis: Math.max(0, ...missing) * minute
    })
  })

  it.prop("has the same times in each slice, and none in an empty one", { distances: steps }, ({ distances }) => {
    const times = [0]
    for (const distance of distances) times.push((times.at(-1) ?? 0) + distance * minute)
    const axis = TimeAxis.make(Float64Array.from(times), minute)
    for (const from of times.keys())
      for (let to = from; to <= times.length; to++) {
        const slice = TimeAxis.slice(axis, from, to)
        const opened = Array.from({ length: slice.bars }, (_, bar) => TimeAxis.openTime(slice, bar))
        assert.deepStrictEqual(opened, times.slice(from, to))
      }
  })
})
