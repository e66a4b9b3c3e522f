/** Turns simulations into their HTML report. */
import * as MonteCarlo from "../../../backtest/search/MonteCarlo.ts"
import { present } from "../../../domain/Present.ts"
import { percent } from "../../../domain/Text.ts"
import * as HtmlMonteCarlo from "../../../report/html/HtmlMonteCarlo.ts"
import type { MonteCarloFound } from "../MonteCarloRun.ts"
import * as MonteCarloSummary from "./MonteCarloSummary.ts"
import * as RunFacts from "./RunFacts.ts"

const methodNotes: Readonly<Record<MonteCarlo.SimulationMethod, string>> = {
  returns: "Each simulation draws the daily returns of the run again, with repetition.",
  order: "Each simulation puts the daily returns of the run in another order: all gain the same, only the way differs.",
  trades: "Each simulation draws the trades of the run again, with repetition; what is open at the end counts as one.",
  candles: "Each simulation runs the strategy again on candles that are put together from pieces of the real ones."
}

const fanOf = (simulations: ReadonlyArray<MonteCarlo.Simulation>): HtmlMonteCarlo.MonteCarloReport["fan"] => {
  const moments = MonteCarlo.fanOf(simulations.flatMap(({ path }) => (path.length === 0 ? [] : [path])))
  const at = (percentile: string) => moments.map((quantiles) => quantiles[percentile] ?? 0)
  return {
    line: at("p50"),
    bands: [
      [at("p5"), at("p95")],
      [at("p25"), at("p75")]
    ]
  }
}

export const html = (found: MonteCarloFound, madeAt: number): string => {
  const { method, seed } = found
  const [{ result }] = found.markets
  const { gain, lost, maxDrawdown, runs } = result.spread
  const isOrder = method === "order"
  const of = (values: Readonly<Record<string, number>>, name: string) => percent(values[name] ?? 0)
  const luck = isOrder
    ? [`Every order gains ${of(gain, "p50")}.`]
    : [
        `${percent(lost)} of the simulations lose.`,
        `From p5 to p95 the gain is ${of(gain, "p5")} to ${of(gain, "p95")}; the wider this is, the more of the result is luck.`
      ]
  return HtmlMonteCarlo.render({
    ...RunFacts.pageOf("Monte Carlo", found, `${runs} simulations by ${method}`, madeAt, [["seed", `${seed}`]]),
    headline: [
      ["gain (p50)", of(gain, "p50")],
      ["gain (p5)", of(gain, "p5")],
      isOrder ? ["simulations", `${runs}`] : ["simulations that lose", percent(lost)],
      ["largest drawdown (p95)", of(maxDrawdown, "p95")]
    ],
    says: [methodNotes[method], ...luck, `One in twenty falls by more than ${of(maxDrawdown, "p95")} on the way.`],
    fan: fanOf(result.fates),
    gains: isOrder ? [] : result.fates.map((each) => each.gain),
    drawdowns: result.fates.map((each) => each.maxDrawdown),
    medians: { gain: gain["p50"] ?? 0, drawdown: maxDrawdown["p50"] ?? 0 },
    ...present({ markets: MonteCarloSummary.byMarket(found) }),
    table: MonteCarloSummary.table(found)
  })
}
