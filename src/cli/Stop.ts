/**
 * How a running command is asked to stop: the first Ctrl-C or SIGTERM asks, the second insists. Commands that can leave in
 * order wait for `requested`; everything else is interrupted at once.
 */
import { Context, Deferred, Effect } from "effect"

export class Stop extends Context.Service<
  Stop,
  {
    /** Completes when somebody asked; awaiting it declares that the command leaves by itself. */
    readonly requested: Effect.Effect<void>
  }
>()("limitbot/cli/Stop") {}

/** The two ends of it: what commands see, and what the signal handler calls. */
export const make = (): {
  readonly service: Stop["Service"]
  /** True when a command takes care of it. */
  readonly ask: () => boolean
} => {
  const deferred = Deferred.makeUnsafe<void>()
  let awaited = false
  let asked = false
  return {
    service: Stop.of({
      requested: Effect.suspend(() => {
        awaited = true
        return Deferred.await(deferred)
      })
    }),
    ask: () => {
      const first = !asked
      asked = true
      Deferred.doneUnsafe(deferred, Effect.void)
      return first && awaited
    }
  }
}
