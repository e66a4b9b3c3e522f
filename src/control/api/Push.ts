/** A browser's subscription to notices, as `PushSubscription.toJSON()` has it. Only this browser can read them (RFC 8291). */
import { Schema } from "effect"

const Endpoint = Schema.String.check(Schema.isBetweenLength(12, 1_000))

/** An uncompressed point of P-256, and 16 random bytes. */
const keys = Schema.Struct({
  p256dh: Schema.String.check(Schema.isPattern(/^B[A-Za-z0-9_-]{86}$/)),
  auth: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{22}$/))
})

export const Phone = Schema.Struct({ endpoint: Endpoint, keys })
export type Phone = typeof Phone.Type

export const PhoneName = Schema.Struct({ endpoint: Endpoint })

export const PushKey = Schema.Struct({
  key: Schema.NullOr(Schema.String)
})
