/** Shows the spread of simulations as a page and as JSON, by market if there are several. */
import { countText, percent } from "../../../domain/Text.ts"
import * as Page from "../../../report/Page.ts"
import * as MonteCarlo from "../../backtest/search/MonteCarlo.ts"
import { share } from "../../html/Figures.ts"
import { along, axisOf, band, histogram, plot } from "../../html/Plot.ts"
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
    ...["p5", "p50", "p95"].map((name) => Page.gain(percent(gain[name] ?? 0))),
    percent(lost),
    percent(-(maxDrawdown["p95"] ?? 0)),
    percent(ruin.probability)
  ])
  const half = `Half of the simulations gain more than ${percent(medianGain)} on the median market, and ${percent(worstGain)} on the worst.`
  const titles = ["MARKET", "GAIN P5", "P50", "P95", "LOSE", "DRAWDOWN P95", "RUIN"]
  return { title: "By market", parts: [Page.table(titles, rows), Page.sentences(half)] }
}

export const json = (found: MonteCarloFound) => {
  const { method, seed, runs, markets, warnings } = found
  const meaningless = method === "order" ? { meaningless: { lost: sameGain, gain: sameGain } } : {}
  const { spread } = markets[0].result
  return { method, seed, fees: runs[0].fees, warnings, ...spread, ...meaningless, ...acrossOf(found) }
}

type Simulated = MonteCarloFound["markets"][0]["result"]

const fanOf = ({ fates, real, untouched }: Simulated, unit: string): string => {
  const moments = MonteCarlo.fanOf(fates.flatMap(({ path }) => (path.length === 0 ? [] : [path])))
  const at = (percentile: string) => moments.map((quantiles) => quantiles[percentile] ?? 0)
  const x = axisOf("Share of the run", [0, 1], share)
  const shapes = [
    { kind: "band", points: band(x, at("p5"), at("p95")), name: "p5 to p95" },
    { kind: "band inner", points: band(x, at("p25"), at("p75")), name: "p25 to p75" },
    { kind: "line", points: along(x, at("p50")), name: "p50" },
    { kind: "untouched", points: along(x, untouched.path), name: "untouched budget" },
    { kind: "real", points: along(x, real.path), name: "real run" }
  ]
  return plot("Gain over time", x, unit, shapes, share)
}

export const page = (found: MonteCarloFound, madeAt: number): Page.Page => {
  const { method, seed } = found
  const [{ result }] = found.markets
  const { fates, real, untouched } = result
  const { gain, lost, maxDrawdown, ruin, runs } = result.spread
  const isOrder = method === "order"
  const unit = method === "trades" ? "Profit against the untouched budget" : "Change in equity, price moves included"
  const [low = 0, middle = 0, high = 0] = ["p5", "p50", "p95"].map((name) => gain[name] ?? 0)
  const [fall = 0, deepFall = 0] = ["p50", "p95"].map((name) => maxDrawdown[name] ?? 0)
  const below = fates.filter((each) => each.gain < real.gain).length / Math.max(1, runs)
  const span = `${percent(low)} to ${percent(high)}`
  const moved = (ratio: number) => `${ratio < 0 ? "lost" : "gained"} ${percent(Math.abs(ratio))}`
  const losing = `${Math.round(lost * runs)} of ${runs}`
  const loss = `a loss of ${Math.round(ruin.loss * 100)} % of the start at any time`
  const luck = isOrder
    ? [`By this method ${sameGain}, ${percent(middle)}; only the drawdown differs.`]
    : [
        `${losing} simulations lose money; the real run ${moved(real.gain)}, the untouched budget ${moved(untouched.gain)}.`,
        `From p5 to p95 they gain ${span}; the real run gained more than ${percent(below, 0)} of them. The wider the range, the more of it is chance.`
      ]
  const marked = (own: number, half: number) => [["real run", own] as const, ["p50", half] as const]
  const gainMarks = [...marked(real.gain, middle), ["untouched budget", untouched.gain] as const]
  const [allGains, allFalls] = [fates.map((fate) => fate.gain), fates.map((fate) => fate.maxDrawdown)]
  const gains = () => histogram(unit, allGains, gainMarks)
  const drawdowns = () => histogram("Below the highest equity so far", allFalls, marked(real.maxDrawdown, fall))
  const rows = [...Object.entries(gain), ["real run", real.gain] as const].map(([name, ratio]) => [
    ...(isOrder ? [name] : [name, Page.gain(percent(ratio))]),
    percent(-(maxDrawdown[name] ?? real.maxDrawdown))
  ])
  const percentiles = Page.table(["", ...(isOrder ? [] : ["gain"]), "largest drawdown"], rows)
  return RunFacts.pageOf(found, {
    what: "Monte Carlo",
    about: `${countText(runs, "simulation")} by ${method}`,
    madeAt,
    more: [["seed", `${seed}`]],
    headline: [
      isOrder
        ? ["Every simulation gains", Page.gain(percent(middle)), unit]
        : ["Gain, p5 to p95", Page.gain(span), `${unit}; p50: ${percent(middle)}`],
      ["Real run", Page.gain(percent(real.gain)), `untouched budget ${percent(untouched.gain)}`],
      ...(isOrder ? [] : [["Simulations that lose", percent(lost, 0), losing] as const]),
      ["Largest drawdown (p95)", percent(-deepFall), `real run ${percent(-real.maxDrawdown)}`],
      ["Probability of ruin", percent(ruin.probability, 1), loss]
    ],
    says: [...luck, methodNotes[method], `Ruin is ${loss}.`],
    sections: Page.sectionsOf(
      { title: "Gain over time", parts: [Page.figurePart(() => fanOf(result, unit))], note: "Of the simulations" },
      isOrder ? undefined : { title: "Gain", parts: [Page.figurePart(gains)] },
      { title: "Largest drawdown", parts: [Page.figurePart(drawdowns)] },
      { title: "Percentiles", parts: [percentiles], note: unit },
      byMarket(found)
    )
  })
}
