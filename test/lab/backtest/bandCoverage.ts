/**
 * Is the band true, and is it narrow? A small bot trades real prices on the sandbox, whose solvers follow laws that share no
 * code with the backtest: those are the live results. The band knows candles sixty times as long and its prior. Printed for
 * each kind: how many live results lie between p5 and p95, by law; and how wide that is.
 *
 *   npm run coverage -- 40      # seeds; more words choose kinds, `from=1001` the first seed
 */
import { Result } from "effect"
import { type Candles, columnOf, slice } from "../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../src/candles/CrossingIndex.ts"
import * as Resample from "../../../src/candles/Resample.ts"
import * as TimeAxis from "../../../src/candles/TimeAxis.ts"
import { hourMillis, minuteMillis } from "../../../src/domain/Durations.ts"
import { type Random, seeded } from "../../../src/domain/Seeded.ts"
import * as Band from "../../../src/lab/backtest/Band.ts"
import { noCosts } from "../../../src/lab/backtest/kernel/FillPresets.ts"
import * as BandSide from "../../../src/lab/backtest/results/BandSide.ts"
import * as Quantiles from "../../../src/lab/backtest/results/Quantiles.ts"
import { type SolverLaw, solverLaws } from "../../../src/sandbox/Solvers.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import * as StrategyFile from "../../../src/strategy/StrategyFile.ts"
import * as SandboxTrader from "./SandboxTrader.ts"
import * as sharedData from "./sharedData.ts"

/** `lively`: how far its prices go, against the others: strategies are made as much narrower. */
const sources = [
  { file: "btc-perp-1m-20211231-20220201.csv.gz", coarseMillis: hourMillis, lively: 1 },
  { file: "binance-solusdt-1m-20240801-20240803.csv.gz", coarseMillis: hourMillis, lively: 1 },
  // Seconds, made of single trades.
  { file: "coinbase-btcusd-1s-lean.csv.gz", coarseMillis: minuteMillis, lively: 0.25 }
]
const windowMillis = 24 * hourMillis

const assets = [
  { symbol: "COIN", id: "nep141:coin", decimals: 8 },
  { symbol: "USD", id: "nep141:usd", decimals: 6 }
]

/** Where the price is, and a share of it as text: the least and the most, times how lively the market is. */
interface Place {
  readonly price: number
  readonly next: Random
  readonly percents: (least: number, most: number) => string
  /** The price, so many percent away. */
  readonly away: (percent: number) => string
}

/** As people write them, around the price at the start. */
export const coveredKinds: Readonly<Record<string, (place: Place) => string>> = {
  grid: ({ next, away }) => {
    const width = 2 + next() * 6
    // On no level at the start: whether a cell there begins with a purchase or a sale would hang on rounding.
    return `{ lower: ${away(-width)}, upper: ${away(width * 0.93)}, levels: ${9 + Math.floor(next() * 16)}, size: { quote: 1000 } }`
  },
  ladder: ({ next, away, percents }) =>
    `{ side: buy, from: ${away(-0.2)}, to: ${away(-4)}, rungs: ${4 + Math.floor(next() * 8)}, total: { quote: 20000 }, takeProfit: ${percents(0.4, 2)} }`,
  dca: ({ percents }) => `{ every: 1h, side: buy, size: { quote: 1000 }, times: 20, reach: ${percents(0.1, 0.5)} }`,
  deals: ({ percents }) =>
    `{ size: { quote: 3000 }, reach: ${percents(0.1, 0.3)}, safety: { orders: 4, size: { quote: 3000 }, distance: ${percents(0.5, 1)} }, takeProfit: ${percents(0.5, 1.5)}, cooldown: 10m }`,
  "market-making": ({ price, percents }) =>
    `{ levels: 2, spread: ${percents(0.4, 1)}, step: 0.3%, size: ${(1000 / price).toFixed(6)}, requote: ${percents(0.2, 0.5)}, maxInventory: ${(10_000 / price).toFixed(6)} }`,
  rebalance: ({ percents }) => `{ target: 50%, band: ${percents(0.3, 1)} }`,
  bracket: ({ next, away }) =>
    `{ side: buy, size: { quote: 20000 }, entry: ${away(-0.5 - next() * 0.5)}, takeProfit: ${away(1 + next())}, stop: ${away(-1.5 - next())}, reach: 1% }`
}

const strategyOf = (kind: string, price: number, next: Random, lively: number): Strategy => {
  const section = coveredKinds[kind]?.({
    price,
    next,
    percents: (least, most) => `${((least + next() * (most - least)) * lively).toFixed(2)}%`,
    away: (percent) => (price * (1 + (percent * lively) / 100)).toFixed(2)
  })
  const budget = `limits: { budget: { base: ${(50_000 / price).toFixed(6)}, quote: 50000 }, maxPriceDeviation: 10% }`
  const text = `name: s\nmarket: COIN/USD\nkind: ${kind}\n${budget}\n${kind}: ${section}\n`
  return Result.getOrThrow(StrategyFile.parse(text, "s.yaml", { assets, ticks: new Map() }))
}

const coarser = (fine: Candles, stepMillis: number): Candles => {
  const { columns, startMillis } = Resample.of({ ...fine, whole: fine }, stepMillis)
  const bars = columns.close.length
  return {
    bars,
    time: TimeAxis.regular(bars, startMillis, stepMillis),
    open: columnOf(columns.open),
    high: columnOf(columns.high),
    low: columnOf(columns.low),
    close: columnOf(columns.close),
    volume: columnOf(columns.volume),
    priceScale: fine.priceScale
  }
}

interface Source {
  readonly fine: Candles
  readonly coarseMillis: number
  readonly lively: number
}

/** A window that begins and ends with a long candle, from anywhere. */
const windowOf = ({ fine, coarseMillis }: Source, next: Random): Candles => {
  const { time, bars } = fine
  const length = windowMillis / time.stepMillis
  const from = TimeAxis.openTime(time, Math.floor(next() * (bars - length - coarseMillis / time.stepMillis)))
  const first = TimeAxis.firstBarFrom(time, Math.ceil(from / coarseMillis) * coarseMillis)
  const { whole: _, ...part } = slice(fine, first, first + length)
  return part
}

/** Who fills orders, drawn for each live run. */
export interface Law {
  readonly name: string
  /** The band's prior has it. */
  readonly isKnown: boolean
  readonly solvers: (next: Random) => SolverLaw
}

const eager: SolverLaw = { marginBasisPoints: [0, 0], marginPerThousandUsd: 0, solvers: 1, latencyMillis: [0, 0] }
const margin = (basisPoints: number): SolverLaw => ({ ...eager, marginBasisPoints: [basisPoints, basisPoints] })

export const laws: ReadonlyArray<Law> = [
  { name: "0–30 bps", isKnown: true, solvers: (next) => margin(next() * 30) },
  ...[0, 5, 10, 20, 30].map((bps) => ({ name: `${bps} bps`, isKnown: true, solvers: () => margin(bps) })),
  ...["random", "competition", "by-size", "slow", "thin", "away"].map((name) => ({
    name,
    isKnown: false,
    solvers: () => solverLaws[name] ?? eager
  }))
]

/** Times of a real chain, drawn for each live run. */
const venueOf = (law: Law, next: Random, fine: Candles): SandboxTrader.Venue => {
  const time = (least: number, most: number): readonly [number, number] => {
    const middle = least + next() * (most - least)
    return [Math.round(middle / 2), Math.round(middle * 1.5)]
  }
  return {
    seed: 1 + Math.floor(next() * 1e9),
    lookMillis: 12_000,
    firstLookMillis: fine.time.stepMillis,
    stepMillis: 3000,
    recognitionMillis: time(1000, 8000),
    payoutMillis: time(3000, 25_000),
    cancelMillis: time(3000, 25_000),
    solvers: law.solvers(next)
  }
}

interface Covered {
  readonly low: number
  readonly middle: number
  readonly high: number
  /** By law; the first has several. */
  readonly live: ReadonlyArray<readonly [number, ...ReadonlyArray<number>]>
}

/** Amounts are rounded: as much is nothing. */
const hundredth = 0.01

export const isInside = ({ low, high }: Covered, live: number): boolean =>
  live >= low - hundredth && live <= high + hundredth

/** Live results of one strategy over a window of real prices, by law, against the band of its long candles. */
export const covered = (kind: string, seed: number, source: Source, liveRuns: number, of = laws): Covered => {
  const next = seeded(seed * 7919)
  const fine = windowOf(source, next)
  const coarse = coarser(fine, source.coarseMillis)
  const price = fine.close[0] ?? 0
  const strategy = strategyOf(kind, price, next, source.lively)
  const fee = { base: SandboxTrader.feeOf({ decimals: 8 }, price), quote: SandboxTrader.feeOf({ decimals: 6 }, 1) }
  const input = {
    candles: coarse,
    indices: CrossingIndex.linearIndices(coarse),
    options: { costs: { ...noCosts, withdrawFee: fee, refundFee: fee }, changes: { volumeShare: 0 } }
  }
  const { p5, p50, p95 } = Band.quantilesOf(Band.run(strategy, [input]).simulated, BandSide.profitOf)
  const run = (law: Law): number => SandboxTrader.trade(strategy, fine, venueOf(law, next, fine)).profit
  const live = of.map((law, index) => {
    const more = Array.from({ length: index === 0 ? liveRuns - 1 : 0 }, () => run(law))
    return [run(law), ...more] as const
  })
  return { low: Number(p5) / 1e6, middle: Number(p50) / 1e6, high: Number(p95) / 1e6, live }
}

export const sourceOf = (seed: number): Source => {
  const source = sources[seed % sources.length] ?? sources[0]
  if (source === undefined) throw new Error("no source")
  const known = read.get(source.file) ?? sharedData.candles(source.file, ["gaps"])
  read.set(source.file, known)
  return { ...source, fine: known }
}
const read = new Map<string, Candles>()

const sorted = (values: ReadonlyArray<number>): ReadonlyArray<number> => values.toSorted((a, b) => a - b)

const median = (values: ReadonlyArray<number>): number => sorted(values)[Math.floor(values.length / 2)] ?? 0

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** So much of each band, about its middle, would have held nine tenths of the live results of the first law. */
const needed = (found: ReadonlyArray<Covered>): number => {
  const ratios = found.flatMap(({ low, middle, high, live: [first = []] }) =>
    first.map((gain) => Math.abs(gain - middle) / (hundredth + (gain > middle ? high - middle : middle - low)))
  )
  return sorted(ratios)[Math.ceil(ratios.length * 0.9) - 1] ?? 0
}

const liveRuns = 19

const main = (first: number, seeds: number, chosen: ReadonlyArray<string>): void => {
  const say = (text: string): void => void process.stdout.write(`${text}\n`)
  say(`| kind | ${laws.map(({ name }) => name).join(" | ")} | p5 to p95 | middle 90 % of live | ratio | needed |`)
  say(`|---|${"---|".repeat(laws.length + 4)}`)
  for (const kind of Object.keys(coveredKinds)) {
    if (chosen.length > 0 && !chosen.includes(kind)) continue
    const found = Array.from({ length: seeds }, (_, index) =>
      covered(kind, first + index, sourceOf(first + index), liveRuns)
    )
    const inside = laws.map((_, law) => {
      const share = mean(
        found.map((each) => mean((each.live[law] ?? []).map((gain) => (isInside(each, gain) ? 1 : 0))))
      )
      return `${(100 * share).toFixed(0)} %`
    })
    const width = median(found.map(({ low, high }) => high - low))
    const live = median(
      found.map(({ live: [of = [0]] }) => {
        const { p5, p95 } = Quantiles.of([of[0] ?? 0, ...of.slice(1)])
        return p95 - p5
      })
    )
    const ratio = live < hundredth ? "" : `${(width / live).toFixed(1)} x`
    say(
      `| ${[kind, ...inside, width.toFixed(2), live.toFixed(2), ratio, `${(100 * needed(found)).toFixed(0)} %`].join(" | ")} |`
    )
  }
}

if (import.meta.main) {
  const [seeds = "40", ...words] = process.argv.slice(2)
  const from = words.find((word) => word.startsWith("from="))?.slice(5) ?? "1"
  const chosen = words.filter((word) => !word.startsWith("from="))
  if (sharedData.isPresent) main(Number(from), Number(seeds), chosen)
  else process.stdout.write("skipped: the shared data are not here\n")
}
