/**
 * A strategy of two markets through the whole bot on the sandbox in virtual time, and through the backtest, on the same
 * prices: the same slots fill in the same bars for the same amounts, and both end with the same holdings. As in
 * parity.test.ts prices jump, and a bar of the backtest closes in the middle of the still time after a jump.
 *
 * The sandbox replays one series of prices. It is that of the quote, so that both markets move; or that of one base while
 * the other stands still, whose orders move all the same, as shares are of the value of all.
 *
 * It begins in balance, and no jump carries a share across its whole band: a bot that trades at the present price gets it
 * or not by the spread, which candles do not tell. Nor does an order hang on a hundred-thousandth of the price.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Candles from "../../src/candles/Candles.ts"
import * as CrossingIndex from "../../src/candles/CrossingIndex.ts"
import * as TimeAxis from "../../src/candles/TimeAxis.ts"
import * as Backtest from "../../src/lab/backtest/Backtest.ts"
import { noCosts } from "../../src/lab/backtest/kernel/FillPresets.ts"
import * as FillRows from "../../src/lab/backtest/results/FillRows.ts"
import { randomFrom } from "../../src/rehearsal/world/World.ts"
import { defaultSettings } from "../../src/sandbox/Settings.ts"
import * as StrategyFile from "../../src/strategy/StrategyFile.ts"
import { firstOf } from "../long.ts"
import { assertClose, byBot, byKernel, type Filled, noSurprises, pace } from "./sameFills.ts"
import { run } from "./Torture.ts"

const barMillis = 240_000
const bars = Number(process.env["LIMITBOT_BARS"] ?? 9)
const start = Date.UTC(2026, 0, 1)

type Moving = "USDC" | "BTC"

const resting = 1000.37
const mostJump = 0.03

/** What the moving asset is worth at the close of each bar, in dollars. */
const worths = (seed: number, asset: Moving): ReadonlyArray<number> => {
  const random = randomFrom(seed)
  let price = asset === "USDC" ? 1 : resting
  return Array.from({ length: bars }, (_, bar) => {
    if (bar > 0) price *= 1 + (random() - 0.5) * 2 * mostJump
    return Math.round(price * 1e4) / 1e4
  })
}

/** Closes of a market in its quote. */
const closesOf = (base: "SOL" | "BTC", asset: Moving, worths: ReadonlyArray<number>): ReadonlyArray<number> =>
  worths.map((worth) => {
    const price = asset === base ? worth : asset === "USDC" ? resting / worth : resting
    return Math.round(price * 1e6) / 1e6
  })

/** The band is a little more than a jump can carry a share. */
const strategyFrom = (seed: number, asset: Moving): string => {
  const random = randomFrom(seed + 77)
  const pick = (low: number, high: number) => low + Math.trunc(random() * (high - low + 1))
  const [sol, btc, value] = [pick(20, 45), pick(20, 45), pick(50, 200) * 1000]
  const quote = 100 - sol - btc
  const carried = { USDC: Math.max(sol, btc) * quote, BTC: btc * (100 - btc) }[asset]
  const band = Math.ceil(carried * mostJump * 1.05) + 1
  const held = (share: number, price: number) => ((share / 100) * (value / price)).toFixed(6)
  const budget = `{ SOL: ${held(sol, resting)}, BTC: ${held(btc, resting)}, USDC: ${held(quote, 1)} }`
  return `name: s
market: [SOL/USDC, BTC/USDC]
kind: rebalance
limits: { budget: ${budget}, staleAfter: 5m, maxPriceDeviation: 10% }
rebalance: { targets: { SOL: ${sol}%, BTC: ${btc}% }, band: ${band}bps, requote: ${pick(5, 20)}bps }
`
}

const assets = [
  { symbol: "BTC", id: "nep141:btc.omft.native", decimals: 8 },
  { symbol: "SOL", id: "nep141:sol.omft.native", decimals: 9 },
  { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 }
]

const candlesOf = (closes: ReadonlyArray<number>): Candles.Candles => {
  const opens = closes.map((close, bar) => closes[bar - 1] ?? close)
  const column = (of: (open: number, close: number) => number) =>
    Candles.columnOf(closes.map((close, bar) => of(opens[bar] ?? close, close)))
  return {
    bars,
    time: TimeAxis.regular(bars, start - barMillis, barMillis),
    open: column((open) => open),
    high: column(Math.max),
    low: column(Math.min),
    close: Candles.columnOf(closes),
    volume: column(() => 1),
    priceScale: 6
  }
}

/** `edge`: how far beyond its limit the price must go to fill an order, basis points; below zero, how near to it. */
const backtested = (text: string, markets: ReadonlyArray<ReadonlyArray<number>>, edge: number) => {
  const strategy = Result.getOrThrow(StrategyFile.parse(text, "s.yaml", { assets, ticks: new Map() }))
  const [first, ...others] = markets.map((closes): Backtest.MarketInput => {
    const candles = candlesOf(closes)
    return {
      candles,
      indices: CrossingIndex.linearIndices(candles),
      options: { costs: noCosts, changes: { edgeBasisPoints: edge } }
    }
  })
  if (first === undefined) return assert.fail()
  const { parts } = Backtest.runAll(strategy, [first, ...others], "optimistic")
  return byKernel(FillRows.together(parts).map(({ fill }) => fill))
}

const byEngine = async (text: string, asset: Moving, worths: ReadonlyArray<number>, seed: number) => {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-parity-"))
  const csv = join(folder, `${asset.toLowerCase()}.csv`)
  const still = worths.flatMap((worth, bar) => (bar === 0 ? [worth] : [worth, worth]))
  const lines = still.map((worth, index) => [start + (index * barMillis) / 2, worth, worth, worth, worth].join(","))
  writeFileSync(csv, ["open_time_ms,open,high,low,close", ...lines, ""].join("\n"))
  const result = await run({
    seed,
    strategy: text,
    candles: csv,
    speed: 1,
    chaosMillis: bars * barMillis - barMillis / 4,
    faultRate: 0,
    kills: 0,
    sandbox: {
      assets: defaultSettings("native").assets.map((each) => ({
        ...each,
        fee: "0",
        // The one that is not constant is the one that the file is of.
        volatility: each.symbol === asset ? 1 : 0,
        priceUsd: each.symbol === "USDC" ? 1 : resting
      })),
      stepMillis: barMillis / 2,
      spread: 2e-8,
      ...noSurprises
    },
    pace
  })
  rmSync(folder, { recursive: true })
  return byBot(result.seen, (filledAt) => Math.floor(filledAt / barMillis + 0.5))
}

const first = Number(process.env["LIMITBOT_SEED"] ?? 1)
const count = Number(process.env["LIMITBOT_PARITY"] ?? 1)

/**
 * Each side of the sandbox's quote lies 1e-8 from the mid, and the kernel has no spread. An order is the small difference
 * between what is held and what should be, a fiftieth of it or more, so the digits that differ are the seventh and later ones.
 */
const mostApart = 1e-6

/**
 * Trades SOL by what BTC does: by its price now, by its candles, and by the price of one in the other. What candles say
 * it does once: a fill is seen within its bar live and at the end of the bar here, so a pause ends at different candles.
 */
const watcherFrom = (seed: number, asset: Moving): string => {
  const random = randomFrom(seed + 177)
  const pick = (low: number, high: number) => low + Math.trunc(random() * (high - low + 1))
  const near = () => (1000.37 + pick(-12, 12) + 0.5).toFixed(2)
  const still = asset === "BTC"
  const price = still ? "mid * (1 - 1%)" : `mid * (1 + 0.${pick(1, 5)}%)`
  return `name: s
market: SOL/USDC
kind: rules
limits: { budget: { base: 1000, quote: 1000000 }, staleAfter: 5m, maxPriceDeviation: 10% }
rules:
  timeframe: 4m
  orders:
    now:
      when: mid("BTC/USDC") < ${near()}
      side: buy
      price: mid * (1 ${still ? "+ 1%" : `- 0.${pick(1, 5)}%`})
      size: { base: ${pick(1, 4)} }
      expireAfter: ${pick(1, 3) * 4}m
      times: ${pick(1, 3)}
    candles:
      when: minute >= 24 and close("BTC/USDC") > sma(close("BTC/USDC"), ${pick(2, 3)})
      side: sell
      price: ${price}
      size: { base: ${pick(1, 4)} }
      times: 1
    ratio:
      when: minute >= 24 and close("BTC/USDC") / close > sma(close("BTC/USDC") / close, 2) * (1 ${still ? "+ 0.1%" : "- 1%"})
      side: sell
      price: ${price}
      size: { base: 1 }
      times: 1
    pair:
      when: mid("BTC/USDC") / mid > ${still ? "1.00123" : "0.99"} and minute >= 16
      side: buy
      price: mid * (1 ${still ? "+ 1%" : "- 0.2%"})
      size: { base: 2 }
      times: ${pick(1, 3)}
`
}

describe("engine and backtest fill the same slots of several markets in the same bars for the same amounts", () => {
  const moving: ReadonlyArray<Moving> = count === 1 ? ["USDC"] : ["USDC", "BTC"]
  const compare = async (make: typeof strategyFrom, asset: Moving, tradesStill: boolean) => {
    let [compared, fills] = [0, 0]
    for (let seed = first; compared < count && seed < first + 20 * count; seed++) {
      const moves = worths(seed, asset)
      const text = make(seed, asset)
      const markets = (["SOL", "BTC"] as const).map((base) => closesOf(base, asset, moves))
      const said = (fills: ReadonlyArray<Filled>) => fills.map(({ what }) => what)
      const kernel = backtested(text, markets, 0)
      const isClose = [-0.1, 0.1].some((edge) => `${said(backtested(text, markets, edge))}` !== `${said(kernel)}`)
      const isTradedStandingStill = !tradesStill && asset !== "USDC" && kernel.some(({ what }) => !what.includes(asset))
      if (kernel.length === 0 || isTradedStandingStill || isClose) continue
      const engine = await byEngine(text, asset, moves, seed)
      const about = `seed ${seed}: ${text}${moves.join(" ")}`
      assert.deepStrictEqual(said(engine), said(kernel), about)
      assertClose(engine, kernel, mostApart, about)
      compared++
      fills += engine.length
    }
    process.stdout.write(`${asset}: ${compared} runs, ${fills} fills\n`)
    assert.strictEqual(compared, count)
  }
  for (const asset of firstOf(1, moving))
    it(`if the price of ${asset} moves`, { timeout: count * 60_000 }, () => compare(strategyFrom, asset, false))
  for (const asset of count === 1 ? (["BTC"] as const) : moving)
    it(`if a strategy watches another market, and the price of ${asset} moves`, { timeout: count * 60_000 }, () =>
      compare(watcherFrom, asset, true)
    )
})
