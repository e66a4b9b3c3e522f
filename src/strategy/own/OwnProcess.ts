/**
 * An own strategy's code in a process of its own, asked as if it were here. Whatever the code does, and built-in calls take as long and as much memory as
 * they like, this ends: the process may read no file and open no connection, its memory is limited, a question that takes too long
 * fails, and a process that does not even say so is killed. Code that was killed rests before it is tried again.
 *
 * Who asks waits, because a decision is a plain function. A thread keeps the processes, and wakes whoever waits.
 */
import { createRequire } from "node:module"
import { join } from "node:path"
import { Script } from "node:vm"
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads"
import { isRecord } from "../../domain/Text.ts"
import { making, type OwnAsked, OwnCodeFailed, type OwnInstance, taken } from "./OwnContext.ts"

/** One question, by the process's own clock; the process is killed when it says nothing for as long again. */
const patienceMillis = 1_000
/** A process starts, on a machine that has much else to do. */
const startMillis = 10_000
const restMillis = 60_000
/** Whoever asks waits: more processor time than this is too slow to trade by. */
const slowMillis = { atFirst: 5_000, eachTime: 20 } as const
const mostMegabytes = 256
/** As many as a strategy may ask for. */
const mostCandles = 5_000
const columns = ["open", "high", "low", "close", "volume"] as const

/** It was evaluated in a process that is gone: another strategy of the same code lost it. */
const unknown = "?"

/** The process: it reads questions, a line each, and answers each with a line. */
const childCode = `
const vm = require("node:vm")
const make = new vm.Script(${JSON.stringify(making)}).runInThisContext()
const instances = new Map()
const askedOf = (seen) => ({
  position: () => seen().position,
  slot: (name) => seen().slots.get(name) ?? seen().untouched,
  closed: (frame) => seen().frames.get(frame)?.closed ?? -1,
  candle: (frame, column, back) => {
    const found = seen().frames.get(frame)
    if (found === undefined || !(back >= 0)) return NaN
    return found[column]?.[found.close.length - 1 - back] ?? NaN
  },
  signal: (name) => seen().signals.get(name) ?? ""
})
const numbers = (text) => {
  const bytes = new Uint8Array(Buffer.from(text, "base64"))
  return new Float64Array(bytes.buffer)
}
const frameOf = ({ closed, ...texts }) => {
  const made = { closed }
  for (const column of Object.keys(texts)) made[column] = numbers(texts[column])
  return made
}
const handlers = {
  make: ({ instance, script }) => {
    const made = make(vm, script)
    instances.set(instance, { made, seen: undefined, count: 0, millis: 0 })
    return made.described
  },
  begin: ({ instance, settings, market }) => {
    const known = instances.get(instance)
    return known.made.begin(settings, market, askedOf(() => known.seen))
  },
  decide: ({ instance, now, bid, offer, mid, memory, position, untouched, slots, frames, signals }) => {
    const known = instances.get(instance)
    known.seen = {
      position, untouched, slots: new Map(slots), signals: new Map(signals),
      frames: new Map(frames.map(([frame, texts]) => [frame, frameOf(texts)]))
    }
    if (known.millis > ${slowMillis.atFirst} + ${slowMillis.eachTime} * known.count)
      return "-it is too slow: " + known.count + " decisions took " + Math.round(known.millis) + " ms of processor time"
    known.count += 1
    const before = process.cpuUsage()
    try { return known.made.decide(now, bid, offer, mid, memory) } finally {
      const { user, system } = process.cpuUsage(before)
      known.millis += (user + system) / 1_000
    }
  },
  drop: ({ instance }) => { instances.delete(instance); return "+" }
}
let call
globalThis.ownCall = () => call()
const timed = new vm.Script("ownCall()")
const answerTo = (question) => {
  let answer
  const isKnown = question.ask === "make" || instances.has(question.instance)
  call = () => { answer = isKnown ? handlers[question.ask](question) : "${unknown}" }
  try { timed.runInThisContext({ timeout: ${patienceMillis} }) } catch (mistake) {
    answer = "-" + (mistake.code === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? "it takes longer than ${patienceMillis} ms" : mistake.message)
  }
  process.stdout.write(JSON.stringify({ id: question.id, answer }) + "\\n")
}
let rest = ""
process.stdin.setEncoding("utf8")
process.stdin.on("data", (part) => {
  const lines = (rest + part).split("\\n")
  rest = lines.pop()
  for (const line of lines) answerTo(JSON.parse(line))
})
process.stdin.on("end", () => process.exit())
`

/** The word by which the program itself starts as such a process. */
const word = "own-code"

/** The thread that keeps the processes, by the code that runs in them. */
const keeperCode = `
const { spawn } = require("node:child_process")
const { isSea } = require("node:sea")
const { resolve } = require("node:path")
const { workerData: { flag, port, code: program, word, main } } = require("node:worker_threads")
const flags = process.allowedNodeEnvironmentFlags
const limits = [flags.has("--permission") ? "--permission" : "--experimental-permission", "--max-old-space-size=${mostMegabytes}"]
// One executable file with the program within starts itself only by the program's own file, which it looks for where it unpacked it.
const [args, env] = isSea()
  ? [[main, word], { NODE_OPTIONS: limits.join(" ") + " --allow-fs-read=*", XDG_CACHE_HOME: resolve(main, "../../..") }]
  : [[...limits, "-e", program], {}]
const kept = new Map()
const tell = (message) => {
  port.postMessage(message)
  Atomics.store(flag, 0, 1)
  Atomics.notify(flag, 0)
}
const start = (code) => {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"], env })
  const one = { child, asked: undefined }
  const gone = (why) => {
    if (kept.get(code) !== one) return
    kept.delete(code)
    if (one.asked !== undefined) tell({ id: one.asked, gone: why })
  }
  let rest = ""
  child.stdout.setEncoding("utf8")
  child.stdout.on("data", (part) => {
    const lines = (rest + part).split("\\n")
    rest = lines.pop()
    for (const line of lines) {
      one.asked = undefined
      tell(JSON.parse(line))
    }
  })
  child.stdin.on("error", () => {})
  child.on("error", (error) => gone("its process cannot be started: " + error.message))
  child.on("exit", () => gone("its process broke down, as one does that takes too much memory"))
  kept.set(code, one)
  return one
}
port.on("message", ({ code, kill, ...question }) => {
  if (kill) {
    kept.get(code)?.child.kill("SIGKILL")
    kept.delete(code)
    return
  }
  const one = kept.get(code) ?? start(code)
  one.asked = question.id
  one.child.stdin.write(JSON.stringify(question) + "\\n")
})
`

/** This process answers from now on. */
export const become = (): void => {
  new Script(`(require) => {${childCode}}`, { filename: "own-process" }).runInThisContext()(
    createRequire(import.meta.url)
  )
}

interface Answer {
  readonly id: number
  readonly answer?: string
  readonly gone?: string
}

const isAnswer = (message: unknown): message is Answer => isRecord(message) && typeof message["id"] === "number"

const keep = () => {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const { port1, port2 } = new MessageChannel()
  const main = join(import.meta.dirname, "limitbot.mjs")
  const workerData = { flag, port: port2, code: childCode, word, main }
  const worker = new Worker(keeperCode, { eval: true, workerData, transferList: [port2], env: {}, execArgv: [] })
  worker.unref()
  let asked = 0

  const answerOf = (id: number): Answer | undefined => {
    for (;;) {
      const received = receiveMessageOnPort(port1)?.message
      if (received === undefined) return undefined
      if (isAnswer(received) && received.id === id) return received
    }
  }
  /** Waits for the answer. */
  const ask = (code: number, question: object, limitMillis: number): string => {
    asked += 1
    port1.postMessage({ code, id: asked, ...question })
    for (;;) {
      const isLate = Atomics.wait(flag, 0, 0, limitMillis) === "timed-out"
      Atomics.store(flag, 0, 0)
      const received = answerOf(asked)
      if (received?.answer !== undefined) return received.answer
      if (received?.gone !== undefined) throw new ProcessLost(received.gone)
      // It was woken by the answer to a question that is given up.
      if (!isLate) continue
      port1.postMessage({ code, kill: true })
      throw new ProcessLost(`it says nothing for ${limitMillis} ms, and its process was ended`)
    }
  }
  const tell = (code: number, message: object): void => port1.postMessage({ code, id: 0, ...message })
  return { ask, tell }
}

/** Everything that was evaluated in it is gone. */
class ProcessLost extends OwnCodeFailed {}

let keeper: ReturnType<typeof keep> | undefined
const codes = new Map<string, number>()
let instances = 0

const dropped = new FinalizationRegistry<{ readonly code: number; readonly instance: number }>(({ code, instance }) =>
  keeper?.tell(code, { ask: "drop", instance })
)

const seenBy = (asked: OwnAsked, frames: ReadonlyArray<string>, signals: ReadonlyArray<string>) => ({
  position: asked.position(),
  untouched: asked.slot(""),
  slots: asked.slots().map((name) => [name, asked.slot(name)]),
  frames: frames.map((frame) => {
    const closed = asked.closed(frame)
    const count = Math.min(mostCandles, Math.max(0, closed))
    const texts = columns.map((column) => {
      const values = Float64Array.from({ length: count }, (_, index) => asked.candle(frame, column, count - 1 - index))
      return [column, Buffer.from(values.buffer).toString("base64")]
    })
    return [frame, { closed, ...Object.fromEntries(texts) }]
  }),
  signals: signals.map((name) => [name, asked.signal(name)])
})

const namesIn = (text: string, key: "candles" | "signals"): ReadonlyArray<string> => {
  const wanted: unknown = JSON.parse(text)
  const named = isRecord(wanted) ? wanted[key] : undefined
  return isRecord(named) ? Object.keys(named) : []
}

/** Evaluates the code in a process; `script` is that of `scriptOf`. Throws `OwnCodeFailed`. */
export const instanceOf = (script: string): OwnInstance => {
  keeper ??= keep()
  const { ask } = keeper
  const code = codes.get(script) ?? codes.size + 1
  codes.set(script, code)
  instances += 1
  const instance = instances
  let lost: { readonly at: number; readonly why: string } | undefined
  let begun: { readonly settings: string; readonly market: string; readonly asked: OwnAsked } | undefined
  let frames: ReadonlyArray<string> = []
  let signals: ReadonlyArray<string> = []

  let at = 0
  const lastly = (question: object, limitMillis = 2 * patienceMillis): string => {
    try {
      return ask(code, { instance, ...question }, limitMillis)
    } catch (mistake) {
      if (mistake instanceof ProcessLost) lost = { at, why: mistake.message }
      throw mistake
    }
  }
  const make = () => taken(lastly({ ask: "make", script }, startMillis))
  const begin = (settings: string, market: string) => taken(lastly({ ask: "begin", settings, market }))
  const described = make()

  /** Another strategy of the same code may have lost it the process as well. */
  const again = (): void => {
    if (lost !== undefined && Math.abs(at - lost.at) < restMillis)
      throw new OwnCodeFailed(`${lost.why}; it is tried again a minute later`)
    lost = undefined
    make()
    if (begun !== undefined) begin(begun.settings, begun.market)
  }

  const made: OwnInstance = {
    described,
    begin: (settings, market, asked) => {
      begun = { settings, market, asked }
      const wanted = begin(settings, market)
      frames = namesIn(wanted, "candles")
      signals = namesIn(wanted, "signals")
      return wanted
    },
    decide: (now, bid, offer, mid, memory) => {
      at = now
      if (lost !== undefined) again()
      const seen = begun === undefined ? {} : seenBy(begun.asked, frames, signals)
      const question = { ask: "decide", now, bid, offer, mid, memory, ...seen }
      const answer = lastly(question)
      if (answer !== unknown) return taken(answer)
      again()
      return taken(lastly(question))
    }
  }
  dropped.register(made, { code, instance })
  return made
}
