/**
 * `limitbot doctor`: checks what a bot needs, one thing at a time, and says what to do where something is wrong. It
 * changes nothing and can run beside a bot. Exit code 1 when something must be fixed.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Doctor from "../../app/control/Doctor.ts"
import * as Answer from "../../process/Answer.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

export const command = Command.make(
  "doctor",
  {
    config: flags.config,
    json: flags.json,
    profile: flags.toggle("profile", "Show how the service at venue.url behaves: every fact, and look at nothing else")
  },
  Effect.fn(
    function* ({ config, profile }) {
      return profile ? yield* Doctor.profileOf(config) : Doctor.answerOf(yield* Doctor.findingsOf(config))
    },
    Answer.print,
    Effect.provide(NodeHttpClient.layerUndici)
  )
).pipe(help("Check what a bot needs, and say what to fix"))
