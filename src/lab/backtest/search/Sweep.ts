/** Runs many trials on all cores. A trial is a pure function of its number, so results depend on neither threads nor order. */
import { Worker } from "node:worker_threads"
import { Array as Arr, Deferred, Effect, Exit, Schema, type Scope } from "effect"
import * as Candles from "../../../candles/Candles.ts"
import * as CrossingIndex from "../../../candles/CrossingIndex.ts"
import { messageOf } from "../../../domain/Text.ts"
import type * as Backtest from "../Backtest.ts"
import type { Assignment } from "./SweepWorker.ts"
import * as Trial from "./Trial.ts"
import type { TrialResult } from "./TrialResult.ts"

export class SweepFailed extends Schema.TaggedError<SweepFailed>()("SweepFailed", { message: Schema.String }) {}

export type Team = Readonly<ReturnType<typeof startTeam>>

export interface SweepPlan {
  readonly team: Team
  readonly search: Trial.Search
  readonly inputs: Backtest.MarketInputs
  readonly trials: ReadonlyArray<number>
}

export const partOf = (inputs: Backtest.MarketInputs, from: number, to: number): Backtest.MarketInputs =>
  Arr.map(inputs, (input) => {
    const candles = Candles.slice(input.candles, from, to)
    return { ...input, candles, indices: CrossingIndex.buildIndices(candles) }
  })

const workerUrl = new URL(import.meta.url.endsWith(".ts") ? "./SweepWorker.ts" : "./SweepWorker.mjs", import.meta.url)

const startTeam = (threads: number) => {
  const failure = Deferred.makeUnsafe<never, SweepFailed>()
  const fail = (cause: unknown) =>
    Deferred.doneUnsafe(failure, Exit.fail(new SweepFailed({ message: `a worker thread failed: ${messageOf(cause)}` })))
  return { workers: Array.from({ length: threads - 1 }, () => new Worker(workerUrl).on("error", fail)), failure }
}

export const team = (threads: number): Effect.Effect<Team, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => startTeam(threads)),
    ({ workers }) => Effect.promise(() => Promise.all(workers.map((worker) => worker.terminate())))
  )

type Hear = (result: TrialResult) => void

/** Runs this thread's share of the trials. Yields between trials to receive results and to allow interruption. */
const takeTrials = ({ search, inputs, trials, taken }: Assignment, hear: Hear): Effect.Effect<void> => {
  let next = Atomics.add(taken, 0, 1)
  return Effect.whileLoop({
    while: () => next < trials.length,
    body: () => {
      hear(Trial.run(search, trials[next] ?? 0, inputs))
      return Effect.yieldNow
    },
    step: () => {
      next = Atomics.add(taken, 0, 1)
    }
  })
}

/** Calls `onResult` with each result as it ends, in no particular order. */
export const run = ({ team, ...plan }: SweepPlan, onResult: Hear): Effect.Effect<void, SweepFailed> =>
  Effect.suspend(() => {
    const { search, inputs, trials } = plan
    if (trials.length === 0) return Effect.void
    const nextTrial = new Int32Array(new SharedArrayBuffer(4))
    const assignment: Assignment = { search, inputs, trials, taken: nextTrial }
    const all = Deferred.makeUnsafe<void>()
    let resultCount = 0
    const hear: Hear = (result) => {
      onResult(result)
      if (++resultCount === trials.length) Deferred.doneUnsafe(all, Exit.void)
    }
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        for (const worker of team.workers) worker.on("message", hear).postMessage(assignment)
      }),
      () =>
        Effect.all([takeTrials(assignment, hear), Deferred.await(all)], { concurrency: 2, discard: true }).pipe(
          Effect.raceFirst(Deferred.await(team.failure))
        ),
      () =>
        Effect.sync(() => {
          for (const worker of team.workers) worker.off("message", hear)
        })
    )
  })
