/**
 * The band: the lowest and the highest of many runs over what candles do not tell. Both ends of the fill rules, which differ
 * in margin, volume and latencies, run over the bars as they are and over both orders of low and high within each of them;
 * then rules drawn between both ends run over orders drawn bar by bar. Within a bar a strategy is asked as often as live.
 *
 * Were live one more draw, it would be the lowest or the highest of n + 1 at most twice in n + 1: that is why there are many,
 * and more of short series, where a run costs little. `npm run certify` measures how often live is inside. A run over unfolded
 * bars is told in the bars that were given.
 */
import { type Candles, openAt } from "../candles/Candles.ts"
import * as Unfold from "../candles/Unfold.ts"
import { type Random, seeded } from "../domain/Seeded.ts"
import type { Strategy } from "../strategy/Strategy.ts"
import * as Backtest from "./Backtest.ts"
import type { FillMode } from "./kernel/FillPresets.ts"
import type { FillRules } from "./kernel/FillRules.ts"
import type { Outcome } from "./kernel/Outcome.ts"

/** How the price went within a bar: not asked, to one extreme first, or to either as drawn. */
export type BarPath = "bars" | "low first" | "high first" | "drawn"

export interface PathSide extends Backtest.BandSide {
  readonly path: BarPath
}

export type PathSides = readonly [PathSide, ...ReadonlyArray<PathSide>]

/** With the ends fifty runs at least. */
const leastDraws = 44
const mostDraws = 144
/** So many small bars may all draws take together, beyond the least number. */
const drawnBars = 2_000_000

const drawsOf = (bars: number): number => Math.max(leastDraws, Math.min(mostDraws, Math.floor(drawnBars / bars)))

/** In how many of these cases at most one more run of the same kind would lie outside, if all are exchangeable. */
export const outsideCases = (runs: number): { readonly outside: number; readonly of: number } => ({
  outside: 2,
  of: runs + 1
})

/** From small bars to those that were given. */
const folded = (outcome: Outcome, parts: number): Outcome => {
  const { fills, stays } = outcome
  const bar = (small: number): number => Math.floor(small / parts)
  return {
    ...outcome,
    fills: { ...fills, bars: fills.bars.map(bar) },
    stays: stays.map((stay) => ({ ...stay, from: bar(stay.from), to: bar(stay.to) }))
  }
}

/** How many of the orders that are cancelled near the market a solver may have had in hand. */
const mostInHand = 0.4

/** Between the ends: a venue is more or less kind as a whole, and within that each rule is drawn for itself. */
const rulesBetween = (kind: FillRules, unkind: FillRules, next: () => number): Partial<FillRules> => {
  const far = next()
  const between = (a: number, b: number): number => a + (b - a) * far * next()
  /** Mostly quick, now and then slow. */
  const time = (a: number, b: number): number => Math.round(a + (b - a) * far * next() ** 3)
  return {
    edgeBasisPoints: between(kind.edgeBasisPoints, unkind.edgeBasisPoints),
    placeMillis: time(kind.placeMillis, unkind.placeMillis),
    payoutMillis: time(kind.payoutMillis, unkind.payoutMillis),
    cancelMillis: time(kind.cancelMillis, unkind.cancelMillis),
    inHand: { share: next() * mostInHand, distance: 0.005, seed: Math.floor(next() * 1e9) },
    volumeShare: next() < 0.5 ? kind.volumeShare : unkind.volumeShare,
    // An order that arrives a moment before the market does has only its limit: the solver keeps the rest.
    price: next() < 0.25 ? "limit" : kind.price
  }
}

/** Random numbers that belong to a bar, in whatever order bars are asked for. */
const randomOf = (seed: number, bar: number): Random => seeded(Math.imul(seed, 0x9e3779b1) ^ Math.imul(bar, 0x85ebca6b))

/** Mostly the nearer extreme comes first: in how many bars at least half of the time, is drawn too. */
const lowsFirst = (candles: Candles, seed: number): ((bar: number) => boolean) => {
  const { low, high, close } = candles
  const nearerFirst = 0.5 + seeded(seed)() / 2
  return (bar) => {
    const from = openAt(candles, bar) ?? close[bar] ?? 0
    const isLowNearer = from - (low[bar] ?? 0) <= (high[bar] ?? 0) - from
    return randomOf(seed, bar)() < nearerFirst === isLowNearer
  }
}

/** 1 where bars stay whole: then only the rules vary. */
const partsOf = (inputs: Backtest.MarketInputs): number =>
  inputs.every(({ candles }) => candles.high.length === candles.bars) ? Unfold.partsOf(inputs[0].candles) : 1

const runOver = (
  strategy: Strategy,
  inputs: Backtest.MarketInputs,
  foldables: ReadonlyArray<Unfold.Foldable>,
  path: BarPath,
  isLowFirst: (bar: number) => boolean,
  mode: FillMode,
  given: PathSide,
  early?: (bar: number) => () => number
): PathSide => {
  const parts = foldables[0]?.parts ?? 1
  const unfold = (input: Backtest.MarketInput, market: number): Backtest.MarketInput => {
    const of = foldables[market]
    return of === undefined ? input : { ...input, ...Unfold.unfolded(of, Unfold.straight(of, isLowFirst, early)) }
  }
  const [first, ...others] = inputs
  const side = Backtest.runAll(
    strategy,
    [unfold(first, 0), ...others.map((other, index) => unfold(other, index + 1))],
    mode
  )
  // Both are worth the same in the beginning, so what the budget alone gained is too.
  const told = (part: Backtest.Part, like: Backtest.Part): Backtest.Part => ({
    ...part,
    candles: like.candles,
    outcome: folded(part.outcome, parts),
    pnlQuote: part.pnlQuote - part.holdPnlQuote + like.holdPnlQuote,
    holdPnlQuote: like.holdPnlQuote
  })
  const one = told(side.parts[0], given.parts[0])
  const more = side.parts.slice(1).map((part, index) => told(part, given.parts[index + 1] ?? part))
  return {
    ...side,
    path,
    parts: [one, ...more],
    outcome: one.outcome,
    pnlQuote: side.pnlQuote - side.holdPnlQuote + given.holdPnlQuote,
    holdPnlQuote: given.holdPnlQuote
  }
}

const modes = ["pessimistic", "optimistic"] as const

/**
 * Both ends, and what lies between them. The first two are over the bars as they are. `ended` is told after each run how
 * many of all have ended.
 */
export const run = (
  strategy: Strategy,
  inputs: Backtest.MarketInputs,
  ended: (runs: number, of: number) => void = () => undefined
): PathSides => {
  const parts = partsOf(inputs)
  const foldables = parts === 1 ? [] : inputs.map(({ candles }) => Unfold.foldable(candles, parts))
  const draws = drawsOf(inputs[0].candles.bars * parts)
  const all = modes.length + (parts === 1 ? 0 : 2 * modes.length) + draws
  let runs = 0
  const noted = (side: PathSide): PathSide => {
    runs += 1
    ended(runs, all)
    return side
  }
  const over = (mode: FillMode): PathSide => noted({ ...Backtest.runAll(strategy, inputs, mode), path: "bars" })
  const [unkind, kind] = [over("pessimistic"), over("optimistic")]
  const extremes =
    parts === 1
      ? []
      : modes.flatMap((mode) => [
          noted(runOver(strategy, inputs, foldables, "low first", () => true, mode, unkind)),
          noted(runOver(strategy, inputs, foldables, "high first", () => false, mode, unkind))
        ])
  const drawn = Array.from({ length: draws }, (_, draw) => {
    const next = seeded(draw + 1)
    const [first, ...others] = inputs.map((input, index): Backtest.MarketInput => {
      const [a, b] = [kind.parts[index]?.rules, unkind.parts[index]?.rules]
      if (a === undefined || b === undefined) return input
      const between = { ...rulesBetween(a, b, next), ...input.options.changes }
      return { ...input, options: { ...input.options, changes: between } }
    })
    if (first === undefined) return unkind
    const markets: Backtest.MarketInputs = [first, ...others]
    const isLowFirst = lowsFirst(inputs[0].candles, draw + 1001)
    const early = (bar: number) => randomOf(draw + 2001, bar)
    return noted(runOver(strategy, markets, foldables, "drawn", isLowFirst, "optimistic", unkind, early))
  })
  return [unkind, kind, ...extremes, ...drawn]
}
