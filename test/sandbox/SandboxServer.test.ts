/** The server on its port: what it says about itself, and that it says it on loopback only. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"

const served = SandboxServer.layer({}).pipe(
  Layer.provideMerge(Layer.merge(NodeHttpClient.layerUndici, NodeServices.layer))
)

const endpoints = [
  "get /sandbox/books",
  "get /sandbox/connection",
  "get /sandbox/market",
  "get /v0/account/balances",
  "get /v0/account/history",
  "get /api/v0/transactions",
  "get /api/v0/transactions-pages",
  "get /v0/orders",
  "get /v0/orders/{orderId}",
  "get /v0/any-input/withdrawals",
  "get /v0/status",
  "get /v0/tokens",
  "post /sandbox/deposit",
  "post /sandbox/lie",
  "post /sandbox/outcome",
  "post /sandbox/rpc",
  "post /sandbox/salts",
  "post /v0/auth/authenticate",
  "post /v0/auth/refresh",
  "post /v0/deposit/submit",
  "post /v0/generate-intent",
  "post /v0/orders",
  "post /v0/orders/{orderId}/cancel",
  "post /v0/quote",
  "post /v0/submit-intent"
]

describe("SandboxServer", () => {
  it.live("describes every endpoint as OpenAPI and as a page that loads nothing from elsewhere", () =>
    Effect.gen(function* () {
      const { url } = yield* SandboxServer.SandboxConnection
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
      const document = yield* HttpClient.get(`${url}/openapi.json`).pipe(Effect.flatMap(({ json }) => json))
      const { openapi, paths } = document as { openapi: string; paths: Record<string, object> }
      assert.match(openapi, /^3\.1/)
      const described = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method} ${path}`)
      )
      assert.deepStrictEqual(described.sort(), endpoints.toSorted())
      const page = yield* HttpClient.get(`${url}/docs`).pipe(Effect.flatMap(({ text }) => text))
      assert.include(page, "limitbot sandbox")
      assert.notMatch(page, /<(?:script|link|img)[^>]+(?:src|href)=/)
    }).pipe(Effect.provide(served))
  )

  it.live("a port that is taken is said so", () =>
    Effect.gen(function* () {
      const { url } = yield* SandboxServer.SandboxConnection
      const port = Number(new URL(url).port)
      const second = Effect.provide(SandboxServer.SandboxConnection, SandboxServer.layer({ port }))
      const refused = yield* Effect.flip(second)
      assert.include(String(refused.cause), "EADDRINUSE")
    }).pipe(Effect.provide(served))
  )
})
