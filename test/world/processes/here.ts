/**
 * Commands in the test's own process, from the same edge as in a process of their own (`launch.ts`): the same words, exit codes
 * and signals, and code that is warm already. A process costs seconds of processor time before it does anything. What only a
 * process has (its standard input, temporary folder, death, and what `NODE_` variables change) needs one: `start` and `run`.
 *
 * All share one working directory and one umask: they are set while a command runs, and put back when the last one has ended.
 * Commands of different folders wait for one another.
 */
import { Console as NodeConsole } from "node:console"
import { EventEmitter } from "node:events"
import { resolve } from "node:path"
import { PassThrough } from "node:stream"
import { ConfigProvider, Console, Layer } from "effect"
import { type Host, launch } from "../../../src/cli/launch.ts"
import { limitbot } from "../../builtProgram.ts"

type Signal = "SIGINT" | "SIGTERM"

/** What tests use of a child process. Its number is that of the test's own process: a signal to it would end the tests. */
export interface Child {
  readonly pid: number
  readonly stdout: PassThrough
  readonly stderr: PassThrough
  readonly exitCode: number | null
  kill(signal: Signal | "SIGKILL"): void
  on(event: "close", hear: (code: number | null) => void): unknown
}

export interface Asked {
  readonly cwd?: string
  readonly environment?: Readonly<Record<string, string>> & { readonly TMPDIR?: never }
  /** Another program in between starts a process. */
  readonly through?: never
}

// Commands and sandboxes in this process all listen to the end of one standard input, more than ten at a time.
process.stdin.setMaxListeners(200)

const home = process.cwd()
let place = home
let running = 0
let usualMask = 0
/** Commands that wait until nobody needs the folder in which the process is. */
const waiting = new Set<() => void>()

const enter = async (folder: string): Promise<void> => {
  while (running > 0 && place !== folder) await new Promise<void>((free) => waiting.add(free))
  if (running === 0) process.chdir(folder)
  place = folder
  running += 1
}

const leave = (): void => {
  running -= 1
  if (running > 0) return
  process.chdir(home)
  for (const free of waiting) free()
  waiting.clear()
}

let masked = 0

const maskAs = (mask: number): void => {
  if (masked === 0) usualMask = process.umask(mask)
  masked += 1
}

const unmask = (): void => {
  masked -= 1
  if (masked === 0) process.umask(usualMask)
}

const begin = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  entered: Promise<void>,
  left: () => void
): Child => {
  const [stdout, stderr, events] = [new PassThrough(), new PassThrough(), new EventEmitter()]
  const env = { PATH: process.env["PATH"] ?? "", XDG_STATE_HOME: process.env["XDG_STATE_HOME"] ?? "", ...environment }
  let isKilled = false
  let code: number | null = null
  let isOver = false
  const host: Host = {
    argv: [process.execPath, limitbot, ...args],
    env,
    execPath: process.execPath,
    pid: process.pid,
    stdout,
    stderr,
    umask: maskAs,
    on: (signal, hear) => events.on(signal, hear),
    off: (signal, hear) => events.off(signal, hear),
    exit: (given) => {
      if (code !== null) return
      code = Number(given ?? host.exitCode ?? 0)
      unmask()
      left()
      stdout.end()
      stderr.end()
    }
  }
  /** The first signal asks; one after its press insists. */
  const afterPress = (run: () => void): void => {
    if (!isKilled) return
    queueMicrotask(() => {
      run()
      events.emit("SIGINT", "SIGINT")
    })
  }
  const around = Layer.mergeAll(
    Layer.succeed(Console.Console, new NodeConsole(stdout, stderr)),
    ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
  )
  entered.then(() => (isOver ? host.exit() : launch(host, around, afterPress)))
  const ended = Promise.all([stdout, stderr].map((stream) => new Promise((done) => stream.once("end", done))))
  return {
    pid: process.pid,
    stdout,
    stderr,
    get exitCode() {
      return code
    },
    kill: (signal) => {
      if (signal !== "SIGKILL") return void events.emit(signal, signal)
      isOver = true
      isKilled = true
      events.emit("SIGINT", "SIGINT")
    },
    on: (_, hear) => ended.then(() => hear(code))
  }
}

/** In its folder, as a process would be. For what ends by itself and soon. */
export const command = (args: ReadonlyArray<string>, { cwd = home, environment = {} }: Asked): Child =>
  begin(args, environment, enter(cwd), leave)

/** Beside all others: files of its folder are named by their whole paths. */
export const beside = (args: ReadonlyArray<string>, { cwd = home, environment = {} }: Asked): Child => {
  const words = args.map((word) => (/\.(?:yaml|csv)$/.test(word) ? resolve(cwd, word) : word))
  return begin(words, environment, Promise.resolve(), () => undefined)
}
