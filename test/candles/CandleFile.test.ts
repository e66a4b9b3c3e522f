import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import * as CandleFile from "../../src/candles/CandleFile.ts"
import * as Candles from "../../src/candles/Candles.ts"
import * as CrossingIndex from "../../src/candles/CrossingIndex.ts"
import type { Repair } from "../../src/candles/csv/CandleChecks.ts"
import * as Resample from "../../src/candles/Resample.ts"
import * as TimeAxis from "../../src/candles/TimeAxis.ts"
import { touching } from "../../src/lab/backtest/kernel/FillPresets.ts"
import * as Kernel from "../../src/lab/backtest/kernel/Kernel.ts"
import { random, randomCandles, randomConditions } from "../lab/backtest/RandomStrategies.ts"

const lines = (seed: number, bars = 700): ReadonlyArray<string> => {
  const candles = randomCandles(random(seed), bars)
  const { time, open, high, low, close, volume } = candles
  return Array.from({ length: bars }, (_, bar) =>
    [TimeAxis.openTime(time, bar), ...[open, high, low, close, volume].map((values) => values[bar])].join(",")
  )
}

const newFile = (seed: number, bars?: number): string => {
  const file = join(mkdtempSync(join(tmpdir(), "limitbot-candles-")), "candles.csv")
  writeFileSync(file, `time,open,high,low,close,volume\n${lines(seed, bars).join("\n")}\n`)
  return file
}

const load = (file: string, options: Partial<CandleFile.LoadOptions> = {}) =>
  CandleFile.load(file, {
    repair: new Set(),
    tradeCandleMillis: 60_000,
    cache: "kept",
    wanted: { open: true, volume: true },
    ...options
  })

/** All that a run reads. */
const content = ({ candles, indices, problems, sha256 }: CandleFile.Loaded) => {
  const { bars, time, priceScale, open, high, low, close, volume } = candles
  return {
    bars,
    time,
    priceScale,
    open,
    high,
    low,
    close,
    volume,
    problems,
    sha256,
    minima: indices.orders.minima,
    maxima: indices.closes.maxima
  }
}

describe("CandleFile", () => {
  it.effect("reads the same candles and index from the cache as from the file", () =>
    Effect.gen(function* () {
      const file = newFile(1)
      const parsed = yield* load(file)
      const cached = yield* load(file)
      assert.deepStrictEqual([parsed.source, cached.source], ["file", "cache"])
      assert.deepStrictEqual(content(cached), content(parsed))
      const { low, high, close } = cached.candles
      assert.deepStrictEqual(cached.indices.orders.maxima, CrossingIndex.build(low, high).maxima)
      assert.deepStrictEqual(cached.indices.closes.minima, CrossingIndex.build(close, close).minima)
      const small = yield* load(file, { wanted: { open: false, volume: false } })
      assert.deepStrictEqual([small.candles.open.length, small.candles.volume.length], [0, 0])
      assert.deepStrictEqual(small.candles.close, parsed.candles.close)
    })
  )

  it.effect("reads opens and volumes later with the same numbers, in any order and in part", () =>
    Effect.gen(function* () {
      const file = newFile(5, 10_000)
      const whole = yield* load(file)
      const { open, volume } = whole.candles
      const { candles } = yield* load(file, { wanted: { open: "late", volume: "late" } })
      assert.deepStrictEqual([candles.open.length, candles.volume.length], [0, 0])
      const part = Candles.slice(Candles.slice(candles, 3_000, 9_990), 90, 6_000)
      const at = (of: Candles.Candles, bar: number) => [Candles.openAt(of, bar), Candles.volumeAt(of, bar)]
      const bars = [...open.keys(), 9_999, 0, 4_096, 4_095, 8_192, 1]
      for (const bar of bars) assert.deepStrictEqual(at(candles, bar), [open[bar], volume[bar]])
      for (const [bar, begun] of open.subarray(3_090, 9_000).entries())
        assert.deepStrictEqual(at(part, bar), [begun, volume[3_090 + bar]])
      assert.deepStrictEqual(Resample.of(candles, 420_000), Resample.of(whole.candles, 420_000))
      assert.isFalse(Candles.hasOnlyZeroVolumes(candles))
    })
  )

  it.effect("searches lows and highs in the file exactly as in memory, in any search and in whole runs", () =>
    Effect.gen(function* () {
      const file = newFile(11, 9_000)
      const { candles, indices } = yield* Effect.andThen(load(file), load(file))
      const late = yield* load(file, { wanted: { open: "late", volume: "late", range: "late" } })
      assert.deepStrictEqual([late.candles.low.length, late.candles.high.length], [0, 0])
      const next = random(12)
      const between = (low: number, high: number) => low + next() * (high - low)
      const [least, most] = [Math.min(...candles.low), Math.max(...candles.high)]
      for (let search = 0; search < 300; search++) {
        const from = Math.floor(between(0, 9_000))
        const [to, below, above] = [
          Math.ceil(between(from, 9_000)),
          between(least * 0.9, most),
          between(least, most * 1.1)
        ]
        assert.strictEqual(
          CrossingIndex.nextCrossing(late.indices.orders, from, to, below, above),
          CrossingIndex.nextCrossing(indices.orders, from, to, below, above)
        )
        assert.strictEqual(CrossingIndex.lowerAt(late.indices.orders, from), candles.low[from])
        assert.strictEqual(CrossingIndex.upperAt(late.indices.orders, from), candles.high[from])
      }
      for (let seed = 5; seed <= 10; seed++) {
        const conditions = randomConditions(seed, touching)
        const [near, far] = [
          Kernel.simulate(conditions, candles, indices),
          Kernel.simulate(conditions, late.candles, late.indices)
        ]
        assert.deepStrictEqual(far.fills, near.fills, `seed ${seed}`)
        assert.deepStrictEqual([far.base, far.quote, far.maxDrawdown], [near.base, near.quote, near.maxDrawdown])
      }
    })
  )

  const changes: ReadonlyArray<readonly [string, (file: string) => void]> = [
    ["appended to", (file) => appendFileSync(file, `${1_900_000_000_000},100,101,99,100,1\n`)],
    [
      "edited within, with its old size and time",
      (file) => {
        const { atime, mtime } = statSync(file)
        writeFileSync(
          file,
          readFileSync(file, "utf8").replace(/,(\d)\./, (_, digit) => `,${(Number(digit) + 1) % 10}.`)
        )
        utimesSync(file, atime, mtime)
      }
    ],
    [
      "replaced by another",
      (file) => {
        const other = newFile(7)
        renameSync(other, file)
      }
    ]
  ]
  for (const [what, change] of changes) {
    it.effect(`ignores the cache of a file that has been ${what}`, () =>
      Effect.gen(function* () {
        const file = newFile(2)
        yield* load(file)
        change(file)
        const after = yield* load(file)
        const fresh = yield* load(file, { cache: "never" })
        assert.strictEqual(after.source, "file")
        assert.deepStrictEqual(after.candles, fresh.candles)
      })
    )
  }

  it.effect("uses the cache of a file that is only touched or copied back", () =>
    Effect.gen(function* () {
      const file = newFile(3)
      yield* load(file)
      utimesSync(file, 1, 1)
      assert.strictEqual((yield* load(file)).source, "cache")
      copyFileSync(file, `${file}.copy`)
      renameSync(`${file}.copy`, file)
      assert.strictEqual((yield* load(file)).source, "cache")
    })
  )

  it.effect("reads the file again if the cache is torn, foreign or made with other repairs", () =>
    Effect.gen(function* () {
      const file = newFile(4)
      const cache = `${file}.columns`
      const fresh = yield* load(file)
      const whole = readFileSync(cache)
      const wrecks: ReadonlyArray<() => void> = [
        () => truncateSync(cache, whole.length - 8),
        () => truncateSync(cache, 100),
        () => writeFileSync(cache, ""),
        () => writeFileSync(cache, "something else entirely"),
        () => writeFileSync(cache, Buffer.from(whole).fill(0x7a, 20, 60))
      ]
      for (const wreck of wrecks) {
        wreck()
        const again = yield* load(file)
        assert.strictEqual(again.source, "file")
        assert.deepStrictEqual(again.candles, fresh.candles)
        assert.strictEqual((yield* load(file)).source, "cache")
      }
      assert.strictEqual((yield* load(file, { repair: new Set<Repair>(["sort"]) })).source, "file")
    })
  )

  const { uid } = userInfo()
  const foreignFolders: ReadonlyArray<readonly [name: string, close: (folder: string) => void]> = [
    // Root may write everywhere, and still does not fill what belongs to others.
    uid === 0
      ? ["belongs to another user", (folder) => chownSync(folder, 12_345, 12_345)]
      : ["is read-only", (folder) => chmodSync(folder, 0o555)],
    ["is writable for its group", (folder) => chmodSync(folder, 0o775)],
    ["is writable for all users", (folder) => chmodSync(folder, 0o1777)]
  ]
  it.effect.each(foreignFolders)("puts the cache into the user's folder if the file's folder %s", ([, close]) =>
    Effect.gen(function* () {
      const [file, home] = [newFile(7), mkdtempSync(join(tmpdir(), "limitbot-cache-"))]
      const folder = dirname(file)
      const env = ConfigProvider.fromEnv({ env: { XDG_CACHE_HOME: home } })
      const loaded = Effect.provideService(load(file), ConfigProvider.ConfigProvider, env)
      close(folder)
      const first = yield* loaded
      assert.deepStrictEqual(readdirSync(folder), ["candles.csv"])
      assert.lengthOf(readdirSync(join(home, "limitbot")), 1)
      const second = yield* loaded
      assert.deepStrictEqual([first.source, second.source], ["file", "cache"])
      assert.deepStrictEqual(content(second), content(first))
      chownSync(folder, uid, -1)
      chmodSync(folder, 0o755)
      assert.strictEqual((yield* loaded).source, "file")
      assert.isTrue(existsSync(`${file}.columns`))
    })
  )

  it.effect("leaves nothing beside the file if caching is off", () =>
    Effect.gen(function* () {
      const file = newFile(5)
      yield* load(file, { cache: "never" })
      assert.isFalse(existsSync(`${file}.columns`))
    })
  )

  it.effect("names file, line and column, and what to do", () =>
    Effect.gen(function* () {
      const file = newFile(6)
      appendFileSync(file, "1900000000000,oops,101,99,100,1\n")
      const { message } = yield* Effect.flip(load(file))
      assert.match(message, /candles\.csv:702:15: open "oops" is not a number; write a plain number/)
      const missing = yield* Effect.flip(load(join(tmpdir(), "no-such-file.csv")))
      assert.match(missing.message, /no-such-file\.csv: no such file; give a readable candle or trade file/)
    })
  )
})
