/**
 * What a strategy may have come to: both named sides over the bars as they are, and beside them what runs that are simulated
 * came to, as p5, p50 and p95. Such a run draws what candles do not tell: how the price went within each bar, and what the
 * venue was like (`VenuePrior`). Runs are drawn in batches until the quantiles no longer move, or as many as the counted work of the first
 * run allows. No clock counts, so the same command gives the same figures on any machine. Only their figures are kept.
 *
 * More runs make the quantiles more precise; they do not move them apart. The n-th run of the same file is
 * always the same.
 */

import { closeAt } from "../../candles/Candles.ts"
import * as BarPath from "../../candles/within/BarPath.ts"
import * as Unfold from "../../candles/within/Unfold.ts"
import { type Random, seeded } from "../../domain/Seeded.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as Backtest from "./Backtest.ts"
import * as BandSide from "./results/BandSide.ts"
import * as Quantiles from "./results/Quantiles.ts"
import * as VenuePrior from "./VenuePrior.ts"

/** What a simulated run came to. */
export interface RunFigures
  extends Pick<BandSide.BandSide, "pnlQuote" | "holdPnlQuote" | "feesQuote" | "fills" | "openOrders"> {
  readonly maxDrawdown: number
  readonly dailySharpe: number
  readonly placed: number
}

type AllFigures = readonly [RunFigures, ...ReadonlyArray<RunFigures>]

/** `enough`: one more batch moved no quantile. `most work`: the first run had so many events that no more were begun. */
export interface Simulated {
  readonly runs: AllFigures
  readonly ended: "enough" | "most runs" | "most work" | "as asked"
  /** Sentences about what the runs supposed of the venue, and who says so; several where the markets differ. */
  readonly venue: ReadonlyArray<string>
}

export type Sides = readonly [pessimistic: BandSide.BandSide, optimistic: BandSide.BandSide]

export interface Band {
  readonly sides: Sides
  readonly simulated: Simulated
}

/** Each figure has its own. */
export const quantilesOf = <Value extends number | bigint>(
  { runs: [first, ...others] }: Simulated,
  of: (figures: RunFigures) => Value
): Quantiles.Quantiles<Value> => Quantiles.of([of(first), ...others.map(of)])

const sidesOf = (strategy: Strategy, inputs: Backtest.MarketInputs): Sides => [
  Backtest.runAll(strategy, inputs, "pessimistic"),
  Backtest.runAll(strategy, inputs, "optimistic")
]

/** Quote smallest units at the first close: for ratios. */
export const worthAtStart = ({ parts }: Pick<BandSide.BandSide, "parts">): number =>
  parts.reduce((sum, { budget, candles, market: { base, quote } }) => {
    const unit = 10 ** (base.decimals - quote.decimals)
    return sum + Number(budget.quote) + (Number(budget.base) * closeAt(candles, 0)) / unit
  }, 0)

/** No quantile need be more precise than this share of the worth at the start. */
const precision = 0.0001

const mostRuns = 10 * Quantiles.batch - 1

/** Decisions, orders and fills of all runs together: some 15 seconds of one core. */
const usualWork = 4_000_000
/** The most for the first quantiles: market making on the minutes of six years has them. */
const mostWork = 50_000_000

/** The number of runs by the events of the first one. */
export const runsWithin = (events: number): number => {
  const batches = Math.floor((usualWork / Math.max(1, events) + 1) / Quantiles.batch)
  if (batches >= 1) return Math.min(mostRuns, batches * Quantiles.batch - 1)
  return Math.max(1, Math.min(Quantiles.firstRuns, Math.floor(mostWork / events)))
}

/** The markets that the law was fitted to differ by as much in how often a cell is crossed. */
const roughnessFrom = (next: Random): number => 0.85 + 0.3 * next()

/** Numbers that belong to a bar, in whatever order bars are asked for. */
const randomOf =
  (draw: number) =>
  (bar: number): Random =>
    seeded(Math.imul(draw, 0x9e3779b1) ^ Math.imul(bar, 0x85ebca6b))

/** 1 where bars stay whole: then only the rules vary. */
const partsOf = (inputs: Backtest.MarketInputs): number =>
  inputs.every(({ candles }) => candles.high.length === candles.bars) ? Unfold.partsOf(inputs[0].candles) : 1

/** What all simulated runs share. */
interface BandInputs {
  readonly strategy: Strategy
  readonly inputs: Backtest.MarketInputs
  readonly sides: Sides
  /** One for each market, or none. */
  readonly foldables: ReadonlyArray<Unfold.Foldable>
}

const drawInput = (
  { sides: [unkind, kind], foldables }: BandInputs,
  input: Backtest.MarketInput,
  market: number,
  draw: number,
  next: Random
): Backtest.MarketInput => {
  const [a, b] = [kind.parts[market]?.rules, unkind.parts[market]?.rules]
  const drawn = a === undefined || b === undefined ? {} : VenuePrior.draw(input.options, [a, b], next)
  const roughness = roughnessFrom(next)
  const options = { ...input.options, changes: { ...drawn, ...input.options.changes } }
  const foldable = foldables[market]
  if (foldable === undefined) return { ...input, options }
  const { candles, priceScale } = foldable
  // Markets move together: what is drawn for a bar is drawn for all of them.
  const path = BarPath.bridges({ candles, priceScale, randomOf: randomOf(draw), roughness })
  return { ...input, ...Unfold.unfolded(foldable, path), options }
}

interface Run {
  readonly figures: RunFigures
  readonly events: number
}

const simulate = (ground: BandInputs, draw: number): Run => {
  const { strategy, inputs, sides } = ground
  const next = seeded(draw)
  const [first, ...others] = inputs
  const one = drawInput(ground, first, 0, draw, next)
  const more = others.map((input, index) => drawInput(ground, input, index + 1, draw, next))
  const side = Backtest.runAll(strategy, [one, ...more], "optimistic")
  const { holdPnlQuote } = sides[0]
  const { fills, feesQuote, openOrders, counts, outcome } = side
  const figures = {
    // Small bars begin where the bar opens; both gain the same from there to the first close.
    pnlQuote: BandSide.profitOf(side) + holdPnlQuote,
    holdPnlQuote,
    feesQuote,
    fills,
    openOrders,
    placed: counts.placed,
    maxDrawdown: outcome.maxDrawdown,
    dailySharpe: BandSide.dailySharpe(side)
  }
  return { figures, events: counts.decisions + counts.placed + fills }
}

/** `asked`: exactly so many runs. `onRun` is told how many have ended and how many there are at most. */
export const simulated = (
  strategy: Strategy,
  inputs: Backtest.MarketInputs,
  sides: Sides,
  asked?: number,
  onRun: (runs: number, atMost: number) => void = () => undefined
): Simulated => {
  const parts = partsOf(inputs)
  const foldables = parts === 1 ? [] : inputs.map(({ candles }) => Unfold.foldable(candles, parts))
  const matters = worthAtStart(sides[0]) * precision
  const ground = { strategy, inputs, sides, foldables }
  const venue = [...new Set(inputs.map(({ options }) => VenuePrior.describe(options)))]
  const first = simulate(ground, 1)
  const most = asked ?? runsWithin(first.events)
  const ended = asked !== undefined ? "as asked" : most < mostRuns ? "most work" : "most runs"
  const runs: [RunFigures, ...Array<RunFigures>] = [first.figures]
  let before: Quantiles.Quantiles<bigint> | undefined
  for (;;) {
    onRun(runs.length, most)
    if (asked === undefined && runs.length % Quantiles.batch === Quantiles.firstRuns) {
      const [one, ...others] = runs
      const now = Quantiles.of([one.pnlQuote, ...others.map(({ pnlQuote }) => pnlQuote)])
      if (before !== undefined && Quantiles.isSettled(before, now, matters)) return { runs, ended: "enough", venue }
      before = now
    }
    if (runs.length >= most) return { runs, ended, venue }
    runs.push(simulate(ground, runs.length + 1).figures)
  }
}

export const run = (strategy: Strategy, inputs: Backtest.MarketInputs): Band => {
  const sides = sidesOf(strategy, inputs)
  return { sides, simulated: simulated(strategy, inputs, sides) }
}
