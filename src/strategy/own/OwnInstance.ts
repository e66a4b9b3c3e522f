/**
 * The code of a strategy, ready to decide. Candles and prices go to the machine as numbers in shared memory, and only new ones are written;
 * memory is JSON. Every mode of the program runs code through here, so every mode gives the same answers. Answers are decoded at the end.
 */
import type { ClosedCandles } from "../View.ts"
import { type HostCall, type Image, Machine } from "./Machine.ts"
import { OwnCodeFailed } from "./OwnCodeFailed.ts"
import type { OwnView } from "./OwnStrategy.ts"
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

/** The version and a checksum. */
const headerBytes = 5
const textKey = 1
/** The first kinds, by their number. */
const constants = [undefined, null, undefined, false, true] as const
const kinds = { integer: 5, double: 6, text: 7, object: 8, array: 9 } as const

/**
 * Reads values as `JS_WriteObject` of QuickJS writes them, which takes a sixth of the time of JSON there. The result equals that of
 * `JSON.parse`. The bytes begin with all keys; then the kind comes before each value.
 * `nameOf` returns a name that is built into QuickJS, by its number.
 */
const valueReader = (nameOf: (atom: number) => string): ((bytes: Buffer) => unknown) => {
  let [bytes, letters, at]: [Buffer, string, number] = [Buffer.alloc(0), "", 0]
  /** Kept with their bytes, because the next value usually has the same keys. */
  let keys = { names: [] as string[], letters: "\0" }
  const byte = (): number => bytes[at++] ?? 0
  /** LEB128: seven bits in each byte, the lowest first. */
  const whole = (): number => {
    let [sum, factor, next] = [0, 1, 128]
    for (; next >= 128; factor *= 128) {
      next = byte()
      sum += (next & 127) * factor
    }
    return sum
  }
  const text = (): string => {
    const size = whole()
    const [start, isWide] = [at, (size & 1) === 1]
    at += (size >>> 1) * (isWide ? 2 : 1)
    return isWide ? bytes.toString("utf16le", start, at) : letters.slice(start, at)
  }
  const key = (): string => {
    const head = byte()
    if (head >= 128) return nameOf((head & 63) + (head >= 192 ? 64 * whole() : 0))
    if (head !== textKey) throw new OwnCodeFailed("its answer has a symbol, which JSON has not")
    return text()
  }
  const list = <A>(length: number, next: () => A): Array<A> => {
    const values: Array<A> = []
    while (values.length < length) values.push(next())
    return values
  }
  const object = (): unknown => {
    const properties: Record<string, unknown> = {}
    for (let rest = whole(); rest > 0; rest--) {
      const head = whole()
      const name = (head & 1) === 1 ? `${head >>> 1}` : (keys.names[(head >>> 1) - 1] ?? "")
      if (name === "__proto__") throw new OwnCodeFailed("its answer has a key __proto__")
      const property = value()
      if (property !== undefined) properties[name] = property
    }
    return properties
  }
  const value = (): unknown => {
    const kind = byte()
    if (kind > 0 && kind < constants.length) return constants[kind]
    if (kind === kinds.text) return text()
    if (kind === kinds.object) return object()
    if (kind === kinds.double) {
      const double = bytes.readDoubleLE(at)
      at += 8
      // JSON has no negative zero, and null for numbers that are not finite.
      return Number.isFinite(double) ? double + 0 : null
    }
    const size = whole()
    if (kind === kinds.integer) return (size >>> 1) ^ -(size & 1)
    if (kind === kinds.array) return list(size, () => value() ?? null)
    throw new OwnCodeFailed("its answer has a value that JSON has not, such as a Map")
  }
  return (written) => {
    ;[bytes, letters] = [written, written.toString("latin1")]
    at = headerBytes
    if (letters.startsWith(keys.letters, at)) at += keys.letters.length
    else keys = { names: list(whole(), key), letters: letters.slice(headerBytes, at) }
    return value()
  }
}

export const instanceOf = (code: string) => {
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
    /** Takes settings and the names of the market as JSON. Returns JSON of the candles and signals that the strategy uses. */
    begin: (settings: string, market: string, from: OwnQuestions): string => {
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
    /** `memory` is JSON. `read` gets the unchecked `OwnDecision`, the same object for the same answer; its time also counts. */
    decide: <A>(
      { ask, bid, mid, now }: Pick<OwnView, "now" | "bid" | "ask" | "mid">,
      memory: string,
      read: (answer: unknown) => A
    ): A => {
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
