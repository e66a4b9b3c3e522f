/** Summarises the simulated runs of a backtest beside its named sides: as columns for the terminal, as a sentence, and as JSON. */
import { type Candles, extremes } from "../../../candles/Candles.ts"
import { type Amount, format } from "../../../domain/Amount.ts"
import { countText, percent } from "../../../domain/Text.ts"
import * as Page from "../../../report/Page.ts"
import * as Band from "../../backtest/Band.ts"
import * as BandSide from "../../backtest/results/BandSide.ts"
import { batch, firstRuns, quantileNames } from "../../backtest/results/Quantiles.ts"

interface Simulated {
  readonly simulated: Band.Simulated
  readonly sides: readonly [BandSide.BandSide, ...ReadonlyArray<BandSide.BandSide>]
  readonly text: (amount: Amount) => string
}

/** Each figure has its own order of the runs. */
const quantilesOf = (simulated: Band.Simulated) => {
  const profit = Band.quantilesOf(simulated, BandSide.profitOf)
  const change = Band.quantilesOf(simulated, ({ pnlQuote }) => pnlQuote)
  const fees = Band.quantilesOf(simulated, ({ feesQuote }) => feesQuote)
  const fall = Band.quantilesOf(simulated, ({ maxDrawdown }) => maxDrawdown)
  const fills = Band.quantilesOf(simulated, ({ fills }) => fills)
  return quantileNames.map((name) => {
    const money = { profit: profit[name], change: change[name], fees: fees[name] }
    return { name, ...money, fall: fall[name], fills: fills[name] }
  })
}

/** Returns none if there are too few runs. */
export const columns = ({ simulated, text }: Simulated): ReadonlyArray<readonly [name: string, facts: Page.Facts]> =>
  (hasQuantiles(simulated) ? quantilesOf(simulated) : []).map(({ name, profit, change, fees, fall, fills }) => [
    name,
    [
      ["profit and loss", Page.gain(text(profit))],
      ["change in equity", Page.gain(text(change))],
      ["fees", text(fees)],
      ["largest drawdown", percent(-fall)],
      ["fills", `${fills}`]
    ]
  ])

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

export const sentences = (given: Simulated): ReadonlyArray<string> => {
  const { simulated } = given
  const assumptions = `Assumptions about the venue: ${simulated.venue.join("; or ")}`
  if (!hasQuantiles(simulated)) return [precision(simulated), assumptions]
  const { width, ofWorth, move, ofMove } = widthOf(given)
  const relative = `${percent(ofWorth)} of starting equity, ${percent(ofMove)} of the price range (${percent(move)})`
  return [precision(simulated), `The range from p5 to p95 is ${given.text(width)}: ${relative}`, assumptions]
}

export const json = (given: Simulated) => {
  const { simulated, sides } = given
  const about = { runs: simulated.runs.length, ended: simulated.ended, venue: simulated.venue }
  if (!hasQuantiles(simulated)) return about
  const exact = (amount: Amount): string => format(amount, sides[0].parts[0].market.quote.decimals)
  const { width, ofWorth, ofMove } = widthOf(given)
  const quantiles = quantilesOf(simulated).map(({ name, profit, change, fees, fall, fills }) => {
    const money = { profitQuote: exact(profit), pnlQuote: exact(change), feesQuote: exact(fees) }
    return [name, { ...money, maxDrawdown: fall, fills }] as const
  })
  const widths = { width: exact(width), widthOfWorth: ofWorth, widthOfMove: ofMove }
  return { ...about, ...widths, ...Object.fromEntries(quantiles) }
}
