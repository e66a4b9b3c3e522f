/**
 * A program of the owner's, started once for one question: the question on standard input, the answer on standard output.
 * Whatever the program does, this ends: its time is limited, and so is how much of its output is kept. It runs in a process
 * group of its own, so Ctrl-C on us does not interrupt it; with it ends the whole group, by force where words do not help.
 * What its end means is the caller's to say.
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
  /** How many characters of its output are kept. */
  readonly mostOutput: number
  /** Our own environment but for these variables; or the least that programs need, so that it can tell nothing of ours. */
  readonly environment: { readonly without: ReadonlyArray<string> } | "least"
  /** What it says on standard error is shown as our own, or kept. */
  readonly errors: "shown" | "kept"
  /** What it started and left when it ended well goes on: it may be paying. */
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
  /** Its output was longer than what is kept. */
  readonly isCut: boolean
  /** It took its whole input. A short one may wait in the pipe and then counts as taken. */
  readonly hasTaken: boolean
  /** Something that it started still held its output when it had ended. */
  readonly isHeld: boolean
}

/** It never ran. */
export class NotStarted extends Schema.TaggedError<NotStarted>()("NotStarted", {
  program: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.program} cannot be run: ${this.reason}`
  }
}

/** The first word is the program. */
export const programOf = (words: ReadonlyArray<string>): Program | undefined => {
  const [program, ...args] = words
  return program === undefined ? undefined : { program, args }
}

/** A program with a slash in its name is a file, whose path begins at a folder. */
export const located = ({ args, program }: Program, resolve: (path: string) => string): Program => ({
  program: program.includes("/") ? resolve(program) : program,
  args
})

/** A program that was told to end and does not is killed. */
const forceKillAfter = Duration.seconds(2)
/** The end of what it says on standard error is kept. */
const mostErrors = 4_000
/** Its output may be read for a second after its end, in steps: after a sleep of the machine what is there is read first. */
const graceSteps = 10
const graceStepMillis = 100

export const run = Effect.fn("Program.run")(function* (
  { args, program }: Program,
  input: string,
  { environment, errors, limitMillis, mayLeaveRunning, mostOutput }: ProgramTerms
) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const env = environment === "least" ? yield* leastEnvironment : without(environment.without)
  const options = { detached: true, env, extendEnv: environment !== "least", forceKillAfter } as const
  const command = ChildProcess.make(program, args, errors === "shown" ? { ...options, stderr: "inherit" } : options)
  const said = { output: "", errors: "", length: 0 }
  const found = { hasTaken: false, isHeld: false }

  const running = Effect.gen(function* () {
    // What the system refuses at once (too long, not permitted) is thrown.
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
            said.length += part.length
            said.output = (said.output + part).slice(0, mostOutput)
          }),
          hears(child.stderr, (part) => {
            said.errors = (said.errors + part).slice(-mostErrors)
          })
        ],
        { concurrency: 2 }
      )
    )
    const exit = yield* Effect.exit(child.exitCode)
    if (mayLeaveRunning) yield* Effect.asVoid(child.unref)
    const grace = Effect.repeat(Effect.sleep(graceStepMillis), { times: graceSteps - 1 })
    const isOver = Effect.all([Fiber.await(hearing), Fiber.await(writing)])
    found.isHeld = yield* Effect.raceFirst(Effect.as(isOver, false), Effect.as(grace, true))
    const written = writing.pollUnsafe()
    found.hasTaken = written !== undefined && Exit.isSuccess(written)
    return endOf(exit)
  }).pipe(Effect.scoped)

  const end = yield* Effect.timeoutOption(running, limitMillis)
  const { length, ...kept } = said
  return {
    ...kept,
    ...found,
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

const leastVariables = ["PATH", "HOME", "LANG"] as const

const leastEnvironment = Effect.map(
  Effect.forEach(leastVariables, (name) =>
    Config.String(name).pipe(
      Config.option,
      Effect.orElseSucceed(() => Option.none<string>()),
      Effect.map((value) => [name, Option.getOrUndefined(value)] as const)
    )
  ),
  (all) => Object.fromEntries(all)
)

const longestWords = 200

/** Keys, tokens and private keys in the forms that this program knows. */
export const looksSecret =
  /ed25519:[1-9A-HJ-NP-Za-km-z]{43,}|\beyJ[\w-]{10,}(?:\.[\w-]+)+|-----BEGIN [A-Z ]*PRIVATE KEY-----/g

/** The last line of what it said on standard error, fit for a log: one line, short, without what looks like a key. */
export const lastWords = (errors: string): string => {
  const line = errors.split(/[\r\n]+/).findLast((each) => each.trim() !== "") ?? ""
  const plain = line.replace(/\p{C}+/gu, " ").trim()
  return plain.replace(looksSecret, "[hidden]").slice(0, longestWords)
}

/** How it ended, in words: "ended with code 3: the network is down". */
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
