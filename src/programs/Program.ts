/**
 * Runs a program of the owner for one question on standard input, answered on standard output. Its time and its kept output are limited. It
 * has its own process group, so our Ctrl-C does not interrupt it, and the whole group ends with it, by force if needed. The caller decides
 * what the end means.
 */
import { Config, Duration, Effect, Exit, Fiber, Option, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"

import { messageOf } from "../domain/Text.ts"

export interface Program {
  readonly program: string
  readonly args: ReadonlyArray<string>
}

export interface ProgramTerms {
  readonly limitMillis: number
  readonly mostOutput: number
  /** Our environment without these variables. `least` has only those that programs need, so that it cannot reveal ours. */
  readonly environment: { readonly without: ReadonlyArray<string> } | "least"
  /** Its standard error appears as ours, or is kept for the caller. */
  readonly errors: "shown" | "kept"
  /** Processes that it started may stay alive after a good end, because they may be paying. */
  readonly mayLeaveRunning?: true
}

export type ProgramEnd =
  | { readonly _tag: "Exited"; readonly code: number }
  | { readonly _tag: "Killed"; readonly signal: string }
  | { readonly _tag: "Late" }

export interface ProgramRun {
  readonly end: ProgramEnd
  readonly output: string
  readonly errors: string
  readonly isCut: boolean
  /** True if it read its whole input. A short input may wait in the pipe and then counts as read. */
  readonly hasTaken: boolean
  /** True if a process that it started still held its output after its end. */
  readonly isHeld: boolean
}

export class NotStarted extends Schema.TaggedError<NotStarted>()("NotStarted", {
  program: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.program} cannot be run: ${this.reason}`
  }
}

export const programOf = (words: ReadonlyArray<string>): Program | undefined => {
  const [program, ...args] = words
  return program === undefined ? undefined : { program, args }
}

export const located = ({ args, program }: Program, resolve: (path: string) => string): Program => ({
  program: program.includes("/") ? resolve(program) : program,
  args
})

/** A program that ignores the request to end is killed after this time. */
const forceKillAfter = Duration.seconds(2)
/** Characters kept from the end of standard error. */
const maxErrors = 4_000
/** After its end the output is read for up to one second, in steps: after a sleep of the machine, available output comes first. */
const graceSteps = 10
const graceStepMillis = 100

export const run = Effect.fn("Program.run")(function* (
  { args, program }: Program,
  input: string,
  { environment, errors, limitMillis, mayLeaveRunning, mostOutput }: ProgramTerms
) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const env = environment === "least" ? yield* minEnvironment : without(environment.without)
  const options = { detached: true, env, extendEnv: environment !== "least", forceKillAfter } as const
  const command = ChildProcess.make(program, args, errors === "shown" ? { ...options, stderr: "inherit" } : options)
  const streams = { output: "", errors: "", length: 0 }
  const flags = { hasTaken: false, isHeld: false }

  const running = Effect.gen(function* () {
    // The spawner throws immediate refusals of the system (too long, not permitted).
    const child = yield* spawner.spawn(command).pipe(
      Effect.catchDefect((defect) => Effect.fail({ message: messageOf(defect) })),
      Effect.mapError(({ message }) => new NotStarted({ program, reason: message }))
    )
    const writing = yield* Effect.forkScoped(Stream.run(Stream.make(new TextEncoder().encode(input)), child.stdin))
    const hears = (stream: typeof child.stdout, hear: (part: string) => void) =>
      Effect.ignore(Stream.runForEach(Stream.decodeText(stream), (part) => Effect.sync(() => hear(part))))
    const hearing = yield* Effect.forkScoped(
      Effect.all(
        [
          hears(child.stdout, (part) => {
            streams.length += part.length
            streams.output = (streams.output + part).slice(0, mostOutput)
          }),
          hears(child.stderr, (part) => {
            streams.errors = (streams.errors + part).slice(-maxErrors)
          })
        ],
        { concurrency: 2 }
      )
    )
    const exit = yield* Effect.exit(child.exitCode)
    if (mayLeaveRunning) yield* Effect.asVoid(child.unref)
    const grace = Effect.repeat(Effect.sleep(graceStepMillis), { times: graceSteps - 1 })
    const isOver = Effect.all([Fiber.await(hearing), Fiber.await(writing)])
    flags.isHeld = yield* Effect.raceFirst(Effect.as(isOver, false), Effect.as(grace, true))
    const written = writing.pollUnsafe()
    flags.hasTaken = written !== undefined && Exit.isSuccess(written)
    return endOf(exit)
  }).pipe(Effect.scoped)

  const end = yield* Effect.timeoutOption(running, limitMillis)
  const { length, ...kept } = streams
  return {
    ...kept,
    ...flags,
    end: Option.getOrElse(end, (): ProgramEnd => ({ _tag: "Late" })),
    isCut: length > mostOutput
  } satisfies ProgramRun
})

const endOf = (exit: Exit.Exit<number, unknown>): ProgramEnd =>
  Exit.isSuccess(exit)
    ? { _tag: "Exited", code: Number(exit.value) }
    : { _tag: "Killed", signal: /'(SIG\w+)'/.exec(String(exit.cause))?.[1] ?? "a signal" }

const without = (names: ReadonlyArray<string>): Record<string, undefined> =>
  Object.fromEntries(names.map((name) => [name, undefined]))

const minVariables = ["PATH", "HOME", "LANG"] as const

const minEnvironment = Effect.map(
  Effect.forEach(minVariables, (name) =>
    Config.String(name).pipe(
      Config.option,
      Effect.orElseSucceed(() => Option.none<string>()),
      Effect.map((value) => [name, Option.getOrUndefined(value)] as const)
    )
  ),
  (all) => Object.fromEntries(all)
)

const longestWords = 200

export const looksSecret =
  /ed25519:[1-9A-HJ-NP-Za-km-z]{43,}|\beyJ[\w-]{10,}(?:\.[\w-]+)+|-----BEGIN [A-Z ]*PRIVATE KEY-----/g

export const lastWords = (errors: string): string => {
  const line = errors.split(/[\r\n]+/).findLast((each) => each.trim() !== "") ?? ""
  const plain = line.replace(/\p{C}+/gu, " ").trim()
  return plain.replace(looksSecret, "[hidden]").slice(0, longestWords)
}

/** Returns a phrase such as "ended with code 3: the network is down". */
export const endInWords = ({ end, errors }: ProgramRun, limitMillis: number): string => {
  const words = lastWords(errors)
  const ended =
    end._tag === "Late"
      ? `did not end in ${limitMillis / 1_000} seconds`
      : end._tag === "Killed"
        ? `was ended by ${end.signal}`
        : `ended with code ${end.code}`
  return words === "" ? ended : `${ended}: ${words}`
}
