/** Other packages, each made to do what ours does. They are installed in this folder only. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Candles } from "../src/backtest/Candles.ts"
import { closeTime, openTime } from "../src/backtest/TimeAxis.ts"
import { FillHash } from "./ladder.ts"

const require = createRequire(import.meta.url)

export const isInstalled = (name: string): boolean => {
  try {
    require.resolve(name)
    return true
  } catch {
    return false
  }
}

/** The ladder as a strategy of `@backtest/framework`: its callback sees every candle, buys and sells by its own book. */
const ladderStrategy = `
let state
exports.prepare = (levels, first, onFill) => {
  state = { levels, buys: levels.slice(0, -1).map((level) => level < first), bar: -1, onFill }
}
exports.runStrategy = async (bth) => {
  const { levels, buys, onFill } = state
  const { low, high } = bth.currentCandle
  const bar = ++state.bar
  if (bar === 0) return bth.buy({ price: bth.currentCandle.close, baseAmount: 1 })
  for (let cell = 0; cell < buys.length; cell++) {
    if (buys[cell]) {
      if (low > levels[cell]) continue
      buys[cell] = false
      await bth.buy({ price: levels[cell], baseAmount: 0.01 })
      onFill(bar, true, cell)
    } else if (high >= levels[cell + 1]) {
      buys[cell] = true
      await bth.sell({ price: levels[cell + 1], baseAmount: 0.01 })
      onFill(bar, false, cell)
    }
  }
}
`

/** Its database reader is replaced by one from memory: only its engine is measured. */
export const backtestFramework = (candles: Candles, levels: ReadonlyArray<number>): (() => Promise<string>) => {
  const client = require.resolve("@prisma/client")
  require(client)
  const stub = require.cache[client]
  if (stub !== undefined) stub.exports = { PrismaClient: class {} }
  const root = require.resolve("@backtest/framework").replace(/main\.js$/, "")
  const { run } = require(join(root, "src/helpers/run-strategy.js"))
  const reader = require(join(root, "src/helpers/prisma-historical-data.js"))
  const rows = Array.from({ length: candles.bars }, (_, bar) => ({
    symbol: "BTCUSDC",
    interval: "1m",
    openTime: openTime(candles.time, bar),
    closeTime: closeTime(candles.time, bar) - 1,
    open: candles.open[bar],
    high: candles.high[bar],
    low: candles.low[bar],
    close: candles.close[bar],
    volume: candles.volume[bar],
    assetVolume: 0,
    numberOfTrades: 0
  }))
  reader.getCandles = async () => ({ candles: rows, metaCandles: [{ interval: "1m", symbol: "BTCUSDC" }] })
  const folder = mkdtempSync(join(tmpdir(), "limitbot-bench-"))
  writeFileSync(join(folder, "ladder.cjs"), ladderStrategy)
  writeFileSync(join(folder, "ladder.js"), `module.exports = require("./ladder.cjs")`)
  const strategy = require(join(folder, "ladder.cjs"))
  return async () => {
    const hash = new FillHash()
    strategy.prepare(levels, candles.close[0], (bar: number, buys: boolean, cell: number) => hash.add(bar, buys, cell))
    await run({
      strategyName: "ladder",
      historicalData: ["bench"],
      startingAmount: 10_000_000,
      startTime: 0,
      endTime: Number.MAX_SAFE_INTEGER,
      params: {},
      percentFee: 0,
      percentSlippage: 0,
      rootPath: folder
    })
    return hash.text()
  }
}

/** What identifies parsed candles: rows, and the sum of all closes and volumes. */
export const sumOf = (rows: number, closes: ArrayLike<number>, volumes: ArrayLike<number>): string => {
  let sum = 0
  for (let row = 0; row < rows; row++)
    sum += Math.round((closes[row] ?? 0) * 100) + Math.round((volumes[row] ?? 0) * 1e5)
  return `${rows} rows ${sum}`
}

export const uDsv = (text: string): string => {
  const { inferSchema, initParser } = require("udsv")
  const columns = initParser(inferSchema(text)).typedCols(text)
  return sumOf(columns[4].length, columns[4], columns[5])
}

export const csvParse = (text: string): string => {
  const { parse } = require("csv-parse/sync")
  const rows: ReadonlyArray<ReadonlyArray<number>> = parse(text, { from_line: 2, cast: Number })
  return sumOf(
    rows.length,
    rows.map((row) => row[4] ?? 0),
    rows.map((row) => row[5] ?? 0)
  )
}

export const papaParse = (text: string): string => {
  const { data } = require("papaparse").parse(text, { dynamicTyping: true, skipEmptyLines: true, header: false })
  const rows: ReadonlyArray<ReadonlyArray<number>> = data.slice(1)
  return sumOf(
    rows.length,
    rows.map((row) => row[4] ?? 0),
    rows.map((row) => row[5] ?? 0)
  )
}

const tail = (values: ArrayLike<number>): string => `${Number(values[values.length - 1]).toPrecision(9)}`

export const technicalIndicators = (closes: Array<number>): string => {
  const { SMA, EMA, RSI } = require("technicalindicators")
  const [sma, ema, rsi] = [SMA, EMA, RSI].map((one, index) =>
    one.calculate({ period: index === 2 ? 14 : 20, values: closes })
  )
  return [...[sma, ema].map(tail), Math.round(rsi.at(-1))].join(" ")
}

export const ixjb94 = async (closes: Array<number>): Promise<string> => {
  const { IndicatorsSync } = require("@ixjb94/indicators")
  const indicators = new IndicatorsSync()
  const [sma, ema, rsi] = [indicators.sma(closes, 20), indicators.ema(closes, 20), indicators.rsi(closes, 14)]
  return [...[sma, ema].map(tail), Math.round(rsi.at(-1))].join(" ")
}

export const indicatorTail = tail
