/** `--detail`: its files are read as those of `--data`, with the same forms, checks, repairs and warnings. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { limitbot } from "../backtesting.ts"

const gridText = `name: narrow
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.5, quote: 20000 } }
grid: { lower: 39500, upper: 40500, levels: 11, size: { base: 0.01 } }
`

const start = Date.UTC(2021, 0, 1)

const rulesText = `name: faster
market: BTC/USDC
kind: rules
limits: { budget: { base: 0.5, quote: 20000 } }
rules:
  timeframe: 5m
  orders:
    in:
      side: buy
      price: low
      size: { base: 0.01 }
      when: close > sma(close, 3)
`

/** Ten hours of minutes, and the same as bars of 15 minutes. */
const prepare = Effect.gen(function* () {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-detail-"))
  const place = (name: string, text?: string): string => {
    if (text !== undefined) writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const strategy = place("grid.yaml", gridText)
  const fine = place("fine.csv")
  yield* limitbot("data", "generate", fine, "--bars", "600", "--price", "40000")
  const [header = "", ...minutes] = readFileSync(fine, "utf8").trim().split("\n")
  const rows = minutes.map((line) => line.split(",").map(Number))
  const bars = Array.from({ length: rows.length / 15 }, (_, at) => {
    const group = rows.slice(at * 15, (at + 1) * 15)
    const of = (column: number) => group.map((row) => row[column] ?? 0)
    const volume = of(5).reduce((sum, each) => sum + each, 0)
    return [of(0)[0], of(1)[0], Math.max(...of(2)), Math.min(...of(3)), of(4).at(-1), volume].join()
  })
  const coarse = place("coarse.csv", [header, ...bars].join("\n"))
  const file = (name: string, lines: ReadonlyArray<string>) => place(name, [header, ...lines].join("\n"))
  const words = ["backtest", strategy, "--data", coarse, "--band", "rules", "--no-save", "--no-cache"]
  const backtest = (detail: string, ...more: ReadonlyArray<string>) =>
    Effect.map(limitbot(...words, "--json", "--detail", detail, ...more), JSON.parse)
  return { backtest, coarse, file, fine, folder, header, minutes, place, rows, words }
})

describe("--detail", () => {
  it.effect("warns of the gaps of its file, and repairs and counts them as --data does", () =>
    Effect.gen(function* () {
      const { backtest, file, minutes } = yield* prepare
      const gappy = file("gappy.csv", minutes.toSpliced(100, 40))
      const { data, bars } = yield* backtest(gappy)
      assert.strictEqual(bars, 560)
      assert.match(data.warnings.join("\n"), /gappy\.csv:102:1.*40 missing bars in 1 gap/)
      const repaired = yield* backtest(gappy, "--repair", "gaps")
      assert.strictEqual(repaired.bars, 600)
      assert.deepInclude(repaired.data.detail.repaired, { gaps: 40 })
      assert.match(repaired.data.warnings.join("\n"), /gappy\.csv.*filled 40 missing bars/)
    })
  )

  it.effect("is in the report with its columns, its candles and its hash", () =>
    Effect.gen(function* () {
      const { backtest, fine, folder, words } = yield* prepare
      const { data } = yield* backtest(fine)
      assert.match(data.detail.columns, /^read as candles: time from open_time_ms, open/)
      assert.match(data.detail.sha256, /^[0-9a-f]{64}$/)
      const report = join(folder, "report.html")
      yield* limitbot(...words, "--detail", fine, "--report", report)
      const page = readFileSync(report, "utf8")
      assert.match(page, /detail file.*fine\.csv, SHA-256/s)
      assert.match(page, /detail columns.*read as candles/s)
    })
  )

  it.effect("does not make up shorter candles than the data have: indicators read the data", () =>
    Effect.gen(function* () {
      const { coarse, fine, place } = yield* prepare
      const rules = place("rules.yaml", rulesText)
      const words = ["backtest", rules, "--band", "rules", "--no-save", "--no-cache", "--data"]
      yield* limitbot(...words, fine)
      const { message } = yield* Effect.flip(limitbot(...words, coarse, "--detail", fine))
      assert.match(message, /decides on 5m candles, the data has 900 s candles; use finer data/)
      writeFileSync(rules, rulesText.replace("5m", "15m"))
      const set = ["--set", "rules.timeframe=5m,15m", "--threads", "1", "--json"]
      const search = yield* limitbot("search", rules, "--data", coarse, "--no-cache", ...set)
      assert.deepInclude(JSON.parse(search), { trials: 2, refused: 1 })
    })
  )

  it.effect("takes MARKET=FILE and a pattern of files, and refuses another market", () =>
    Effect.gen(function* () {
      const { backtest, file, fine, folder, minutes } = yield* prepare
      const whole = yield* backtest(fine)
      assert.deepStrictEqual((yield* backtest(`BTC/USDC=${fine}`)).sides, whole.sides)
      file("part-1.csv", minutes.slice(0, 250))
      file("part-2.csv", minutes.slice(250))
      assert.deepStrictEqual((yield* backtest(join(folder, "part-*.csv"))).sides, whole.sides)
      file("part-2.csv", minutes.slice(200))
      const overlapping = yield* Effect.flip(backtest(join(folder, "part-*.csv")))
      assert.match(overlapping.message, /^.*part-\*\.csv: .*part-2\.csv begins at .*, before .*part-1\.csv ends/)
      const named = yield* Effect.flip(backtest(`ETH/USDC=${fine}`))
      assert.match(named.message, /^--detail ETH\/USDC=.*: the strategy trades BTC\/USDC, not ETH\/USDC/)
    })
  )

  it.effect("takes trades that begin and end within the first and last bar", () =>
    Effect.gen(function* () {
      const { backtest, place, rows } = yield* prepare
      const trades = rows.flatMap(([time = 0, open, high, low, close]) =>
        [open, high, low, close].map((price, at) => `${time + 1234 + at * 15_000},${price},0.5`)
      )
      const ticks = place("ticks.csv", ["time,price,qty", ...trades].join("\n"))
      const { bars, from, sides } = yield* backtest(ticks)
      assert.deepStrictEqual([bars, from], [2400, start + 1000])
      assert.isAbove(sides.optimistic.fills, 0)
      const late = place("late.csv", ["time,price,qty", ...trades.slice(60)].join("\n"))
      const { message } = yield* Effect.flip(backtest(late))
      assert.match(message, /late\.csv: give candles that are finer than the data and cover the same time/)
    })
  )

  it.effect("is named if it is the file without volumes", () =>
    Effect.gen(function* () {
      const { backtest, file, rows } = yield* prepare
      const bare = file(
        "bare.csv",
        rows.map((row) => [...row.slice(0, 5), 0].join())
      )
      const { data } = yield* backtest(bare)
      assert.match(data.warnings.join("\n"), /bare\.csv has no volumes: its orders fill whole/)
    })
  )
})
