/** `limitbot notify test`: sends one message to every configured receiver now, and reports whether each accepted it. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Console, Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import * as OwnPhones from "../../app/control/OwnPhones.ts"
import * as Notifier from "../../control/notify/Notifier.ts"
import { Phones } from "../../control/push/PhoneServices.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as flags from "../flags.ts"

export class NotAllDelivered extends Schema.TaggedError<NotAllDelivered>()("NotAllDelivered", {
  message: Schema.String
}) {}

const nobody = () => Effect.void

export const command = Command.make(
  "notify",
  { what: Argument.Literals("what", ["test"]).pipe(Argument.withDescription("test")), config: flags.config },
  Effect.fn(
    function* ({ config }) {
      const { dashboard, journal, notify } = yield* ConfigFile.load(config)
      if (notify.length === 0) {
        return yield* new NotAllDelivered({
          message: "The configuration has no `notify`: nobody would be told anything."
        })
      }
      const at = yield* Clock.currentTimeMillis
      const notice = { at, severity: "good", kind: "Test", subject: "limitbot", text: "this is a test" } as const
      const phones = yield* OwnPhones.open(journal, { notify }, dashboard)
      const failures = yield* Effect.forEach(notify, (target) =>
        Notifier.deliver(target, "test", [notice]).pipe(
          Effect.provideService(Phones, phones?.tell ?? nobody),
          Effect.as(undefined),
          Effect.catch((error) => Effect.succeed(error.message)),
          Effect.tap((failure) => Console.log(failure ?? `${target.to}: taken`))
        )
      )
      const failed = failures.filter((failure) => failure !== undefined).length
      if (failed > 0)
        return yield* new NotAllDelivered({
          message: `it was not delivered to ${failed} of ${notify.length} receivers`
        })
    },
    Effect.provide(NodeHttpClient.layerUndici),
    Effect.scoped
  )
).pipe(Command.withDescription("Send a test message to every receiver of the configuration"))
