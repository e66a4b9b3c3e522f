/** Shows the spread of simulations as a page and as JSON, by market if there are several. */

import { percent } from "../../../domain/Text.ts"
import { counted } from "../../../domain/Words.ts"
import * as Page from "../../../report/Page.ts"
import * as MonteCarlo from "../../backtest/search/MonteCarlo.ts"
import { fan } from "../../html/Fan.ts"
import { histogram } from "../../html/Histogram.ts"
import type { MonteCarloFound } from "../MonteCarloRun.ts"
import { together } from "../OnMarkets.ts"
import * as RunFacts from "./RunFacts.ts"

const methodNotes: Readonly<Record<MonteCarlo.SimulationMethod, string>> = {
  returns: "Each simulation draws the run's daily returns with replacement.",
  order: "Each simulation shuffles the run's daily returns: the gain is the same, only the path differs.",
  trades: "Each simulation draws the run's trades with replacement; an open position at the end counts as one trade.",
  candles: "Each simulation runs the strategy on candles assembled from pieces of the real ones."
}

/** The product of returns does not depend on their order, and neither does the sign of the result. */
const sameGain = "every order of the same returns gains the same"

const acrossOf = ({ markets }: MonteCarloFound) => {
  if (markets.length < 2) return undefined
  const { median, worst } = together(markets.map(({ result: { spread } }) => spread.gain["p50"] ?? 0))
  return {
    markets: markets.map(({ name, result: { spread } }) => ({ market: name, ...spread })),
    together: { medianGain: median, worstGain: worst }
  }
}

const byMarket = (found: MonteCarloFound): Page.PageSection | undefined => {
  const across = acrossOf(found)
  if (across === undefined) return undefined
  const { medianGain, worstGain } = across.together
  const rows = across.markets.map(({ market, gain, lost, maxDrawdown, ruin }) => [
    market,
    ...["p5", "p50", "p95"].map((name) => percent(gain[name] ?? 0)),
    percent(lost),
    percent(maxDrawdown["p95"] ?? 0),
    percent(ruin.probability)
  ])
  const half = `Half of the simulations gain more than ${percent(medianGain)} on the median market, and ${percent(worstGain)} on the worst.`
  const titles = ["MARKET", "GAIN P5", "P50", "P95", "LOSE", "DRAWDOWN P95", "RUIN"]
  return { title: "By market", parts: [Page.table(titles, rows), Page.sentences(half)] }
}

export const json = (found: MonteCarloFound) => {
  const { method, seed, runs, markets } = found
  const meaningless = method === "order" ? { meaningless: { lost: sameGain, gain: sameGain } } : {}
  return { method, seed, fees: runs[0].fees, ...markets[0].result.spread, ...meaningless, ...acrossOf(found) }
}

const format = (ratio: number): string => percent(ratio, 1)

/** Gain over time: p50, and around it p5 to p95 and p25 to p75. */
const fanOf = (simulations: ReadonlyArray<MonteCarlo.Simulation>): string => {
  const moments = MonteCarlo.fanOf(simulations.flatMap(({ path }) => (path.length === 0 ? [] : [path])))
  const at = (percentile: string) => moments.map((quantiles) => quantiles[percentile] ?? 0)
  const bands = [[at("p5"), at("p95")] as const, [at("p25"), at("p75")] as const]
  return fan({ label: "Gain over time", line: at("p50"), bands, ends: ["start", "end"], format })
}

const spread = (label: string, values: ReadonlyArray<number>, marked: number): Page.PageSection | undefined => {
  if (values.length < 2) return undefined
  const bars = Page.figurePart(() => histogram(values, { noun: "simulations", label, format, marked }))
  return { title: label, parts: [bars], note: "The bar of the median is highlighted." }
}

export const page = (found: MonteCarloFound, madeAt: number): Page.Page => {
  const { method, seed } = found
  const [{ result }] = found.markets
  const { gain, lost, maxDrawdown, ruin, runs } = result.spread
  const isOrder = method === "order"
  const of = (values: Readonly<Record<string, number>>, name: string) => percent(values[name] ?? 0)
  const row = (name: string, ratios: Readonly<Record<string, number>>) => [
    name,
    ...Object.values(ratios).map((ratio) => percent(ratio))
  ]
  const luck = isOrder
    ? [`By this method ${sameGain}, ${of(gain, "p50")}; only the drawdown differs.`]
    : [
        `${percent(lost)} of the simulations lose.`,
        `From p5 to p95 the gain is ${of(gain, "p5")} to ${of(gain, "p95")}; the wider this range, the more of the result is chance.`
      ]
  const gains = isOrder ? [] : result.fates.map((each) => each.gain)
  const drawdowns = result.fates.map((each) => each.maxDrawdown)
  const rows = [...(isOrder ? [] : [row("gain", gain)]), row("largest drawdown", maxDrawdown)]
  return RunFacts.pageOf(found, {
    what: "Monte Carlo",
    about: `${counted(runs, "simulation")} by ${method}`,
    madeAt,
    more: [["seed", `${seed}`]],
    headline: [
      ...(isOrder
        ? [["every simulation gains", of(gain, "p50")] as const, ["simulations", `${runs}`] as const]
        : [
            ["gain (p50)", of(gain, "p50")] as const,
            ["gain (p5)", of(gain, "p5")] as const,
            ["simulations that lose", percent(lost)] as const
          ]),
      ["largest drawdown (p95)", of(maxDrawdown, "p95")]
    ],
    says: [
      methodNotes[method],
      ...luck,
      `One in twenty has a drawdown of more than ${of(maxDrawdown, "p95")}.`,
      `The probability of ruin, a loss of ${Math.round(ruin.loss * 100)} % of the start at any time, is ${percent(ruin.probability)}.`
    ],
    sections: Page.sectionsOf(
      {
        title: "Gain over time",
        parts: [Page.figurePart(() => fanOf(result.fates))],
        note: "The line is p50 of the simulations over time; around it p25 to p75, and p5 to p95."
      },
      spread("Gain", gains, gain["p50"] ?? 0),
      spread("Largest drawdown", drawdowns, maxDrawdown["p50"] ?? 0),
      { title: "Percentiles", parts: [Page.table(["", ...Object.keys(gain)], rows)] },
      byMarket(found)
    )
  })
}
