/**
 * Many trials on all cores. All threads share the candles and take trials from one counter; every trial is a pure
 * function of its number, so the results are those of single runs, whatever the number of threads and their order.
 */
import { Worker } from "node:worker_threads"
import { Deferred, Effect, Exit, Schema } from "effect"
import type { Candles } from "./Candles.ts"
import type * as Kernel from "./Kernel.ts"
import type { Assignment } from "./SweepWorker.ts"
import * as Trial from "./Trial.ts"

export class SweepFailed extends Schema.TaggedError<SweepFailed>()("SweepFailed", { message: Schema.String }) {}

export interface Plan {
  readonly search: Trial.Search
  readonly candles: Candles
  readonly indices: Kernel.Indices
  readonly trials: ReadonlyArray<number>
  /** This one included. */
  readonly threads: number
}

/** The worker's file: a source beside this one, or its bundle beside ours. */
const workerUrl = new URL(import.meta.url.endsWith(".ts") ? "./SweepWorker.ts" : "./SweepWorker.mjs", import.meta.url)

type Hear = (result: Trial.TrialResult) => void

const startWorker = (assignment: Assignment, hear: Hear, fail: (failure: SweepFailed) => void): Worker => {
  const worker = new Worker(workerUrl, { workerData: assignment })
  worker.on("message", hear)
  worker.on("error", (cause) =>
    fail(new SweepFailed({ message: `a worker thread failed: ${cause instanceof Error ? cause.message : cause}` }))
  )
  return worker
}

/** This thread's share of the trials. Between two of them it listens to the others, and to who wants to stop. */
const takeTrials = ({ search, candles, indices, trials, taken }: Assignment, hear: Hear): Effect.Effect<void> => {
  let next = Atomics.add(taken, 0, 1)
  return Effect.whileLoop({
    while: () => next < trials.length,
    body: () => {
      hear(Trial.run(search, trials[next] ?? 0, candles, indices))
      return Effect.yieldNow
    },
    step: () => {
      next = Atomics.add(taken, 0, 1)
    }
  })
}

/** Runs all trials; `onResult` hears of each as it ends, in no particular order. */
export const run = (plan: Plan, onResult: Hear): Effect.Effect<void, SweepFailed> =>
  Effect.suspend(() => {
    const { search, candles, indices, trials } = plan
    if (trials.length === 0) return Effect.void
    const taken = new Int32Array(new SharedArrayBuffer(4))
    const assignment: Assignment = { search, candles, indices, trials, taken }
    const all = Deferred.makeUnsafe<void, SweepFailed>()
    let heard = 0
    const hear: Hear = (result) => {
      onResult(result)
      if (++heard === trials.length) Deferred.doneUnsafe(all, Exit.void)
    }
    const fail = (failure: SweepFailed) => Deferred.doneUnsafe(all, Exit.fail(failure))
    const others = Math.min(plan.threads, trials.length) - 1
    return Effect.acquireUseRelease(
      Effect.sync(() => Array.from({ length: others }, () => startWorker(assignment, hear, fail))),
      () => Effect.all([takeTrials(assignment, hear), Deferred.await(all)], { concurrency: 2, discard: true }),
      (workers) => Effect.promise(() => Promise.all(workers.map((worker) => worker.terminate())))
    )
  })
