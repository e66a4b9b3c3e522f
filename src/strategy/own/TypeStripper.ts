/**
 * Removes the types from a strategy's code, in a separate thread. A text may make Node's stripper run for hours or break it, and a broken
 * one fails for every later text of its thread. A thread that took too long or broke is ended, and the next text gets a new one.
 */
import { cpuUsage } from "node:process"
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads"
import { isRecord } from "../../domain/Text.ts"
import { OwnCodeFailed } from "./OwnCodeFailed.ts"

/** Processor time that one text may take, including the start of the thread. */
const longestMillis = 3_000
const lookMillis = 100
/** A thread that may still wait for the processor is abandoned after this time. */
const silentMillis = 60_000

/** Plain JavaScript, because a new thread cannot read types. It hides the warning that the stripper is experimental. */
const program = `
process.removeAllListeners("warning")
const { parentPort } = require("node:worker_threads")
const { stripTypeScriptTypes } = require("node:module")
parentPort.on("message", ({ code, flag, port }) => {
  let answer
  try {
    answer = { text: stripTypeScriptTypes(code) }
  } catch (mistake) {
    answer = { mistake: String(mistake?.message ?? mistake), isBroken: mistake?.code !== "ERR_INVALID_TYPESCRIPT_SYNTAX" && mistake?.code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX" }
  }
  port.postMessage(answer)
  Atomics.store(flag, 0, 1)
  Atomics.notify(flag, 0)
})
`

let thread: Worker | undefined

const end = (): void => {
  void thread?.terminate()
  thread = undefined
}

const processorMillis = (since: NodeJS.CpuUsage): number => {
  const { system, user } = cpuUsage(since)
  return (system + user) / 1_000
}

const answerOn = (port: MessagePort, flag: Int32Array): unknown => {
  const startUsage = cpuUsage()
  for (let waitedMillis = lookMillis; Atomics.wait(flag, 0, 0, lookMillis) === "timed-out"; waitedMillis += lookMillis)
    // Other threads also take processor time, and a thread that has died takes none.
    if (waitedMillis > (processorMillis(startUsage) > longestMillis ? longestMillis : silentMillis)) {
      end()
      throw new OwnCodeFailed(`its types take longer than ${longestMillis} ms to remove`)
    }
  return receiveMessageOnPort(port)?.message
}

/** Throws `OwnCodeFailed` for text that is not TypeScript, or that the stripper cannot strip. */
export const withoutTypes = (code: string): string => {
  if (thread === undefined) {
    thread = new Worker(program, { eval: true, env: {}, execArgv: [] })
    thread.unref()
  }
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const { port1, port2 } = new MessageChannel()
  thread.postMessage({ code, flag, port: port2 }, [port2])
  const answer = answerOn(port1, flag)
  port1.close()
  if (isRecord(answer) && typeof answer["text"] === "string") return answer["text"]
  const { isBroken = true, mistake = "no answer" } = isRecord(answer) ? answer : {}
  if (isBroken === true) end()
  throw new OwnCodeFailed(`this is not TypeScript: ${String(mistake).split("\n")[0]}`)
}
