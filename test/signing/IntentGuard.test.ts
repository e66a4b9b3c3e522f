/** The guard signs the one transfer that we meant, unmodified, and refuses every single deviation from it. */
import { assert, describe, it } from "@effect/vitest"
import bs58 from "bs58"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Ed25519 from "../../src/signing/Ed25519.ts"
import * as Guard from "../../src/signing/IntentGuard.ts"
import * as Nep413 from "../../src/signing/Nep413.ts"
import { type Signature, Signer } from "../../src/signing/Signer.ts"
import { payer, testAccount, testKey } from "../world/service/scriptedVenue.ts"

const now = Date.parse("2026-02-03T00:00:00Z")
const expected = {
  depositAddress: "deposit-1",
  depositType: "INTENTS",
  asset: "nep141:base",
  amount: 1_000_000_000_000_000_000_000_000n
}
const transfer = {
  intent: "transfer",
  receiver_id: "deposit-1",
  tokens: { "nep141:base": "1000000000000000000000000" } as Record<string, unknown>
}
const message = {
  deadline: "2026-02-03T00:10:00.000Z",
  intents: [transfer] as ReadonlyArray<unknown>,
  signer_id: testAccount
}
const payload = {
  message: JSON.stringify(message),
  nonce: Buffer.alloc(32, 5).toString("base64"),
  recipient: "intents.native"
}
const honest = { standard: "nep413", payload: payload as unknown }

const guard = (signer: Layer.Layer<Signer>) => Guard.layer(payer).pipe(Layer.provide(signer))
const layer = guard(Layer.orDie(Signer.layer(testKey)))

const sign = (generated: typeof honest, transferExpected = expected) =>
  TestClock.setTime(now).pipe(
    Effect.andThen(Guard.IntentGuard.use((service) => service.signTransfer(generated, transferExpected)))
  )

const withPayload = (change: Record<string, unknown>) => ({ standard: "nep413", payload: { ...payload, ...change } })
const withText = (text: string) => withPayload({ message: text })
const withMessage = (change: Record<string, unknown>) => withText(JSON.stringify({ ...message, ...change }))
const withIntent = (change: Record<string, unknown>) => withMessage({ intents: [{ ...transfer, ...change }] })
const withTokens = (tokens: unknown) => withIntent({ tokens })
const amount = (text: unknown) => withTokens({ "nep141:base": text })
const without = (key: string) =>
  withText(JSON.stringify(Object.fromEntries(Object.entries(message).filter(([name]) => name !== key))))

describe("a signature", () => {
  it.effect("is of the unchanged message, and verifies", () =>
    Effect.gen(function* () {
      const odd = ` ${JSON.stringify(message, null, 2)}\n`
      for (const change of [{}, { message: odd }, { callbackUrl: null }, { callbackUrl: "https://x/" }]) {
        const signed = yield* sign(withPayload(change))
        const { signedData, type } = JSON.parse(signed.body)
        assert.strictEqual(type, "swap_transfer")
        assert.deepStrictEqual(signedData.payload, { ...payload, ...change })
        const digest = Nep413.digest({ ...payload, ...change, nonce: Buffer.alloc(32, 5) })
        assert.strictEqual(signed.intentHash, bs58.encode(digest))
        assert.isTrue(Ed25519.verify(signedData.public_key, digest, signedData.signature))
        assert.strictEqual(Ed25519.implicitAccount(signedData.public_key), testAccount)
        assert.isAtLeast(signed.validUntil, Date.parse(message.deadline))
        assert.isAtMost(signed.validUntil, Date.parse(message.deadline) + 1)
      }
    }).pipe(Effect.provide(layer))
  )

  const edges = [
    ["a single unit", amount("1"), { ...expected, amount: 1n }],
    ["the earliest deadline", withMessage({ deadline: "2026-02-03T00:00:05Z" }), expected],
    ["the latest deadline", withMessage({ deadline: "2026-02-10T00:00:00Z" }), expected],
    ["the longest callback", withPayload({ callbackUrl: "x".repeat(2048) }), expected]
  ] as const
  it.effect.each(edges)("is given to a transfer with %s", ([, generated, transferExpected]) =>
    Effect.gen(function* () {
      assert.isNotEmpty((yield* sign(generated, transferExpected)).body)
    }).pipe(Effect.provide(layer))
  )

  it.effect("has always the same bytes for the same payload", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* sign(honest), yield* sign(honest))
    }).pipe(Effect.provide(layer))
  )
})

const deviations: ReadonlyArray<readonly [string, typeof honest, Guard.ExpectedTransfer?]> = [
  ["another standard", { ...honest, standard: "erc191" }],
  ["standard in another case", { ...honest, standard: "NEP413" }],
  ["no payload", { standard: "nep413", payload: null }],
  ["a list for a payload", { standard: "nep413", payload: [payload] }],
  ["a text for a payload", { standard: "nep413", payload: JSON.stringify(payload) }],
  ["an extra key in the payload", withPayload({ state: "x" })],
  ["another verifier", withPayload({ recipient: "intents.evil" })],
  ["the verifier in another case", withPayload({ recipient: "INTENTS.native" })],
  ["no verifier", withPayload({ recipient: undefined })],
  ["a nonce of 31 bytes", withPayload({ nonce: Buffer.alloc(31).toString("base64") })],
  ["a nonce of 33 bytes", withPayload({ nonce: Buffer.alloc(33).toString("base64") })],
  ["a nonce in another alphabet", withPayload({ nonce: Buffer.alloc(32, 251).toString("base64url") })],
  ["a nonce with loose end bits", withPayload({ nonce: `${payload.nonce.slice(0, -2)}V=` })],
  ["a nonce as a list", withPayload({ nonce: [...Buffer.alloc(32)] })],
  ["a callback that is not text", withPayload({ callbackUrl: 5 })],
  ["a very long callback", withPayload({ callbackUrl: "x".repeat(2049) })],
  ["a message as an object", withPayload({ message })],
  ["a message that is not JSON", withText("{")],
  ["a message with text after it", withText(`${payload.message} {}`)],
  ["a very long message", withText(`${payload.message}${" ".repeat(20_000)}`)],
  ["a very deep message", withMessage({ intents: JSON.parse("[".repeat(50) + "]".repeat(50)) })],
  ["a lone surrogate", withText(payload.message.replace("deposit-1", "deposit-1\ud800"))],
  ["an extra key in the message", withMessage({ memo: "x" })],
  ["__proto__ in the message", withText(payload.message.replace("{", '{"__proto__":{},'))],
  ["no signer", without("signer_id")],
  ["another signer", withMessage({ signer_id: "mallory" })],
  ["our signer in upper case", withMessage({ signer_id: testAccount.toUpperCase() })],
  ["a duplicate signer", withText(payload.message.replace("{", '{"signer_id":"mallory",'))],
  ["a duplicate list of intents", withText(payload.message.replace("{", '{"intents":[],'))],
  ["an escaped duplicate key", withText(payload.message.replace("{", '{"\\u0069ntents":[],'))],
  ["a duplicate receiver", withText(payload.message.replace('"receiver_id"', '"receiver_id":"mallory","receiver_id"'))],
  ["a duplicate token", withText(payload.message.replace('"nep141:base"', '"nep141:base":"9","nep141:base"'))],
  ["no deadline", without("deadline")],
  ["a deadline that has passed", withMessage({ deadline: "2026-02-02T23:59:59Z" })],
  ["a deadline too close", withMessage({ deadline: "2026-02-03T00:00:04.999Z" })],
  ["a deadline too far", withMessage({ deadline: "2026-02-10T00:00:00.001Z" })],
  ["a deadline that does not exist", withMessage({ deadline: "2026-02-30T00:00:00Z" })],
  ["a deadline without a zone", withMessage({ deadline: "2026-02-03T00:10:00" })],
  ["a deadline as a number", withMessage({ deadline: now + 60_000 })],
  ["no intents", without("intents")],
  ["an empty list of intents", withMessage({ intents: [] })],
  ["two intents", withMessage({ intents: [transfer, transfer] })],
  ["an intent outside a list", withMessage({ intents: transfer })],
  ["a null intent", withMessage({ intents: [null] })],
  ...[
    "Transfer",
    "ft_withdraw",
    "nft_withdraw",
    "mt_withdraw",
    "native_withdraw",
    "storage_deposit",
    "token_diff",
    "add_public_key",
    "remove_public_key",
    "set_auth_by_predecessor_id",
    "auth_call"
  ].map((intent) => [`the intent ${intent}`, withIntent({ intent })] as const),
  ["a memo", withIntent({ memo: "x" })],
  ["a msg", withIntent({ msg: "x" })],
  ["a notification", withIntent({ notification: { msg: "x" } })],
  ["another receiver", withIntent({ receiver_id: "mallory" })],
  ["the receiver in another case", withIntent({ receiver_id: "Deposit-1" })],
  ["the receiver with a space", withIntent({ receiver_id: "deposit-1 " })],
  ["no receiver", withIntent({ receiver_id: undefined })],
  ["two tokens", withTokens({ ...transfer.tokens, "nep141:other": "1" })],
  ["another token", withTokens({ "nep141:other": "1000000000000000000000000" })],
  ["no token", withTokens({})],
  ["__proto__ among the tokens", withText(payload.message.replace('"nep141:base"', '"__proto__":{},"nep141:base"'))],
  ["__proto__ in the intent", withText(payload.message.replace('"receiver_id"', '"__proto__":{},"receiver_id"'))],
  ["__proto__ in the payload", withPayload(JSON.parse('{"__proto__":{}}'))],
  ["a list of tokens", withTokens([["nep141:base", "1000000000000000000000000"]])],
  ["more", amount("1000000000000000000000001")],
  ["less", amount("999999999999999999999999")],
  ["a leading zero", amount("01000000000000000000000000")],
  ["a plus sign", amount("+1000000000000000000000000")],
  ["a space", amount("1000000000000000000000000 ")],
  ["an exponent", amount("1e24")],
  ["a number", amount(1e24)],
  ["a negative amount", amount("-1000000000000000000000000")],
  ["nothing to pay", amount("0"), { ...expected, amount: 0n }],
  ["another of our orders", honest, { ...expected, depositAddress: "deposit-2" }],
  ["another of our amounts", honest, { ...expected, amount: 5n }],
  ["another of our assets", honest, { ...expected, asset: "nep141:other" }]
]

describe("the guard refuses", () => {
  const asked: Array<string> = []
  const watched = guard(
    Layer.succeed(Signer, {
      sign: () =>
        Effect.sync(() => {
          asked.push("sign")
          return { publicKey: "", signature: "" }
        })
    })
  )

  it.effect.each(deviations)("%s", ([, generated, transferExpected]) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(sign(generated, transferExpected))
      assert.instanceOf(refused, Guard.IntentRefused)
      assert.isNotEmpty(refused.check)
      assert.isBelow(refused.message.length, 1000)
      assert.lengthOf(asked, 0, "the signer was not even asked")
    }).pipe(Effect.provide(watched))
  )

  const returning = (change: (signature: Signature) => Signature) =>
    guard(
      Layer.effect(
        Signer,
        Effect.map(Signer, (signer) => ({
          sign: (digest: Uint8Array) => Effect.map(signer.sign(digest), change)
        }))
      ).pipe(Layer.provide(Layer.orDie(Signer.layer(testKey))))
    )
  const otherKey = Ed25519.format(new Uint8Array(32).fill(1))
  const wrong: ReadonlyArray<readonly [string, (signature: Signature) => Signature]> = [
    ["another key", (signed) => ({ ...signed, publicKey: otherKey })],
    ["another signature", (signed) => ({ ...signed, signature: Ed25519.format(new Uint8Array(64).fill(1)) })],
    ["no signature", (signed) => ({ ...signed, signature: "" })]
  ]
  it.effect.each(wrong)("%s instead of the account's, whoever has the key", ([, change]) =>
    Effect.gen(function* () {
      assert.deepInclude(yield* Effect.flip(sign(honest)), { _tag: "SignatureRefused", check: "signature" })
    }).pipe(Effect.provide(returning(change)))
  )

  it.effect("everything, without a key", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* Effect.flip(sign(honest)), { _tag: "SignerUnavailable" })
    }).pipe(Effect.provide(guard(Signer.layerRefusing)))
  )
})
