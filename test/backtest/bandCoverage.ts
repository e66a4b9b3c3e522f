/**
 * Is the band true, and is it narrow? Strategies run over real minutes on venues of a law of their own: those are the live
 * results. The band knows only the hours that the minutes make up. Printed for each kind: how many live results lie between
 * p5 and p95, and how wide that is against the middle nine tenths of the live results of the same hours.
 *
 *   npm run coverage -- 40      # seeds; more words choose kinds
 */
import { Result } from "effect"
import * as Backtest from "../../src/backtest/Backtest.ts"
import * as Band from "../../src/backtest/Band.ts"
import { noCosts } from "../../src/backtest/kernel/FillPresets.ts"
import type { FillRules } from "../../src/backtest/kernel/FillRules.ts"
import * as Quantiles from "../../src/backtest/results/Quantiles.ts"
import { type Candles, columnOf, slice } from "../../src/candles/Candles.ts"
import * as CrossingIndex from "../../src/candles/CrossingIndex.ts"
import * as Resample from "../../src/candles/Resample.ts"
import * as TimeAxis from "../../src/candles/TimeAxis.ts"
import { hourMillis } from "../../src/domain/Durations.ts"
import { type Random, seeded } from "../../src/domain/Seeded.ts"
import type { Strategy } from "../../src/strategy/Strategy.ts"
import * as StrategyFile from "../../src/strategy/StrategyFile.ts"
import * as sharedData from "./sharedData.ts"

const sources = ["btc-perp-1m-20211231-20220201.csv.gz", "binance-solusdt-1m-20240801-20240803.csv.gz"]
const hours = 48
const liveRuns = 19

const assets = [
  { symbol: "COIN", id: "coin", decimals: 8 },
  { symbol: "USD", id: "usd", decimals: 6 }
]

type Section = (price: number, next: Random) => string

const percents = (next: Random, least: number, most: number): string =>
  `${(least + next() * (most - least)).toFixed(2)}%`

/** As people write them, around the price at the start. */
export const coveredKinds: Readonly<Record<string, Section>> = {
  // Minutes cannot say how often a narrower cell was really crossed.
  grid: (price, next) => {
    const width = 0.02 + next() * 0.06
    const [lower, upper] = [price * (1 - width), price * (1 + width)].map((level) => level.toFixed(1))
    return `{ lower: ${lower}, upper: ${upper}, levels: ${9 + Math.floor(next() * 16)}, size: { quote: 1000 } }`
  },
  ladder: (price, next) =>
    `{ side: buy, from: ${(price * 0.998).toFixed(1)}, to: ${(price * 0.96).toFixed(1)}, rungs: ${4 + Math.floor(next() * 8)}, total: { quote: 20000 }, takeProfit: ${percents(next, 0.4, 2)} }`,
  "market-making": (price, next) =>
    `{ levels: 2, spread: ${percents(next, 0.3, 0.8)}, step: 0.3%, size: ${(1000 / price).toFixed(6)}, requote: ${percents(next, 0.2, 0.5)}, maxInventory: ${(10_000 / price).toFixed(6)} }`,
  rebalance: (_, next) => `{ target: 50%, band: ${percents(next, 0.3, 1)} }`,
  bracket: (price, next) =>
    `{ side: buy, size: { quote: 20000 }, entry: ${(price * (0.995 - next() * 0.005)).toFixed(1)}, takeProfit: ${(price * (1.01 + next() * 0.01)).toFixed(1)}, stop: ${(price * (0.985 - next() * 0.01)).toFixed(1)}, reach: 1% }`
}

const strategyOf = (kind: string, section: string, price: number): Strategy => {
  const budget = `limits: { budget: { base: ${(50_000 / price).toFixed(6)}, quote: 50000 }, maxPriceDeviation: 10% }`
  const text = `name: s\nmarket: COIN/USD\nkind: ${kind}\n${budget}\n${kind}: ${section}\n`
  return Result.getOrThrow(StrategyFile.parse(text, "s.yaml", { assets, ticks: new Map() }))
}

const hoursOf = (minutes: Candles): Candles => {
  const { columns, startMillis } = Resample.of({ ...minutes, whole: minutes }, hourMillis)
  const bars = columns.close.length
  return {
    bars,
    time: TimeAxis.regular(bars, startMillis, hourMillis),
    open: columnOf(columns.open),
    high: columnOf(columns.high),
    low: columnOf(columns.low),
    close: columnOf(columns.close),
    volume: columnOf(columns.volume),
    priceScale: minutes.priceScale
  }
}

/** Whole hours of the minutes, from anywhere. */
const windowOf = (minutes: Candles, next: Random): Candles => {
  const { time, bars } = minutes
  const from = TimeAxis.openTime(time, Math.floor(next() * (bars - (hours + 1) * 60)))
  const first = TimeAxis.firstBarFrom(time, Math.ceil(from / hourMillis) * hourMillis)
  const { whole: _, ...part } = slice(minutes, first, first + hours * 60)
  return part
}

/** A venue as none of the band's: margins of a fixed size, or new for every run, and times that are mostly short. */
const venueOf = (next: Random, margin: number | undefined): Partial<FillRules> => ({
  edgeBasisPoints: margin ?? next() * 10,
  placeMillis: Math.round(2000 + next() * 8000),
  payoutMillis: Math.round(5000 + next() * 25_000),
  cancelMillis: Math.round(5000 + next() * 25_000),
  volumeShare: 0
})

const gainOver = (strategy: Strategy, candles: Candles, changes: Partial<FillRules>): number => {
  const input = { candles, indices: CrossingIndex.linearIndices(candles, "at"), options: { costs: noCosts, changes } }
  return Number(Backtest.profitOf(Backtest.runAll(strategy, [input], "optimistic"))) / 1e6
}

/** Basis points that solvers want beyond the limit: anything up to ten in each run, or always as much. */
export const margins = [undefined, 0, 5, 30] as const

interface Covered {
  readonly inside: number
  readonly width: number
  /** The middle nine tenths of the live results. */
  readonly liveWidth: number
}

/** Amounts are rounded: as much is nothing. */
const hundredth = 0.01

/** Live results of one strategy over a window of real minutes, by margin, against the band of its hours. */
export const covered = (kind: string, seed: number, minutes: Candles): ReadonlyArray<Covered> => {
  const next = seeded(seed * 7919)
  const fine = windowOf(minutes, next)
  const coarse = hoursOf(fine)
  const price = fine.close[0] ?? 0
  const strategy = strategyOf(kind, coveredKinds[kind]?.(price, next) ?? "{}", price)
  const input = {
    candles: coarse,
    indices: CrossingIndex.linearIndices(coarse, "at"),
    options: { costs: noCosts, changes: { volumeShare: 0 } }
  }
  const { p5, p95 } = Band.quantilesOf(Band.run(strategy, [input]).simulated, Backtest.profitOf)
  const [low, high] = [Number(p5) / 1e6, Number(p95) / 1e6]
  return margins.map((margin) => {
    const live = Array.from({ length: liveRuns }, () => gainOver(strategy, fine, venueOf(next, margin)))
    const middle = Quantiles.of([live[0] ?? 0, ...live.slice(1)])
    return {
      inside: live.filter((gain) => gain >= low - hundredth && gain <= high + hundredth).length / live.length,
      width: high - low,
      liveWidth: middle.p95 - middle.p5
    }
  })
}

export const minutesOf = (seed: number): Candles => {
  const name = sources[seed % sources.length] ?? ""
  const known = read.get(name) ?? sharedData.candles(name)
  read.set(name, known)
  return known
}
const read = new Map<string, Candles>()

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

const main = (seeds: number, chosen: ReadonlyArray<string>): void => {
  const say = (text: string): void => void process.stdout.write(`${text}\n`)
  const laws = margins.map((margin) => (margin === undefined ? "0 to 10 bps" : `${margin} bps`))
  say(`| kind | ${laws.map((law) => `inside, ${law}`).join(" | ")} | width | middle 90 % of live | ratio |`)
  say(`|---|${"---|".repeat(margins.length + 3)}`)
  for (const kind of Object.keys(coveredKinds)) {
    if (chosen.length > 0 && !chosen.includes(kind)) continue
    const found = Array.from({ length: seeds }, (_, seed) => covered(kind, seed + 1, minutesOf(seed)))
    const inside = margins.map((_, law) => `${(100 * mean(found.map((each) => each[law]?.inside ?? 0))).toFixed(0)} %`)
    const [width, live] = [
      median(found.map(([first]) => first?.width ?? 0)),
      median(found.map(([first]) => first?.liveWidth ?? 0))
    ]
    const ratio = live === 0 ? "" : `${(width / live).toFixed(1)} x`
    say(`| ${[kind, ...inside, width.toFixed(2), live.toFixed(2), ratio].join(" | ")} |`)
  }
}

if (import.meta.main) {
  const [seeds = "40", ...chosen] = process.argv.slice(2)
  if (sharedData.isPresent) main(Number(seeds), chosen)
  else process.stdout.write("skipped: the shared data are not here\n")
}
