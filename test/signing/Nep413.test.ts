/** What is signed, against the published vectors, Node's own Ed25519 and an independent implementation of NEP-413. */
import { createHash, generateKeyPairSync, sign as nodeSign } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import bs58 from "bs58"
import { Effect, Exit, Redacted, Schema } from "effect"
import { verifyNep413Signature } from "near-kit"
import * as Ed25519 from "../../src/signing/Ed25519.ts"
import * as Nep413 from "../../src/signing/Nep413.ts"
import { KeyMalformed, publicKeyOf, Signer } from "../../src/signing/Signer.ts"

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
const seed = new Uint8Array(32).fill(7)
const seedKey = Redacted.make(`ed25519:${bs58.encode(seed)}`)

describe("Nep413", () => {
  it("hashes the example of the proposal", () => {
    const payload = {
      message: "hi",
      nonce: Uint8Array.from({ length: 32 }, (_, index) => index),
      recipient: "myapp.com",
      callbackUrl: "myapp.com/callback"
    }
    assert.deepStrictEqual([...Nep413.preimage(payload).slice(0, 4)], [0x9d, 0x01, 0x00, 0x80])
    assert.strictEqual(hex(Nep413.digest(payload)), "c9ce5de288f7de6d83e2303e56c7615949da83867ea33c0747ed45c47ef50148")
  })

  it("hashes the example of the verifier", () => {
    const payload = { message: "Hello, world!", nonce: new Uint8Array(32), recipient: "intents.near" }
    const expected = "94648d7168d4a58d1eecd11fc2ecad210ef7cb5efce7a22d15a19e1764031f59"
    assert.strictEqual(hex(Nep413.digest(payload)), expected)
    assert.strictEqual(hex(Nep413.digest({ ...payload, callbackUrl: null })), expected)
    assert.strictEqual(Nep413.hashText(Nep413.digest(payload)), bs58.encode(Buffer.from(expected, "hex")))
  })

  it("takes only canonical nonces of 32 bytes", () => {
    const nonce = Buffer.alloc(32, 9).toString("base64")
    assert.deepStrictEqual(Nep413.parseNonce(nonce), Buffer.alloc(32, 9))
    for (const bad of [
      Buffer.alloc(31).toString("base64"),
      Buffer.alloc(33).toString("base64"),
      nonce.replace("=", ""),
      `${nonce.slice(0, -2)}l=`,
      Buffer.alloc(32, 251).toString("base64url"),
      ` ${nonce.slice(1)}`,
      ""
    ]) {
      assert.isUndefined(Nep413.parseNonce(bad), bad)
    }
  })
})

describe("the signer", () => {
  it.effect("derives the published public key and account from the published seed", () =>
    Effect.gen(function* () {
      const publicKey = yield* publicKeyOf(seedKey)
      assert.strictEqual(publicKey, "ed25519:GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB")
      assert.strictEqual(
        Ed25519.implicitAccount(publicKey),
        "ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c"
      )
    })
  )

  it.effect.prop(
    "signs what Node and an independent package verify, and verifies what Node signs",
    { message: Schema.String, recipient: Schema.String, callbackUrl: Schema.NullOr(Schema.String), salt: Schema.Int },
    Effect.fnUntraced(function* ({ callbackUrl, message, recipient, salt }) {
      // Lone surrogates have no UTF-8 form; the guard refuses them.
      const text = message.toWellFormed()
      const to = recipient.toWellFormed()
      const nonce = createHash("sha256").update(String(salt)).digest()
      const callback = callbackUrl === null ? {} : { callbackUrl: callbackUrl.toWellFormed() }
      const payload = { message: text, nonce, recipient: to, ...callback }
      const digest = Nep413.digest(payload)
      const params = { message: text, nonce, recipient: to, ...callback }
      const { privateKey, publicKey } = generateKeyPairSync("ed25519")
      const jwk = privateKey.export({ format: "jwk" })
      const theirSeed = Buffer.from(jwk.d ?? "", "base64url")
      const theirKey = Ed25519.format(publicKey.export({ format: "der", type: "spki" }).subarray(-32))
      const key = Redacted.make(`ed25519:${bs58.encode(theirSeed)}`)
      const signed = yield* Signer.use((signer) => signer.sign(digest)).pipe(Effect.provide(Signer.layer(key)))
      assert.strictEqual(signed.publicKey, theirKey)
      assert.strictEqual(signed.signature, Ed25519.format(nodeSign(null, digest, privateKey)))
      assert.isTrue(Ed25519.verify(signed.publicKey, digest, signed.signature))
      const account = { accountId: "x", publicKey: signed.publicKey, signature: signed.signature }
      const verified = yield* Effect.promise(() => verifyNep413Signature(account, params, { nonceValidation: "none" }))
      assert.isTrue(verified)
      const flipped = Uint8Array.from(digest, (byte, index) => (index === 5 ? byte ^ 1 : byte))
      assert.isFalse(Ed25519.verify(signed.publicKey, flipped, signed.signature))
    })
  )

  const secret64 = Buffer.concat([seed, Buffer.from(bs58.decode("GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB"))])

  it.effect("accepts a seed or a whole secret key", () =>
    Effect.gen(function* () {
      const whole = Redacted.make(`ed25519:${bs58.encode(secret64)}\n`)
      assert.strictEqual(yield* publicKeyOf(whole), yield* publicKeyOf(seedKey))
    })
  )

  const bad = [
    "",
    "ed25519:",
    bs58.encode(seed),
    `secp256k1:${bs58.encode(seed)}`,
    `ed25519:${bs58.encode(seed.slice(1))}`,
    `ed25519:${bs58.encode(Buffer.concat([secret64, seed]))}`,
    "ed25519:0OIl",
    `ed25519:${bs58.encode(Buffer.concat([seed, seed]))}`
  ]

  it.effect.each(bad)("refuses a malformed key without showing it %#", (text) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(publicKeyOf(Redacted.make(text)))
      assert.instanceOf(error, KeyMalformed)
      const key = text.slice(8)
      if (key.length > 3) assert.notInclude(`${error.message}${JSON.stringify(error)}${String(error.stack)}`, key)
    })
  )

  it.effect("signs nothing in modes without a key", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Signer.use((signer) => signer.sign(seed)))
      assert.isTrue(Exit.isFailure(exit))
    }).pipe(Effect.provide(Signer.layerRefusing))
  )
})
