/**
 * Many trials on all cores. Worker threads share the candles and take trials from one counter; every trial is a pure
 * function of its number, so the results are those of single runs, whatever the number of threads and their order.
 */
import { Worker } from "node:worker_threads"
import { Effect, Schema } from "effect"
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
  /** 1: in this thread. */
  readonly threads: number
}

/** Runs all trials; `onResult` hears of each as it ends, in no particular order. */
export const run = (plan: Plan, onResult: (result: Trial.TrialResult) => void): Effect.Effect<void, SweepFailed> => {
  const threads = Math.min(plan.threads, plan.trials.length)
  if (threads > 1) return inThreads(plan, threads, onResult)
  const { search, candles, indices } = plan
  return Effect.forEach(
    plan.trials,
    (trial) => Effect.sync(() => onResult(Trial.run(search, trial, candles, indices))),
    { discard: true }
  )
}

/** The worker's file: a source beside this one, or its bundle beside ours. */
const workerUrl = new URL(import.meta.url.endsWith(".ts") ? "./SweepWorker.ts" : "./SweepWorker.mjs", import.meta.url)

const inThreads = (
  { search, candles, indices, trials }: Plan,
  threads: number,
  onResult: (result: Trial.TrialResult) => void
) =>
  Effect.callback<void, SweepFailed>((resume) => {
    const taken = new Int32Array(new SharedArrayBuffer(4))
    const assignment: Assignment = { search, candles, indices, trials, taken }
    let running = threads
    const workers = Array.from({ length: threads }, () => {
      const worker = new Worker(workerUrl, { workerData: assignment })
      worker.on("message", onResult)
      worker.on("error", (cause) =>
        resume(
          Effect.fail(
            new SweepFailed({ message: `a worker thread failed: ${cause instanceof Error ? cause.message : cause}` })
          )
        )
      )
      worker.on("exit", () => {
        running--
        if (running === 0) resume(Effect.void)
      })
      return worker
    })
    return Effect.promise(() => Promise.all(workers.map((worker) => worker.terminate())))
  })
