/** Logins at a service that judges them by its own clock and by a salt that rotates. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { factsOf } from "../../../src/venue/profile/Profiles.ts"
import { Venue } from "../../../src/venue/Venue.ts"
import { defaultPatience, ownAccount, VenueConfig } from "../../../src/venue/VenueConfig.ts"
import * as Answers from "../../world/service/answers.ts"
import { bodyText, json, scripted, testAccount } from "../../world/service/scriptedVenue.ts"
import { start } from "../../world/service/venueCalls.ts"

interface World {
  readonly aheadMillis?: number
  readonly known?: string
  readonly rpc?: boolean
}

/** Refuses what the deployed service refuses; `salt` is the present one. */
const world = ({ aheadMillis = 0, known, rpc = true }: World) => {
  const now = start - aheadMillis
  const state = { salt: "252812b3", isExpired: false, isDown: false }
  const said: Array<string> = []
  const facts = factsOf("near-2026-11", "intents.near")
  const config = Layer.succeed(VenueConfig, {
    url: "http://venue",
    ledger: "near" as const,
    verifier: "intents.near",
    facts: {
      ...facts,
      salts: known === undefined ? facts.salts : { "intents.near": known },
      ...(rpc ? { saltFrom: "http://rpc/" } : {})
    },
    apiKey: Redacted.make("key"),
    account: ownAccount(testAccount, "CONFIDENTIAL_INTENTS"),
    patience: defaultPatience
  })
  const date = { date: new Date(now).toUTCString() }
  const refused = (message: string, status: number) => {
    said.push(message)
    return json({ message }, status, date)
  }
  const made = scripted((request) => {
    if (request.url === "http://rpc/") {
      said.push("rpc")
      assert.deepInclude(JSON.parse(bodyText(request)).params, {
        account_id: "intents.near",
        method_name: "current_salt"
      })
      assert.isUndefined(request.headers["x-api-key"])
      if (state.isDown) return json({}, 503)
      return json({ jsonrpc: "2.0", id: "1", result: { result: [...Buffer.from(JSON.stringify(state.salt))] } })
    }
    if (!request.url.endsWith("/v0/auth/authenticate")) {
      if (!state.isExpired) return json(Answers.balancesAnswer, 200, date)
      state.isExpired = false
      return json({ message: "expired" }, 401, date)
    }
    const { message, nonce, recipient } = JSON.parse(bodyText(request)).signedData.payload
    const bytes = Buffer.from(nonce, "base64")
    assert.strictEqual(recipient, "intents.near")
    assert.strictEqual(bytes.subarray(0, 5).toString("hex"), "5628f6c600")
    assert.isAtLeast(Number(bytes.readBigInt64LE(9) / 1_000_000n), Date.parse(JSON.parse(message).deadline))
    const early = Number(bytes.readBigUInt64LE(17) / 1_000_000n) - now
    if (early < -240_000 || early > 300_000) return refused("timestamp validation failed", 400)
    if (bytes.subarray(5, 9).toString("hex") !== state.salt) return refused("invalid salt", 401)
    said.push("in")
    return json(Answers.sessionAnswer, 201, date)
  }, config)
  return { ...made, said, state }
}

const balances = Venue.use((venue) => venue.balances)
const from = TestClock.setTime(start)

describe("a login with a start", () => {
  it.effect("is accepted at once if clock and salt are right", () =>
    Effect.gen(function* () {
      yield* from
      const { layer, said } = world({ known: "252812b3" })
      assert.lengthOf(yield* Effect.provide(balances, layer), 1)
      assert.deepStrictEqual(said, ["in"])
    })
  )

  it.effect.each([-3_600_000, -310_000, 310_000, 3_600_000])(
    "is repeated once by the venue's clock if ours is %s ms ahead",
    (aheadMillis) =>
      Effect.gen(function* () {
        yield* from
        const { layer, said } = world({ known: "252812b3", rpc: false, aheadMillis })
        assert.lengthOf(yield* Effect.provide(balances, layer), 1)
        assert.deepStrictEqual(said, ["timestamp validation failed", "in"])
      })
  )

  it.effect("requests an unknown salt once, and again after a rotation", () =>
    Effect.gen(function* () {
      yield* from
      const { layer, said, state } = world({})
      yield* Effect.gen(function* () {
        yield* balances
        assert.deepStrictEqual(said.splice(0), ["rpc", "in"])
        state.salt = "00112233"
        state.isExpired = true
        yield* balances
        assert.deepStrictEqual(said.splice(0), ["invalid salt", "rpc", "in"])
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("reports an outage of the salt once, and the next outage again", () =>
    Effect.gen(function* () {
      yield* from
      const told: Array<string> = []
      const listening = Logger.layer([Logger.make(({ message }) => told.push(String(message)))])
      const { layer, state } = world({})
      const outage = Effect.gen(function* () {
        state.isDown = true
        yield* Effect.ignore(balances)
        yield* Effect.ignore(balances)
        state.isDown = false
      })
      yield* Effect.gen(function* () {
        yield* outage
        assert.deepStrictEqual(told, ["http://rpc/ does not report the salt of intents.near"])
        yield* balances
        Object.assign(state, { salt: "00112233", isExpired: true })
        yield* outage
        assert.lengthOf(told, 2)
      }).pipe(Effect.provide(layer), Effect.provide(listening))
    })
  )

  it.effect("gives up after one more try, and says what is missing if nothing better is known", () =>
    Effect.gen(function* () {
      yield* from
      const wrong = world({ known: "ffffffff", rpc: false })
      const refused = yield* Effect.flip(Effect.provide(balances, wrong.layer))
      assert.match(refused.message, /invalid salt: the configured ffffffff is not the present salt of intents\.near/)
      assert.notMatch(refused.message, /account\.key/)
      assert.deepStrictEqual(wrong.said, ["invalid salt"])
      const none = world({ rpc: false })
      const { message } = yield* Effect.flip(Effect.provide(balances, none.layer))
      assert.match(message, /needs the salt of intents\.near: set venue\.nonceSalt/)
      assert.lengthOf(none.sent, 0)
    })
  )
})
