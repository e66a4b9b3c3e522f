/** The user session: one login for many callers, renewed in time, and proven by a message that can move nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { type HttpClientRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as Ed25519 from "../../../src/signing/Ed25519.ts"
import * as Nep413 from "../../../src/signing/Nep413.ts"
import { type Signature, Signer } from "../../../src/signing/Signer.ts"
import { Venue } from "../../../src/venue/Venue.ts"
import * as Answers from "../../world/service/answers.ts"
import {
  bodyText,
  config,
  json,
  ownSigner,
  type Script,
  scripted,
  testAccount,
  text
} from "../../world/service/scriptedVenue.ts"
import { start } from "../../world/service/venueCalls.ts"

const pathOf = (request: HttpClientRequest.HttpClientRequest) => request.url.replace("http://venue", "")

/** Issues numbered tokens, and takes only the ones in `valid`. */
const venue = () => {
  const valid = new Set<string>()
  let issued = 0
  const issue = () => {
    issued += 1
    valid.add(`access-${issued}`)
    return `access-${issued}`
  }
  const script: Script = (request) => {
    const path = pathOf(request)
    if (path === "/v0/auth/authenticate") return json({ ...Answers.sessionAnswer, accessToken: issue() }, 201)
    if (path === "/v0/auth/refresh") {
      return JSON.parse(bodyText(request)).refreshToken === "refresh-1"
        ? json({ accessToken: issue(), expiresIn: 3600 })
        : text("", 401)
    }
    const token = request.headers["authorization"]?.replace("Bearer ", "") ?? ""
    return valid.has(token) ? json(Answers.balancesAnswer) : json({ message: "expired" }, 401)
  }
  return { script, valid }
}

const balances = Venue.use((service) => service.balances)

describe("the session", () => {
  const another = Ed25519.format(new Uint8Array(32).fill(9))
  const lies: ReadonlyArray<readonly [string, (signed: Signature) => Signature]> = [
    ["of another key", (signed) => ({ ...signed, publicKey: another })],
    ["of another message", (signed) => ({ ...signed, signature: Ed25519.format(new Uint8Array(64).fill(1)) })],
    ["that is invalid", (signed) => ({ ...signed, signature: "signed" })]
  ]
  it.effect.each(lies)("refuses to send a login with a signature %s", ([, change]) =>
    Effect.gen(function* () {
      const signer = Layer.effect(
        Signer,
        Effect.map(Signer, ({ sign }) => ({ sign: (digest: Uint8Array) => Effect.map(sign(digest), change) }))
      ).pipe(Layer.provide(ownSigner))
      const { layer, sent } = scripted(venue().script, config, signer)
      const { reason } = yield* Effect.flip(Effect.provide(balances, layer))
      assert.match(reason.message, /the signer returned another signature than it was asked for/)
      assert.deepStrictEqual(sent, [])
    })
  )

  it.effect(
    "logs in once for many callers, refreshes before expiry, and logs in again once the refresh token expires",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const { layer, sent } = scripted(venue().script)
        const paths = () => sent.splice(0).map(pathOf)
        yield* Effect.gen(function* () {
          const all = yield* Effect.all(
            Array.from({ length: 5 }, () => balances),
            { concurrency: 5 }
          )
          assert.deepStrictEqual(all[4], [{ tokenId: "base", available: 123n, source: "private" }])
          const asked = paths()
          assert.deepStrictEqual(
            asked.filter((path) => path !== "/v0/account/balances"),
            ["/v0/auth/authenticate"]
          )
          assert.lengthOf(asked, 6)

          yield* TestClock.adjust("50 minutes")
          yield* balances
          assert.deepStrictEqual(paths(), ["/v0/account/balances"])

          yield* TestClock.adjust("5 minutes")
          yield* Effect.all([balances, balances], { concurrency: 2 })
          assert.deepStrictEqual(paths().sort(), ["/v0/account/balances", "/v0/account/balances", "/v0/auth/refresh"])

          yield* TestClock.adjust("30 days")
          yield* balances
          assert.deepStrictEqual(paths(), ["/v0/auth/authenticate", "/v0/account/balances"])
        }).pipe(Effect.provide(layer))
      })
  )

  it.effect.each([400, 401, 403, 404, 422])("logs in again if the renewal of its token is refused with %s", (status) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { script } = venue()
      const { layer, sent } = scripted((request, attempt) =>
        pathOf(request) === "/v0/auth/refresh" ? json({ message: "no" }, status) : script(request, attempt)
      )
      yield* Effect.gen(function* () {
        yield* balances
        sent.splice(0)
        yield* TestClock.adjust("55 minutes")
        yield* balances
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(sent.map(pathOf), ["/v0/auth/refresh", "/v0/auth/authenticate", "/v0/account/balances"])
    })
  )

  it.effect("gets a new session once if a token is refused early, and then gives up", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { script, valid } = venue()
      const { layer, sent } = scripted(script)
      yield* Effect.gen(function* () {
        yield* balances
        valid.clear()
        yield* balances
        sent.splice(0)
      }).pipe(Effect.provide(layer))

      const refusing = scripted((request, attempt) =>
        pathOf(request) === "/v0/account/balances" ? json({ message: "no" }, 401) : script(request, attempt)
      )
      const error = yield* Effect.flip(Effect.provide(balances, refusing.layer))
      assert.strictEqual(error.reason._tag, "Unauthorized")
      assert.lengthOf(refusing.sent, 4)
    })
  )

  it.effect("proves ownership by a fresh message without intents", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const logins = yield* Effect.forEach(
        [1, 2],
        Effect.fnUntraced(function* () {
          const { layer, sent } = scripted(venue().script)
          yield* Effect.provide(balances, layer)
          assert.isUndefined(sent[0]?.headers["x-api-key"])
          return JSON.parse(bodyText(sent[0])).signedData
        })
      )
      for (const { payload, public_key, signature } of logins) {
        const message = JSON.parse(payload.message)
        assert.deepStrictEqual(message, { deadline: "2026-02-03T00:05:00.000Z", intents: [], signer_id: testAccount })
        assert.strictEqual(payload.recipient, "intents.native")
        const nonce = Nep413.parseNonce(payload.nonce)
        assert.isDefined(nonce)
        assert.isTrue(
          Ed25519.verify(public_key, Nep413.digest({ ...payload, nonce: nonce ?? new Uint8Array() }), signature)
        )
      }
      assert.notStrictEqual(logins[0].payload.nonce, logins[1].payload.nonce)
    })
  )

  it.effect("logs in after an interrupted login", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      let hang = true
      const { script } = venue()
      const { layer } = scripted((request, attempt) => (hang ? Effect.never : script(request, attempt)))
      yield* Effect.gen(function* () {
        const first = yield* Effect.forkChild(balances)
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(first)
        hang = false
        assert.lengthOf(yield* balances, 1)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("rejects a balance that is not a whole number", () =>
    Effect.gen(function* () {
      const { script } = venue()
      const { layer } = scripted((request, attempt) =>
        pathOf(request) === "/v0/account/balances"
          ? Effect.succeed(
              HttpServerResponse.jsonUnsafe({ balances: [{ tokenId: "base", available: "1.5", source: "private" }] })
            )
          : script(request, attempt)
      )
      const error = yield* Effect.flip(Effect.provide(balances, layer))
      assert.strictEqual(error.reason._tag, "OutcomeUnknown")
    })
  )
})
