/**
 * Connects the operating system with the commands: signals come in, the exit code and the last message go out.
 *
 * Exit codes: 0 done; 1 a stated failure; 2 wrong usage; 130 interrupted, 143 by SIGTERM; 78 under systemd if the failure stays until a
 * file or a key is changed. A failure is one message on standard error. Only a defect has a stack trace, and only with LIMITBOT_DEBUG.
 */
import type { Writable } from "node:stream"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Layer, Logger, Option, Predicate, References } from "effect"
import { CliError } from "effect/cli"
import * as Runtime from "effect/Runtime"
import * as PlainFiles from "../files/PlainFiles.ts"
import * as Failure from "../process/Failure.ts"
import { Process } from "../process/Process.ts"
import * as Stop from "../process/Stop.ts"
import { Terminal } from "../process/Terminal.ts"
import { WrongUsage } from "../process/WrongUsage.ts"
import { runCommand } from "./root.ts"
import * as Usage from "./Usage.ts"

type Signal = "SIGINT" | "SIGTERM"

/** These errors last until a person changes a file or a key; exit code 78 stops systemd from restarting. */
const permanent =
  "AddressesUnfit AssetRenamed ConfigInvalid FleetFileInvalid JournalHandedOver JournalNewer JournalOfAnother KeyMalformed " +
  "KeyOfAnother PolicyInvalid PolicyRefused SignerFileInvalid StrategiesInvalid TlsUnverified StartRefused WrongDecimals Unauthorized"
const permanentTags: ReadonlySet<string> = new Set(permanent.split(" "))

/** SQLite's codes of a damaged file and of a file that is no database. */
const damageCodes: ReadonlySet<number> = new Set([11, 26])

/** True also for a journal that lacks events or whose events cannot be read. Other failures of its database may pass. */
const isPermanent = (error: unknown): boolean => {
  const part = (name: string): unknown => (Predicate.hasProperty(error, name) ? error[name] : undefined)
  const [cause, reason, tag] = [part("cause"), part("reason"), part("_tag")]
  const isOfDatabase = Predicate.isTagged(cause, "SqlError") || Predicate.isTagged(cause, "OwnerChanged")
  const isOfFile = permanentTags.has(String(tag)) || damageCodes.has(Number(part("errcode")) & 0xff)
  if (isOfFile || (tag === "JournalError" && !isOfDatabase)) return true
  return [cause, reason].some((each) => each !== undefined && isPermanent(each))
}

/** Shells report 128 and the number of the signal. */
const codeOfSignal: Readonly<Record<Signal, number>> = { SIGINT: 130, SIGTERM: 143 }

/** npm passes on a key press within this time, even on a busy machine. */
const samePressMillis = 1_000

const exitCodeOf = <A, E>(exit: Exit.Exit<A, E>, signal: Signal, isService: boolean): number => {
  if (Exit.isSuccess(exit)) return 0
  if (Cause.hasInterruptsOnly(exit.cause)) return codeOfSignal[signal]
  const error = Cause.findErrorOption(exit.cause)
  if (Option.isNone(error)) return 1
  if (CliError.isCliError(error.value))
    return error.value._tag === "ShowHelp" && error.value.errors.length === 0 ? 0 : 2
  if (isService && isPermanent(error.value)) return 78
  return error.value instanceof WrongUsage ? 2 : 1
}

export interface Host {
  readonly argv: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly execPath: string
  readonly pid: number
  readonly stdout: Writable & Parameters<typeof Terminal.layer>[0]
  readonly stderr: { write(text: string): unknown; on(event: "error", hear: (error: Error) => void): unknown }
  exitCode?: NodeJS.Process["exitCode"]
  umask(mask: number): unknown
  on(signal: Signal, hear: (signal: Signal) => void): unknown
  off(signal: Signal, hear: (signal: Signal) => void): unknown
  exit(code?: number): unknown
}

/** True if systemd started this process. Children of a service may inherit its variables, but with another process number. */
const isService = ({ env, pid }: Pick<Host, "env" | "pid">): boolean =>
  env["NOTIFY_SOCKET"] !== undefined || env["SYSTEMD_EXEC_PID"] === String(pid)

/** Node handles signals of a busy time after its timers and before its immediates, so an immediate follows the sleep. */
const pressEnds = (run: () => void): void => {
  Effect.runFork(Effect.sleep(samePressMillis)).addObserver(() => setImmediate(run))
}

/** `around` replaces the console and the environment of the process if many programs share one. */
export const launch = (
  process: Host,
  around: Layer.Layer<never> = Layer.empty,
  afterPress: (run: () => void) => void = pressEnds
): void => {
  const stop = Stop.make(afterPress)
  // Only its user may read what the program writes: journals and their logs, exports, keys, tokens.
  process.umask(0o077)
  const services = Layer.mergeAll(
    Layer.provideMerge(PlainFiles.layer, NodeServices.layer),
    Terminal.layer(process.stdout, process.env["TERM"]),
    Layer.succeed(Stop.Stop, stop.service),
    Layer.succeed(Process, { pid: process.pid, execPath: process.execPath, script: process.argv[1] ?? "" }),
    Usage.layer,
    Layer.succeed(References.MinimumLogLevel, "Warn"),
    around,
    Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])
  )
  // A closed pipe (`limitbot fills | head`) is not a failure, nor is its consequence.
  const isPipeClosed = (error: unknown = process.stdout.errored) =>
    Predicate.hasProperty(error, "code") && error.code === "EPIPE"
  /** The reason for lost output, such as a full disk. It stops no bot: orders matter more than the log. */
  let unwritten: string | undefined
  const program = runCommand(process.argv.slice(2)).pipe(
    Effect.tapCause((cause) => (isPipeClosed() ? Effect.void : Failure.tell(cause))),
    Effect.provide(services)
  )

  const runMain = Runtime.makeRunMain(({ fiber }) => {
    let last: Signal = "SIGINT"
    const onSignal = (signal: Signal) => {
      last = signal
      if (!stop.ask()) fiber.interruptUnsafe()
    }
    process.on("SIGINT", onSignal)
    process.on("SIGTERM", onSignal)
    const unhear = () => {
      process.off("SIGINT", onSignal)
      process.off("SIGTERM", onSignal)
    }
    stop.heardBy(unhear)
    process.stdout.on("error", (error) => {
      if (isPipeClosed(error)) process.exit(0)
      else unwritten = error.message
    })
    // No output is left to report this to.
    process.stderr.on("error", () => {})
    fiber.addObserver((exit) => {
      process.exitCode = isPipeClosed() ? 0 : exitCodeOf(exit, last, isService(process))
      // An interrupted fiber runs no more code, so the message is printed here. After it one more signal ends the process.
      if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
        process.stderr.write(`limitbot: interrupted; ${stop.leftBehind()}\n`)
      unhear()
      process.stdout.write("", (error) => {
        unwritten ??= error?.message
        if (unwritten !== undefined && !isPipeClosed(error)) {
          process.exitCode ||= 1
          process.stderr.write(`limitbot: the output could not be written: ${unwritten}\n`)
        }
        // Keep-alive sockets would keep the process running for seconds.
        process.exit()
      })
    })
  })
  runMain(program, { disableErrorReporting: true })
}
