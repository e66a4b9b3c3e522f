/** `npm run bench`: every claim of BENCHMARKS.md, measured now, on this machine, against the packages by name. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import * as CandleCsv from "../src/backtest/CandleCsv.ts"
import * as CandleFile from "../src/backtest/CandleFile.ts"
import type { Candles } from "../src/backtest/Candles.ts"
import { noCosts } from "../src/backtest/FillModel.ts"
import * as Kernel from "../src/backtest/Kernel.ts"
import * as Sweep from "../src/backtest/Sweep.ts"
import { openTime } from "../src/backtest/TimeAxis.ts"
import * as Indicators from "../src/strategy/Indicators.ts"
import * as ladder from "./ladder.ts"
import { type Comparison, compare, line, machine } from "./measure.ts"
import * as peers from "./peers.ts"

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const show = (result: Comparison | string): void => say(line(result))
const folder = mkdtempSync(join(tmpdir(), "limitbot-bench-"))

const csvOf = (candles: Candles): string => {
  const lines = ["open_time_ms,open,high,low,close,volume"]
  for (let bar = 0; bar < candles.bars; bar++)
    lines.push(
      [
        openTime(candles.time, bar),
        candles.open[bar],
        candles.high[bar],
        candles.low[bar],
        candles.close[bar],
        candles.volume[bar]
      ].join(",")
    )
  return `${lines.join("\n")}\n`
}

const kernel = (candles: Candles, levels: ReadonlyArray<number>, indices: Kernel.Indices) => {
  const conditions = ladder.conditions(candles, levels)
  const result = ladder.hashOf(Kernel.simulate(conditions, candles, indices))
  return {
    name: "kernel",
    run: () => {
      Kernel.simulate(conditions, candles, indices)
      return result
    }
  }
}

const plain = (candles: Candles, levels: ReadonlyArray<number>) => {
  const hash = new ladder.FillHash()
  ladder.plainLoop(candles, levels, (bar, buys, cell) => hash.add(bar, buys, cell))
  return {
    name: "a loop over bars and orders",
    run: () => {
      ladder.plainLoop(candles, levels, () => undefined)
      return hash.text()
    }
  }
}

const simulation = async (year: Candles, five: Candles): Promise<void> => {
  const oneYear = ladder.levelsOf(year, 20, 0.01)
  const indices = Kernel.linearIndices(year, "at")
  if (peers.isInstalled("@backtest/framework"))
    show(
      await compare(
        "ladder of 20, 1 year",
        kernel(year, oneYear, indices),
        { name: "@backtest/framework", run: peers.backtestFramework(year, oneYear) },
        5
      )
    )
  const built = Kernel.buildIndices(five, "at")
  for (const [cells, step, what] of [
    [2, 0.25, "ladder of 2 at 25 %"],
    [20, 0.025, "ladder of 20 at 2.5 %"],
    [20, 0.01, "ladder of 20 at 1 %"],
    [20, 0.0025, "ladder of 20 at 0.25 %"]
  ] as const) {
    const levels = ladder.levelsOf(five, cells, step)
    show(await compare(`${what}, 5 years`, kernel(five, levels, built), plain(five, levels), 9))
    show(
      await compare(
        `${what}, 5 years, no index`,
        kernel(five, levels, Kernel.linearIndices(five, "at")),
        plain(five, levels),
        9
      )
    )
  }
}

const csv = async (year: Candles): Promise<string> => {
  const text = csvOf(year)
  const bytes = new TextEncoder().encode(text)
  const ours = {
    name: "CandleCsv with all checks",
    run: () => {
      const { candles } = CandleCsv.parse(bytes, { file: "bench.csv", repair: new Set() })
      return candles === undefined ? "nothing" : peers.sumOf(candles.bars, candles.close, candles.volume)
    }
  }
  const theirs = [
    ["udsv", peers.uDsv],
    ["csv-parse", peers.csvParse],
    ["papaparse", peers.papaParse]
  ] as const
  for (const [name, run] of theirs)
    if (peers.isInstalled(name))
      show(await compare("CSV of 1 year", ours, { name, run: () => run(new TextDecoder().decode(bytes)) }, 5))
  const file = join(folder, "year.csv")
  writeFileSync(file, bytes)
  const load = (cache: "beside" | "never") => async (): Promise<string> => {
    const options = { repair: new Set<never>(), tradeCandleMillis: 60_000, cache, wanted: { open: true, volume: true } }
    const { candles } = await Effect.runPromise(CandleFile.load(file, options))
    return peers.sumOf(candles.bars, candles.close, candles.volume)
  }
  const fromCache = { name: "the column cache", run: load("beside") }
  show(await compare("load 1 year", fromCache, { name: "the CSV", run: load("never") }, 7))
  return file
}

const indicators = async (year: Candles): Promise<void> => {
  const closes = Float64Array.from(year.close)
  const ours = {
    name: "Indicators (sma, ema, rsi)",
    run: () => {
      const [sma, ema, rsi] = [Indicators.sma(closes, 20), Indicators.ema(closes, 20), Indicators.rsi(closes, 14)]
      return [...[sma, ema].map(peers.indicatorTail), Math.round(rsi.at(-1) ?? 0)].join(" ")
    }
  }
  const numbers = [...closes]
  if (peers.isInstalled("technicalindicators"))
    show(
      await compare("1 year", ours, { name: "technicalindicators", run: () => peers.technicalIndicators(numbers) }, 5)
    )
  if (peers.isInstalled("@ixjb94/indicators"))
    show(await compare("1 year", ours, { name: "@ixjb94/indicators", run: () => peers.ixjb94(numbers) }, 5))
}

const strategyText = `name: bench
market: BTC/USDC
kind: grid
limits: { budget: { base: 1, quote: 100000 }, maxOpenOrders: 1000 }
grid: { lower: 25000, upper: 60000, levels: 21, spacing: geometric, size: { base: 0.01 } }
`

const sweep = async (five: Candles): Promise<void> => {
  const assets = ["BTC", "USDC"].map((symbol) => ({ symbol, id: symbol, decimals: symbol === "BTC" ? 8 : 6 }))
  const values = (from: number, count: number, step: number) =>
    Array.from({ length: count }, (_, k) => `${from + k * step}`)
  const space = [
    { path: "grid.levels", values: values(11, 40, 1) },
    { path: "grid.lower", values: values(20_000, 5, 2000) },
    { path: "grid.upper", values: values(45_000, 5, 5000) }
  ]
  const search = {
    text: strategyText,
    file: "bench.yaml",
    markets: { assets, ticks: new Map() },
    space,
    mode: "optimistic",
    options: { costs: noCosts, changes: {} }
  } as const
  const indices = Kernel.buildIndices(five, "at")
  const trials = Array.from({ length: 1000 }, (_, trial) => trial)
  const withThreads = (threads: number) => ({
    name: `${threads} ${threads === 1 ? "thread" : "threads"}`,
    run: async () => {
      const results: Array<string> = []
      await Effect.runPromise(
        Sweep.run({ search, candles: five, indices, trials, threads }, (result) => {
          results[result.trial] = `${result.pnlQuote} ${result.fills} ${result.maxDrawdown}`
        })
      )
      let hash = 0
      for (const text of results)
        for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619)
      return `${results.length} trials ${hash >>> 0}`
    }
  })
  show(await compare("sweep of 1,000 grids over 5 years", withThreads(2), withThreads(1), 3))
}

/** Whole processes on a cached year: an empty one, and the command, bundled when `npm run build` has been run. */
const startUp = async (file: string): Promise<void> => {
  const strategy = join(folder, "strategy.yaml")
  writeFileSync(strategy, strategyText)
  const bundle = resolve(import.meta.dirname, "../dist/limitbot.mjs")
  const main = existsSync(bundle) ? bundle : resolve(import.meta.dirname, "../src/main.ts")
  const run = (args: ReadonlyArray<string>) =>
    spawnSync(process.execPath, args, { stdio: "ignore" }).status === 0 ? "done" : "failed"
  const name = `\`backtest\` of a cached year, ${existsSync(bundle) ? "bundled" : "from sources"}`
  const command = { name, run: () => run([main, "backtest", strategy, "--data", file, "--json"]) }
  show(await compare("whole process", { name: "an empty Node process", run: () => run(["-e", "0"]) }, command, 7))
}

say(machine())
say("")
say("| what | ours | theirs | ratio (range) |")
say("|---|---|---|---|")
const [year, five] = [ladder.years(1), ladder.years(5)]
await simulation(year, five)
const file = await csv(year)
await indicators(year)
await sweep(five)
await startUp(file)
say("")
say(machine())
rmSync(folder, { recursive: true })
