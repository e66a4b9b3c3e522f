/** One random strategy file in the kernel and in its naive simulator, on both sides of the band. */
import { Result } from "effect"
import * as Candles from "../../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as TimeAxis from "../../../../src/candles/TimeAxis.ts"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import { type Random, seeded } from "../../../../src/domain/Seeded.ts"
import { noCosts } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import { rows } from "../../../../src/lab/backtest/results/FillRows.ts"
import * as StrategyFile from "../../../../src/strategy/StrategyFile.ts"
import { runOneMarket } from "../../../world/oneMarket.ts"
import { naiveKinds, type Pick } from "./NaiveFiles.ts"
import { firstMinute, unit } from "./NaiveStrategies.ts"
import { type Bar, type Fill, simulate } from "./NaiveVenue.ts"

const minutes = 120

/** Cents around 100; of their volume a tenth is whole units. */
const randomBars = (next: Random): ReadonlyArray<Bar> => {
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
    const most = Math.floor(next() * 6) * unit
    return { open, low: Math.min(...whole), high: Math.max(...whole), close, most }
  })
}

const candlesOf = (bars: ReturnType<typeof randomBars>): Candles.Candles => {
  const column = (of: (bar: (typeof bars)[number]) => number) => Candles.columnOf(bars.map(of))
  return {
    bars: bars.length,
    time: TimeAxis.regular(bars.length, firstMinute * 60_000, 60_000),
    open: column(({ open }) => open / 1e6),
    high: column(({ high }) => high / 1e6),
    low: column(({ low }) => low / 1e6),
    close: column(({ close }) => close / 1e6),
    volume: column(({ most }) => (most / unit) * 10),
    priceScale: 2
  }
}

const assets = [
  { symbol: "BASE", id: "base", decimals: 8 },
  { symbol: "QUOTE", id: "quote", decimals: 6 }
]

const millionths = (price: Decimal.Decimal): number => Math.round(Decimal.toNumber(price) * 1e6)

const line = ({ bar, slot, side, price, quantity, money }: Fill): string =>
  `${bar} ${slot} ${side} ${quantity} at ${Math.round(price)} for ${money}`

const byKernel = (text: string, candles: Candles.Candles, mode: "optimistic" | "pessimistic") => {
  const strategy = Result.getOrThrow(StrategyFile.parse(text, "naive.yaml", { assets, ticks: new Map() }))
  const indices = CrossingIndex.linearIndices(candles)
  const { outcome } = runOneMarket(strategy, candles, indices, mode, { costs: noCosts, changes: {} })
  const fills = [...rows(outcome, candles)].map(({ bar, slotName, side, price, quantity, input, output }) => {
    const money = side === "BUY" ? input : output
    return line({ bar, slot: slotName, side, price: millionths(price), quantity: Number(quantity), money })
  })
  return { fills, placed: outcome.counts.placed, cancelled: outcome.counts.cancelled }
}

export const modes = ["optimistic", "pessimistic"] as const

type Found = ReturnType<typeof byKernel>

export interface Compared {
  readonly mode: (typeof modes)[number]
  readonly kernel: Found
  readonly naive: Found
  /** The strategy file. */
  readonly text: string
}

const ample = "{ base: 1000, quote: 1000000 }"

/** What both sides of the band came to. */
export const compare = (kind: string, seed: number): ReadonlyArray<Compared> => {
  const next = seeded(seed)
  const bars = randomBars(next)
  const pick: Pick = (least, most) => least + Math.floor(next() * (most - least + 1))
  const made = naiveKinds[kind]?.(pick, next() < 0.5 ? "BUY" : "SELL")
  if (made === undefined) throw new Error(`there is no naive simulator of ${kind}`)
  const { section, make, budget = ample, keys = "", quietHours } = made
  const quiet = quietHours === undefined ? "" : `, quietHours: ${quietHours}`
  const limits = `limits: { budget: ${budget}, maxPriceDeviation: 50%${quiet} }`
  const text = `name: naive\nmarket: BASE/QUOTE\nkind: ${kind}\n${limits}\n${keys}${kind}: ${section}\n`
  return modes.map((mode) => {
    const { fills, ...counts } = simulate(bars, mode === "pessimistic", make())
    return { mode, kernel: byKernel(text, candlesOf(bars), mode), naive: { fills: fills.map(line), ...counts }, text }
  })
}
