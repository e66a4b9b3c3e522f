/** The complete sandbox, on a loopback port or, for tests under a virtual clock, as an `HttpClient` without a socket. */
import { createServer, type Server } from "node:http"
import type { Socket } from "node:net"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpPlatform from "@effect/platform-node/NodeHttpPlatform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as NodePath from "@effect/platform-node/NodePath"
import { Clock, Context, Effect, Layer } from "effect"
import { Etag, HttpClient, HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSwagger } from "effect/http-api"
import * as CandleFile from "../candles/CandleFile.ts"
import * as RequestValidation from "../venue/api/RequestValidation.ts"
import { NextCorrelationId } from "../venue/wire/WireError.ts"
import * as account from "./http/account.ts"
import * as callers from "./http/callers.ts"
import { everyAnswer } from "./http/everyAnswer.ts"
import { Faults, noFaults } from "./http/Faults.ts"
import * as history from "./http/history.ts"
import * as Keys from "./http/Keys.ts"
import { memoryClient } from "./http/memoryClient.ts"
import * as orders from "./http/orders.ts"
import * as swaps from "./http/swaps.ts"
import * as truth from "./http/truth.ts"
import { Sandbox } from "./Sandbox.ts"
import { type ConnectionResponse, SandboxApi } from "./SandboxApi.ts"
import { type SandboxOptions, settingsOf } from "./SandboxOptions.ts"
import * as Seeded from "./Seeded.ts"
import * as StateFile from "./StateFile.ts"

/** The address of a sandbox and its keys. */
export interface ConnectionRecord extends ConnectionResponse {
  /** Base address on loopback. */ readonly url: string
}

export class SandboxConnection extends Context.Service<SandboxConnection, ConnectionRecord>()(
  "limitbot/sandbox/SandboxConnection"
) {}

export const layer = (options: SandboxOptions) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { application, sandbox, settings } = yield* make(
        options,
        HttpApiSwagger.layer(SandboxApi, { path: "/docs" })
      )
      const server = yield* HttpServer.HttpServer
      yield* server.serve(withHost(Effect.catchTag(application, "ConnectionSevered", () => breakSocket)))
      const connection = { url: HttpServer.formatAddress(server.address), ...Keys.connection(settings) }
      return Context.make(SandboxConnection, connection).pipe(Context.add(Sandbox, sandbox))
    })
  ).pipe(
    Layer.provide(
      NodeHttpServer.layer(nodeServer, {
        host: "127.0.0.1",
        port: options.port ?? 0,
        gracefulShutdownTimeout: 500
      })
    )
  )

/** This process answers the requests of its client, by its own clock. Tests compare the client with the service's books in `Sandbox`. */
export const layerMemory = (options: SandboxOptions) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { application, sandbox, settings } = yield* make(options, Layer.empty)
      const connection = { url: "http://sandbox.invalid", ...Keys.connection(settings) }
      return Context.make(SandboxConnection, connection).pipe(
        Context.add(Sandbox, sandbox),
        Context.add(HttpClient.HttpClient, memoryClient(application))
      )
    })
  ).pipe(Layer.provide([NodeHttpPlatform.layer, Etag.layerWeak, NodeFileSystem.layer, NodePath.layer]))

const readCandles = (file: string) =>
  CandleFile.load(file, {
    repair: new Set(),
    tradeCandleMillis: 60_000,
    cache: "never",
    wanted: { open: true, volume: false }
  })

const make = Effect.fnUntraced(function* (
  options: SandboxOptions,
  pages: Layer.Layer<never, never, HttpRouter.HttpRouter>
) {
  const candles = options.candles === undefined ? undefined : yield* readCandles(options.candles)
  const settings = settingsOf(options, candles)
  const stateFile = yield* options.state === undefined ? StateFile.none : StateFile.open(options.state, settings)
  const services = yield* Layer.build(
    Layer.mergeAll(Sandbox.layer(settings, stateFile, candles), Faults.layer(settings.seed, options.faults ?? noFaults))
  )
  const faults = Context.get(services, Faults)
  const handler = yield* HttpRouter.toHttpEffect(
    Layer.merge(routes(settings.seed), pages).pipe(Layer.provide(Layer.succeedContext(services)))
  )
  const application = faults
    .disturb(everyAnswer(handler))
    .pipe(Effect.provideService(NextCorrelationId, correlationIds(settings.seed, yield* Clock.currentTimeMillis)))
  return { application, sandbox: Context.get(services, Sandbox), settings }
})

const routes = (seed: number) =>
  HttpApiBuilder.layer(SandboxApi, { openapiPath: "/openapi.json" }).pipe(
    Layer.provide([
      orders.layer,
      swaps.intents,
      swaps.quotes,
      swaps.deposits,
      account.layer,
      account.history,
      history.layer,
      truth.layer
    ]),
    Layer.provide([callers.layer(seed), RequestValidation.layer])
  )

const correlationIds = (seed: number, startedAt: number): Effect.Effect<string> => {
  let answers = 0
  return Effect.sync(() => {
    answers += 1
    return Seeded.uuid(seed, "correlation", startedAt, answers)
  })
}

const breakSocket = Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
  NodeHttpServerRequest.toIncomingMessage(request).socket.destroy()
  return HttpServerResponse.empty()
})

/** Node answers without a body if the bytes of a request are not HTTP or have no end. These answers replace Node's. */
const sentences: Readonly<Record<string, readonly [line: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The headers of the request are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request was not complete in time"]
}
const notHttp = ["400 Bad Request", "The request is not HTTP"] as const

const rawAnswer = (code: string): string => {
  const [line, message] = sentences[code] ?? notHttp
  const body = JSON.stringify({ message })
  const headers = ["Connection: close", "Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]
  return `HTTP/1.1 ${[line, ...headers].join("\r\n")}\r\n\r\n${body}`
}

const nodeServer = (): Server =>
  createServer({ requireHostHeader: false }).on(
    "clientError",
    ({ code = "" }: NodeJS.ErrnoException, socket: Socket) => {
      if (code === "ECONNRESET" || !socket.writable) return void socket.destroy()
      socket.end(rawAnswer(code), () => socket.destroy())
    }
  )

const withHost = <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const { httpVersion, rawHeaders } = NodeHttpServerRequest.toIncomingMessage(request)
    const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name)).length
    if (hosts === 1 || (hosts === 0 && httpVersion !== "1.1")) return handler
    const message =
      hosts === 0 ? "The request has no Host header, which HTTP/1.1 requires" : "A request must name one host"
    return Effect.succeed(HttpServerResponse.jsonUnsafe({ message }, { status: 400 }))
  })
