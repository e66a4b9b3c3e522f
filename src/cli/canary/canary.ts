/**
 * `limitbot canary`: holds what the service answers to read-only requests against what this program was written for. It moves
 * nothing and writes nothing. Exit code 1 when something differs that money depends on.
 */
import { Console, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import * as Runtime from "effect/Runtime"
import * as VenueAccess from "../../app/swap/VenueAccess.ts"
import * as Drift from "../../domain/Drift.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { Canary } from "../../venue/canary/Canary.ts"
import * as flags from "../flags.ts"

/** Money depends on what differs; it has been printed. */
export class ServiceChanged extends Schema.TaggedError<ServiceChanged>()("ServiceChanged", { why: Schema.String }) {
  override get message(): string {
    return this.why
  }
  override readonly [Runtime.errorReported] = false
}

export const command = Command.make(
  "canary",
  { config: flags.config, json: flags.json },
  Effect.fn(function* ({ config: file, json }) {
    const config = yield* ConfigFile.load(file)
    const signerId = yield* VenueAccess.signerOf(config)
    const { checked, drift, unchecked } = yield* Canary.use((canary) => canary.look(config.markets.assets)).pipe(
      Effect.provide(VenueAccess.venue(config, signerId))
    )
    if (json) yield* Console.log(JSON.stringify({ drift, checked, unchecked }))
    else {
      for (const each of drift)
        yield* Console.log(`${each.closesFunding ? "CHANGED" : "differs"}  ${Drift.sentenceOf(each)}`)
      if (drift.length === 0) yield* Console.log("The service is as it was recorded.")
      yield* Console.log(`Compared: ${checked.join(", ") || "nothing"}.`)
      for (const { what, why } of unchecked) yield* Console.log(`Not compared: ${what}: ${why}`)
    }
    const why = Drift.closing(drift)
    if (why !== undefined) return yield* new ServiceChanged({ why })
  })
).pipe(Command.withDescription("Compare the service with what this program was written for; reads only"))
