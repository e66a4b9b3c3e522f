/** Minutes that go round through the same closes, for strategies that buy low and sell high again and again. */
import * as Candles from "../../../src/candles/Candles.ts"
import * as TimeAxis from "../../../src/candles/TimeAxis.ts"

export const waves = (closes: ReadonlyArray<number>, bars: number): Candles.Candles => {
  const at = (bar: number): number => closes[bar % closes.length] ?? 0
  const column = (of: (bar: number) => number) => Candles.columnOf(Array.from({ length: bars }, (_, bar) => of(bar)))
  const before = (bar: number): number => at(Math.max(0, bar - 1))
  return {
    bars,
    time: TimeAxis.make(Float64Array.from({ length: bars }, (_, bar) => 1_767_225_600_000 + bar * 60_000)),
    open: column(before),
    close: column(at),
    high: column((bar) => Math.max(at(bar), before(bar))),
    low: column((bar) => Math.min(at(bar), before(bar))),
    volume: column(() => 1_000_000),
    priceScale: 2
  }
}
