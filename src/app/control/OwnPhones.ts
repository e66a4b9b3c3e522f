/** Finds the phones that a bot notifies. Tokens are read each time, because people come and go while the bot runs. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer } from "effect"
import type { ControlOptions } from "../../control/ControlOptions.ts"
import * as Tokens from "../../control/http/Tokens.ts"
import type { NotifyOptions } from "../../control/notify/Notifications.ts"
import * as PhoneServices from "../../control/push/PhoneServices.ts"
import { keyPairOf } from "../../control/push/Vapid.ts"

export const open = Effect.fn("OwnPhones.open")(function* (
  journal: string,
  { notify, people = NodeHttpClient.layerUndici }: Pick<NotifyOptions, "notify" | "people">,
  dashboard: Pick<ControlOptions, "viewerToken"> | undefined
) {
  const target = notify.find(({ to }) => to === "push")
  const keys = target?.secret && keyPairOf(target.secret)
  if (dashboard === undefined || target?.push === undefined || keys === undefined) return undefined
  const isHeld = (digest: string) => Tokens.isHeld(journal, dashboard.viewerToken, digest)
  return yield* PhoneServices.make({ journal, keys, settings: target.push, isHeld }).pipe(
    Effect.provide(yield* Layer.build(people))
  )
})
