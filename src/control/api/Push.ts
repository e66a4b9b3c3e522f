/**
 * What a browser says when it wants to be told of notices while its page is closed: where its push service takes messages for it, and
 * the keys by which nobody but this browser can read them (RFC 8291). The forms are those of `PushSubscription.toJSON()`.
 */
import { Schema } from "effect"

const Endpoint = Schema.String.check(Schema.isBetweenLength(12, 1_000))

/** A point of P-256 as it is written uncompressed, and 16 random bytes. */
const keys = Schema.Struct({
  p256dh: Schema.String.check(Schema.isPattern(/^B[A-Za-z0-9_-]{86}$/)),
  auth: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{22}$/))
})

/** A browser that is told: mostly one on a phone. */
export const Phone = Schema.Struct({ endpoint: Endpoint, keys })
export type Phone = typeof Phone.Type

/** Which one is to be told no longer. */
export const PhoneName = Schema.Struct({ endpoint: Endpoint })

/** The key that a browser needs before it can subscribe. */
export const PushKey = Schema.Struct({
  /** The bot's public key for push services; null where its configuration has no receiver `push`. */
  key: Schema.NullOr(Schema.String)
})
