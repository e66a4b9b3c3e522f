/**
 * Sends one message to one browser: encrypted for it alone (RFC 8291), padded to one length, signed by the bot's key (RFC 8292), and sent
 * to an allowed push service. Redirections are not followed, because they could lead anywhere.
 */
import { buildPushPayload } from "@block65/webcrypto-web-push"
import { Effect, Redacted, Schema } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import type { Phone } from "../api/Push.ts"
import { type KeyPair, type PushSettings, serviceOf } from "./Vapid.ts"

export interface PhoneMessage {
  readonly title: string
  readonly text: string
  readonly severity: string
  readonly at: number
}

/** A message did not reach a phone's push service. Its address is not shown, because anyone who knows it could write to the phone. */
export class NotPushed extends Schema.TaggedError<NotPushed>()("NotPushed", { reason: Schema.String }) {}

const patience = "15 seconds"
/** A push service keeps a message this long for a phone that is off. */
const keptSeconds = 86_400
const forgotten: ReadonlySet<number> = new Set([404, 410])

export const make = (client: HttpClient.HttpClient, keys: KeyPair, settings: PushSettings) =>
  Effect.fnUntraced(function* (phone: Phone, message: PhoneMessage) {
    const host = serviceOf(phone.endpoint, settings)
    if (host === undefined) return yield* new NotPushed({ reason: "its push service is not allowed" })
    const isAlarm = message.severity === "alarm"
    const payload = yield* Effect.tryPromise({
      try: () =>
        buildPushPayload(
          { data: { ...message }, options: { ttl: keptSeconds, urgency: isAlarm ? "high" : "normal" } },
          { endpoint: phone.endpoint, expirationTime: null, keys: phone.keys },
          {
            subject: `mailto:${settings.contact}`,
            publicKey: keys.publicKey,
            privateKey: Redacted.value(keys.privateKey)
          }
        ),
      catch: () => new NotPushed({ reason: "its encryption keys are invalid" })
    })
    const { authorization = "", urgency = "normal" } = payload.headers
    const { status } = yield* HttpClientRequest.post(phone.endpoint).pipe(
      HttpClientRequest.setHeaders({
        authorization,
        urgency,
        ttl: String(keptSeconds),
        "content-encoding": "aes128gcm"
      }),
      HttpClientRequest.bodyUint8Array(payload.body, "application/octet-stream"),
      client.execute,
      Effect.timeout(patience),
      Effect.mapError(() => new NotPushed({ reason: `${host} cannot be reached` }))
    )
    if (forgotten.has(status)) return "gone" as const
    if (status < 200 || status > 299) return yield* new NotPushed({ reason: `${host} answered ${status}` })
    return "taken" as const
  })
