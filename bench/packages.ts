/** Other packages, each made to do what ours does. They are installed in this folder only. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Candles } from "../src/candles/Candles.ts"
import { closeTime, openTime } from "../src/candles/TimeAxis.ts"
import { FillHash } from "../test/world/ladder.ts"

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

/**
 * One order and its profit. Its rule sees every bar and enters on the one after that which reaches the price, so that its
 * position can end on the bar after: entries are told by the bar that reached.
 */
export const grademark = (candles: Candles, [buy = 0, sell = 0]: ReadonlyArray<number>): (() => string) => {
  const { backtest } = require("grademark")
  const { DataFrame } = require("data-forge")
  const rows = Array.from({ length: candles.bars }, (_, bar) => ({
    time: bar,
    open: candles.open[bar],
    high: candles.high[bar],
    low: candles.low[bar],
    close: candles.close[bar],
    volume: candles.volume[bar]
  }))
  const series = new DataFrame(rows)
  return () => {
    const hash = new FillHash()
    const entries: Array<number> = []
    const trades: ReadonlyArray<{ exitTime: number; exitReason: string }> = backtest(
      {
        entryRule: (enter: () => void, { bar }: { bar: { time: number; low: number } }) => {
          if (bar.time === 0 || bar.low > buy) return
          entries.push(bar.time)
          enter()
        },
        profitTarget: ({ entryPrice }: { entryPrice: number }) => sell - entryPrice
      },
      series
    )
    for (const [index, bar] of entries.entries()) {
      hash.add(bar, true, 0)
      const trade = trades[index]
      if (trade?.exitReason === "profit-target") hash.add(trade.exitTime, false, 0)
    }
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

/** Last values, to three digits: one package rounds, and they differ in how long their beginning is remembered. */
export const lastOf = (columns: ReadonlyArray<ArrayLike<number>>): string =>
  columns.map((values) => Number(values[values.length - 1]).toPrecision(3)).join(" ")

interface Prices {
  readonly high: Array<number>
  readonly low: Array<number>
  readonly close: Array<number>
}

export const technicalIndicators = ({ high, low, close }: Prices): string => {
  const { SMA, EMA, RSI, ATR, BollingerBands } = require("technicalindicators")
  const bands: ReadonlyArray<{ upper: number; middle: number; lower: number }> = BollingerBands.calculate({
    period: 20,
    values: close,
    stdDev: 2
  })
  const last = bands.at(-1)
  return lastOf([
    SMA.calculate({ period: 20, values: close }),
    EMA.calculate({ period: 20, values: close }),
    RSI.calculate({ period: 14, values: close }),
    ATR.calculate({ period: 14, high, low, close }),
    [last?.upper ?? 0],
    [last?.middle ?? 0],
    [last?.lower ?? 0]
  ])
}

export const ixjb94 = ({ high, low, close }: Prices): string => {
  const { IndicatorsSync } = require("@ixjb94/indicators")
  const indicators = new IndicatorsSync()
  const [lower, middle, upper] = indicators.bbands(close, 20, 2)
  return lastOf([
    indicators.sma(close, 20),
    indicators.ema(close, 20),
    indicators.rsi(close, 14),
    indicators.atr(high, low, close, 14),
    upper,
    middle,
    lower
  ])
}
