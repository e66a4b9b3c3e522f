/** Prices: paths inside candles, generated markets, files. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Schema } from "effect"
import { columnOf } from "../../../src/candles/Candles.ts"
import * as TimeAxis from "../../../src/candles/TimeAxis.ts"
import * as MarketModel from "../../../src/sandbox/market/MarketModel.ts"
import * as SandboxServer from "../../../src/sandbox/SandboxServer.ts"
import { defaultSettings } from "../../../src/sandbox/Settings.ts"

const time = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))
const walk = (seed: number, candleMillis = 1000) =>
  MarketModel.randomWalk({ seed, symbol: "BTC", startPrice: 60_000, volatility: 0.8, candleMillis })

describe("a price path", () => {
  const path = MarketModel.fromCandles(walk(5))

  it.prop("a range holds every price between its ends, and is the union of its parts", [time, time, time], (times) => {
    const [from = 0, between = 0, to = 0] = times.toSorted((a, b) => a - b)
    const whole = path.range(from, to)
    const [first, second] = [path.range(from, between), path.range(between, to)]
    assert.strictEqual(whole.low, Math.min(first.low, second.low))
    assert.strictEqual(whole.high, Math.max(first.high, second.high))
    const price = path.at(between)
    assert.isTrue(price >= whole.low && price <= whole.high)
  })

  it("visits a candle's open, nearer extreme, other extreme and close", () => {
    const candle = { open: 10, high: 16, low: 7, close: 12 }
    const single = MarketModel.fromCandles({ candleMillis: 300, candle: () => candle })
    assert.deepStrictEqual(
      [0, 50, 100, 200, 250, 299.999999].map((at) => Math.round(single.at(at) * 100) / 100),
      [10, 8.5, 7, 16, 14, 12]
    )
    assert.deepStrictEqual(single.range(0, 299), { low: 7, high: 16 })
    assert.deepStrictEqual(single.range(200, 250), { low: 14, high: 16 })
  })
})

describe("the random walk", () => {
  it("is a function of seed and index, in any order of calls", () => {
    const forwards = walk(7)
    const backwards = walk(7)
    const indices = Array.from({ length: 300 }, (_, index) => index)
    const expected = indices.map((index) => forwards.candle(index))
    assert.deepStrictEqual(
      indices.toReversed().map((index) => backwards.candle(index)),
      expected.toReversed()
    )
    assert.notDeepEqual(walk(8).candle(5), expected[5])
  })

  it("joins its candles, keeps open and close within their extremes, and stays near its start", () => {
    const source = walk(9, 6 * 3_600_000)
    let sum = 0
    for (let index = 1; index < 5000; index++) {
      const candle = source.candle(index)
      assert.strictEqual(candle.open, source.candle(index - 1).close)
      assert.isTrue(candle.low <= Math.min(candle.open, candle.close))
      assert.isTrue(candle.high >= Math.max(candle.open, candle.close))
      sum += Math.log(candle.close / 60_000) ** 2
    }
    // The process' own deviation: volatility over the square root of twice its pull per year.
    const expected = 0.8 / Math.sqrt((2 * Math.LN2 * 365 * 86_400_000) / 86_400_000)
    assert.closeTo(Math.sqrt(sum / 5000), expected, expected * 0.15)
  })
})

describe("the market model", () => {
  const series: MarketModel.ReplayedCandles = {
    sha256: "",
    candles: {
      bars: 2,
      time: TimeAxis.regular(2, 0, 60_000),
      open: columnOf([100, 105]),
      high: columnOf([110, 120]),
      low: columnOf([95, 105]),
      close: columnOf([105, 118]),
      volume: columnOf([0, 0]),
      priceScale: 0
    }
  }
  const settings = { ...defaultSettings("native"), speed: 60, candles: { symbol: "SOL", hash: "" } }
  const model = MarketModel.make(settings, 1_000, series)
  const assetOf = (symbol: string) => {
    const found = settings.assets.find((asset) => asset.symbol === symbol)
    if (found === undefined) throw new Error(symbol)
    return found
  }

  it("replays candles faster than the clock, to their end and back again without a jump", () => {
    const mid = (at: number) => Math.round(model.mid(assetOf("SOL"), assetOf("USDC"), 1_000 + at) * 1000) / 1000
    assert.deepStrictEqual(
      [0, 1000, 1999.9999, 2000, 3000, 3999.9999, 4000].map(mid),
      [100, 105, 118, 118, 105, 100, 100]
    )
    assert.deepStrictEqual(model.range(assetOf("SOL"), assetOf("USDC"), 1_000, 3_000), { low: 95, high: 120 })
  })

  it("prices a pair as the ratio of its assets, the same from both sides", () => {
    for (let at = 1_000; at < 100_000; at += 777) {
      const there = model.mid(assetOf("BTC"), assetOf("ETH"), at)
      assert.closeTo(there * model.mid(assetOf("ETH"), assetOf("BTC"), at), 1, 1e-12)
    }
  })
})

describe("a candle file of the sandbox", () => {
  const started = (text: string) =>
    Effect.gen(function* () {
      const fileSystem = yield* FileSystem.FileSystem
      const candles = `${yield* fileSystem.makeTempDirectoryScoped()}/solusd.csv`
      yield* fileSystem.writeFileString(candles, text)
      return yield* Layer.build(SandboxServer.layerMemory({ candles }))
    }).pipe(Effect.provide(NodeServices.layer))

  it.effect("may have other names, microseconds or semicolons, as in a backtest", () =>
    started("Date;Open;High;Low;Close\n1700000000000000;2;4;1;3\n1700000060000000;3;3;3;3\n")
  )

  it.effect("with a mistake is refused as in a backtest", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(started("time,open,high,low,close\n1700000040,1,2,3,1\n1700000100,1,2,1,1\n"))
      assert.match(failure.message, /solusd\.csv:2:4: open 1, high 2, low 3, close 1: low is not the lowest/)
    })
  )
})
