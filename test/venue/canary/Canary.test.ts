/** The canary over the real HTTP path: at sandboxes of every profile, and where the service changes on the way. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpServerResponse } from "effect/http"
import type { Drift } from "../../../src/domain/Drift.ts"
import { present } from "../../../src/domain/Present.ts"
import * as SandboxSigner from "../../../src/rehearsal/world/SandboxSigner.ts"
import * as SandboxServer from "../../../src/sandbox/SandboxServer.ts"
import * as Canary from "../../../src/venue/canary/Canary.ts"
import { kinds } from "../../../src/venue/canary/Contract.ts"
import { History } from "../../../src/venue/History.ts"
import * as HttpVenue from "../../../src/venue/HttpVenue.ts"
import { Session } from "../../../src/venue/http/Session.ts"
import { VenueClient } from "../../../src/venue/http/VenueClient.ts"
import { type ProfileName, profileNames } from "../../../src/venue/profile/Profiles.ts"
import { Venue } from "../../../src/venue/Venue.ts"
import { defaultPatience, ownAccount, VenueConfig } from "../../../src/venue/VenueConfig.ts"
import { inVirtualTime } from "../../world/bot/botWorld.ts"
import { order, price } from "../../world/service/clients.ts"
import { recorded } from "./recorded.ts"

type Change = (path: string, body: string) => string

/** Asks a sandbox that has one order, with its answers changed on the way. */
const lookAt = (like: ProfileName, change: Change, wrongDecimals = 0) =>
  inVirtualTime(
    Effect.gen(function* () {
      const sandbox = yield* Layer.build(SandboxServer.layerMemory({ seed: 5, like }))
      const connection = Context.get(sandbox, SandboxServer.SandboxConnection)
      const service = Context.get(sandbox, HttpClient.HttpClient)
      let isChanging = false
      const client = HttpClient.make((request) =>
        Effect.gen(function* () {
          const response = yield* service.execute(request)
          if (!isChanging) return response
          const { pathname } = new URL(request.url)
          const text = yield* response.text
          const body = change(pathname, text)
          const { date = "" } = response.headers
          const changed = HttpServerResponse.text(body, {
            status:
              body === text
                ? response.status
                : body.startsWith('{"message"')
                  ? 404
                  : body.startsWith('{"errors"')
                    ? 400
                    : 200,
            contentType: "application/json",
            headers: { date }
          })
          return HttpServerResponse.toClientResponse(changed, { request })
        })
      )
      const { facts } = connection
      const config = Layer.succeed(VenueConfig, {
        url: connection.url,
        ledger: connection.ledger,
        verifier: connection.verifier,
        ...present({ facts: facts && { ...facts, saltFrom: `${connection.url}/sandbox/rpc` } }),
        apiKey: Redacted.make(connection.apiKey),
        partnerJwt: Redacted.make(connection.partnerJwt),
        quoteKey: connection.quoteKey,
        account: ownAccount(connection.account.signerId, "CONFIDENTIAL_INTENTS"),
        patience: defaultPatience
      })
      const layer = Layer.provideMerge(Canary.layer, Layer.merge(History.layer, HttpVenue.layer)).pipe(
        Layer.provide(Session.layer),
        Layer.provide(VenueClient.layer),
        Layer.provide(SandboxSigner.layer(connection)),
        Layer.provide(config),
        Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
      )
      const ids = {
        baseAsset: `nep141:btc.omft.${connection.ledger}`,
        quoteAsset: `nep141:usdc.omft.${connection.ledger}`
      }
      return yield* Effect.gen(function* () {
        yield* Venue.use((venue) => venue.createOrder(order({ ...ids, price: price("70000") })))
        isChanging = true
        return yield* Canary.Canary.use((canary) =>
          canary.look(
            [
              { symbol: "BTC", id: ids.baseAsset, decimals: 8 + wrongDecimals },
              { symbol: "USDC", id: ids.quoteAsset, decimals: 6 }
            ],
            100_000n
          )
        )
      }).pipe(Effect.provide(layer))
    })
  )

const same: Change = (_, body) => body
const ofOrders =
  (change: (body: string) => string): Change =>
  (path, body) =>
    path.startsWith("/v0/orders") ? change(body) : body

describe("the canary at a service", () => {
  it.effect("reports a refusal of what every partner may ask as a difference, with the venue's text", () =>
    Effect.gen(function* () {
      const refusal = JSON.stringify({
        errors: [{ status: "400", code: "validation-failed", detail: "confidentiality must be basic" }],
        meta: { correlationId: "corr-9" }
      })
      const { drift, unchecked } = yield* lookAt("document", (path, body) =>
        path === "/v0/orders" ? refusal : path === "/v0/quote" ? `{"message": "no public quotes"}` : body
      )
      assert.deepInclude(
        drift.find(({ what }) => what === "orders"),
        { was: "answered", closesFunding: true }
      )
      assert.match(String(drift.find(({ what }) => what === "orders")?.is), /refused: .*confidentiality must be basic/)
      assert.isUndefined(unchecked.find(({ what }) => what === "orders"))
    })
  )

  it.effect.each(profileNames)("finds no difference at a sandbox like %s", (like) =>
    Effect.gen(function* () {
      const { checked, drift, isWhole, unchecked } = yield* lookAt(like, same)
      assert.deepStrictEqual(drift, [])
      assert.isTrue(isWhole)
      assert.deepStrictEqual(checked, ["tokens", "quote", "orders", "balances", "account history", "clock"])
      assert.deepStrictEqual(unchecked, [{ what: "history and status", why: "it is empty" }])
    })
  )

  const gone = (what: string, was: string, closesFunding: boolean): Drift => ({
    what,
    was,
    is: "absent",
    closesFunding
  })
  it.effect.each([
    [
      "a new field",
      ofOrders((body) => body.replaceAll('"side":', '"isHidden":true,"side":')),
      { what: "field `isHidden` of orders", was: "absent", is: "true or false", closesFunding: false }
    ],
    [
      "a missing field",
      ofOrders((body) => body.replaceAll('"price":', '"limitPrice":')),
      gone("field `price` of orders", "text", true)
    ],
    ["missing orders", ofOrders(() => '{"message":"Cannot GET /v0/orders"}'), gone("orders", "answered", true)],
    [
      "a quote without a signature",
      (path: string, body: string) => (path === "/v0/quote" ? body.replace('"signature":', '"seal":') : body),
      gone("field `signature` of quotes", "text", false)
    ]
  ] as const)("reports %s", ([, change, expected]) =>
    Effect.gen(function* () {
      const { drift } = yield* lookAt("near-2026-11", change)
      assert.deepInclude(drift, expected)
      assert.strictEqual(drift.filter(({ closesFunding }) => closesFunding).length, expected.closesFunding ? 1 : 0)
    })
  )

  const answerOf = (kind: (typeof kinds)[keyof typeof kinds]) => recorded.find(([, each]) => each === kind)?.[2]
  const [line, item, status] = [kinds.transaction, kinds.accountItem, kinds.status].map(answerOf)
  const answers: Readonly<Record<string, string>> = {
    "/api/v0/transactions": JSON.stringify([line]),
    "/v0/account/history": JSON.stringify({ items: [item] }),
    "/v0/status": JSON.stringify(status)
  }
  it.effect.each([
    ["/v0/tokens", "assetId", "tokens"],
    ["/v0/quote", "signature", "quotes"],
    ["/v0/orders", "data", "lists of orders"],
    ["/v0/account/balances", "balances", "balances"],
    ["/api/v0/transactions", "status", "the history"],
    ["/v0/status", "updatedAt", "the status of swaps"],
    ["/v0/account/history", "status", "the account's history"]
  ])("compares the answers of %s", ([changed, before, of]) =>
    Effect.gen(function* () {
      const { drift, unchecked } = yield* lookAt("near-2026-11", (path, body) => {
        const answer = answers[path] ?? body
        return path === changed ? answer.replaceAll(`"${before}":`, `"isHidden":true,"${before}":`) : answer
      })
      assert.deepStrictEqual(unchecked, [])
      const open: Drift = { what: "the account's history", was: "invite-only", is: "open", closesFunding: false }
      const hidden: Drift = {
        what: `field \`isHidden\` of ${of}`,
        was: "absent",
        is: "true or false",
        closesFunding: false
      }
      assert.sameDeepMembers([...drift], [open, hidden])
    })
  )

  it.effect("reports other decimals than the configured ones, and closes funding", () =>
    Effect.gen(function* () {
      const { drift } = yield* lookAt("document", same, 1)
      const [first] = drift
      assert.deepInclude(first, { was: "9", is: "8", closesFunding: true })
    })
  )

  it.effect("concludes nothing from a missing answer", () =>
    Effect.gen(function* () {
      const { drift, isWhole, unchecked } = yield* lookAt(
        "document",
        ofOrders(() => "not JSON")
      )
      assert.deepStrictEqual(drift, [])
      assert.isFalse(isWhole)
      assert.include(
        unchecked.map(({ what }) => what),
        "orders"
      )
    })
  )
})
