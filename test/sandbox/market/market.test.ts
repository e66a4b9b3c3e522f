/** Prices: paths inside candles, generated markets, files. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Result, Schema } from "effect"
import { defaultSettings } from "../../../src/sandbox/core/Settings.ts"
import * as CandleFile from "../../../src/sandbox/market/CandleFile.ts"
import * as MarketModel from "../../../src/sandbox/market/MarketModel.ts"
import * as PricePath from "../../../src/sandbox/market/PricePath.ts"
import * as RandomWalk from "../../../src/sandbox/market/RandomWalk.ts"

const time = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))
const walk = (seed: number, candleMillis = 1000) =>
  RandomWalk.make({ seed, symbol: "BTC", startPrice: 60_000, volatility: 0.8, candleMillis })

describe("price paths", () => {
  const path = PricePath.fromCandles(walk(5))

  it.prop("a range holds every price between its ends, and is the union of its parts", [time, time, time], (times) => {
    const [from = 0, between = 0, to = 0] = times.toSorted((a, b) => a - b)
    const whole = path.range(from, to)
    const [first, second] = [path.range(from, between), path.range(between, to)]
    assert.strictEqual(whole.low, Math.min(first.low, second.low))
    assert.strictEqual(whole.high, Math.max(first.high, second.high))
    const price = path.at(between)
    assert.isTrue(price >= whole.low && price <= whole.high)
  })

  it("a candle is walked open, nearer extreme, other extreme, close", () => {
    const candle = { open: 10, high: 16, low: 7, close: 12 }
    const single = PricePath.fromCandles({ candleMillis: 300, candle: () => candle })
    assert.deepStrictEqual(
      [0, 50, 100, 200, 250, 299.999999].map((at) => Math.round(single.at(at) * 100) / 100),
      [10, 8.5, 7, 16, 14, 12]
    )
    assert.deepStrictEqual(single.range(0, 299), { low: 7, high: 16 })
    assert.deepStrictEqual(single.range(200, 250), { low: 14, high: 16 })
  })
})

describe("the random walk", () => {
  it("is a function of seed and index, in any order of questions", () => {
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
  const series: CandleFile.CandleSeries = {
    candleMillis: 60_000,
    hash: "",
    candles: [
      { open: 100, high: 110, low: 95, close: 105 },
      { open: 105, high: 120, low: 105, close: 118 }
    ]
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

describe("candle files", () => {
  const rows = "open_time_ms,open,high,low,close,volume\n"
  const wrong: ReadonlyArray<readonly [string, string]> = [
    ["", "x.csv:1: the header has no column open_time_ms or open_time or time, open, high, low, close; found nothing"],
    ["time,open,high,close\n", "x.csv:1: the header has no column low; found time, open, high, close"],
    [`${rows}60000,1,2,1,1,0`, "x.csv: holds fewer than two candles"],
    [`${rows}60000,1,2,1,1,0\n120000,1,x,1,1,0`, 'x.csv:3:10: expected a positive number, found "x"'],
    [`${rows}60000,1,2,1,1,0\n120000,1,2,1`, 'x.csv:3:14: expected a positive number, found ""'],
    [`${rows}60000,1,2,-1,1,0`, 'x.csv:2:11: expected a positive number, found "-1"'],
    [`${rows}60000,1,2,3,1,0`, "x.csv:2: open 1 and close 1 are not between low 3 and high 2"],
    [`${rows}60000,1,2,1,1,0\n60000,1,2,1,1,0`, "x.csv:3: time 60000 does not come after 60000"]
  ]

  it.each(wrong)("names the place of a mistake: %j", (text, message) => {
    const read = CandleFile.parse("x.csv", text)
    assert.strictEqual(Result.isFailure(read) ? read.failure.message : "read", message)
  })

  it.effect("reads plain and compressed files, in seconds or milliseconds", () =>
    Effect.gen(function* () {
      const fileSystem = yield* FileSystem.FileSystem
      const directory = yield* fileSystem.makeTempDirectoryScoped()
      const text = "volume,Time,OPEN,high,low,close\r\n1,1700000000,2,4,1,3\r\n1,1700000060,3,3,3,3\r\n"
      yield* fileSystem.writeFileString(`${directory}/a.csv`, text)
      yield* fileSystem.writeFile(`${directory}/a.csv.gz`, gzipSync(text))
      const plain = yield* CandleFile.read(`${directory}/a.csv`)
      assert.deepStrictEqual(yield* CandleFile.read(`${directory}/a.csv.gz`), plain)
      assert.strictEqual(plain.candleMillis, 60_000)
      assert.deepStrictEqual(plain.candles[0], { open: 2, high: 4, low: 1, close: 3 })
      const missing = yield* Effect.flip(CandleFile.read(`${directory}/none.csv`))
      assert.include(missing.message, "cannot be read")
      yield* fileSystem.writeFileString(`${directory}/b.csv.gz`, "not compressed")
      assert.include((yield* Effect.flip(CandleFile.read(`${directory}/b.csv.gz`))).message, "cannot be unpacked")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  const shared = fileURLToPath(new URL("../../../../shared/data/", import.meta.url))
  const real = [
    ["binance-solusdt-1m-20240801-20240803.csv.gz", 4320],
    ["btc-perp-1m-20211231-20220201.csv.gz", 45_031],
    ["coinbase-btcusd-1m-lean.csv.gz", 10_983]
  ] as const
  it.effect.skipIf(!existsSync(shared))("reads real candles", () =>
    Effect.gen(function* () {
      for (const [name, rowCount] of real) {
        const series = yield* CandleFile.read(shared + name)
        assert.lengthOf(series.candles, rowCount)
        assert.strictEqual(series.candleMillis, 60_000)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
