/** Keeps the loops beside the engine running: a failure is recorded and shown, and the loop restarts after a second. */
import { Cause, Effect, Schedule } from "effect"
import { messageOf } from "../../../domain/Text.ts"
import { Bookkeeper } from "../../../engine/state/Bookkeeper.ts"

const pause = Schedule.spaced("1 second")

export const supervised = Effect.fnUntraced(function* <A, E, R>(what: string, loop: Effect.Effect<A, E, R>) {
  const books = yield* Bookkeeper
  const note = (cause: Cause.Cause<unknown>) =>
    books.record({ _tag: "LoopFailed", what, reason: messageOf(Cause.squash(cause)) })
  const attempt = loop.pipe(
    Effect.as(true),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : // Retries until the failure is recorded, because the journal itself may have failed.
          Effect.as(Effect.retry(note(cause), pause), false)
    )
  )
  yield* Effect.repeat(attempt, { schedule: pause, until: (isOver) => isOver })
})
