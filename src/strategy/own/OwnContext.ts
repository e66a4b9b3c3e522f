/**
 * Where the code of an own strategy runs: a context of its own with what it needs to compute, and nothing of this program's. What it
 * sees are objects of that context, made there of numbers and texts; what it answers comes back as text. So it holds no object
 * through which it could reach out. One instance is one evaluation of the code: two of them share nothing.
 */
import * as vm from "node:vm"
import { messageOf } from "../../domain/Text.ts"
import { stepName } from "./OwnCode.ts"

/** What the code may ask for while it decides. All answers are numbers or texts. */
export interface OwnAsked {
  readonly position: () => number
  /** JSON of an `OwnSlot`. */
  readonly slot: (name: string) => string
  /** The slots that something is known of. */
  readonly slots: () => ReadonlyArray<string>
  /** Closed candles; -1 where the strategy does not look at this timeframe. */
  readonly closed: (timeframe: string) => number
  readonly candle: (timeframe: string, column: string, back: number) => number
  /** JSON of an `OwnSignal`, or of null; empty where the strategy does not look at this one. */
  readonly signal: (name: string) => string
}

export interface OwnInstance {
  /** JSON of what the code exports, without its functions. */
  readonly described: string
  /** With its settings and the names of its market as JSON, and whom to ask; JSON of the candles and signals that it looks at. */
  readonly begin: (settings: string, market: string, asked: OwnAsked) => string
  /** JSON of an `OwnDecision`; `memory` as JSON. */
  readonly decide: (now: number, bid: number, ask: number, mid: number, memory: string) => string
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
/** Characters of an answer, what is remembered included. */
const longestAnswer = 1_000_000

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
  // What it is given is the same mostly: a text is read once, and nobody can change what was read.
  const lately = () => {
    let [text, value] = ["", undefined]
    return (given) => {
      if (given !== text) [text, value] = [given, frozen(parse(given))]
      return value
    }
  }
  // An error of the program, such as that of a full stack, must not reach the code: through it the program could be reached.
  const answered = (ask) => { try { return ask() } catch { throw new RangeError("it asks when nothing can be answered") } }
  let asked
  let settings
  let market
  const memoryOf = lately()
  const slots = new Map()
  const slot = (name) => {
    const key = String(name)
    const read = slots.get(key) ?? lately()
    slots.set(key, read)
    return read(answered(() => asked.slot(key)))
  }
  const position = () => answered(() => asked.position())
  const columnsOf = (frame) => {
    const made = {}
    for (const column of ["open", "high", "low", "close", "volume"])
      made[column] = (back) => { const at = +back; return answered(() => asked.candle(frame, column, at)) }
    return made
  }
  const frames = new Map()
  const candles = (timeframe) => {
    const frame = String(timeframe)
    const count = answered(() => asked.closed(frame))
    if (count < 0) throw new RangeError("it did not ask for candles of " + frame)
    const columns = frames.get(frame) ?? columnsOf(frame)
    frames.set(frame, columns)
    return freeze({ count, ...columns })
  }
  const signals = new Map()
  const signal = (name) => {
    const key = String(name)
    const text = answered(() => asked.signal(key))
    if (text === "") throw new RangeError("it did not ask for the signal " + key)
    const read = signals.get(key) ?? lately()
    signals.set(key, read)
    return read(text) ?? undefined
  }
  return {
    described,
    begin: (settingsText, marketText, asking) => guarded(() => {
      settings = frozen(parse(settingsText))
      market = frozen(parse(marketText))
      asked = asking
      const wanted = (of) => (of === undefined ? {} : of.call(own, settings))
      return stringify({ candles: wanted(own.candles), signals: wanted(own.signals) })
    }),
    decide: (now, bid, ask, mid, memory) => guarded(() =>
      stringify(own.decide(freeze({ now, bid, ask, mid, market, position, slot, candles, signal }), settings, memoryOf(memory))))
  }
}`

export const taken = (answer: string): string => {
  if (answer.length > longestAnswer)
    throw new OwnCodeFailed(`it answers with more than ${longestAnswer} characters, what it remembers included`)
  if (answer.startsWith("+")) return answer.slice(1)
  throw new OwnCodeFailed(answer.slice(1))
}

/** Evaluates code in a context of its own: given Node's `vm` and a script. A text, because it also runs in a process that has nothing else. */
export const making = `(vm, script) => {
  const context = vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } })
  const options = { filename: "own-strategy", timeout: ${patienceMillis} }
  const evaluate = new vm.Script("(${stepName})=>{\\"use strict\\";" + script + "\\n}", options).runInContext(context, options)
  return new vm.Script(${JSON.stringify(setting)}, { filename: "own-setting" }).runInContext(context, options)(evaluate)
}`

/** Evaluates the code here, where many decisions have to be fast; `script` is that of `scriptOf`. Throws `OwnCodeFailed`. */
export const instanceOf = (script: string): OwnInstance => {
  try {
    const { begin, decide, described } = new vm.Script(making, { filename: "own-making" }).runInThisContext()(
      vm,
      script
    )
    return {
      described: taken(described),
      begin: (settings, market, asked) => taken(begin(settings, market, asked)),
      decide: (now, bid, ask, mid, memory) => taken(decide(now, bid, ask, mid, memory))
    }
  } catch (mistake) {
    throw mistake instanceof OwnCodeFailed ? mistake : new OwnCodeFailed(messageOf(mistake))
  }
}
