/**
 * Successive halving (Jamieson and Talwalkar, 2016): all trials run over a short beginning of the data, the best of them over more of it,
 * until a few run over all. Each step costs about the same, and together they cost a small part of a full search. It may miss a trial that
 * is bad at the beginning and the best at the end.
 *
 * A run over the beginning equals the beginning of the run over all data. So the last step has the results of single runs, and a condition
 * on a figure that only grows can be checked in the first steps already.
 */
import { Effect } from "effect"
import * as Objective from "./Objective.ts"
import * as Sweep from "./Sweep.ts"
import type { TrialResult } from "./TrialResult.ts"

export interface Rung {
  readonly bars: number
  readonly trials: number
}

/** Minimum number of trials in the last step for a comparison, and the shortest useful part of the data. */
const minTrials = 10
const minBars = 1000

/** Returns steps that each keep one of `keepOneOf` trials; one step over all data if there is too little to halve. */
export const rungs = (trials: number, bars: number, keepOneOf: number): ReadonlyArray<Rung> => {
  const steps: Array<Rung> = [{ bars, trials }]
  for (;;) {
    const [first = { bars, trials }] = steps
    const shorter = Math.ceil(first.bars / keepOneOf)
    if (trials / keepOneOf ** steps.length < minTrials || shorter < minBars) break
    steps.unshift({ bars: shorter, trials })
  }
  return steps.map((step, index) => ({ ...step, trials: Math.ceil(trials / keepOneOf ** index) }))
}

export const budget = (steps: ReadonlyArray<Rung>): number => {
  const [first, last] = [steps[0], steps.at(-1)]
  if (first === undefined || last === undefined) return 1
  return steps.reduce((sum, { bars, trials }) => sum + bars * trials, 0) / (first.trials * last.bars)
}

export interface HalvingPlan extends Sweep.SweepPlan {
  readonly objective: Objective.Objective
  readonly conditions: ReadonlyArray<Objective.Condition>
  readonly rungs: ReadonlyArray<Rung>
}

export const run = Effect.fn("Halving.run")(function* (
  plan: HalvingPlan,
  known: ReadonlyArray<TrialResult>,
  onResult: (result: TrialResult) => void
) {
  const final = plan.conditions.filter(({ isFinal }) => isFinal)
  const steps: Array<ReadonlyArray<TrialResult>> = []
  let trials = plan.trials
  for (const [index, { bars }] of plan.rungs.entries()) {
    const isLast = index === plan.rungs.length - 1
    const inputs = isLast ? plan.inputs : Sweep.partOf(plan.inputs, 0, bars)
    const trialSet = new Set(trials)
    const results = known.filter(({ trial, rung = 0 }) => rung === index && trialSet.has(trial))
    const done = new Set(results.map(({ trial }) => trial))
    yield* Sweep.run({ ...plan, inputs, trials: trials.filter((trial) => !done.has(trial)) }, (result) => {
      const placed = plan.rungs.length === 1 ? result : { ...result, rung: index }
      results.push(placed)
      onResult(placed)
    })
    steps.push(results.sort((a, b) => a.trial - b.trial))
    const survivors = Objective.ranked(results, plan.objective, final).slice(0, plan.rungs[index + 1]?.trials ?? 0)
    trials = survivors.map(({ trial }) => trial)
  }
  return steps
})
