import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { commonMillis, frameStart, timeframeMillis, timeframeOf } from "../../src/domain/Timeframe.ts"

describe("timeframes", () => {
  it("are a number and a unit, and nothing else", () => {
    assert.deepStrictEqual(["1s", "15m", "4h", "1d", "2w"].map(timeframeMillis), [1e3, 9e5, 144e5, 864e5, 12096e5])
    for (const text of ["", "m", "0m", "01m", "1", "1y", "1.5h", "-1h", "1h ", "10000m"])
      assert.isUndefined(timeframeMillis(text), text)
  })

  it("begin weeks on Monday, and everything else at a multiple of itself", () => {
    const monday = Date.UTC(2024, 0, 1)
    assert.strictEqual(frameStart(monday + 6 * 86_400_000, 604_800_000), monday)
    assert.strictEqual(frameStart(monday - 1, 604_800_000), monday - 604_800_000)
    assert.strictEqual(frameStart(monday + 5 * 3_600_000, 4 * 3_600_000), monday + 4 * 3_600_000)
  })

  const moment = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4e12 }))
  it.prop("put a time into the candle that contains it", [moment, Schema.Literals(["1m", "7m", "1h", "1w"])], (all) => {
    const [at, text] = all
    const millis = timeframeMillis(text) ?? 0
    const start = frameStart(at, millis)
    assert.isTrue(start <= at && at < start + millis)
    assert.strictEqual(frameStart(start, millis), start)
  })

  it("have a common length that closes whenever one of several does", () => {
    const frames = ["1m", "7m", "25m", "1h", "90m", "4h", "6h", "7h", "1d", "3d", "5d", "1w", "2w", "3w", "5w"]
    const millisOf = (frame: string) => timeframeMillis(frame) ?? 0
    const begun = 1_700_000_000_000
    for (const one of frames)
      for (const other of frames) {
        const common = commonMillis(millisOf(one), millisOf(other))
        assert.strictEqual(timeframeMillis(timeframeOf(common)), common)
        for (const millis of [millisOf(one), millisOf(other)])
          for (let candle = 0; candle < 6; candle++) {
            const closes = frameStart(begun, millis) + candle * millis
            assert.strictEqual(frameStart(closes, common), closes, `${one} and ${other}`)
          }
      }
  })
})
