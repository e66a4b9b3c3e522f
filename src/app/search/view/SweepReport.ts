/** Turns what a search found into its HTML report. */

import { Result } from "effect"
import * as Objective from "../../../backtest/search/Objective.ts"
import * as SweepSpace from "../../../backtest/search/SweepSpace.ts"
import { present } from "../../../domain/Present.ts"
import { percent } from "../../../domain/Text.ts"
import * as HtmlSweep from "../../../report/html/HtmlSweep.ts"
import type { SweepFound } from "../SweepRun.ts"
import * as RunFacts from "./RunFacts.ts"
import * as SweepMarkets from "./SweepMarkets.ts"
import * as SweepSummary from "./SweepSummary.ts"

export const html = (found: SweepFound, madeAt: number): string => {
  const { all, best, space, objective, bars, compared } = found
  const map = SweepSummary.mapOf(found)
  const [first] = best
  const compare = compared.find(({ trial }) => trial === first?.trial)
  const winnerScore = compare === undefined ? undefined : Objective.score(objective, compare)
  const winner = map === undefined ? undefined : SweepSummary.winnerOn(map, found)
  const steps = SweepSummary.steps(found)
  const refused = all.filter((result) => result.refused !== undefined)
  const written = Result.getOrUndefined(SweepSpace.template(found.runs[0].strategy.text, space))
  const page = RunFacts.pageOf("Search", found, `${all.length} trials over ${bars} bars`, madeAt, [
    ...space.map(({ path, values }) => [path, values.join(", ")] as const),
    ["refused", `${refused.length}`]
  ])
  return HtmlSweep.render({
    ...page,
    facts: [...page.facts, ...(steps === "" ? [] : [["steps", steps] as const])],
    headline: [
      [`the best by ${objective}`, first === undefined ? "none" : SweepSummary.profit(first)],
      ["not just luck (deflated Sharpe)", first === undefined ? "none" : percent(found.deflatedSharpe, 1)],
      ["trials", `${all.length}`],
      ["time", `${(found.wallMillis / 1000).toFixed(1)} s`]
    ],
    says: [
      first === undefined
        ? "No trial met the conditions."
        : `The best of ${all.length - refused.length} trials by ${objective} made ${SweepSummary.profit(first)}.`,
      SweepSummary.luck(found),
      ...(map === undefined ? [] : SweepSummary.plateau(map, found))
    ],
    objective,
    ...present({ map, winner, winnerScore }),
    mapNote: SweepSummary.mapNote(found),
    scores: compared
      .filter((result) => result.refused === undefined)
      .map((result) => Objective.score(objective, result)),
    best: SweepSummary.table(found),
    ...(first === undefined || written === undefined ? {} : { bestText: written.text(first.values) }),
    refused: {
      titles: [...space.map(({ path }) => path), "WHY"],
      rows: refused.map(({ values, refused: why = "" }) => [...values, why])
    },
    ...(found.markets.length < 2 ? {} : { markets: SweepMarkets.table(found) })
  })
}
