/**
 * Where the code of an own strategy runs: a context of its own with what it needs to compute, and nothing of this program's. What it
 * sees are objects of that context, made there of numbers and texts; what it answers comes back as text. So it holds no object
 * through which it could reach out. One instance is one evaluation of the code: two of them share nothing.
 */
import { createContext, Script } from "node:vm"
import { messageOf } from "../../domain/Text.ts"
import { stepName } from "./OwnCode.ts"

/** What the code may ask for while it decides. All answers are numbers or texts. */
export interface OwnAsked {
  readonly position: () => number
  /** JSON of an `OwnSlot`. */
  readonly slot: (name: string) => string
  /** Closed candles; -1 where the strategy does not look at this timeframe. */
  readonly closed: (timeframe: string) => number
  readonly candle: (timeframe: string, column: string, back: number) => number
}

export interface OwnInstance {
  /** JSON of what the code exports, without its functions. */
  readonly described: string
  /** JSON of the candles that it wants with these settings. */
  readonly candles: (settings: string) => string
  /** JSON of an `OwnDecision`. */
  readonly decide: (settings: string, moment: string, memory: string, asked: OwnAsked) => string
}

const failedName = "OwnCodeFailed"

/** Something went wrong within the code, in its own words. Its name goes with it from one thread to another. */
export class OwnCodeFailed extends Error {
  override readonly name = failedName
}

export const isOfOwnCode = (mistake: unknown): mistake is Error =>
  mistake instanceof Error && mistake.name === failedName

/** Steps of one decision: some milliseconds. */
const mostSteps = 1_000_000
/** For what no step counts, when the code is first evaluated. */
const patienceMillis = 2_000

const removed =
  "Date WeakRef FinalizationRegistry SharedArrayBuffer Atomics WebAssembly Intl Promise RegExp console eval Function Proxy Reflect"

/** Runs within the context, before the code and around it. Its answers begin with + or, for a failure, with -. */
const setting = `(evaluate) => {
  "use strict"
  for (const name of "${removed}".split(" ")) delete globalThis[name]
  delete Math.random
  let steps = ${mostSteps}
  const step = () => { if (--steps < 0) throw new RangeError("it takes more than ${mostSteps} steps") }
  const { parse, stringify } = JSON
  const { freeze, values, getOwnPropertyNames } = Object
  const frozen = (value) => {
    if (typeof value === "object" && value !== null) { for (const each of values(value)) frozen(each); freeze(value) }
    return value
  }
  for (const name of getOwnPropertyNames(globalThis)) {
    const made = globalThis[name]
    if (made === globalThis) continue
    if (typeof made !== "function" && typeof made !== "object" || made === null) continue
    freeze(made)
    if (made.prototype) freeze(made.prototype)
  }
  const failure = (mistake) => {
    let text = "it fails"
    try { text = mistake instanceof Error ? mistake.message + placeIn(mistake.stack) : "it throws " + stringify(mistake) } catch {}
    return "-" + text
  }
  const placeIn = (stack) => {
    const at = typeof stack === "string" ? stack.indexOf("own-strategy:") : -1
    if (at < 0) return ""
    const [line] = stack.slice(at + 13).split(":")
    return " (line " + line + ")"
  }
  const guarded = (run) => {
    steps = ${mostSteps}
    try {
      const made = run()
      return steps < 0 ? "-it takes more than ${mostSteps} steps" : "+" + made
    } catch (mistake) { return failure(mistake) }
  }
  let own
  const described = guarded(() => {
    own = frozen(evaluate(step))
    if (typeof own !== "object" || own === null) throw new TypeError("what it exports is no strategy")
    if (typeof own.decide !== "function") throw new TypeError("it has no decide")
    return stringify({ about: own.about, keys: own.keys, around: own.around })
  })
  let settingsText = ""
  let settings = {}
  const settingsOf = (text) => {
    if (text !== settingsText) { settings = frozen(parse(text)); settingsText = text }
    return settings
  }
  // An error of the program, such as that of a full stack, must not reach the code: through it the program could be reached.
  const answered = (ask) => { try { return ask() } catch { throw new RangeError("it asks when nothing can be answered") } }
  const columns = ["open", "high", "low", "close", "volume"]
  const viewOf = (moment, asked) => freeze({
    ...parse(moment),
    position: () => answered(() => asked.position()),
    slot: (name) => { const key = String(name); return frozen(parse(answered(() => asked.slot(key)))) },
    candles: (timeframe) => {
      const frame = String(timeframe)
      const count = answered(() => asked.closed(frame))
      if (count < 0) throw new RangeError("it did not ask for candles of " + frame)
      const made = { count }
      for (const column of columns) made[column] = (back) => { const at = +back; return answered(() => asked.candle(frame, column, at)) }
      return freeze(made)
    }
  })
  return {
    described,
    candles: (text) => guarded(() => stringify(own.candles === undefined ? {} : own.candles(settingsOf(text)))),
    decide: (text, moment, memory, asked) =>
      guarded(() => stringify(own.decide(viewOf(moment, asked), settingsOf(text), frozen(parse(memory)))))
  }
}`

const taken = (answer: string): string => {
  if (answer.startsWith("+")) return answer.slice(1)
  throw new OwnCodeFailed(answer.slice(1))
}

/** Evaluates the code; `script` is that of `scriptOf`. Throws `OwnCodeFailed`. */
export const instanceOf = (script: string): OwnInstance => {
  const context = createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } })
  const options = { filename: "own-strategy", timeout: patienceMillis }
  try {
    const evaluate: unknown = new Script(`(${stepName})=>{"use strict";${script}\n}`, options).runInContext(
      context,
      options
    )
    const inside = new Script(setting, { filename: "own-setting" }).runInContext(context, options)
    const { described, candles, decide } = inside(evaluate)
    return {
      described: taken(described),
      candles: (settings) => taken(candles(settings)),
      decide: (settings, moment, memory, asked) => taken(decide(settings, moment, memory, asked))
    }
  } catch (mistake) {
    throw mistake instanceof OwnCodeFailed ? mistake : new OwnCodeFailed(messageOf(mistake))
  }
}
