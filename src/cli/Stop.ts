/**
 * How a running command is asked to stop: the first Ctrl-C or SIGTERM asks, a later one insists. Commands that can
 * leave in order wait for `requested`; all others are interrupted at once. Under npm one key press arrives twice,
 * from the terminal and from npm, so signals within half a second count as one.
 */
import { Context, Deferred, Effect, Option } from "effect"

const samePressMillis = 500

export class Stop extends Context.Service<
  Stop,
  {
    /** Completes when somebody asked. A command that awaits it declares that it will end by itself. */
    readonly requested: Effect.Effect<void>
    /** What an interrupted command leaves behind, for its last words. */
    readonly leaves: (behind: () => string) => Effect.Effect<void>
  }
>()("limitbot/cli/Stop") {}

/** Completes when somebody asked, or after this long. */
export const requestedOrAfter = (millis: Option.Option<number>) =>
  Effect.flatMap(Stop, ({ requested }) =>
    Effect.raceFirst(requested, Option.match(millis, { onNone: () => Effect.never, onSome: Effect.sleep }))
  )

/** Its two ends: what commands see, and what the signal handler calls. */
export const make = (): {
  readonly service: Stop["Service"]
  /** Takes a signal at a monotonic time; returns false when the command must be interrupted now. */
  readonly ask: (atMillis: number) => boolean
  readonly leftBehind: () => string
} => {
  const deferred = Deferred.makeUnsafe<void>()
  let awaited = false
  let askedAt: number | undefined
  let behind = () => "the journal is intact"
  return {
    service: Stop.of({
      requested: Effect.suspend(() => {
        awaited = true
        return Deferred.await(deferred)
      }),
      leaves: (words) =>
        Effect.sync(() => {
          behind = words
        })
    }),
    ask: (atMillis) => {
      askedAt ??= atMillis
      Deferred.doneUnsafe(deferred, Effect.void)
      return awaited && atMillis - askedAt < samePressMillis
    },
    leftBehind: () => behind()
  }
}
