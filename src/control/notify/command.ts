/**
 * Sends notices through a program of the owner. It is started once for each message, with the webhook's body as one line of JSON on
 * standard input. Exit code 0 means delivered; otherwise the last line of its standard error is the reason. It gets only the environment
 * variables that every program needs, so it cannot reveal a secret of the bot.
 */
import { Context, Effect, Schema } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import * as Program from "../../programs/Program.ts"

export const terms = { limitMillis: 15_000, mostOutput: 0, environment: "least", errors: "kept" } as const

export class NotTaken extends Schema.TaggedError<NotTaken>()("NotTaken", { reason: Schema.String }) {}

/** Returns why a run of the program is not a delivery; `undefined` if it is one. */
export const failureOf = (run: Program.ProgramRun): string | undefined =>
  run.end._tag === "Exited" && run.end.code === 0 ? undefined : Program.endInWords(run, terms.limitMillis)

type Tell = (
  program: Program.Program,
  body: string
) => Effect.Effect<void, NotTaken, ChildProcessSpawner.ChildProcessSpawner>

const tell: Tell = Effect.fn("command.tell")(function* (program: Program.Program, body: string) {
  const run = yield* Effect.mapError(
    Program.run(program, `${body}\n`, terms),
    ({ message }) => new NotTaken({ reason: message })
  )
  const reason = failureOf(run)
  if (reason !== undefined) return yield* new NotTaken({ reason: `${program.program} ${reason}` })
})

/** A rehearsal replaces it: it counts the messages and starts no program. */
export const Teller = Context.Reference<Tell>("limitbot/control/notify/Teller", { defaultValue: () => tell })
