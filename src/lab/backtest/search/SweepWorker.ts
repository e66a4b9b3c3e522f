/** Worker thread of a sweep. Takes the next trial by an atomic counter until none is left. Candles are in shared memory. */
import { parentPort } from "node:worker_threads"
import type * as Backtest from "../Backtest.ts"
import * as Trial from "./Trial.ts"

export interface Assignment {
  readonly search: Trial.Search
  readonly inputs: Backtest.MarketInputs
  readonly trials: ReadonlyArray<number>
  /** One element: the number of trials taken. */
  readonly taken: Int32Array
}

// The user who waits for the sweep cannot act on Node's warnings about experimental features.
process.removeAllListeners("warning")
parentPort?.on("message", ({ search, inputs, trials, taken }: Assignment) => {
  for (let next = Atomics.add(taken, 0, 1); next < trials.length; next = Atomics.add(taken, 0, 1))
    parentPort?.postMessage(Trial.run(search, trials[next] ?? 0, inputs))
})
