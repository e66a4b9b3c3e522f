/**
 * Two very different machines on the same candles: the whole bot against the whole sandbox over HTTP in virtual time, and the
 * backtest kernel on columns. With no fees, no spread and no partial fills they must fill the same slots in the same bars.
 *
 * Prices of candles are whole tens and those of orders end in five, and a candle lasts 20 minutes: the few seconds in which
 * the bot sees a fill and places the next order never carry the price across a level. A candle is narrower than a cell, so
 * that the next leg is never marketable when it is placed: live that one fills at once, in the kernel in the next candle.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Backtest from "../../src/backtest/Backtest.ts"
import * as Candles from "../../src/backtest/Candles.ts"
import { noCosts } from "../../src/backtest/FillModel.ts"
import { rows } from "../../src/backtest/FillRows.ts"
import { touching } from "../../src/backtest/FillRules.ts"
import * as Kernel from "../../src/backtest/Kernel.ts"
import * as TimeAxis from "../../src/backtest/TimeAxis.ts"
import { defaultSettings } from "../../src/sandbox/core/Settings.ts"
import * as StrategyFile from "../../src/strategy/StrategyFile.ts"
import { run } from "./Torture.ts"
import { randomFrom } from "./World.ts"

const barMillis = 1_200_000
const bars = Number(process.env["LIMITBOT_BARS"] ?? 30)

/** Open, high, low, close; the first candle does not move, so that everything rests before anything happens. */
const candlesFrom = (seed: number): ReadonlyArray<readonly [number, number, number, number]> => {
  const random = randomFrom(seed)
  const step = (most: number) => Math.trunc(random() * (most + 1)) * 10
  let open = 1000
  return Array.from({ length: bars }, (_, bar) => {
    if (bar === 0) return [open, open, open, open] as const
    const high = open + step(1)
    const low = open - step(1)
    const close = low + Math.trunc((random() * (high - low + 10)) / 10) * 10
    const candle = [open, high, low, close] as const
    open = close
    return candle
  })
}

const strategyFrom = (seed: number): string => {
  const random = randomFrom(seed + 77)
  const pick = (low: number, high: number) => low + Math.trunc(random() * (high - low + 1))
  const head = (kind: string) =>
    `name: s\nmarket: SOL/USDC\nkind: ${kind}\nlimits: { budget: { base: 100, quote: 100000 }, staleAfter: 5m }\n`
  if (random() < 0.6) {
    const spacing = pick(3, 4) * 10
    const lower = 1005 - pick(2, 4) * spacing
    const levels = Array.from({ length: pick(6, 10) }, (_, index) => lower + index * spacing)
    return `${head("grid")}grid: { levels: [${levels.join(", ")}], size: { base: ${pick(1, 5)} } }\n`
  }
  const isBuy = random() < 0.5
  const [from, to] = isBuy ? [995, 995 - pick(2, 6) * 10] : [1005, 1005 + pick(2, 6) * 10]
  const rungs = Math.abs(to - from) / 10 + 1
  return `${head("ladder")}ladder: { side: ${isBuy ? "buy" : "sell"}, from: ${from}, to: ${to}, rungs: ${rungs}, profile: flat, total: { base: ${rungs} } }\n`
}

const assets = [
  { symbol: "SOL", id: "nep141:sol.omft.native", decimals: 9 },
  { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 }
]

const byKernel = (text: string, candles: ReadonlyArray<readonly [number, number, number, number]>) => {
  const strategy = Result.getOrThrow(StrategyFile.parse(text, "s.yaml", { assets, ticks: new Map() }))
  const column = (of: number) => Candles.columnOf(candles.map((candle) => candle[of] ?? 0))
  const data: Candles.Candles = {
    bars,
    time: TimeAxis.regular(bars, 0, barMillis),
    open: column(0),
    high: column(1),
    low: column(2),
    close: column(3),
    volume: Candles.columnOf(candles.map(() => 1)),
    priceScale: 0
  }
  const side = Backtest.run(strategy, data, Kernel.linearIndices(data, "at"), "optimistic", {
    costs: noCosts,
    changes: touching
  })
  return [...rows(side.outcome, data)].map(({ bar, side, slotName }) => `${bar} ${slotName} ${side}`).toSorted()
}

const byEngine = async (
  text: string,
  candles: ReadonlyArray<readonly [number, number, number, number]>,
  seed: number
) => {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-parity-"))
  const file = join(folder, "sol.csv")
  const lines = candles.map((candle, bar) => [Date.UTC(2026, 0, 1) + bar * barMillis, ...candle, 1].join(","))
  writeFileSync(file, ["open_time_ms,open,high,low,close,volume", ...lines, ""].join("\n"))
  const settings = defaultSettings("native")
  const free = settings.assets.map((asset) => ({ ...asset, fee: "0" }))
  const result = await run({
    seed,
    strategy: text,
    candles: file,
    speed: 1,
    chaosMillis: bars * barMillis + barMillis / 2,
    faultRate: 0,
    kills: 0,
    sandbox: {
      assets: free,
      stepMillis: barMillis,
      spread: 0,
      impactPerMillionUsd: 0,
      partialFillShare: 0,
      recognitionMillis: [0, 0],
      payoutStartMillis: [0, 0],
      payoutMillis: [0, 0]
    },
    pace: { pollMinMillis: 25_000, pollMaxMillis: 40_000 }
  })
  rmSync(folder, { recursive: true })
  // The sandbox looks at a bar when it is over, so a fill carries the time at which the next one begins.
  return result.seen
    .map(({ filledAt, slot, side }) => `${Math.ceil(filledAt / barMillis) - 1} ${slot} ${side}`)
    .toSorted()
}

const first = Number(process.env["LIMITBOT_SEED"] ?? 1)
const count = Number(process.env["LIMITBOT_PARITY"] ?? 2)

describe("parity", () => {
  let filled = 0
  for (let seed = first; seed < first + count; seed += 1) {
    it(`engine and kernel fill the same slots in the same bars (seed ${seed})`, { timeout: 120_000 }, async () => {
      const candles = candlesFrom(seed)
      const text = strategyFrom(seed)
      const expected = byKernel(text, candles)
      assert.deepStrictEqual(await byEngine(text, candles, seed), expected, text)
      filled += expected.length
    })
  }

  it("something filled at all", () => {
    assert.isAbove(filled, 0)
  })
})
