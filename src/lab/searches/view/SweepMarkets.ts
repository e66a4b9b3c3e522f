/** Scores each trial on every market. A trial that is the best on one market and poor on the others was fitted to that market. */
import * as Page from "../../../report/Page.ts"
import * as Objective from "../../backtest/search/Objective.ts"
import * as SweepSpace from "../../backtest/search/SweepSpace.ts"
import { together } from "../OnMarkets.ts"
import type { SweepFound } from "../SweepRun.ts"

type MarketComparison = Pick<SweepFound, "best" | "markets" | "objective" | "space">

const standingOf = ({ objective, markets }: MarketComparison, trial: number) => {
  const results = markets.map(({ result }) => result.get(trial))
  const scores = results.map((result) =>
    result === undefined || result.refused !== undefined ? undefined : Objective.score(objective, result)
  )
  return { trial, values: results.find((each) => each !== undefined)?.values ?? [], scores, ...together(scores) }
}

const bestAlone = (comparison: MarketComparison) =>
  comparison.markets.flatMap(({ name, result }, at) => {
    const standings = [...result.keys()].map((trial) => standingOf(comparison, trial))
    const [best] = standings
      .filter(({ scores }) => scores[at] !== undefined)
      .toSorted((a, b) => (b.scores[at] ?? 0) - (a.scores[at] ?? 0) || a.trial - b.trial)
    if (best === undefined) return []
    const { worst: worstElsewhere } = together(best.scores.filter((_, index) => index !== at))
    return [{ ...best, market: name, score: best.scores[at] ?? 0, worstElsewhere }]
  })

const figure = (value: number | undefined): string =>
  value === undefined || !Number.isFinite(value)
    ? "refused"
    : Math.abs(value) >= 1 || value === 0
      ? value.toFixed(2)
      : value.toPrecision(2)

export const section = (comparison: MarketComparison): Page.PageSection => {
  const { best, markets, objective, space } = comparison
  const titles = ["#", ...space.map(({ path }) => path), ...markets.map(({ name }) => name), "MEDIAN", "WORST"]
  const rows = best.map(({ trial }, index) => {
    const { values, scores, median, worst } = standingOf(comparison, trial)
    return [`${index + 1}`, ...values, ...scores.map(figure), figure(median), figure(worst)]
  })
  return {
    title: "By market",
    note: `${objective}; the order is that of the worst`,
    parts: [Page.table(titles, rows, "all"), Page.sentences(...notesOf(comparison))]
  }
}

const notesOf = (comparison: MarketComparison): ReadonlyArray<string> =>
  bestAlone(comparison).map(({ market, trial, values, score, worstElsewhere }) => {
    const set = comparison.space.map(({ path }, index) => `${path} ${values[index]}`).join(", ")
    const same = trial === comparison.best[0]?.trial ? ", the same as #1" : ""
    return `The best on ${market} alone: ${set} (${figure(score)} there, ${figure(worstElsewhere)} at worst elsewhere)${same}.`
  })

const orNull = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : value

export const json = (comparison: MarketComparison) => ({
  markets: comparison.markets.map(({ name, data, result }) => ({
    market: name,
    data,
    best: comparison.best.flatMap(({ trial }) => result.get(trial) ?? [])
  })),
  together: comparison.best.map(({ trial }) => {
    const { scores, median, worst } = standingOf(comparison, trial)
    const byMarket = comparison.markets.map(({ name }, index) => [name, orNull(scores[index])] as const)
    return { trial, scores: Object.fromEntries(byMarket), median: orNull(median), worst: orNull(worst) }
  }),
  bestAlone: bestAlone(comparison).map(({ market, trial, values, score, worstElsewhere }) => ({
    market,
    trial,
    set: SweepSpace.settingsOf(comparison.space, values),
    score,
    worstElsewhere: orNull(worstElsewhere)
  }))
})
