/**
 * Handles requests to stop: the first Ctrl-C or SIGTERM asks, a later one insists. Commands that can end in order wait for `requested`; all
 * others are interrupted at once. Under npm one key press arrives twice, and a busy process may read the second signal late. So a signal
 * insists only if the first one was received, and all signals up to a short time later were handled.
 */
import { Context, Deferred, Effect } from "effect"

export class Stop extends Context.Service<
  Stop,
  {
    /** Completes at a requested stop. A command that awaits it must end by itself. */
    readonly requested: Effect.Effect<void>
    /** Lets the first signal end the process. For a command that computes without a pause and has nothing to clean up. */
    readonly computes: Effect.Effect<void>
    readonly leaves: (behind: () => string) => Effect.Effect<void>
  }
>()("limitbot/app/process/Stop") {}

export const requestedOrAfter = (millis: number | undefined) =>
  Effect.flatMap(Stop, ({ requested }) =>
    Effect.raceFirst(requested, millis === undefined ? Effect.never : Effect.sleep(millis))
  )

/** `afterwards` runs its argument after all signals of one key press were handled. */
export const make = (
  afterwards: (run: () => void) => void = () => {}
): {
  readonly service: Stop["Service"]
  /** Returns false if the command must be interrupted now. */
  readonly ask: () => boolean
  readonly heardBy: (unhear: () => void) => void
  readonly leftBehind: () => string
} => {
  const deferred = Deferred.makeUnsafe<void>()
  let isAwaited = false
  let waiting = 0
  let isAsked = false
  let isOver = false
  let behind = () => "the journal is intact"
  let unhear = () => {}
  let isEnding = false
  const pressEnds = () => {
    if (!isAsked || isEnding || waiting > 0) return
    isEnding = true
    afterwards(() => {
      isOver = true
    })
  }
  return {
    service: Stop.of({
      requested: Effect.suspend(() => {
        isAwaited = true
        waiting += 1
        const release = Effect.sync(() => {
          waiting -= 1
          pressEnds()
        })
        return Effect.ensuring(Deferred.await(deferred), release)
      }),
      computes: Effect.sync(() => unhear()),
      leaves: (words) =>
        Effect.sync(() => {
          behind = words
        })
    }),
    ask: () => {
      isAsked = true
      Deferred.doneUnsafe(deferred, Effect.void)
      pressEnds()
      return isAwaited && !isOver
    },
    heardBy: (remove) => {
      unhear = remove
    },
    leftBehind: () => behind()
  }
}
