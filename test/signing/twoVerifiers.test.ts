/**
 * Two verifiers: what is signed follows the deposit type of our own order. Each true payload is signed, and each single change
 * of one, above all into its counterpart on the other ledger, is refused.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Domains from "../../src/signing/Domains.ts"
import * as Guard from "../../src/signing/IntentGuard.ts"
import { Signer } from "../../src/signing/Signer.ts"
import { factsOf } from "../../src/venue/profile/Profiles.ts"
import { Venue } from "../../src/venue/Venue.ts"
import { defaultPatience, ownAccount, VenueConfig } from "../../src/venue/VenueConfig.ts"
import * as Answers from "../world/service/answers.ts"
import { json, scripted, testAccount, testKey } from "../world/service/scriptedVenue.ts"

const now = Date.parse("2026-11-03T00:00:00Z")
const treasury = "51e8f94d77b5e90dc9852ca6113771e11e8382ce69473a75e313e41665de7cbe"
const asset = "nep141:wrap.near"
const issued = `imt:${treasury}:${asset}`
const facts = { ...factsOf("near-2026-11", "intents.near"), salts: { "intents.near": "252812b3" } }
const config = Layer.succeed(VenueConfig, {
  url: "http://venue",
  ledger: "near",
  verifier: "intents.near",
  facts,
  apiKey: Redacted.make("key"),
  account: ownAccount(testAccount, "CONFIDENTIAL_INTENTS"),
  patience: defaultPatience
})

const payload = (recipient: string, token: string, change: Record<string, unknown> = {}) => ({
  standard: "nep413",
  payload: {
    message: JSON.stringify({
      deadline: "2026-11-03T00:05:00.000Z",
      intents: [{ intent: "transfer", receiver_id: "deposit-1", tokens: { [token]: "1000" } }],
      signer_id: testAccount,
      ...change
    }),
    nonce: Buffer.alloc(32, 5).toString("base64"),
    recipient
  } as unknown
})
const expected = (depositType: string) => ({ depositAddress: "deposit-1", depositType, asset, amount: 1000n })

const sign = (generated: ReturnType<typeof payload>, depositType: string) =>
  TestClock.setTime(now).pipe(
    Effect.andThen(Guard.IntentGuard.use((guard) => guard.signTransfer(generated, expected(depositType)))),
    Effect.provide(
      Guard.layer({ signerId: testAccount, domains: facts.signing }).pipe(
        Layer.provide(Layer.orDie(Signer.layer(testKey)))
      )
    )
  )

describe("two verifiers", () => {
  it.effect.each([
    ["INTENTS", "intents.near", asset],
    ["CONFIDENTIAL_INTENTS", "intents.far", issued]
  ] as const)("let a transfer of %s be signed for %s with the token %s", ([depositType, verifier, token]) =>
    Effect.gen(function* () {
      const { body } = yield* sign(payload(verifier, token), depositType)
      assert.strictEqual(JSON.parse(body).signedData.payload.recipient, verifier)
    })
  )

  const swapped: ReadonlyArray<readonly [string, ReturnType<typeof payload>, string, RegExp]> = [
    ["a public order, the confidential payload", payload("intents.far", issued), "INTENTS", /payload\.recipient/],
    ["a public order, the confidential contract", payload("intents.far", asset), "INTENTS", /payload\.recipient/],
    ["a public order, the confidential token", payload("intents.near", issued), "INTENTS", /intent\.tokens/],
    ["a confidential order, the public payload", payload("intents.near", asset), "CONFIDENTIAL_INTENTS", /recipient/],
    ["a confidential order, the public contract", payload("intents.near", issued), "CONFIDENTIAL_INTENTS", /recipient/],
    ["a confidential order, the public token", payload("intents.far", asset), "CONFIDENTIAL_INTENTS", /intent\.tokens/],
    [
      "a token of another treasury",
      payload("intents.far", `imt:${"0".repeat(64)}:${asset}`),
      "CONFIDENTIAL_INTENTS",
      /intent\.tokens/
    ],
    ["a token issued twice", payload("intents.far", `imt:${treasury}:${issued}`), "CONFIDENTIAL_INTENTS", /tokens/],
    ["a third verifier", payload("intents.evil", issued), "CONFIDENTIAL_INTENTS", /payload\.recipient/],
    ["a deposit on another chain", payload("intents.near", asset), "ORIGIN_CHAIN", /deposit type/],
    ["an unknown kind of deposit", payload("intents.near", asset), "constructor", /deposit type/],
    [
      "two tokens, one of each ledger",
      payload("intents.far", issued, {
        intents: [{ intent: "transfer", receiver_id: "deposit-1", tokens: { [issued]: "1000", [asset]: "1000" } }]
      }),
      "CONFIDENTIAL_INTENTS",
      /intent\.tokens/
    ]
  ]
  it.effect.each(swapped)("refuse %s", ([, generated, depositType, check]) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(sign(generated, depositType))
      assert.instanceOf(refused, Guard.IntentRefused)
      assert.match(refused.check, check)
    })
  )

  it.effect("refuse a payload of the other verifier with both names", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(sign(payload("intents.near", asset), "CONFIDENTIAL_INTENTS"))
      assert.match(message, /expected "intents\.far", the verifier of CONFIDENTIAL_INTENTS/)
      assert.match(message, /found "intents\.near", the verifier of INTENTS/)
    })
  )

  it.effect("have one balance for an asset with and without the prefix, and none for another treasury's token", () =>
    Effect.gen(function* () {
      const stranger = `imt:${"0".repeat(64)}:${asset}`
      const { layer } = scripted(
        ({ url }) =>
          url.endsWith("/v0/account/balances")
            ? json({
                balances: [issued, "nep141:usdc.near", stranger].map((tokenId) => ({
                  tokenId,
                  available: "7",
                  source: "private"
                }))
              })
            : json(Answers.sessionAnswer, 201),
        config
      )
      const found = yield* Venue.use((venue) => venue.balances).pipe(Effect.provide(layer))
      assert.deepStrictEqual(
        found.map(({ tokenId }) => tokenId),
        [asset, "nep141:usdc.near", stranger]
      )
    })
  )

  it("need no name beside one verifier for both", () => {
    const one = { INTENTS: { verifier: "a" }, CONFIDENTIAL_INTENTS: { verifier: "a" } }
    assert.deepStrictEqual([Domains.nameOf(one, "a"), Domains.nameOf(one, undefined)], ['"a"', "nothing"])
  })
})
