/**
 * `limitbot doctor`: checks what a bot needs, one thing at a time, and says what to do where something is wrong. It
 * changes nothing and can run beside a bot. Exit code 1 when something must be fixed.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import * as Runtime from "effect/Runtime"
import { asText, findingsOf } from "../../app/control/Doctor.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as flags from "../flags.ts"
import * as ProfileText from "./ProfileText.ts"

/** Something must be fixed; it has been printed. */
export class DoctorFailed extends Schema.TaggedError<DoctorFailed>()("DoctorFailed", { count: Schema.Int }) {
  override get message(): string {
    return `${this.count} to be mended`
  }
  override readonly [Runtime.errorReported] = false
}

export const command = Command.make(
  "doctor",
  {
    config: flags.config,
    json: flags.json,
    profile: flags.toggle("profile", "Show how the service at venue.url behaves: every fact, and look at nothing else")
  },
  Effect.fn(function* ({ config, json, profile }) {
    if (profile) {
      const { facts, profile: name } = (yield* ConfigFile.loadSettings(config)).venue
      const text = json ? JSON.stringify({ profile: name, facts }) : ProfileText.asText({ facts, profile: name })
      return yield* Console.log(text)
    }
    const findings = yield* findingsOf(config)
    const count = findings.filter(({ verdict }) => verdict === "wrong").length
    if (json) yield* Console.log(JSON.stringify({ ok: count === 0, findings }))
    else for (const finding of findings) yield* Console.log(asText(finding))
    if (count > 0) return yield* new DoctorFailed({ count })
  }, Effect.provide(NodeHttpClient.layerUndici))
).pipe(Command.withDescription("Check what a bot needs, and say what to fix"))
