/**
 * Ends a call that does not return. Node stops the thread from outside, also inside WebAssembly, which costs about 0.1 ms for each watched
 * call. A caller with many decisions, such as a backtest, therefore watches stretches of them.
 */
import { hrtime, threadCpuUsage } from "node:process"
import * as vm from "node:vm"
import { isRecord } from "../../domain/Text.ts"
import { OwnCodeFailed } from "./OwnCodeFailed.ts"

const decisionMillis = 1_000
const stretchMillis = 5_000
export const decisionsPerLook = 50
/** A stretch ends after this time. So the decisions between two reads of the clock have most of the time of a stretch. */
const longStretchNanos = 500_000_000n

let current: () => unknown = () => undefined
let isWatching = false
const call = new vm.Script("call()")
const context = vm.createContext({ call: () => current() })

/** The error comes from the context of the script, so it is not an `Error` of this context. */
const isTimeout = (mistake: unknown): boolean => isRecord(mistake) && mistake["code"] === "ERR_SCRIPT_EXECUTION_TIMEOUT"

/** By the wall clock. */
const watched = <A>(run: () => A, patienceMillis: number): { readonly value: A } | "timed out" => {
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

/** The call had to wait for the processor of a busy machine. */
class Waited extends Error {}

/** Wall-clock time that a call may take, as a multiple of its processor time. */
let patience = 1

/** Ends `run` after `limitMillis` of processor time. Throws `Waited` if it had less when its wall-clock time was over. */
const limited = <A>(run: () => A, limitMillis: number): A => {
  const startUsage = threadCpuUsage()
  const result = watched(run, limitMillis * patience)
  if (result !== "timed out") return result.value
  const { system, user } = threadCpuUsage(startUsage)
  if ((system + user) / 1_000 < 0.9 * limitMillis) throw new Waited()
  throw new OwnCodeFailed(`it takes longer than ${limitMillis} ms`)
}

/** Repeats `run` from its start, with more time, while a decision or a stretch in it had to wait for the processor. */
export const repeated = <A>(run: () => A): A => {
  const before = patience
  try {
    for (; ; patience *= 2)
      try {
        return run()
      } catch (mistake) {
        if (!(mistake instanceof Waited)) throw mistake
      }
  } finally {
    patience = before
  }
}

export const oneDecision = <A>(run: () => A): A => (isWatching ? run() : repeated(() => limited(run, decisionMillis)))

/** Makes steps of at most `decisionsPerLook` decisions each until one of them returns false. Only inside of `repeated`. */
export const inStretches = (step: () => boolean): void => {
  const stretch = (): boolean => {
    const end = hrtime.bigint() + longStretchNanos
    while (step()) if (hrtime.bigint() > end) return true
    return false
  }
  while (limited(stretch, stretchMillis));
}
