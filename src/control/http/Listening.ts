/** Starts a server of pages and commands: behind its gate, on its address, with TLS if configured. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Schema } from "effect"
import { HttpMiddleware, HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { messageOf } from "../../domain/Text.ts"
import type { ControlOptions } from "../ControlOptions.ts"
import * as Connections from "./Connections.ts"
import * as Gate from "./Gate.ts"

export class DashboardUnavailable extends Schema.TaggedError<DashboardUnavailable>()("DashboardUnavailable", {
  message: Schema.String
}) {}

export const listen = Effect.fnUntraced(function* <E, R>(options: ControlOptions, routes: Layer.Layer<never, E, R>) {
  const listening = (port: number) =>
    Layer.build(
      NodeHttpServer.layer(() => Connections.make(options.tls), {
        host: options.host,
        port,
        gracefulShutdownTimeout: 200
      })
    )
  const server = yield* listening(options.port).pipe(
    Effect.catchTag("ServeError", (error) => (options.mayMove ? listening(0) : Effect.fail(error))),
    Effect.catchTag("ServeError", ({ cause }) => {
      const place = `${options.host}:${options.port}: ${messageOf(cause)}`
      const message = `The dashboard cannot listen on ${place}. Choose another dashboard.port, or leave \`dashboard\` out.`
      return new DashboardUnavailable({ message })
    })
  )
  return yield* Effect.gen(function* () {
    const handler = yield* HttpRouter.toHttpEffect(routes)
    const { address, serve } = yield* HttpServer.HttpServer
    yield* serve(
      Gate.guard(handler).pipe(
        Effect.provideService(Gate.ServerNames, new Set(options.names.map((name) => name.toLowerCase()))),
        Effect.provideService(HttpServerRequest.MaxBodySize, Gate.largestBodySize),
        HttpMiddleware.withLoggerDisabled
      )
    )
    const url = HttpServer.formatAddress(address)
    return options.tls === undefined ? url : url.replace(/^http:/, "https:")
  }).pipe(Effect.provide(server))
})
