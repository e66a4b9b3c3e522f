/**
 * An `HttpClient` whose requests are answered in this process. They are encoded, routed, checked and decoded like any
 * other, but without sockets or promises, so a virtual clock controls all of it.
 */
import { Effect, type Scope } from "effect"
import { HttpClient, HttpClientError, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ConnectionSevered } from "../Faults.ts"

type Application<E> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E | ConnectionSevered,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

export const memoryClient = <E>(application: Application<E>): HttpClient.HttpClient =>
  HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
    Effect.flatMap((request) =>
      application.pipe(
        Effect.map((response) => HttpServerResponse.toClientResponse(response, { request })),
        Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromClientRequest(request)),
        Effect.scoped,
        Effect.mapError(
          (cause) =>
            new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
        )
      )
    ),
    Effect.succeed
  )
