/** The contract in memory: what a request must look like, what its faults are answered with, and what the wire keeps. */

import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { HttpApi, HttpApiBuilder, OpenApi } from "effect/http-api"
import { Caller, OrderCredential } from "../../../src/venue/api/Credentials.ts"
import { OrdersApi } from "../../../src/venue/api/OrdersApi.ts"
import * as RequestValidation from "../../../src/venue/api/RequestValidation.ts"
import { WholeVenueApi } from "../../../src/venue/api/VenueApi.ts"
import { nextMeta, orderError } from "../../../src/venue/wire/WireError.ts"
import { serveInMemory } from "../serveInMemory.ts"

const attributes = {
  orderType: "LIMIT",
  baseAsset: "base",
  quoteAsset: "quote",
  quantity: "100",
  price: "1.5",
  refundTo: "alice",
  recipient: "alice"
}

/** Only the orders group, with handlers that echo. */
const Api = HttpApi.make("orders").add(OrdersApi).annotate(HttpApi.ParseOptions, { errors: "all" })

const Orders = HttpApiBuilder.group(Api, "orders", (handlers) =>
  handlers.handleAll({
    create: ({ payload }) =>
      Effect.gen(function* () {
        const { partner } = yield* Caller
        if (partner === undefined) return yield* orderError("order-rejected")
        return {
          data: { type: "orders" as const, id: "1", attributes: payload.data.attributes },
          meta: yield* nextMeta
        }
      }),
    list: ({ query }) =>
      Effect.succeed({
        data: [],
        meta: { correlationId: JSON.stringify(query) }
      }),
    get: ({ params }) => orderError("order-not-found", [{ detail: params.orderId }]),
    cancel: () => orderError("rate-limit-exceeded", [{}], 7)
  })
)

const Credential = Layer.succeed(OrderCredential, {
  apiKey: (effect, { credential }) =>
    Redacted.value(credential) === "key"
      ? Effect.provideService(effect, Caller, { partner: "p" })
      : orderError("authentication-required"),
  session: (effect, { credential }) =>
    Redacted.value(credential) === "token"
      ? Effect.provideService(effect, Caller, { account: "alice" })
      : orderError("authentication-required")
})

const server = serveInMemory(
  HttpApiBuilder.layer(Api).pipe(
    Layer.provide(Orders),
    Layer.provide([Credential, RequestValidation.layer]),
    Layer.provide(NodeHttpServer.layerHttpServices)
  )
)

const send = Effect.fnUntraced(function* (
  client: HttpClient.HttpClient,
  method: "GET" | "POST",
  url: string,
  body?: string,
  headers: Record<string, string> = { "x-api-key": "key" }
) {
  const request = HttpClientRequest.make(method)(url, { headers })
  const response = yield* client.execute(
    body === undefined ? request : HttpClientRequest.bodyText(request, body, "application/json")
  )
  const text = yield* response.text
  return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) }
})

const create = (change: Record<string, unknown>, data: Record<string, unknown> = {}) =>
  JSON.stringify({ data: { type: "orders", attributes: { ...attributes, ...change }, ...data } })

describe("an order request", () => {
  const faults = [
    ["price -1", create({ price: "-1" }), 400, "validation-failed", ["/data/attributes/price"]],
    ["price 1e3", create({ price: "1e3" }), 400, "validation-failed", ["/data/attributes/price"]],
    ["price 0", create({ price: "0.00" }), 400, "validation-failed", ["/data/attributes/price"]],
    ["price as a number", create({ price: 5 }), 400, "validation-failed", ["/data/attributes/price"]],
    ["quantity 01", create({ quantity: "01" }), 400, "validation-failed", ["/data/attributes/quantity"]],
    ["quantity absent", create({ quantity: undefined }), 400, "validation-failed", ["/data/attributes/quantity"]],
    [
      "two faults",
      create({ quantity: "0x10", deadline: "2026-02-30T00:00:00Z" }),
      400,
      "validation-failed",
      ["/data/attributes/quantity", "/data/attributes/deadline"]
    ],
    ["public", create({ confidentiality: "public" }), 400, "validation-failed", ["/data/attributes/confidentiality"]],
    ["client id", create({}, { id: "mine" }), 403, "client-generated-id", ["/data/id"]],
    ["wrong type", create({}, { type: "swaps" }), 409, "resource-type-mismatch", ["/data/type"]],
    ["not JSON", "{", 400, "malformed-request", [""]],
    ["an array", "[]", 400, "malformed-request", [""]],
    ["empty", "", 400, "malformed-request", [""]]
  ] as const

  it.effect.each(faults)("%s", ([, body, status, code, pointers]) =>
    Effect.gen(function* () {
      const answer = yield* send(yield* server, "POST", "http://venue/v0/orders", body)
      assert.strictEqual(answer.status, status)
      assert.deepStrictEqual(
        answer.body.errors.map((entry: { source: { pointer: string } }) => entry.source.pointer),
        pointers
      )
      for (const entry of answer.body.errors) assert.strictEqual(entry.code, code)
      assert.isString(answer.body.meta.correlationId)
      assert.isString(answer.body.meta.timestamp)
    })
  )

  it.effect("gets the defaults of the short attribute list and the answer 201", () =>
    Effect.gen(function* () {
      const answer = yield* send(yield* server, "POST", "http://venue/v0/orders", create({}))
      assert.strictEqual(answer.status, 201)
      assert.deepInclude(answer.body.data.attributes, {
        side: "SELL",
        depositType: "INTENTS",
        confidentiality: "basic"
      })
    })
  )

  it.effect("takes the API key or a user session, and nothing else", () =>
    Effect.gen(function* () {
      const client = yield* server
      const status = (headers: Record<string, string>) =>
        Effect.map(send(client, "POST", "http://venue/v0/orders", create({}), headers), (answer) => [
          answer.status,
          answer.body.errors?.[0].code
        ])
      assert.deepStrictEqual(yield* status({ "x-api-key": "key" }), [201, undefined])
      assert.deepStrictEqual(yield* status({ authorization: "Bearer token" }), [400, "order-rejected"])
      assert.deepStrictEqual(yield* status({}), [401, "authentication-required"])
      assert.deepStrictEqual(yield* status({ "x-api-key": "other" }), [401, "authentication-required"])
    })
  )

  it.effect("may have filters, percent-encoded or not, repeated or not", () =>
    Effect.gen(function* () {
      const client = yield* server
      const query = (text: string) =>
        Effect.map(send(client, "GET", `http://venue/v0/orders?${text}`), (answer) =>
          answer.status === 200 ? JSON.parse(answer.body.meta.correlationId) : answer.body.errors[0]
        )
      assert.deepStrictEqual(yield* query("filter%5BfillStatus%5D=OPEN&filter[fillStatus]=FILLED&page[size]=50"), {
        "filter[fillStatus]": ["OPEN", "FILLED"],
        "page[size]": 50
      })
      assert.deepStrictEqual(yield* query("filter[fillStatus]=OPEN&page%5Bafter%5D=abc"), {
        "filter[fillStatus]": ["OPEN"],
        "page[after]": "abc"
      })
      for (const bad of ["page[size]=51", "page[size]=0", "page[size]=1.5", "filter[fillStatus]=NEW"]) {
        assert.deepInclude(yield* query(bad), { status: "400", code: "validation-failed" })
      }
    })
  )

  it.effect("gets Retry-After, and an error for an unknown order", () =>
    Effect.gen(function* () {
      const client = yield* server
      const limited = yield* send(client, "POST", "http://venue/v0/orders/1/cancel")
      assert.deepStrictEqual([limited.status, limited.headers["retry-after"]], [429, "7"])
      const missing = yield* send(client, "GET", "http://venue/v0/orders/1")
      assert.deepStrictEqual([missing.status, missing.body.errors[0].code], [404, "order-not-found"])
    })
  )
})

describe("OpenAPI", () => {
  it("names every operation of the contract", () => {
    const { paths } = OpenApi.fromApi(WholeVenueApi)
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`)
    )
    assert.sameMembers(operations, [
      "POST /v0/orders",
      "GET /v0/orders",
      "GET /v0/orders/{orderId}",
      "POST /v0/orders/{orderId}/cancel",
      "POST /v0/generate-intent",
      "POST /v0/submit-intent",
      "POST /v0/quote",
      "GET /v0/tokens",
      "POST /v0/deposit/submit",
      "GET /v0/status",
      "GET /v0/any-input/withdrawals",
      "POST /v0/auth/authenticate",
      "POST /v0/auth/refresh",
      "GET /v0/account/balances",
      "GET /v0/account/history",
      "GET /api/v0/transactions",
      "GET /api/v0/transactions-pages"
    ])
  })
})
