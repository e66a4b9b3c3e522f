/**
 * Ends a call that does not return. Node stops the thread from outside, also inside WebAssembly, which costs about 0.1 ms for each watched
 * call. A caller that runs many decisions, such as a backtest, therefore watches some fifty of them at once.
 */
import * as vm from "node:vm"
import { OwnCodeFailed } from "./OwnCodeFailed.ts"

/** Milliseconds that one decision may take. */
const decisionMillis = 1_000
/** Milliseconds that a backtest waits for a stretch of at most `decisionsPerStretch` decisions. */
const stretchMillis = 5_000
export const decisionsPerStretch = 50

let current: () => unknown = () => undefined
let isWatching = false
const call = new vm.Script("call()")
const context = vm.createContext({ call: () => current() })

const tooLong = (millis: number): OwnCodeFailed => new OwnCodeFailed(`it takes longer than ${millis} ms`)

/** The error comes from the context of the script, so it is no `Error` of this one. */
const isTimeout = (mistake: unknown): boolean =>
  typeof mistake === "object" &&
  mistake !== null &&
  "code" in mistake &&
  mistake.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"

/** Throws `OwnCodeFailed` after `millis`. Inside a watched call it only runs `run`. */
const watched = <A>(run: () => A, millis: number): A => {
  if (isWatching) return run()
  let result: { readonly value: A } | undefined
  current = () => {
    result = { value: run() }
  }
  isWatching = true
  try {
    call.runInContext(context, { timeout: millis })
  } catch (mistake) {
    throw isTimeout(mistake) ? tooLong(millis) : mistake
  } finally {
    isWatching = false
  }
  if (result === undefined) throw tooLong(millis)
  return result.value
}

export const oneDecision = <A>(run: () => A): A => watched(run, decisionMillis)

export const oneStretch = <A>(run: () => A): A => watched(run, stretchMillis)
