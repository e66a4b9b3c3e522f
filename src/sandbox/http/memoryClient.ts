/** An `HttpClient` whose requests are answered in this process, without sockets or promises, so a virtual clock controls all of it. */
import { Effect, type Scope } from "effect"
import {
  HttpClient,
  HttpClientError,
  type HttpClientRequest,
  type HttpClientResponse,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import type { ConnectionSevered } from "./Faults.ts"

type Application<E> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E | ConnectionSevered,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** `HttpClient.make` would give each request an `AbortController` and a span, which takes longer than some answers. */
export const answeredBy = (
  answer: (
    request: HttpClientRequest.HttpClientRequest
  ) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>
): HttpClient.HttpClient =>
  HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(Effect.flatMap(answer), Effect.succeed)

export const memoryClient = <E>(application: Application<E>): HttpClient.HttpClient =>
  answeredBy((request) =>
    application.pipe(
      Effect.map((response) => HttpServerResponse.toClientResponse(response, { request })),
      Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromClientRequest(request)),
      Effect.scoped,
      Effect.mapError(
        (cause) =>
          new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
      )
    )
  )
