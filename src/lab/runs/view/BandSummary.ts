/** Summarises the simulated runs of a backtest beside its named sides: as columns for the terminal, as a sentence, and as JSON. */
import { type Candles, extremes } from "../../../candles/Candles.ts"
import { type Amount, format } from "../../../domain/Amount.ts"
import { countText, percent } from "../../../domain/Text.ts"
import * as Page from "../../../report/Page.ts"
import * as Band from "../../backtest/Band.ts"
import * as BandSide from "../../backtest/results/BandSide.ts"
import type { QuantileName, Quantiles } from "../../backtest/results/Quantiles.ts"
import { batch, firstRuns, quantileNames } from "../../backtest/results/Quantiles.ts"

interface Simulated {
  readonly simulated: Band.Simulated
  readonly sides: readonly [BandSide.BandSide, ...ReadonlyArray<BandSide.BandSide>]
  readonly text: (amount: Amount) => string
}

export const columns = ({ simulated, text }: Simulated): ReadonlyMap<string, Quantiles<Page.PageCell>> => {
  const of = <Value extends number | bigint>(
    figure: (figures: Band.RunFigures) => Value,
    written: (value: Value) => Page.PageCell
  ): Quantiles<Page.PageCell> => {
    const { p5, p50, p95 } = Band.quantilesOf(simulated, figure)
    return { p5: written(p5), p50: written(p50), p95: written(p95) }
  }
  const gain = (amount: bigint): Page.PageCell => Page.gain(text(amount))
  const fall = (ratio: number): string => percent(-ratio)
  return new Map([
    ["profit and loss", of(BandSide.profitOf, gain)],
    ["change in equity", of(({ pnlQuote }) => pnlQuote, gain)],
    ["fees", of(({ feesQuote }) => feesQuote, text)],
    ["largest drawdown", of(({ maxDrawdown }) => maxDrawdown, fall)],
    ["fills", of(({ fills }) => fills, String)]
  ])
}

/** Range of the price from lowest to highest, as a ratio to its start. */
const rangeOf = (candles: Candles): number => {
  const [least, most] = extremes(candles)
  return (most - least) / (candles.close[0] ?? 1)
}

/** Distance from p5 to p95, also as a share of the equity at the start, and that share divided by the price range. */
const widthOf = ({ simulated, sides: [first] }: Simulated) => {
  const { parts } = first
  const { p5, p95 } = Band.quantilesOf(simulated, BandSide.profitOf)
  const worth = Band.worthAtStart(first)
  const move = parts.reduce((sum, { candles }) => sum + rangeOf(candles), 0) / parts.length
  const ofWorth = worth > 0 ? Number(p95 - p5) / worth : 0
  return { width: p95 - p5, ofWorth, move, ofMove: move > 0 ? ofWorth / move : 0 }
}

const advised = 39

const costOf = (runs: number, wanted: number): string =>
  `--runs ${wanted} takes about ${Number((wanted / runs).toFixed(1))} times as long`

const moreOf = (runs: number): string => costOf(runs, Math.max(advised, runs + batch))

export const precision = ({ ended, runs: { length } }: Band.Simulated): string => {
  if (length < firstRuns)
    return `${countText(length, "simulated run")}: too few for p5, p50 and p95; ${costOf(length, advised)}`
  const endings = {
    enough: "more runs no longer change them",
    "most runs": "more runs may still change them",
    "most work": `more runs may still change them: ${moreOf(length)}`,
    "as asked": "as set by --runs"
  }
  return `p5, p50 and p95 are of ${countText(length, "simulated run")}; ${endings[ended]}`
}

export const hasQuantiles = ({ runs }: Band.Simulated): boolean => runs.length >= firstRuns

export const sentence = (given: Simulated): string => {
  const about = `${precision(given.simulated)}.`
  if (!hasQuantiles(given.simulated))
    return `${about} Assumptions about the venue: ${given.simulated.venue.join("; or ")}`
  const { width, ofWorth, move, ofMove } = widthOf(given)
  const { venue } = given.simulated
  const relative = `${percent(ofWorth)} of starting equity, ${percent(ofMove)} of the price range (${percent(move)})`
  return `${about} The range from p5 to p95 is ${given.text(width)}: ${relative}. Assumptions about the venue: ${venue.join("; or ")}`
}

export const json = (given: Simulated) => {
  const { simulated, sides } = given
  const { quote } = sides[0].parts[0].market
  const about = { runs: simulated.runs.length, ended: simulated.ended, venue: simulated.venue }
  if (!hasQuantiles(simulated)) return about
  const profit = Band.quantilesOf(simulated, BandSide.profitOf)
  const change = Band.quantilesOf(simulated, ({ pnlQuote }) => pnlQuote)
  const fees = Band.quantilesOf(simulated, ({ feesQuote }) => feesQuote)
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
  const quantiles = Object.fromEntries(quantileNames.map((name) => [name, at(name)]))
  return { ...about, width: format(width, quote.decimals), widthOfWorth: ofWorth, widthOfMove: ofMove, ...quantiles }
}
