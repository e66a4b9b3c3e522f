import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Alignment from "../../src/candles/Alignment.ts"
import * as Candles from "../../src/candles/Candles.ts"
import * as TimeAxis from "../../src/candles/TimeAxis.ts"

const minute = 60_000
const start = Date.UTC(2024, 0, 1)

/** A bar at each of these minutes; everything of a bar follows from its minute. */
const series = (market: string, minutes: ReadonlyArray<number>, stepMinutes = 1): Alignment.MarketCandles => {
  const column = (of: (minute: number) => number) => Candles.columnOf(minutes.map(of))
  const candles = {
    bars: minutes.length,
    time: TimeAxis.make(
      Float64Array.from(minutes, (at) => start + at * minute),
      stepMinutes * minute
    ),
    open: column((at) => 100 + at),
    high: column((at) => 110 + at),
    low: column((at) => 90 + at),
    close: column((at) => 101 + at),
    volume: column((at) => 1 + at),
    priceScale: 0
  }
  return { market, candles }
}

const aligned = (...all: ReadonlyArray<Alignment.MarketCandles>): Alignment.Aligned =>
  Result.getOrThrow(Alignment.align(all))

const whyNot = (...all: ReadonlyArray<Alignment.MarketCandles>): string =>
  Result.match(Alignment.align(all), { onFailure: (why) => why, onSuccess: () => "" })

const minutesOf = ({ bars, time }: Candles.Candles): ReadonlyArray<number> =>
  Array.from({ length: bars }, (_, bar) => (TimeAxis.openTime(time, bar) - start) / minute)

describe("Alignment", () => {
  it("leaves series with the same bars unchanged", () => {
    const [a, b] = [series("A", [0, 1, 2]), series("B", [0, 1, 2])]
    const { candles, notes } = aligned(a, b)
    assert.isTrue(candles[0] === a.candles && candles[1] === b.candles)
    assert.deepStrictEqual(notes, [])
  })

  it("keeps every bar of any market in the common span; a missing bar takes its last close", () => {
    const { candles, notes } = aligned(series("A", [0, 2, 3, 5, 6]), series("B", [1, 2, 5, 7]))
    for (const each of candles) assert.deepStrictEqual(minutesOf(each), [1, 2, 3, 5, 6])
    const [a, b] = candles
    assert.deepStrictEqual([...(a?.close ?? [])], [101, 103, 104, 106, 107])
    assert.deepStrictEqual([...(a?.low ?? [])], [101, 92, 93, 95, 96])
    assert.deepStrictEqual([...(a?.volume ?? [])], [0, 3, 4, 6, 7])
    assert.deepStrictEqual([...(b?.close ?? [])], [102, 103, 103, 106, 106])
    assert.deepStrictEqual([...(b?.high ?? [])], [111, 112, 103, 115, 106])
    assert.deepStrictEqual(notes, [
      "only the period covered by all files is used, 2024-01-01 00:01:00 UTC to 2024-01-01 00:07:00 UTC: A 2024-01-01 00:00:00 UTC to 2024-01-01 00:07:00 UTC, B 2024-01-01 00:01:00 UTC to 2024-01-01 00:08:00 UTC",
      "A: 1 bars of other markets are missing here; the last close is used instead",
      "B: 2 bars of other markets are missing here; the last close is used instead"
    ])
  })

  it("combines finer bars into the coarsest timeframe", () => {
    const { candles, notes } = aligned(series("A", [0, 5, 10], 5), series("B", [0, 1, 2, 3, 4, 6, 8, 10, 14]))
    const [, b] = candles
    assert.deepStrictEqual(candles.map(minutesOf), [
      [0, 5, 10],
      [0, 5, 10]
    ])
    assert.deepStrictEqual([...(b?.open ?? [])], [100, 106, 110])
    assert.deepStrictEqual([...(b?.high ?? [])], [114, 118, 124])
    assert.deepStrictEqual([...(b?.low ?? [])], [90, 96, 100])
    assert.deepStrictEqual([...(b?.close ?? [])], [105, 109, 115])
    assert.deepStrictEqual([...(b?.volume ?? [])], [15, 16, 26])
    assert.deepStrictEqual(notes, ["B: candles of 60 s are combined to 300 s, as all must have one length"])
  })

  it("reads volumes that stay in a file", () => {
    const { market, candles } = series("B", [0, 2])
    const inFile = { ...candles, volume: Candles.column(0), readVolume: (bar: number) => 7 + bar }
    const [, b] = aligned(series("A", [0, 1, 2]), { market, candles: inFile }).candles
    assert.deepStrictEqual(b === undefined ? [] : [0, 1, 2].map((bar) => Candles.volumeAt(b, bar)), [7, 0, 8])
  })

  it("says why series cannot run together", () => {
    assert.match(whyNot(series("A", [0, 1]), series("B", [5, 6])), /do not overlap: A .*; give data/)
    assert.match(
      whyNot(series("A", [0, 5], 5), series("B", [0.5, 1.5])),
      /B: the candle of 2024-01-01 00:00:30 UTC overlaps one of another market; give/
    )
  })
})
