/**
 * The last step of a search. The two named sides decide only at closes, so they only select the finalists; a quantile of simulated runs
 * ranks these. The number of runs is fixed, so equal searches give equal results.
 */
import { Effect } from "effect"
import { firstRuns } from "../results/Quantiles.ts"
import type * as Objective from "./Objective.ts"
import * as Sweep from "./Sweep.ts"
import type { TrialResult } from "./TrialResult.ts"

const most = 5

/**
 * Ranks the first of `ranked` by the worst quantile of their objective over all plans: the search's own plan, and the same trials on
 * further data. All others follow in their order. A search by one side keeps its order.
 */
export const of = Effect.fn("Finalists.of")(function* (
  plans: readonly [Sweep.SweepPlan, ...ReadonlyArray<Sweep.SweepPlan>],
  ranked: ReadonlyArray<TrialResult>,
  rank: Objective.Rank
) {
  const finalists = ranked.slice(0, most)
  if (plans[0].search.mode !== "worse") return ranked
  const scores = new Map<number, NonNullable<TrialResult["simulated"]>>()
  for (const plan of plans)
    yield* Sweep.run(
      { ...plan, search: { ...plan.search, simulatedRuns: firstRuns }, trials: finalists.map(({ trial }) => trial) },
      ({ trial, simulated }) => {
        const before = scores.get(trial)
        if (simulated !== undefined && !(before !== undefined && before[rank] <= simulated[rank]))
          scores.set(trial, simulated)
      }
    )
  const scored = finalists.flatMap((result) => {
    const simulated = scores.get(result.trial)
    return simulated === undefined ? [] : [{ ...result, simulated }]
  })
  return [...scored.sort((a, b) => b.simulated[rank] - a.simulated[rank]), ...ranked.slice(most)]
})
