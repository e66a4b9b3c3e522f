/**
 * Every kind with a memory against a simulator of its own that is as naive as can be, over random settings and candles, on
 * both sides of the band: the same fills in the same bars, at the same prices, of the same quantities, and as many orders
 * placed and withdrawn: none that never was.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Backtest from "../../../src/backtest/Backtest.ts"
import { noCosts } from "../../../src/backtest/kernel/FillPresets.ts"
import { rows } from "../../../src/backtest/results/FillRows.ts"
import * as Candles from "../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../src/candles/CrossingIndex.ts"
import * as TimeAxis from "../../../src/candles/TimeAxis.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { type Random, seeded } from "../../../src/domain/Seeded.ts"
import * as StrategyFile from "../../../src/strategy/StrategyFile.ts"
import * as naive from "./NaiveStrategies.ts"
import { type Bar, type Fill, type Side, type Strategy, simulate } from "./NaiveVenue.ts"

const seeds = Number(process.env["LIMITBOT_SEEDS"] ?? 12)
const minutes = 120

/** Cents around 100; of their volume a tenth is whole units. */
const randomBars = (next: Random): ReadonlyArray<Bar & { readonly open: number }> => {
  const size = next() < 0.5 ? 0.3 : 1
  let price = 100
  return Array.from({ length: minutes }, () => {
    const path = [price]
    for (let step = 0; step < 3; step++) {
      price += (next() - 0.5) * size - (price - 100) * 0.01
      path.push(price)
    }
    const whole = path.map((value) => Math.round(value * 100) * 10_000)
    const [open = 0, , , close = 0] = whole
    return { open, low: Math.min(...whole), high: Math.max(...whole), close, most: Math.floor(next() * 6) }
  })
}

const candlesOf = (bars: ReturnType<typeof randomBars>): Candles.Candles => {
  const column = (of: (bar: (typeof bars)[number]) => number) => Candles.columnOf(bars.map(of))
  return {
    bars: bars.length,
    time: TimeAxis.regular(bars.length, Date.UTC(2026, 0, 1), 60_000),
    open: column(({ open }) => open / 1e6),
    high: column(({ high }) => high / 1e6),
    low: column(({ low }) => low / 1e6),
    close: column(({ close }) => close / 1e6),
    volume: column(({ most }) => most * 10),
    priceScale: 2
  }
}

const assets = [
  { symbol: "BASE", id: "base", decimals: 8 },
  { symbol: "QUOTE", id: "quote", decimals: 6 }
]

const millionths = (price: Decimal.Decimal): number => Math.round(Decimal.toNumber(price) * 1e6)

const line = ({ bar, slot, side, price, quantity }: Fill): string => `${bar} ${slot} ${side} ${quantity} at ${price}`

const byKernel = (text: string, candles: Candles.Candles, mode: "optimistic" | "pessimistic") => {
  const strategy = Result.getOrThrow(StrategyFile.parse(text, "naive.yaml", { assets, ticks: new Map() }))
  const indices = CrossingIndex.linearIndices(candles, "at")
  const { outcome } = Backtest.run(strategy, candles, indices, mode, { costs: noCosts, changes: {} })
  const fills = [...rows(outcome, candles)].map(({ bar, slotName, side, price, quantity, input, output }) => {
    const at = millionths(price)
    // Exactly what the price says, to the smallest unit of money.
    assert.strictEqual(side === "BUY" ? input : output, (quantity / 100_000_000n) * BigInt(at))
    return line({ bar, slot: slotName, side, price: at, quantity: Number(quantity) / 1e8 })
  })
  return { fills, placed: outcome.counts.placed, cancelled: outcome.counts.cancelled }
}

type Pick = (least: number, most: number) => number

interface Made {
  /** The section of the file. */
  readonly section: string
  readonly make: () => Strategy
}

const percent = (thousandths: number): string => `${thousandths / 10}%`
const price = (millionths: number): string => (millionths / 1e6).toFixed(6)

const kinds: Readonly<Record<string, (pick: Pick, side: Side) => Made>> = {
  dca: (pick, side) => {
    const given = {
      side,
      size: pick(1, 9),
      times: pick(1, 8),
      everyMinutes: pick(1, 20),
      reach: pick(0, 4),
      drop: pick(0, 6)
    }
    const drop = given.drop === 0 ? "" : `, drop: ${percent(given.drop)}`
    return {
      section: `{ side: ${side.toLowerCase()}, every: ${given.everyMinutes}m, size: { base: ${given.size} }, times: ${given.times}, reach: ${percent(given.reach)}${drop} }`,
      make: () => naive.dca(given)
    }
  },
  twap: (pick, side) => {
    const limit = (side === "BUY" ? 100 + pick(-1, 3) : 100 + pick(-3, 1)) * 1e6
    const given = { side, size: pick(1, 9), times: pick(1, 6), everyMinutes: pick(1, 15), reach: pick(0, 4), limit }
    return {
      section: `{ side: ${side.toLowerCase()}, total: { base: ${given.size * given.times} }, over: ${given.times * given.everyMinutes}m, slices: ${given.times}, limit: ${limit / 1e6}, reach: ${percent(given.reach)} }`,
      make: () => naive.twap(given)
    }
  },
  iceberg: (pick, side) => {
    const [at, total, visible] = [
      (side === "BUY" ? 100 - pick(-1, 1) : 100 + pick(-1, 1)) * 1e6,
      pick(3, 12),
      pick(1, 3)
    ]
    return {
      section: `{ side: ${side.toLowerCase()}, price: ${at / 1e6}, total: { base: ${total} }, visible: { base: ${visible} } }`,
      make: () => naive.iceberg(side, at, total, visible)
    }
  },
  bracket: (pick, side) => {
    const sign = side === "BUY" ? 1 : -1
    const entry = 100_000_000 - sign * pick(-3, 5) * 100_000
    const given = {
      side,
      size: pick(1, 9),
      entry,
      takeProfit: entry + sign * pick(3, 15) * 100_000,
      stop: entry - sign * pick(3, 15) * 100_000,
      reach: pick(0, 8),
      trail: pick(0, 1) * pick(3, 9),
      breakevenAt: pick(0, 1) * (entry + sign * pick(2, 8) * 100_000)
    }
    const trail = given.trail === 0 ? "" : `, trail: ${percent(given.trail)}`
    const breakeven = given.breakevenAt === 0 ? "" : `, breakevenAt: ${price(given.breakevenAt)}`
    return {
      section: `{ side: ${side.toLowerCase()}, size: { base: ${given.size} }, entry: ${price(entry)}, takeProfit: ${price(given.takeProfit)}, stop: ${price(given.stop)}, reach: ${percent(given.reach)}${trail}${breakeven} }`,
      make: () => naive.bracket(given)
    }
  },
  "market-making": (pick) => {
    const [size, spread] = [pick(1, 3), pick(2, 8)]
    const given = {
      levels: pick(1, 3),
      size,
      spread,
      step: pick(1, 4),
      requote: pick(1, 5),
      // Quotes that lean across the close would go round and round.
      skew: pick(0, Math.floor((spread - 1) / 2)),
      maxInventory: size * pick(1, 6)
    }
    return {
      section: `{ levels: ${given.levels}, spread: ${percent(given.spread)}, step: ${percent(given.step)}, size: ${size}, requote: ${percent(given.requote)}, skew: ${percent(given.skew)}, maxInventory: ${given.maxInventory} }`,
      make: () => naive.marketMaking(given)
    }
  },
  rules: (pick) => {
    const given = {
      below: (100 + pick(-1, 2)) * 1e6,
      size: pick(1, 5),
      times: pick(1, 8),
      under: pick(0, 4),
      profit: pick(1, 9),
      expireMinutes: pick(1, 12)
    }
    return {
      section: `
  timeframe: 1m
  orders:
    dip:
      when: mid < ${given.below / 1e6}
      side: buy
      price: mid * (1 - ${percent(given.under)})
      size: { base: ${given.size} }
      times: ${given.times}
      expireAfter: ${given.expireMinutes}m
      then: { price: entry * (1 + ${percent(given.profit)}) }`,
      make: () => naive.rules(given)
    }
  }
}

describe("a naive simulator fills the same, on both sides of the band", () => {
  for (const [kind, of] of Object.entries(kinds))
    it(kind, () => {
      const seen = { optimistic: 0, pessimistic: 0 }
      for (let seed = 1; seed <= seeds; seed++) {
        const next = seeded(seed)
        const bars = randomBars(next)
        const pick: Pick = (least, most) => least + Math.floor(next() * (most - least + 1))
        const { section, make } = of(pick, next() < 0.5 ? "BUY" : "SELL")
        const limits = "limits: { budget: { base: 1000, quote: 1000000 }, maxPriceDeviation: 50% }"
        const text = `name: naive\nmarket: BASE/QUOTE\nkind: ${kind}\n${limits}\n${kind}: ${section}\n`
        for (const mode of ["optimistic", "pessimistic"] as const) {
          const found = simulate(bars, mode === "pessimistic", make())
          const expected = { ...found, fills: found.fills.map(line) }
          assert.deepStrictEqual(byKernel(text, candlesOf(bars), mode), expected, `seed ${seed}, ${mode}: ${text}`)
          seen[mode] += expected.fills.length
        }
      }
      for (const [mode, fills] of Object.entries(seen)) assert.isAbove(fills, seeds, mode)
    })
})
