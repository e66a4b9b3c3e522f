/** Sends one test message to every configured receiver, and reports which ones accepted it. */
import { Clock, Effect } from "effect"
import * as Notifier from "../../control/notify/Notifier.ts"
import { Phones } from "../../control/push/PhoneServices.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Layers from "../../Layers.ts"
import type { CommandAnswer } from "../../process/Answer.ts"
import { commandFailed } from "../CommandFailed.ts"
import * as OwnPhones from "./OwnPhones.ts"

const nobody = () => Effect.void

export const sendTest = Effect.fn("NotifyTest.sendTest")(function* (file: string) {
  const config = yield* ConfigFile.load(file)
  const { dashboard, journal, notify } = config
  const people = Layers.http(config)
  if (notify.length === 0)
    return yield* commandFailed("The configuration has no `notify`: there is no receiver to test.")
  const at = yield* Clock.currentTimeMillis
  const notice = { at, severity: "good", kind: "Test", subject: "limitbot", text: "this is a test" } as const
  const phones = yield* OwnPhones.open(journal, { notify, people }, dashboard)
  const receivers = yield* Effect.forEach(notify, (target) =>
    Notifier.deliver(target, "test", [notice]).pipe(
      Effect.provideService(Phones, phones?.tell ?? nobody),
      Effect.match({
        onFailure: ({ message }) => ({ to: target.to, failure: message }),
        onSuccess: () => ({ to: target.to, failure: undefined })
      })
    )
  ).pipe(Effect.provide(people))
  const failed = receivers.filter(({ failure }) => failure !== undefined).length
  const message = `it was not delivered to ${failed} of ${notify.length} receivers`
  return {
    data: () => ({ ok: failed === 0, receivers }),
    lines: () => receivers.map(({ failure, to }) => failure ?? `${to}: taken`),
    exit: failed === 0 ? undefined : commandFailed(message)
  } satisfies CommandAnswer
}, Effect.scoped)
