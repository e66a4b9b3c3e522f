/** The client over real sockets: no redirect is followed, and broken connections are unknown outcomes. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { Signer } from "../../src/signing/Signer.ts"
import * as HttpVenue from "../../src/venue/HttpVenue.ts"
import { Session } from "../../src/venue/http/Session.ts"
import { VenueClient } from "../../src/venue/http/VenueClient.ts"
import type { Venue } from "../../src/venue/Venue.ts"
import { VenueConfig } from "../../src/venue/VenueConfig.ts"
import type { VenueError } from "../../src/venue/VenueError.ts"
import * as Answers from "../world/service/answers.ts"
import { config } from "../world/service/scriptedVenue.ts"
import { reads, writes } from "../world/service/venueCalls.ts"

const serve = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer(listener)
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/** The client gives up a server that does not answer after a minute, which passes only when a test says so. */
const patience = { attemptMillis: 60_000, readMillis: 60_000, writeMillis: 60_000 }

const call = Effect.fnUntraced(function* <A>(
  call: Effect.Effect<A, VenueError, Venue>,
  client: Layer.Layer<HttpClient.HttpClient>,
  listener: RequestListener
) {
  const { url } = yield* serve(listener)
  const here = Layer.effect(
    VenueConfig,
    Effect.map(VenueConfig, (given) => ({ ...given, url, patience }))
  )
  const layer = HttpVenue.layer.pipe(
    Layer.provide(Session.layer),
    Layer.provide(VenueClient.layer),
    Layer.provide(Signer.layerRefusing),
    Layer.provide(here.pipe(Layer.provide(config))),
    Layer.provide(client)
  )
  return yield* Effect.result(Effect.provide(call, layer))
})

const clients = [
  ["undici", NodeHttpClient.layerUndici],
  ["node:http", NodeHttpClient.layerNodeHttp],
  ["fetch", FetchHttpClient.layer]
] as const

describe.each(clients)("%s", (_, client) => {
  it.live("does not follow redirects", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const result = yield* call(writes.createOrder[0], client, (request, response) => {
        seen.push(`${request.method} ${request.url}`)
        response.writeHead(307, { location: "/elsewhere" }).end()
      })
      assert.strictEqual(result._tag === "Failure" && result.failure.reason._tag, "OutcomeUnknown")
      assert.deepStrictEqual(seen, ["POST /v0/orders"])
    })
  )

  const broken: ReadonlyArray<readonly [string, RequestListener]> = [
    ["reset", (request) => request.socket.destroy()],
    ["hang", () => {}],
    [
      "body cut off",
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "9999" }).write('{"data":')
        setTimeout(() => response.destroy(), 20)
      }
    ],
    [
      "body that hangs",
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" }).write('{"data":')
      }
    ]
  ]

  it.effect.each(broken)("sends a write once, and its outcome is unknown: %s", ([, listener]) =>
    Effect.gen(function* () {
      let sent = 0
      const count: RequestListener = (request, response) => {
        sent += 1
        listener(request, response)
      }
      const fiber = yield* Effect.forkScoped(call(writes.createOrder[0], client, count))
      // The socket takes real time. The client's minute passes once the server has the request.
      while (fiber.pollUnsafe() === undefined) {
        yield* Effect.promise(() => new Promise(setImmediate))
        if (sent > 0) yield* TestClock.adjust("1 second")
      }
      const result = yield* Fiber.join(fiber)
      assert.strictEqual(result._tag === "Failure" && result.failure.reason._tag, "OutcomeUnknown")
      assert.strictEqual(sent, 1)
    })
  )

  it.live("repeats a read after a reset", () =>
    Effect.gen(function* () {
      let sent = 0
      const result = yield* call(reads.getOrder[0], client, (request, response) => {
        sent += 1
        if (sent === 1) request.socket.destroy()
        else response.setHeader("content-type", "application/json").end(JSON.stringify(Answers.orderAnswer))
      })
      assert.strictEqual(result._tag, "Success")
      assert.strictEqual(sent, 2)
    })
  )
})
