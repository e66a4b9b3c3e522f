/**
 * The code of a strategy, ready to decide. Candles and prices go to the machine as numbers in shared memory, and only new ones are written;
 * memory is JSON. Every mode of the program runs code through here, so every mode gives the same answers.
 */
import type { ClosedCandles } from "../View.ts"
import { type HostCall, type Image, Machine } from "./Machine.ts"
import { OwnCodeFailed } from "./OwnCodeFailed.ts"
import type { OwnView } from "./OwnStrategy.ts"
import { valueReader } from "./OwnValue.ts"
import { columnLength, columnNames, indicatorNames, layout, maxCandles, questions } from "./Prelude.ts"
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

export interface OwnInstance {
  readonly description: string
  /** Takes settings and the names of the market as JSON. Returns JSON of the candles and signals that the strategy uses. */
  readonly begin: (settings: string, market: string, questions: OwnQuestions) => string
  /** `memory` is JSON. `read` gets the unchecked `OwnDecision`, the same object for the same answer; its time also counts. */
  readonly decide: <A>(
    prices: Pick<OwnView, "now" | "bid" | "ask" | "mid">,
    memory: string,
    read: (answer: unknown) => A
  ) => A
}

const maxAdoptedCodes = 16

/**
 * Repeats a call into the machine from the start if it had to wait for the processor. Throws `OwnCodeFailed` for every failure of the code.
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

type Adopted = Image & { readonly description: string }

/** Machines that have read a code, by the code. Further instances of that code start from them. */
const adopted = new Map<string, Adopted>()

const adopt = (code: string): Adopted => {
  const before = adopted.get(code)
  if (before !== undefined) return before
  const script = withoutTypes(code)
  const result = contained(() => {
    const machine = new Machine(() => 0)
    const description = machine.adopt(script)
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
  let about: OwnQuestions | undefined
  const answer: HostCall = (question, numberAt, textAt) => {
    if (about === undefined || question === questions.position) return about?.position() ?? 0
    if (question === questions.slot) return about.slot(textAt(1))
    if (question === questions.signal) return about.signal(textAt(1))
    const [timeframe, name] = [frames[numberAt(1)]?.timeframe ?? "", indicatorNames[numberAt(2)] ?? ""]
    return about.indicator(timeframe, name, numberAt(3), numberAt(4))
  }
  let machine = new Machine(answer, start)
  const valueIn = valueReader((atom) => machine.nameOf(atom))
  let last: { readonly bytes: Buffer; readonly value: unknown } = { bytes: Buffer.alloc(0), value: undefined }
  let checkpoint: (Image & { readonly at: number; readonly doubles: number }) | undefined
  let frames: ReadonlyArray<Frame> = []
  const framesOf = (timeframes: ReadonlyArray<string>): ReadonlyArray<Frame> => {
    if (timeframes.length > layout.maxFrames)
      throw new OwnCodeFailed(`it asks for candles of more than ${layout.maxFrames} timeframes`)
    return timeframes.map((timeframe, index) => ({ timeframe, index, source: undefined, end: 0 }))
  }
  return {
    description,
    begin: (settings, market, from) => {
      about = from
      return contained(() => {
        machine = new Machine(answer, start)
        const needs = machine.begin(settings, market)
        const timeframes = Object.keys(JSON.parse(needs).candles ?? {})
        frames = framesOf(timeframes)
        const doubles = layout.header + columnNames.length * columnLength * frames.length
        const at = machine.share(doubles, JSON.stringify(timeframes))
        checkpoint = { ...machine.snapshot(at), at, doubles }
        return needs
      })
    },
    decide: ({ ask, bid, mid, now }, memory, read) => {
      if (checkpoint === undefined || about === undefined) throw new Error("decide before begin")
      const [ready, host] = [checkpoint, about]
      return contained(() => {
        if (machine.pages === ready.pages) machine.restore(ready)
        else {
          machine = new Machine(answer, ready)
          frames = framesOf(frames.map(({ timeframe }) => timeframe))
        }
        const numbers = machine.doubles(ready.at, ready.doubles)
        numbers.set([now, bid, ask, mid], layout.now)
        for (const frame of frames) writeFrame(numbers, frame, host.candles(frame.timeframe))
        const bytes = machine.decide(memory)
        if (!last.bytes.equals(bytes)) {
          const copy = Buffer.from(bytes)
          last = { bytes: copy, value: valueIn(copy) }
        }
        return read(last.value)
      })
    }
  }
}
