/**
 * Computes the range of a strategy's possible results: both named sides over the bars as they are, and p5, p50 and p95 of simulated runs. A
 * simulated run draws what candles do not show: the price path within each bar, and the behaviour of the venue (`VenuePrior`). Runs are
 * drawn in batches until the quantiles settle, or until the work allowed by the first run is done. No clock counts and the n-th run of a
 * file is always identical, so a command gives equal figures on any machine. More runs make the quantiles more precise but not wider.
 */
import { Array as Arr } from "effect"
import { closeAt } from "../../candles/Candles.ts"
import * as BarPath from "../../candles/within/BarPath.ts"
import * as Unfold from "../../candles/within/Unfold.ts"
import { type Random, seeded } from "../../domain/Seeded.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as Backtest from "./Backtest.ts"
import type { FillMode } from "./kernel/FillPresets.ts"
import * as BandSide from "./results/BandSide.ts"
import * as Quantiles from "./results/Quantiles.ts"
import * as VenuePrior from "./VenuePrior.ts"

export type RunFigures = Readonly<ReturnType<typeof simulate>["figures"]>

/** `enough`: one more batch moved no quantile. `most work`: the events of the first run allowed no further runs. */
export interface Simulated {
  readonly runs: readonly [RunFigures, ...ReadonlyArray<RunFigures>]
  readonly ended: "enough" | "most runs" | "most work" | "as asked"
  readonly venue: ReadonlyArray<string>
}

export type Sides = readonly [pessimistic: BandSide.BandSide, optimistic: BandSide.BandSide]

export const quantilesOf = <Value extends number | bigint>(
  { runs }: Pick<Simulated, "runs">,
  of: (figures: RunFigures) => Value
): Quantiles.Quantiles<Value> => Quantiles.of(Arr.map(runs, of))

/** Equity at the first close in quote smallest units; for ratios. */
export const worthAtStart = ({ parts }: Pick<BandSide.BandSide, "parts">): number =>
  parts.reduce((sum, { budget, candles, market: { base, quote } }) => {
    const unit = 10 ** (base.decimals - quote.decimals)
    return sum + Number(budget.quote) + (Number(budget.base) * closeAt(candles, 0)) / unit
  }, 0)

/** Quantiles need no more precision than this share of the equity at the start. */
const precision = 0.0001

const maxRuns = 10 * Quantiles.batch - 1

/** Limits the decisions, orders and fills of all runs together; about 15 seconds of one core. */
const usualWork = 4_000_000
/** Limits them for the first quantiles. Market making on the minutes of six years reaches it. */
const mostWork = 50_000_000

export const runsWithin = (events: number): number => {
  const batches = Math.floor((usualWork / Math.max(1, events) + 1) / Quantiles.batch)
  if (batches >= 1) return Math.min(maxRuns, batches * Quantiles.batch - 1)
  return Math.max(1, Math.min(Quantiles.firstRuns, Math.floor(mostWork / events)))
}

/** Draws how often prices cross cells; the range is as wide as that of the markets to which `BarPath` was fitted. */
const roughnessFrom = (next: Random): number => 0.85 + 0.3 * next()

/** Returns random numbers of a bar that do not depend on the order in which bars are requested. */
const randomOf =
  (draw: number) =>
  (bar: number): Random =>
    seeded(Math.imul(draw, 0x9e3779b1) ^ Math.imul(bar, 0x85ebca6b))

/** Returns 1 if bars stay whole. Then only the rules vary. */
const partsOf = (inputs: Backtest.MarketInputs): number =>
  inputs.every(({ candles }) => candles.high.length === candles.bars) ? Unfold.partsOf(inputs[0].candles) : 1

interface BandInputs {
  readonly strategy: Strategy
  readonly inputs: Backtest.MarketInputs
  readonly sides: Sides
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
  const assumptions = a === undefined || b === undefined ? {} : VenuePrior.draw(input.options, [a, b], next)
  const roughness = roughnessFrom(next)
  const options = { ...input.options, changes: { ...assumptions, ...input.options.changes } }
  const foldable = foldables[market]
  if (foldable === undefined) return { ...input, options }
  const { candles, priceScale } = foldable
  // Markets move together, so a bar has the same random numbers in all of them.
  const path = BarPath.bridges({ candles, priceScale, randomOf: randomOf(draw), roughness })
  return { ...input, ...Unfold.unfolded(foldable, path), options }
}

const simulate = (ground: BandInputs, draw: number) => {
  const { strategy, inputs, sides } = ground
  const next = seeded(draw)
  const marketInputs = Arr.map(inputs, (input, market) => drawInput(ground, input, market, draw, next))
  const side = Backtest.runAll(strategy, marketInputs, "optimistic")
  const { holdPnlQuote } = sides[0]
  const { fills, feesQuote, openOrders, counts, outcome } = side
  const figures = {
    // Small bars begin at the open of the first bar. From there to its close, trading and holding gain the same.
    pnlQuote: BandSide.profitOf(side) + holdPnlQuote,
    holdPnlQuote,
    feesQuote,
    fills,
    openOrders,
    maxDrawdown: outcome.maxDrawdown,
    dailySharpe: BandSide.dailySharpe(side)
  }
  return { figures, events: counts.decisions + counts.placed + fills }
}

/** `asked`: the exact number of runs. `onRun` receives the number of finished runs and the maximum. */
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
  const ended = asked !== undefined ? "as asked" : most < maxRuns ? "most work" : "most runs"
  const runs: [RunFigures, ...Array<RunFigures>] = [first.figures]
  let before: Quantiles.Quantiles<bigint> | undefined
  for (;;) {
    onRun(runs.length, most)
    if (asked === undefined && runs.length % Quantiles.batch === Quantiles.firstRuns) {
      const now = quantilesOf({ runs }, ({ pnlQuote }) => pnlQuote)
      if (before !== undefined && Quantiles.isSettled(before, now, matters)) return { runs, ended: "enough", venue }
      before = now
    }
    if (runs.length >= most) return { runs, ended, venue }
    runs.push(simulate(ground, runs.length + 1).figures)
  }
}

export const run = (strategy: Strategy, inputs: Backtest.MarketInputs) => {
  const runSide = (mode: FillMode) => Backtest.runAll(strategy, inputs, mode)
  const sides = [runSide("pessimistic"), runSide("optimistic")] as const
  return { sides, simulated: simulated(strategy, inputs, sides) }
}
