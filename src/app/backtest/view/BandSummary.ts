/** What the simulated runs of a backtest came to, beside its named sides: columns for the terminal, a sentence, and JSON. */

import * as Band from "../../../backtest/Band.ts"
import * as BandSide from "../../../backtest/results/BandSide.ts"
import type { QuantileName, Quantiles } from "../../../backtest/results/Quantiles.ts"
import { firstRuns, quantileNames } from "../../../backtest/results/Quantiles.ts"
import { type Candles, extremes } from "../../../candles/Candles.ts"
import { type Amount, format } from "../../../domain/Amount.ts"
import { percent } from "../../../domain/Text.ts"
import { counted } from "../../../domain/Words.ts"

interface Simulated {
  readonly simulated: Band.Simulated
  readonly sides: readonly [BandSide.BandSide, ...ReadonlyArray<BandSide.BandSide>]
  /** An amount in quote, as everywhere else in the summary. */
  readonly text: (amount: Amount) => string
}

/** By the label of their row. */
export const columns = ({ simulated, text }: Simulated): ReadonlyMap<string, Quantiles<string>> => {
  const of = <Value extends number | bigint>(
    figure: (figures: Band.RunFigures) => Value,
    written: (value: Value) => string
  ): Quantiles<string> => {
    const { p5, p50, p95 } = Band.quantilesOf(simulated, figure)
    return { p5: written(p5), p50: written(p50), p95: written(p95) }
  }
  const count = (value: number): string => `${value}`
  return new Map([
    ["profit and loss", of(BandSide.profitOf, text)],
    ["change of worth", of(({ pnlQuote }) => pnlQuote, text)],
    ["fees", of(({ feesQuote }) => feesQuote, text)],
    ["largest drawdown", of(({ maxDrawdown }) => maxDrawdown, percent)],
    ["fills", of(({ fills }) => fills, count)],
    ["orders placed", of(({ placed }) => placed, count)]
  ])
}

/** How far the price went from its lowest to its highest, against where it began. */
const rangeOf = (candles: Candles): number => {
  const [least, most] = extremes(candles)
  return (most - least) / (candles.close[0] ?? 1)
}

/** The distance from p5 to p95: of the worth at the start, and of what the prices' move makes of that. */
const widthOf = ({ simulated, sides: [first] }: Simulated) => {
  const { parts } = first
  const { p5, p95 } = Band.quantilesOf(simulated, BandSide.profitOf)
  const worth = Band.worthAtStart(first)
  const move = parts.reduce((sum, { candles }) => sum + rangeOf(candles), 0) / parts.length
  const ofWorth = worth > 0 ? Number(p95 - p5) / worth : 0
  return { width: p95 - p5, ofWorth, move, ofMove: move > 0 ? ofWorth / move : 0 }
}

const endings: Readonly<Record<Band.Simulated["ended"], string>> = {
  enough: "more runs no longer move them",
  "most runs": "more runs may still move them",
  "no time left": "more would move them, which --band-seconds gives time for"
}

/** How many runs the quantiles are of, and why no more. */
export const precision = ({ ended, runs }: Band.Simulated): string => {
  const few = runs.length < firstRuns ? ", too few: the lowest, the middle one and the highest" : ""
  return `p5, p50 and p95 are of ${counted(runs.length, "simulated run")}${few}; ${endings[ended]}`
}

export const sentence = (given: Simulated): string => {
  const { width, ofWorth, move, ofMove } = widthOf(given)
  const { venue } = given.simulated
  const relative = `${percent(ofWorth)} of the worth at the start, ${percent(ofMove)} of what the price moved (${percent(move)})`
  return `${precision(given.simulated)}. From p5 to p95 it is ${given.text(width)}: ${relative}. Their venue, ${venue.join("; or ")}`
}

export const json = (given: Simulated) => {
  const { simulated, sides } = given
  const { quote } = sides[0].parts[0].market
  const amounts = (of: (figures: Band.RunFigures) => Amount) => Band.quantilesOf(simulated, of)
  const [profit, change, fees] = [
    amounts(BandSide.profitOf),
    amounts(({ pnlQuote }) => pnlQuote),
    amounts(({ feesQuote }) => feesQuote)
  ]
  const drawdown = Band.quantilesOf(simulated, ({ maxDrawdown }) => maxDrawdown)
  const fills = Band.quantilesOf(simulated, ({ fills }) => fills)
  const { width, ofWorth, ofMove } = widthOf(given)
  const at = (name: QuantileName) => ({
    profitQuote: format(profit[name], quote.decimals),
    pnlQuote: format(change[name], quote.decimals),
    feesQuote: format(fees[name], quote.decimals),
    maxDrawdown: drawdown[name],
    fills: fills[name]
  })
  return {
    runs: simulated.runs.length,
    ended: simulated.ended,
    venue: simulated.venue,
    width: format(width, quote.decimals),
    widthOfWorth: ofWorth,
    widthOfMove: ofMove,
    ...Object.fromEntries(quantileNames.map((name) => [name, at(name)]))
  }
}
