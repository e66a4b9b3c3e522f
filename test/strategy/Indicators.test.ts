import { existsSync, readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { ATR, BollingerBands, EMA, MACD, RSI, SMA, VWMA } from "trading-signals"
import * as Indicators from "../../src/strategy/Indicators.ts"

const data = "../shared/data/binance-solusdt-1m-20240801-20240803.csv.gz"

const candles = (): Indicators.CandleColumns => {
  const rows = gunzipSync(readFileSync(data)).toString().trim().split("\n").slice(1)
  const columnOf = (index: number) => Float64Array.from(rows, (row) => Number(row.split(",")[index]))
  return { open: columnOf(1), high: columnOf(2), low: columnOf(3), close: columnOf(4), volume: columnOf(5) }
}

const empty = new Float64Array()
const none: Indicators.CandleColumns = { open: empty, high: empty, low: empty, close: empty, volume: empty }

/** What the other implementation says after each candle; NaN while it says nothing. */
const theirs = (count: number, next: (index: number) => number | null | undefined): Float64Array =>
  Float64Array.from({ length: count }, (_, index) => next(index) ?? Number.NaN)

/** Ours may be silent longer, never louder; where it speaks it must agree. */
const assertAgree = (ours: Float64Array, other: Float64Array, warmUp: number): void => {
  assert.strictEqual(
    ours.findIndex((value) => !Number.isNaN(value)),
    warmUp - 1
  )
  for (let index = warmUp - 1; index < ours.length; index++) {
    const [a, b] = [ours[index] ?? Number.NaN, other[index] ?? Number.NaN]
    assert.isTrue(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)), `candle ${index}: ${a} against ${b}`)
  }
}

const { warmUp } = Indicators

describe.skipIf(!existsSync(data))("indicators on real candles agree with an independent implementation", () => {
  const { high, low, close, volume } = existsSync(data) ? candles() : none
  const at = (index: number) => close[index] ?? 0
  const candle = (index: number) => ({ high: high[index] ?? 0, low: low[index] ?? 0, close: at(index) })

  it.each([1, 2, 14, 200])("for sma, ema and bollinger of %s", (length) => {
    const [sma, ema, bands] = [new SMA(length), new EMA(length), new BollingerBands(length, 2)]
    assertAgree(
      Indicators.sma(close, length),
      theirs(close.length, (i) => sma.update(at(i), false)),
      length
    )
    const emas = theirs(close.length, (i) => ema.update(at(i), false))
    assertAgree(Indicators.ema(close, length), emas, warmUp.ema(length))
    const means = Indicators.sma(close, length)
    const upper = Indicators.stdev(close, length).map((deviation, i) => (means[i] ?? 0) + 2 * deviation)
    assertAgree(
      upper,
      theirs(close.length, (i) => bands.update(at(i), false)?.upper),
      length
    )
  })

  it.each([2, 14, 50])("for rsi and atr of %s", (length) => {
    const [rsi, atr] = [new RSI(length), new ATR(length)]
    assertAgree(
      Indicators.rsi(close, length),
      theirs(close.length, (i) => rsi.update(at(i), false)),
      warmUp.wilder(length)
    )
    assertAgree(
      Indicators.atr({ open: close, high, low, close, volume }, length),
      theirs(close.length, (i) => atr.update(candle(i), false)),
      warmUp.wilder(length)
    )
  })

  it("for macd", () => {
    const macd = new MACD(new EMA(12), new EMA(26), new EMA(9))
    const line = theirs(close.length, (i) => macd.update(at(i), false)?.macd)
    assertAgree(Indicators.macd(close, 12, 26), line, warmUp.ema(26))
  })

  it("for highest, lowest, change and vwap, by their definitions", () => {
    const window = (values: Float64Array, i: number) => [...values.slice(i - 19, i + 1)]
    const from20 = (next: (i: number) => number) => theirs(close.length, (i) => (i < 19 ? undefined : next(i)))
    assertAgree(
      Indicators.highest(high, 20),
      from20((i) => Math.max(...window(high, i))),
      20
    )
    assertAgree(
      Indicators.lowest(low, 20),
      from20((i) => Math.min(...window(low, i))),
      20
    )
    assertAgree(
      Indicators.change(close, 20),
      theirs(close.length, (i) => at(i) / at(i - 20) - 1),
      21
    )
    const vwma = new VWMA(20)
    const typical = theirs(close.length, (i) => {
      const { high, low, close } = candle(i)
      return vwma.update({ high, low, close: (high + low + close) / 3, volume: volume[i] ?? 0 }, false)
    })
    assertAgree(Indicators.vwap({ open: close, high, low, close, volume }, 20), typical, 20)
  })
})

describe("standard deviation", () => {
  const exactly = (window: Float64Array): number => {
    const mean = window.reduce((sum, value) => sum + value, 0) / window.length
    return Math.sqrt(window.reduce((sum, value) => sum + (value - mean) ** 2, 0) / window.length)
  }

  it.each([2, 7, 20, 500])("of %s equals its definition, whatever comes before the window", (length) => {
    const shapes: ReadonlyArray<(index: number) => number> = [
      (index) => (index < 900 ? 1e9 : 1e-3) + Math.sin(index),
      (index) => 60_000 + index * 0.01,
      (index) => (index % 701 === 0 ? 1e6 : 1) + (index % 3) * 1e-6
    ]
    for (const shape of shapes) {
      const values = Float64Array.from({ length: 2000 }, (_, index) => shape(index))
      const found = Indicators.stdev(values, length)
      for (let index = length - 1; index < values.length; index++) {
        const expected = exactly(values.subarray(index - length + 1, index + 1))
        // What the definition itself loses by rounding its mean.
        const lost = 1e-12 * Math.abs(values[index] ?? 0)
        assert.isAtMost(Math.abs((found[index] ?? Number.NaN) - expected), 1e-9 * expected + lost, `${index}`)
      }
    }
  })

  it("of equal values is zero, even right after a jump", () => {
    const values = Float64Array.from({ length: 100 }, (_, index) => (index < 50 ? 1e9 : 0.1))
    assert.deepStrictEqual(
      [...Indicators.stdev(values, 8).subarray(57)],
      Array.from({ length: 43 }, () => 0)
    )
  })
})

describe("the weighted mean and the line of least squares", () => {
  const values = Float64Array.from({ length: 500 }, (_, index) => 60_000 + 500 * Math.sin(index / 5) + (index % 11))

  it.each([1, 2, 3, 9, 60, 499])("of %s equal their definitions", (length) => {
    const [weighted, line] = [Indicators.wma(values, length), Indicators.linreg(values, length)]
    for (let index = 0; index < values.length; index++) {
      if (index < length - 1) {
        assert.isTrue(Number.isNaN((weighted[index] ?? 0) + (line[index] ?? 0)))
        continue
      }
      const window = [...values.subarray(index - length + 1, index + 1)]
      const weights = (length * (length + 1)) / 2
      const mean = window.reduce((sum, value, place) => sum + value * (place + 1), 0) / weights
      const [middle, plain] = [(length - 1) / 2, window.reduce((sum, value) => sum + value, 0) / length]
      const along = window.reduce((sum, value, place) => sum + (place - middle) * (value - plain), 0)
      const across = window.reduce((sum, _, place) => sum + (place - middle) ** 2, 0)
      assert.closeTo(weighted[index] ?? Number.NaN, mean, 1e-7)
      assert.closeTo(line[index] ?? Number.NaN, plain + (length === 1 ? 0 : (along / across) * middle), 1e-6)
    }
  })
})

describe("any indicator", () => {
  const random = Float64Array.from({ length: 400 }, (_, index) => 100 + 10 * Math.sin(index / 7) + (index % 13))
  const columns = (length: number): Indicators.CandleColumns => {
    const close = random.slice(0, length)
    return { open: close, high: close.map((x) => x + 1), low: close.map((x) => x - 1), close, volume: close }
  }
  const all: ReadonlyArray<readonly [string, (candles: Indicators.CandleColumns) => Float64Array]> = [
    ["sma", ({ close }) => Indicators.sma(close, 9)],
    ["wma", ({ close }) => Indicators.wma(close, 9)],
    ["linreg", ({ close }) => Indicators.linreg(close, 9)],
    ["ema", ({ close }) => Indicators.ema(close, 9)],
    ["rsi", ({ close }) => Indicators.rsi(close, 9)],
    ["atr", (candles) => Indicators.atr(candles, 9)],
    ["stdev", ({ close }) => Indicators.stdev(close, 9)],
    ["highest", ({ close }) => Indicators.highest(close, 9)],
    ["change", ({ close }) => Indicators.change(close, 9)],
    ["macd", ({ close }) => Indicators.macd(close, 5, 9)],
    ["vwap", (candles) => Indicators.vwap(candles, 9)],
    ["ema of rsi", ({ close }) => Indicators.ema(Indicators.rsi(close, 5), 4)]
  ]

  it.each(all)("%s never looks ahead: fewer candles change nothing before their end", (_, indicator) => {
    const whole = indicator(columns(400))
    for (const length of [0, 1, 5, 60, 399]) {
      assert.deepStrictEqual(indicator(columns(length)), whole.slice(0, length))
    }
  })
})

describe("an indicator of a series with an undefined value", () => {
  const numbers = Float64Array.from({ length: 120 }, (_, index) => 100 + Math.sin(index) * 10 + index / 7)
  const [gapAt, length] = [30, 4]
  const broken = (gap: number) => numbers.map((value, index) => (index === gapAt ? gap : value))
  const all = {
    ema: (values: Float64Array) => Indicators.ema(values, length),
    rsi: (values: Float64Array) => Indicators.rsi(values, length),
    macd: (values: Float64Array) => Indicators.macd(values, 2, length),
    sma: (values: Float64Array) => Indicators.sma(values, length),
    wma: (values: Float64Array) => Indicators.wma(values, length),
    linreg: (values: Float64Array) => Indicators.linreg(values, length),
    stdev: (values: Float64Array) => Indicators.stdev(values, length),
    highest: (values: Float64Array) => Indicators.highest(values, length)
  }

  it("starts after that value, and is defined from then on", () => {
    for (const [name, of] of Object.entries(all)) {
      for (const gap of [Number.NaN, Number.POSITIVE_INFINITY]) {
        if (gap === Number.POSITIVE_INFINITY && !["ema", "rsi", "macd"].includes(name)) continue
        const found = of(broken(gap))
        const afresh = of(numbers.slice(gapAt + 1))
        for (const [index, value] of afresh.entries()) {
          const behind = found[gapAt + 1 + index] ?? 0
          if (Number.isNaN(value)) assert.isTrue(Number.isNaN(behind), `${name} ${index}`)
          else assert.closeTo(behind, value, 1e-9, `${name} ${index}`)
        }
        assert.deepStrictEqual([...found.slice(0, gapAt)], [...of(numbers).slice(0, gapAt)], name)
      }
    }
  })
})
