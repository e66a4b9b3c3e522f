/** A bearer token: 256 random bits. It is compared by digests, so that the time reveals nothing. */
import { createHash } from "node:crypto"
import { Redacted } from "effect"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"

export const form = /^[A-Za-z0-9_-]{43}$/

export const generate = (): Redacted.Redacted => Redacted.make(Buffer.from(randomBytesUnsafe(32)).toString("base64url"))

export const digestOf = (token: Redacted.Redacted): Buffer =>
  createHash("sha256").update(Redacted.value(token)).digest()
