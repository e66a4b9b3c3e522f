/** Paths within bars are those that the bar allows, and cross a grid's cells as often as real ones. */
import { assert, describe, it } from "@effect/vitest"
import { type Candles, columnOf } from "../../src/candles/Candles.ts"
import * as TimeAxis from "../../src/candles/TimeAxis.ts"
import * as BarPath from "../../src/candles/within/BarPath.ts"
import { seeded } from "../../src/domain/Seeded.ts"
import { randomCandles } from "../lab/backtest/RandomStrategies.ts"
import * as sharedData from "../lab/backtest/sharedData.ts"
import { crossings } from "./crossings.ts"

const minute = 60_000
const hour = 60 * minute

const pathsOf = (candles: Candles, steps: number, seed: number) => {
  const path = BarPath.bridges({
    candles,
    priceScale: candles.priceScale + 3,
    roughness: 1,
    randomOf: (bar) => seeded(seed * 1_000_003 + bar)
  })
  return (bar: number): ReadonlyArray<number> => {
    const make = () => new Float64Array(steps)
    const [low, high, close] = [make(), make(), make()]
    path(bar, { low, high, close })
    let before = candles.open[bar] ?? 0
    const corners = Array.from({ length: steps }, (_, step) => {
      const [least = 0, most = 0, end = 0] = [low[step], high[step], close[step]]
      const rises = end >= before
      before = end
      return rises ? [least, most, end] : [most, least, end]
    })
    return [candles.open[bar] ?? 0, ...corners.flat()]
  }
}

describe("a path within a bar", () => {
  it("stays inside the bar, touches both extremes, ends at the close, and is the same each time", () => {
    const candles = randomCandles(seeded(5), 400)
    for (const steps of [3, 4, 12, 60]) {
      const path = pathsOf(candles, steps, steps)
      for (let bar = 0; bar < candles.bars; bar++) {
        const prices = path(bar)
        assert.strictEqual(Math.min(...prices), candles.low[bar])
        assert.strictEqual(Math.max(...prices), candles.high[bar])
        const closes = prices.filter((_, at) => at > 0 && at % 3 === 0)
        assert.strictEqual(closes.length, steps)
        assert.deepStrictEqual([Math.min(...closes), Math.max(...closes)], [candles.low[bar], candles.high[bar]])
        assert.strictEqual(prices.at(-1), candles.close[bar])
        // Each step begins where the one before ended: prices are open, then two extremes and the end of each step.
        for (let step = 0; step < steps; step++) {
          const [before = 0, one = 0, other = 0, end = 0] = prices.slice(step * 3, step * 3 + 4)
          assert.isAtMost(Math.min(one, other), Math.min(before, end))
          assert.isAtLeast(Math.max(one, other), Math.max(before, end))
        }
      }
      assert.deepStrictEqual(path(7), pathsOf(candles, steps, steps)(7))
    }
  })
})

interface Point {
  readonly at: number
  readonly price: number
}

/** Finer data as points in time; of a candle its corners. */
const pointsOf = (name: string): ReadonlyArray<Point> => {
  const candles = sharedData.candles(name)
  return Array.from({ length: candles.bars }, (_, bar) => {
    const at = TimeAxis.openTime(candles.time, bar)
    const [open, low, high, close] = [candles.open, candles.low, candles.high, candles.close].map((of) => of[bar] ?? 0)
    const corners = (close ?? 0) >= (open ?? 0) ? [open, low, high, close] : [open, high, low, close]
    return corners.map((price = 0) => ({ at, price }))
  }).flat()
}

const tradesOf = (name: string): ReadonlyArray<Point> =>
  sharedData
    .text(name)
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",").map(Number))
    .map(([at = 0, , , price = 0]) => ({ at, price }))

/** The real path within each bar that has enough of one. */
const realPaths = (points: ReadonlyArray<Point>, stepMillis: number): ReadonlyArray<ReadonlyArray<number>> => {
  const bars = new Map<number, Array<number>>()
  for (const { at, price } of points) {
    const bar = Math.floor(at / stepMillis)
    const known = bars.get(bar)
    if (known === undefined) bars.set(bar, [price])
    else known.push(price)
  }
  return [...bars.values()].filter((path) => path.length >= 100 && Math.max(...path) > Math.min(...path))
}

const candlesOf = (paths: ReadonlyArray<ReadonlyArray<number>>, stepMillis: number): Candles => ({
  bars: paths.length,
  time: TimeAxis.regular(paths.length, 0, stepMillis),
  open: columnOf(paths.map((path) => path[0] ?? 0)),
  high: columnOf(paths.map((path) => Math.max(...path))),
  low: columnOf(paths.map((path) => Math.min(...path))),
  close: columnOf(paths.map((path) => path.at(-1) ?? 0)),
  volume: columnOf([]),
  priceScale: 2
})

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

const minutes = "btc-perp-1m-20211231-20220201.csv.gz"

describe.skipIf(!sharedData.isPresent)("a path compared with real prices (skipped without the shared data)", () => {
  const sources = [
    { name: minutes, step: hour, points: pointsOf, most: 0.08 },
    { name: "binance-solusdt-1m-20240801-20240803.csv.gz", step: hour, points: pointsOf, most: 0.08 },
    // Seven minutes of one day: the law is of the hours.
    { name: "binance-usdm-btcusdt-trades-20240808.csv.gz", step: minute, points: tradesOf, most: 0.3 }
  ]
  for (const { name, step, points, most } of sources)
    it(`crosses a cell as often as real ${name}`, () => {
      const real = realPaths(points(name), step).slice(0, 200)
      const candles = candlesOf(real, step)
      const whole = real.flat()
      // Of hours 0.4, 0.6 and 0.9 % of the price are as many of their ranges.
      const range = mean(real.map((path) => Math.max(...path) - Math.min(...path)))
      for (const share of [0.5, 0.75, 1.1]) {
        const found = crossings(whole, share * range)
        for (const steps of [60, 12]) {
          const drawn = mean(
            [1, 2, 3, 4, 5].map((seed) => {
              const path = pathsOf(candles, steps, seed)
              return crossings(
                real.flatMap((_, bar) => path(bar)),
                share * range
              )
            })
          )
          assert.closeTo(drawn / found, 1, most, `${share} of the range in ${steps} steps: ${drawn} against ${found}`)
        }
        const straight = real.flatMap((path) => {
          const [low, high] = [Math.min(...path), Math.max(...path)]
          const [open = 0, close = 0] = [path[0], path.at(-1)]
          return close >= open ? [open, low, high, close] : [open, high, low, close]
        })
        assert.isAtMost(crossings(straight, share * range), found, "a straight path knows too little")
      }
    })

  it("reaches the low first as often as real hours with the same close", () => {
    const real = realPaths(pointsOf(minutes), hour)
    const path = pathsOf(candlesOf(real, hour), 60, 3)
    const isLowFirst = (prices: ReadonlyArray<number>): number =>
      prices.indexOf(Math.min(...prices)) < prices.indexOf(Math.max(...prices)) ? 1 : 0
    const gain = (prices: ReadonlyArray<number>): number =>
      ((prices.at(-1) ?? 0) - (prices[0] ?? 0)) / (Math.max(...prices) - Math.min(...prices))
    for (const [from, to] of [
      [-1, -0.4],
      [-0.4, -0.1],
      [-0.1, 0.1],
      [0.1, 0.4],
      [0.4, 1]
    ] as const) {
      const bars = [...real.keys()].filter((bar) => gain(real[bar] ?? []) >= from && gain(real[bar] ?? []) < to)
      const [found, drawn] = [
        mean(bars.map((bar) => isLowFirst(real[bar] ?? []))),
        mean(bars.map((bar) => isLowFirst(path(bar))))
      ]
      assert.closeTo(
        drawn,
        found,
        0.12,
        `${bars.length} hours that closed ${from} to ${to} of their range above the open`
      )
    }
  })
})
