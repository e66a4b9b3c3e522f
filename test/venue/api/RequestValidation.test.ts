/** Requests of every other group: what is taken, what is refused, and in which error body. */

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { AccountHistoryApi } from "../../../src/venue/api/AccountHistoryApi.ts"
import { Caller, OptionalPartner, PartnerJwt, PartnerKey, UserSession } from "../../../src/venue/api/Credentials.ts"
import { DepositsApi } from "../../../src/venue/api/DepositsApi.ts"
import { HistoryApi } from "../../../src/venue/api/HistoryApi.ts"
import * as RequestValidation from "../../../src/venue/api/RequestValidation.ts"
import { SwapsApi } from "../../../src/venue/api/SwapsApi.ts"
import { historyError, messageError } from "../../../src/venue/wire/WireError.ts"
import { serveInMemory } from "../serveInMemory.ts"

const Api = HttpApi.make("others")
  .add(SwapsApi, DepositsApi, HistoryApi, AccountHistoryApi)
  .annotate(HttpApi.ParseOptions, { errors: "all" })

/** Handlers that answer 404 with what they understood, so that a 400 can only come from validation. */
const understood = (value: unknown) => messageError(404, JSON.stringify(value))

const handlers = Layer.mergeAll(
  HttpApiBuilder.group(Api, "swaps", (group) =>
    group.handleAll({ quote: ({ payload }) => understood(payload), tokens: () => Effect.succeed([]) })
  ),
  HttpApiBuilder.group(Api, "deposits", (group) =>
    group.handleAll({
      submit: ({ payload }) => understood(payload),
      status: ({ query }) => understood(query),
      withdrawals: ({ query }) => understood(query)
    })
  ),
  HttpApiBuilder.group(Api, "history", (group) =>
    group.handleAll({
      transactions: ({ query }) => historyError(429, "seen", JSON.stringify(query), 5),
      transactionPages: ({ query }) => historyError(429, "seen", JSON.stringify(query), 5)
    })
  ),
  HttpApiBuilder.group(Api, "accountHistory", (group) => group.handleAll({ list: () => Effect.succeed({ items: [] }) }))
)

const anyone = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, Caller, {})
const credentials = Layer.mergeAll(
  Layer.succeed(PartnerKey, { apiKey: anyone, jwt: anyone }),
  Layer.succeed(PartnerJwt, { jwt: anyone }),
  Layer.succeed(UserSession, { session: anyone }),
  Layer.succeed(OptionalPartner, { jwt: anyone, apiKey: anyone })
)

const server = serveInMemory(
  HttpApiBuilder.layer(Api).pipe(
    Layer.provide(handlers),
    Layer.provide([credentials, RequestValidation.layer]),
    Layer.provide(NodeHttpServer.layerHttpServices)
  )
)

const get = Effect.fnUntraced(function* (client: HttpClient.HttpClient, path: string) {
  const response = yield* client.execute(HttpClientRequest.get(`http://venue${path}`))
  const text = yield* response.text
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) }
})

const post = Effect.fnUntraced(function* (client: HttpClient.HttpClient, path: string, body: unknown) {
  const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`http://venue${path}`), body)
  const response = yield* client.execute(request)
  return { status: response.status, body: JSON.parse(yield* response.text) }
})

describe("history queries", () => {
  const good = [
    "",
    "numberOfTransactions=1000",
    "fromChainId=eth&fromChainId=btc&toChainId=near",
    "statuses=FAILED,SUCCESS",
    "minUsdPrice=0&maxUsdPrice=null",
    "startTimestamp=2026-01-01T00:00:00Z&endTimestampUnix=1769904000",
    "direction=prev&lastDepositAddress=a&lastDepositMemo=m&lastDepositAddressAndMemo=a_m",
    "unknown=ignored"
  ]
  const bad = [
    "numberOfTransactions=0",
    "numberOfTransactions=1001",
    "numberOfTransactions=many",
    "fromChainId=Mars!",
    "statuses=FAILED,NEW",
    "statuses=KNOWN_DEPOSIT_TX",
    "minUsdPrice=-1",
    "minUsdPrice=NaN",
    "startTimestamp=yesterday",
    "startTimestampUnix=soon",
    "direction=sideways"
  ]

  it.effect("are accepted or refused by the table", () =>
    Effect.gen(function* () {
      const client = yield* server
      for (const query of good) {
        const answer = yield* get(client, `/api/v0/transactions?${query}`)
        assert.deepStrictEqual([answer.status, answer.headers["retry-after"]], [429, "5"], query)
      }
      for (const query of bad) {
        const { body, status } = yield* get(client, `/api/v0/transactions?${query}`)
        assert.strictEqual(status, 400, query)
        assert.deepInclude(body, { status: 400 })
        assert.strictEqual(body.error.code, "validation-failed")
        assert.include(body.error.message, query.split("=")[0])
      }
      assert.strictEqual((yield* get(client, "/api/v0/transactions-pages?page=0")).status, 400)
      assert.strictEqual((yield* get(client, "/api/v0/transactions-pages?page=2&perPage=1000&search=x")).status, 429)
    })
  )

  it.effect("of end users accept one cursor, not two", () =>
    Effect.gen(function* () {
      const client = yield* server
      const status = (query: string) =>
        Effect.map(get(client, `/v0/account/history?${query}`), (answer) => answer.status)
      assert.strictEqual(yield* status("limit=100&status=SUCCESS&status=FAILED&prevCursor=a"), 200)
      for (const bad of ["prevCursor=a&nextCursor=b", "limit=101", "limit=0", "status=NEW", "depositType=X"]) {
        assert.strictEqual(yield* status(bad), 400, bad)
      }
    })
  )
})

describe("quotes and deposits", () => {
  const quote = {
    dry: true,
    swapType: "EXACT_OUTPUT",
    slippageTolerance: 100,
    originAsset: "a",
    depositType: "ORIGIN_CHAIN",
    destinationAsset: "b",
    amount: "1",
    refundTo: "x",
    refundType: "ORIGIN_CHAIN",
    recipient: "y",
    recipientType: "DESTINATION_CHAIN",
    deadline: "2026-02-03T00:00:00Z"
  }

  it.effect("get the documented defaults", () =>
    Effect.gen(function* () {
      const { body, status } = yield* post(yield* server, "/v0/quote", quote)
      assert.strictEqual(status, 404)
      assert.deepInclude(JSON.parse(body.message), {
        depositMode: "SIMPLE",
        confidentiality: "public",
        quoteWaitingTimeMs: 0,
        insured: false
      })
    })
  )

  const wrong: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
    ["amount", { amount: "0" }],
    ["amount", { amount: 5 }],
    ["slippageTolerance", { slippageTolerance: -1 }],
    ["swapType", { swapType: "EXACT" }],
    ["deadline", { deadline: "tomorrow" }],
    ["recipient", { recipient: undefined }],
    ["dry", { dry: "yes" }],
    ["appFees", { appFees: [{ recipient: "x", fee: 501 }] }],
    ["appFees", { appFees: [{ recipient: "x", fee: 0.5 }] }],
    ["rebates", { rebates: [{ recipient: "x", share: 50 }] }],
    ["rebates", { rebates: [25, 25, 25, 25].map((share) => ({ recipient: "x", share })) }]
  ]

  it.effect.each(wrong)("are refused for a wrong %s in one sentence %#", ([field, change]) =>
    Effect.gen(function* () {
      const { body, status } = yield* post(yield* server, "/v0/quote", { ...quote, ...change })
      assert.strictEqual(status, 400)
      assert.deepStrictEqual(Object.keys(body), ["message"])
      assert.include(body.message, field)
    })
  )

  it.effect("accept a deposit in either spelling of the ledger, and need its hash and address", () =>
    Effect.gen(function* () {
      const client = yield* server
      const deposit = { txHash: "h", depositAddress: "d", nearSenderAccount: "a", nativeSenderAccount: "a", memo: "m" }
      assert.deepStrictEqual(JSON.parse((yield* post(client, "/v0/deposit/submit", deposit)).body.message), deposit)
      assert.strictEqual((yield* post(client, "/v0/deposit/submit", { txHash: "h" })).status, 400)
      assert.strictEqual((yield* get(client, "/v0/status")).status, 400)
      assert.strictEqual((yield* get(client, "/v0/status?depositAddress=d&depositMemo=m")).status, 404)
    })
  )
})
