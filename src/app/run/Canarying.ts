/**
 * Compares the service with expected answers at the start of a bot and then at intervals, and changes nothing there. A question that could
 * not be asked leaves an earlier finding in force. After a failure the next comparison tries again.
 */
import { Cause, Effect, type Layer } from "effect"
import { type Drift, incidentFeed } from "../../domain/Drift.ts"
import { dayMillis } from "../../domain/Durations.ts"
import { messageOf, plainJson } from "../../domain/Text.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import type * as ConfigFile from "../../files/ConfigFile.ts"
import type { Canary, ServiceLook } from "../../venue/canary/Canary.ts"
import type { Venue } from "../../venue/Venue.ts"
import * as ServiceCheck from "../control/ServiceCheck.ts"

export interface Canarying {
  readonly config: Pick<ConfigFile.BotConfig, "canary"> & ServiceCheck.SampleTerms
  readonly witnesses: Layer.Layer<Canary | Venue, unknown>
}

/** A difference ends only after a comparison that could ask everything. The engine itself reads the feed of incidents. */
const standing = (before: ReadonlyArray<Drift>, { drift, isWhole }: ServiceLook): ReadonlyArray<Drift> => {
  const driftNames = new Set(drift.map(({ what }) => what))
  return [...drift, ...before.filter(({ what }) => what === incidentFeed || !(isWhole || driftNames.has(what)))]
}

export const forever = Effect.fnUntraced(function* ({ config, witnesses }: Canarying) {
  const books = yield* Bookkeeper
  // Earlier findings close funding until the next comparison, so one runs daily even if none is configured.
  const differs = books.state.drift.some(({ what }) => what !== incidentFeed)
  const everyMillis = config.canary?.everyMillis ?? (differs ? dayMillis : undefined)
  if (everyMillis === undefined) return
  return yield* Effect.gen(function* () {
    const once = Effect.gen(function* () {
      const drift = standing(books.state.drift, yield* ServiceCheck.look(config))
      if (plainJson(drift) !== plainJson(books.state.drift)) yield* books.record({ _tag: "ServiceCompared", drift })
    }).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.logWarning(`The service could not be compared: ${messageOf(Cause.squash(cause))}`)
      )
    )
    return yield* Effect.forever(Effect.andThen(once, Effect.sleep(everyMillis)))
  }).pipe(Effect.provide(witnesses))
})
