/**
 * `limitbot canary`: holds what the service answers to read-only requests against what this program was written for. It moves
 * nothing and writes nothing. Exit code 1 when something differs that money depends on.
 */
import { Effect, Schema } from "effect"
import { Command } from "effect/cli"
import * as Runtime from "effect/Runtime"
import * as Answer from "../../app/process/Answer.ts"
import * as VenueAccess from "../../app/swap/VenueAccess.ts"
import * as Drift from "../../domain/Drift.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { Canary } from "../../venue/canary/Canary.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

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
  Effect.fn(function* ({ config: file }) {
    const config = yield* ConfigFile.load(file)
    const signerId = yield* VenueAccess.signerOf(config)
    const { checked, drift, unchecked } = yield* Canary.use((canary) => canary.look(config.markets.assets)).pipe(
      Effect.provide(VenueAccess.venue(config, signerId))
    )
    const lines = () => [
      ...drift.map((each) => `${each.closesFunding ? "CHANGED" : "differs"}  ${Drift.sentenceOf(each)}`),
      ...(drift.length === 0 ? ["The service is as it was recorded."] : []),
      `Compared: ${checked.join(", ") || "nothing"}.`,
      ...unchecked.map(({ what, why }) => `Not compared: ${what}: ${why}`)
    ]
    const why = Drift.closing(drift)
    const exit = why === undefined ? undefined : new ServiceChanged({ why })
    return { data: () => ({ drift, checked, unchecked }), lines, exit }
  }, Answer.print)
).pipe(help("Compare the service with what this program was written for; reads only"))
