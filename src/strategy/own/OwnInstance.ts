/**
 * The code of a strategy, ready to decide. Candles and prices go to the machine as numbers in shared memory, of which only new ones are
 * written; memory and answers are JSON. Every mode of the program runs code through here, so every mode gives the same answers.
 */
import type { ClosedCandles } from "../View.ts"
import { Machine, type MachineState } from "./Machine.ts"
import { OwnCodeFailed } from "./OwnCodeFailed.ts"
import { columnLength, columnNames, layout, maxCandles } from "./Prelude.ts"
import { withoutTypes } from "./TypeStripper.ts"
import * as Watch from "./Watch.ts"

export interface OwnQuestions {
  readonly position: () => number
  /** JSON of an `OwnSlot`. */
  readonly slot: (name: string) => string
  /** `undefined` if the strategy does not use this timeframe. */
  readonly candles: (timeframe: string) => ClosedCandles | undefined
  /** `NaN` while it is not warm. */
  readonly indicator: (timeframe: string, name: string, length: number, back: number) => number
  /** JSON of an `OwnSignal`, or of null; empty if the strategy does not use this signal. */
  readonly signal: (name: string) => string
}

interface OwnPrices {
  readonly now: number
  readonly bid: number
  readonly ask: number
  readonly mid: number
}

export interface OwnInstance {
  readonly description: string
  /** Takes settings and the names of the market as JSON. Returns JSON of the candles and signals that the strategy uses. */
  readonly begin: (settings: string, market: string, questions: OwnQuestions) => string
  /** `memory` is JSON; `read` gets JSON of an `OwnDecision`, and its time counts as well. */
  readonly decide: <A>(prices: OwnPrices, memory: string, read: (answer: string) => A) => A
}

const maxAnswerLength = 1_000_000
const maxAdoptedCodes = 16

const answerIn = (text: string): string => {
  if (text.length > maxAnswerLength)
    throw new OwnCodeFailed(`its answer has more than ${maxAnswerLength} characters, memory included`)
  if (text.startsWith("+")) return text.slice(1)
  throw new OwnCodeFailed(text.slice(1))
}

/**
 * Runs a call into the machine, and repeats it from the start if it had to wait for the processor. Throws `OwnCodeFailed` for every failure
 * of the code.
 */
const contained = <A>(run: () => A): A => {
  try {
    return Watch.oneDecision(run)
  } catch (mistake) {
    if (mistake instanceof WebAssembly.RuntimeError)
      throw new OwnCodeFailed(`it breaks its machine: ${mistake.message}`)
    if (mistake instanceof RangeError) throw new OwnCodeFailed("its calls are nested too deep")
    throw mistake
  }
}

interface Adopted extends MachineState {
  readonly description: string
}

/** Machines that have read a code, by the code. Further instances of that code start from them. */
const adopted = new Map<string, Adopted>()

const adoptedBy = (machine: Machine, script: string): string => {
  try {
    return machine.adopt(script)
  } catch (mistake) {
    const imports = mistake instanceof OwnCodeFailed && mistake.message.startsWith("could not load module")
    throw imports ? new OwnCodeFailed("it may import only types") : mistake
  }
}

const adopt = (code: string): Adopted => {
  const before = adopted.get(code)
  if (before !== undefined) return before
  const script = withoutTypes(code)
  const result = contained(() => {
    const machine = new Machine(() => "")
    const description = answerIn(adoptedBy(machine, script))
    return { ...machine.snapshot(), description }
  })
  if (adopted.size >= maxAdoptedCodes) adopted.clear()
  adopted.set(code, result)
  return result
}

interface Frame {
  readonly timeframe: string
  readonly index: number
  source: ClosedCandles | undefined
  end: number
}

const writeFrame = (numbers: Float64Array, frame: Frame, candles: ClosedCandles | undefined): void => {
  const closed = candles?.closed ?? -1
  const count = Math.max(0, Math.min(closed, maxCandles))
  const added = closed - (frame.source?.closed ?? 0)
  const continues = candles?.columns === frame.source?.columns && added >= 0 && frame.end + added <= columnLength
  const end = continues ? frame.end + added : count
  const from = continues ? frame.end : 0
  if (candles !== undefined)
    for (const [index, name] of columnNames.entries()) {
      const first = layout.header + (columnNames.length * frame.index + index) * columnLength
      if (!continues) numbers.fill(Number.NaN, first, first + columnLength)
      numbers.set(candles.columns[name].subarray(closed - (end - from), closed), first + from)
      numbers.fill(Number.NaN, first + Math.max(0, from - maxCandles), first + Math.max(0, end - maxCandles))
    }
  numbers[layout.frames + 2 * frame.index] = closed
  numbers[layout.frames + 2 * frame.index + 1] = end
  frame.source = candles
  frame.end = end
}

export const instanceOf = (code: string): OwnInstance => {
  const { description, ...start } = adopt(code)
  let questions: OwnQuestions | undefined
  const answer = (question: string, name: string): number | string => {
    if (questions === undefined) return question === "signal" ? "" : "null"
    if (question === "position") return questions.position()
    if (question === "slot") return questions.slot(name)
    if (question === "signal") return questions.signal(name)
    const [timeframe = "", indicator = "", length, back] = name.split(" ")
    return questions.indicator(timeframe, indicator, Number(length), Number(back))
  }
  let machine = new Machine(answer, start)
  let checkpoint: (MachineState & { readonly at: number; readonly doubles: number }) | undefined
  let frames: ReadonlyArray<Frame> = []
  let numbers: Float64Array = new Float64Array(0)
  const framesOf = (timeframes: ReadonlyArray<string>): ReadonlyArray<Frame> => {
    if (timeframes.length > layout.maxFrames)
      throw new OwnCodeFailed(`it asks for candles of more than ${layout.maxFrames} timeframes`)
    return timeframes.map((timeframe, index) => ({ timeframe, index, source: undefined, end: 0 }))
  }
  return {
    description,
    begin: (settings, market, from) => {
      questions = from
      return contained(() => {
        machine = new Machine(answer, start)
        const needs = answerIn(machine.begin(settings, market))
        const timeframes = Object.keys(JSON.parse(needs).candles ?? {})
        frames = framesOf(timeframes)
        const doubles = layout.header + columnNames.length * columnLength * frames.length
        const { answer: shared, at } = machine.share(doubles, JSON.stringify(timeframes))
        answerIn(shared)
        checkpoint = { ...machine.snapshotBelow(at), at, doubles }
        return needs
      })
    },
    decide: ({ ask, bid, mid, now }, memory, read) => {
      if (checkpoint === undefined || questions === undefined) throw new Error("decide before begin")
      const ready = checkpoint
      const host = questions
      return contained(() => {
        if (machine.pages === ready.image.pages) machine.restore(ready.image)
        else {
          machine = new Machine(answer, ready)
          frames = framesOf(frames.map(({ timeframe }) => timeframe))
        }
        if (numbers.buffer !== machine.buffer) numbers = machine.doubles(ready.at, ready.doubles)
        numbers[layout.now] = now
        numbers[layout.bid] = bid
        numbers[layout.ask] = ask
        numbers[layout.mid] = mid
        for (const frame of frames) writeFrame(numbers, frame, host.candles(frame.timeframe))
        return read(answerIn(machine.decide(memory)))
      })
    }
  }
}
