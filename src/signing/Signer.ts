/**
 * The signing key. It signs bytes and verifies the signature. Nothing else knows the key, and nothing here prints it. Only `IntentGuard`
 * may ask it to sign a payment. `Session` asks for logins, `Checkpoint` and `PolicySeal` for texts that can never be payments.
 * `SignerServer` asks for logins and checkpoints on behalf of a bot.
 */
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import nacl from "tweetnacl"
import * as Ed25519 from "./Ed25519.ts"
import type { Nep413Payload } from "./Nep413.ts"

export interface Signature {
  /** `ed25519:` and base58, as is the signature. */
  readonly publicKey: string
  readonly signature: string
}

export interface CheckpointText {
  readonly checkpoint: string
}

/** The signer did not sign; `text` says why. */
export class SigningRefused extends Schema.TaggedError<SigningRefused>()("SigningRefused", { text: Schema.String }) {
  override get message(): string {
    return this.text
  }
}

/** The configured key is unusable. The message says what is wrong with it, and never shows it. */
export class KeyMalformed extends Schema.TaggedError<KeyMalformed>()("KeyMalformed", { problem: Schema.String }) {
  override get message(): string {
    return `account.key ${this.problem}. Expected "ed25519:" and the base58 of a 32-byte seed or a 64-byte secret key`
  }
}

/** Signs bytes with the key of the account. */
export class Signer extends Context.Service<
  Signer,
  {
    /** `seen` is the content of the bytes, for signers that inspect it. */
    sign(bytes: Uint8Array, seen?: Nep413Payload | CheckpointText): Effect.Effect<Signature, SigningRefused>
  }
>()("limitbot/signing/Signer") {
  static readonly layer = (key: Redacted.Redacted): Layer.Layer<Signer, KeyMalformed> =>
    Layer.effect(Signer, Effect.map(readKey(key), signWith))

  /** For modes that must not move money: the process has no key. */
  static readonly layerRefusing: Layer.Layer<Signer> = Layer.succeed(Signer, {
    sign: () => Effect.fail(new SigningRefused({ text: "this mode has no signing key" }))
  })
}

const malformed = (problem: string) => Effect.fail(new KeyMalformed({ problem }))

const readKey = (key: Redacted.Redacted): Effect.Effect<nacl.SignKeyPair, KeyMalformed> => {
  const text = Redacted.value(key).trim()
  if (!text.startsWith("ed25519:")) return malformed('does not start with "ed25519:"')
  const seed = Ed25519.parse(text, 32)
  if (seed !== undefined) return Effect.succeed(nacl.sign.keyPair.fromSeed(seed))
  const secret = Ed25519.parse(text, 64)
  if (secret === undefined) return malformed("is not base58 of 32 or 64 bytes")
  const pair = nacl.sign.keyPair.fromSeed(secret.slice(0, 32))
  return nacl.verify(pair.secretKey, secret)
    ? Effect.succeed(pair)
    : malformed("holds a public half that does not belong to its secret half")
}

/** Returns the `ed25519:` public key of a secret key. */
export const publicKeyOf = (key: Redacted.Redacted): Effect.Effect<string, KeyMalformed> =>
  Effect.map(readKey(key), (pair) => Ed25519.format(pair.publicKey))

const signWith = (pair: nacl.SignKeyPair): Signer["Service"] => {
  const publicKey = Ed25519.format(pair.publicKey)
  return {
    sign: Effect.fnUntraced(function* (digest) {
      const signature = Ed25519.format(nacl.sign.detached(digest, pair.secretKey))
      // A signature spoiled by a faulty library or a flipped bit must not leave the process: it can reveal the key.
      if (Ed25519.verify(publicKey, digest, signature)) return { publicKey, signature }
      return yield* new SigningRefused({ text: "the signature that was made does not verify" })
    })
  }
}
