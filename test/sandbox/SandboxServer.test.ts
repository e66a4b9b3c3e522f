/** The server on its port: what it says about itself, and that it says it on loopback only. */
import { connect } from "node:net"
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
  "get /api/v0/transactions",
  "get /api/v0/transactions-pages",
  "get /sandbox/books",
  "get /sandbox/connection",
  "get /sandbox/market",
  "get /v0/account/balances",
  "get /v0/account/history",
  "get /v0/any-input/withdrawals",
  "get /v0/orders",
  "get /v0/orders/{orderId}",
  "get /v0/status",
  "get /v0/tokens",
  "post /sandbox/advance",
  "post /sandbox/deposit",
  "post /sandbox/fill",
  "post /sandbox/lie",
  "post /sandbox/outcome",
  "post /sandbox/prices",
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
  it.live("describes every endpoint as OpenAPI and as a page that loads nothing from other hosts", () =>
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

  it.live("answers bytes that are not HTTP, and a request without a host, with a sentence", () =>
    Effect.gen(function* () {
      const { url } = yield* SandboxServer.SandboxConnection
      const answerTo = (request: string) =>
        Effect.promise(
          () =>
            new Promise<string>((done) => {
              let answer = ""
              const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(request))
              socket.setEncoding("utf8").on("data", (part: string) => {
                answer += part
              })
              socket.on("error", () => undefined)
              socket.on("close", () => done(answer))
            })
        )
      const get = "GET /sandbox/connection HTTP"
      const cases = [
        ["\u0016\u0003\u0001 hello\r\n\r\n", 400, "The request is not HTTP"],
        [`${get}/1.1\r\nConnection: close\r\n\r\n`, 400, "The request has no Host header, which HTTP/1.1 requires"],
        [`${get}/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`, 400, "A request must name one host"],
        [`${get}/1.1\r\nHost: a\r\nX: ${"x".repeat(40_000)}\r\n\r\n`, 431, "The headers of the request are too large"]
      ] as const
      for (const [request, status, message] of cases) {
        const [head = "", body = ""] = (yield* answerTo(request)).split("\r\n\r\n")
        assert.match(head, new RegExp(`^HTTP/1.1 ${status} `))
        assert.match(head, /content-type: application\/json/i)
        assert.deepStrictEqual(JSON.parse(body || "null"), { message })
      }
      assert.match(yield* answerTo(`${get}/1.0\r\n\r\n`), /^HTTP\/1\.1 200 /)
    }).pipe(Effect.provide(served))
  )

  it.live("reports a busy port", () =>
    Effect.gen(function* () {
      const { url } = yield* SandboxServer.SandboxConnection
      const port = Number(new URL(url).port)
      const second = Effect.provide(SandboxServer.SandboxConnection, SandboxServer.layer({ port }))
      const refused = yield* Effect.flip(second)
      assert.include(String(refused.cause), "EADDRINUSE")
    }).pipe(Effect.provide(served))
  )
})
