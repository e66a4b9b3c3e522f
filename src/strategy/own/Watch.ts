/**
 * Ends a call that does not return. Node stops the thread from outside, also inside WebAssembly, which costs about 0.1 ms for each watched
 * call. A caller that runs many decisions, such as a backtest, therefore watches some fifty of them at once.
 */
import { cpuUsage } from "node:process"
import * as vm from "node:vm"
import { OwnCodeFailed } from "./OwnCodeFailed.ts"

const decisionMillis = 1_000
const stretchMillis = 5_000
export const decisionsPerStretch = 50

let current: () => unknown = () => undefined
let isWatching = false
const call = new vm.Script("call()")
const context = vm.createContext({ call: () => current() })

const tooLong = (millis: number): OwnCodeFailed => new OwnCodeFailed(`it takes longer than ${millis} ms`)

/** The error comes from the context of the script, so it is not an `Error` of this context. */
const isTimeout = (mistake: unknown): boolean =>
  typeof mistake === "object" &&
  mistake !== null &&
  "code" in mistake &&
  mistake.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"

/** Ends `run` after `patienceMillis` of the wall clock. Inside a watched call it only runs `run`. */
const watched = <A>(run: () => A, patienceMillis: number): { readonly value: A } | "timed out" => {
  if (isWatching) return { value: run() }
  let result: { readonly value: A } | undefined
  current = () => {
    result = { value: run() }
  }
  isWatching = true
  try {
    call.runInContext(context, { timeout: patienceMillis })
  } catch (mistake) {
    if (!isTimeout(mistake)) throw mistake
  } finally {
    isWatching = false
  }
  return result ?? "timed out"
}

export const processorMillis = (since: NodeJS.CpuUsage): number => {
  const { system, user } = cpuUsage(since)
  return (system + user) / 1_000
}

/**
 * On a busy machine a decision may wait for the processor. It is repeated, with more time, until it had `decisionMillis` of processor time.
 */
export const oneDecision = <A>(run: () => A): A => {
  for (let patienceMillis = decisionMillis; ; patienceMillis *= 2) {
    const startUsage = cpuUsage()
    const result = watched(run, patienceMillis)
    if (result !== "timed out") return result.value
    if (processorMillis(startUsage) >= 0.9 * decisionMillis) throw tooLong(decisionMillis)
  }
}

export const oneStretch = <A>(run: () => A): A => {
  const result = watched(run, stretchMillis)
  if (result === "timed out") throw tooLong(stretchMillis)
  return result.value
}
