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
    /**
     * The command computes without a pause and has nothing to put away: nobody would hear a signal, so from now on the first
     * one ends the process itself.
     */
    readonly computes: Effect.Effect<void>
    /** What an interrupted command leaves behind, for its last words. */
    readonly leaves: (behind: () => string) => Effect.Effect<void>
  }
>()("limitbot/app/process/Stop") {}

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
  /** `unhear` takes the signal handlers away. */
  readonly heardBy: (unhear: () => void) => void
  readonly leftBehind: () => string
} => {
  const deferred = Deferred.makeUnsafe<void>()
  let awaited = false
  let askedAt: number | undefined
  let behind = () => "the journal is intact"
  let unhear = () => {}
  return {
    service: Stop.of({
      requested: Effect.suspend(() => {
        awaited = true
        return Deferred.await(deferred)
      }),
      computes: Effect.sync(() => unhear()),
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
    heardBy: (remove) => {
      unhear = remove
    },
    leftBehind: () => behind()
  }
}
