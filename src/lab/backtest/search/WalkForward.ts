/**
 * Tests if the best trial of the past does well in the future. For each stretch of the series, all trials run over the data before it, and
 * only the best runs over the stretch itself. The gains of these runs are those of the search without hindsight.
 */
import { Effect } from "effect"
import { closeTime, openTime } from "../../../candles/TimeAxis.ts"
import { present } from "../../../domain/Present.ts"
import * as Finalists from "./Finalists.ts"
import * as Objective from "./Objective.ts"
import * as Sweep from "./Sweep.ts"
import * as Trial from "./Trial.ts"
import type { TrialResult } from "./TrialResult.ts"

/** The search uses bars [from, to); the best trial then runs on [to, end). */
export type Stretch = Readonly<Record<"from" | "to" | "end", number>>

export interface WalkStep extends Stretch {
  readonly trainFrom: number
  readonly testFrom: number
  readonly testTo: number
  /** The first trial's reason, if no trial ran. */
  readonly refused?: string
  readonly train?: TrialResult
  readonly test?: TrialResult
  /** Profit of the best trial over the stretch, against the untouched budget, in quote. */
  readonly curve?: ReadonlyArray<number>
}

/** Returns equal stretches, each after `trainParts` times as many bars (`rolling`) or after all earlier bars (`anchored`). */
export const stretches = (
  bars: number,
  count: number,
  trainParts: number,
  kind: "rolling" | "anchored"
): ReadonlyArray<Stretch> => {
  const length = bars / (count + trainParts)
  return Array.from({ length: count }, (_, index) => ({
    from: kind === "anchored" ? 0 : Math.floor(index * length),
    to: Math.floor((index + trainParts) * length),
    end: Math.min(bars, Math.floor((index + 1 + trainParts) * length))
  }))
}

export interface WalkForwardPlan extends Sweep.SweepPlan {
  readonly objective: Objective.Objective
  readonly conditions: ReadonlyArray<Objective.Condition>
  readonly stretches: ReadonlyArray<Stretch>
  readonly rank: Objective.Rank
}

export const run = Effect.fn("WalkForward.run")(function* (plan: WalkForwardPlan, onTrial: (done: number) => void) {
  const [{ candles }] = plan.inputs
  let done = 0
  return yield* Effect.forEach(plan.stretches, (stretch) =>
    Effect.gen(function* (): Effect.fn.Return<WalkStep, Sweep.SweepFailed> {
      const past = Sweep.partOf(plan.inputs, stretch.from, stretch.to)
      const results: Array<TrialResult> = []
      yield* Sweep.run({ ...plan, inputs: past }, (result) => {
        results.push(result)
        onTrial(++done)
      })
      const ranked = Objective.ranked(results, plan.objective, plan.conditions)
      const [best] = yield* Finalists.of([{ ...plan, inputs: past }], ranked, plan.rank)
      const step = {
        ...stretch,
        trainFrom: openTime(candles.time, stretch.from),
        testFrom: openTime(candles.time, stretch.to),
        testTo: closeTime(candles.time, stretch.end - 1),
        ...present({ refused: results.every(({ refused }) => refused !== undefined) ? results[0]?.refused : undefined })
      }
      if (best === undefined) return step
      const future = Sweep.partOf(plan.inputs, stretch.to, stretch.end)
      const curves = new Map<TrialResult["side"], ReadonlyArray<number>>()
      const test = Trial.run(plan.search, best.trial, future, (ran, side) => curves.set(side, Trial.curveOf(ran)))
      return { ...step, train: best, test, curve: curves.get(test.side) ?? [] }
    })
  )
})

/** Below this share of the gains and losses added up, a sum is chance, so no ratio to it is computed. */
const leastOfMoved = 0.1

/** Returns the test gain per bar as a share of the training gain per bar; `undefined` if the latter was (almost) nothing. */
export const efficiency = (steps: ReadonlyArray<WalkStep>): number | undefined => {
  const past = steps.map(({ train, from, to }) => Number(train?.profitQuote ?? 0) / (to - from))
  const future = steps.map(({ test, to, end }) => Number(test?.profitQuote ?? 0) / (end - to))
  const sum = (all: ReadonlyArray<number>): number => all.reduce((total, gain) => total + gain, 0)
  const promised = sum(past)
  return promised > 0 && promised >= leastOfMoved * sum([...past, ...future].map(Math.abs))
    ? sum(future) / promised
    : undefined
}
