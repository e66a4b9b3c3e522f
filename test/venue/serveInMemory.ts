/** Routes as an `HttpClient` without sockets and without promises: the whole encode, route, decode path of a server. */
import { Effect, type Layer } from "effect"
import { HttpClient, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

export const serveInMemory = Effect.fnUntraced(function* (routes: Layer.Layer<never, never, HttpRouter.HttpRouter>) {
  const handler = yield* HttpRouter.toHttpEffect(routes)
  return HttpClient.make((request) =>
    handler.pipe(
      Effect.map((response) => HttpServerResponse.toClientResponse(response, { request })),
      Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromClientRequest(request)),
      Effect.scoped,
      Effect.orDie
    )
  )
})
