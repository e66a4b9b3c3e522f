/** The look-ahead check: strategies that peek are caught, the shipped ones pass. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { type Candles, columnOf } from "../../../src/candles/Candles.ts"
import * as TimeAxis from "../../../src/candles/TimeAxis.ts"
import { isTooSensitive, look } from "../../../src/lab/backtest/Lookahead.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import type { ClosedCandles } from "../../../src/strategy/View.ts"
import { price, random, strategyOf } from "../../strategy/support.ts"

/** Sixty days of candles of ten minutes on a seeded walk with cycles, so that conditions of all kinds come true. */
const candles: Candles = (() => {
  const bars = 60 * 24 * 6
  const next = random(4)
  let log = 0
  const close = Array.from({ length: bars }, (_, bar) => {
    log += (next() - 0.5) * 0.006
    return Number((2400 * Math.exp(log + 0.05 * Math.sin(bar / 300))).toFixed(2))
  })
  return {
    bars,
    time: TimeAxis.regular(bars, 1_700_000_400_000, 600_000),
    open: columnOf(close.map((value, bar) => close[bar - 1] ?? value)),
    high: columnOf(close.map((value, bar) => Math.max(value, close[bar - 1] ?? value))),
    low: columnOf(close.map((value, bar) => Math.min(value, close[bar - 1] ?? value))),
    close: columnOf(close),
    volume: columnOf(close.map(() => 1)),
    priceScale: 2
  }
})()

/** Buys when the number that it takes from the candles is above their last close. */
const deciding = (needed: number, of: (seen: ClosedCandles) => number): Strategy => ({
  ...strategyOf(readFileSync("strategies/rules.yaml", "utf8")),
  candles: new Map([["1h", needed]]),
  decide: ({ candles }) => {
    const seen = candles?.get("1h")
    const last = seen?.columns.close[seen.closed - 1] ?? Number.NaN
    const why = { code: "x", text: "x" }
    const isUp = seen !== undefined && of(seen) > last
    return {
      desired: isUp ? [{ slot: "a", legs: [{ side: "BUY", price: price("1"), quantity: 1n }], cycle: false, why }] : [],
      absent: isUp ? [] : [{ slot: "a", why }],
      memory: null,
      reasons: [],
      until: { onFill: false }
    }
  }
})

describe("look-ahead", () => {
  it.each([
    ["the next candle", ({ columns, closed }: ClosedCandles) => columns.close[closed] ?? Number.NaN],
    ["the open candle", ({ columns, closed }: ClosedCandles) => columns.high[closed] ?? 0],
    [
      "the mean of everything",
      ({ columns }: ClosedCandles) => columns.close.reduce((a, b) => a + b, 0) / columns.close.length
    ],
    [
      "the number of candles to come",
      ({ columns }: ClosedCandles) => (columns.close.length > 700 ? Number.MAX_VALUE : 0)
    ]
  ])("at %s is detected", (_, of) => {
    const { peeks, moments } = look(deciding(1, of), candles, 200)
    assert.isTrue(peeks.length > moments / 20, `${peeks.length} of ${moments}`)
    assert.strictEqual(peeks[0]?.text, "the order of a")
  })

  it("is not reported for a strategy that only looks back", () => {
    const mean = ({ columns, closed }: ClosedCandles) => (columns.close[closed - 20] ?? Number.NaN) * 1.001
    const report = look(deciding(20, mean), candles, 200)
    assert.deepStrictEqual(report.peeks, [])
    assert.strictEqual(report.sensitive, 0)
  })

  it("is reported for a strategy that needs more candles than it declares", () => {
    const mean = ({ columns, closed }: ClosedCandles) => (columns.close[closed - 20] ?? Number.NaN) * 1.001
    assert.isTrue(isTooSensitive(look(deciding(10, mean), candles, 200)))
  })

  it("does not occur in a state that reads the clock", () => {
    const strategy = strategyOf(`name: t
market: ETH/USDC
kind: rules
limits: { budget: { base: 1, quote: 1000 } }
rules:
  timeframe: 1h
  state: { top: { initial: 0, next: "if hour == 0 then high else max(high, top[1])", over: 48 } }
  orders: { one: { when: close >= top * 99.9%, side: buy, price: mid, size: { quote: 100 } } }
`)
    const report = look(strategy, candles, 300)
    assert.deepStrictEqual(report.peeks, [])
    assert.isFalse(isTooSensitive(report), `${report.sensitive} of ${report.warm}`)
    assert.isTrue(report.warm > 50)
  })

  it.each(readdirSync("strategies").filter((file) => file.endsWith(".yaml")))(
    "does not occur in strategies/%s",
    (name) => {
      const strategy = strategyOf(readFileSync(`strategies/${name}`, "utf8"))
      const report = look(strategy, candles, 300)
      assert.deepStrictEqual(report.peeks, [])
      assert.isFalse(isTooSensitive(report), `${report.sensitive} of ${report.warm}`)
      if (strategy.candles !== undefined && strategy.candles.size > 0) assert.isTrue(report.warm > 50)
    }
  )
})
