/**
 * What goes wrong between a client and a service, on purpose and by seed: requests and answers that get lost, overload,
 * slowness, a create that is executed twice, orders that the list shows late. Off unless rates are given. The sandbox's
 * own endpoints are never disturbed, so that a test can always look at the truth.
 */
import { Context, Data, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Seeded from "./core/Seeded.ts"

/** Shares of the requests, together at most one; `duplicateCreate` of the creates. */
export interface FaultRates {
  /** Lost before the service sees it. */
  readonly dropRequest: number
  /** Executed, but the answer is lost. */
  readonly dropAnswer: number
  readonly unavailable: number
  readonly rateLimited: number
  readonly slow: number
  readonly duplicateCreate: number
  /** New orders are missing in the list for this long. */
  readonly listLagMillis: number
}

export const noFaults: FaultRates = {
  dropRequest: 0,
  dropAnswer: 0,
  unavailable: 0,
  rateLimited: 0,
  slow: 0,
  duplicateCreate: 0,
  listLagMillis: 0
}

/** Every fault about equally often, together in this share of the requests. */
export const uniformFaults = (rate: number): FaultRates => ({
  dropRequest: rate / 5,
  dropAnswer: rate / 5,
  unavailable: rate / 5,
  rateLimited: rate / 5,
  slow: rate / 5,
  duplicateCreate: rate / 5,
  listLagMillis: Math.round(rate * 2000)
})

const kinds = ["dropRequest", "dropAnswer", "unavailable", "rateLimited", "slow"] as const
type Kind = (typeof kinds)[number]

/** The connection breaks without an answer; whoever serves decides how that looks. */
export class ConnectionSevered extends Data.TaggedError("ConnectionSevered")<{ readonly at: "request" | "answer" }> {}

const slowMillis: readonly [number, number] = [200, 3000]
const retryAfterSeconds: readonly [number, number] = [1, 2]

export class Faults extends Context.Service<
  Faults,
  {
    readonly listLagMillis: number
    /** Whether this create is executed twice. */
    readonly duplicatesCreate: Effect.Effect<boolean>
    /** Disturbs one request. */
    disturb<E, R>(
      handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ): Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      E | ConnectionSevered,
      R | HttpServerRequest.HttpServerRequest
    >
  }
>()("limitbot/sandbox/Faults") {
  static readonly layer = (seed: number, rates: FaultRates) => Layer.sync(Faults, () => make(seed, rates))
}

const make = (seed: number, rates: FaultRates): Faults["Service"] => {
  let requests = 0
  let creates = 0

  const kindOf = (request: number): Kind | undefined => {
    let rest = Seeded.fraction(seed, "fault", request)
    return kinds.find((kind) => {
      rest -= rates[kind]
      return rest < 0
    })
  }

  const disturb: Faults["Service"]["disturb"] = Effect.fnUntraced(function* (handler) {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    if (!url.startsWith("/v0/") && !url.startsWith("/api/")) return yield* handler
    requests += 1
    const request = requests
    switch (kindOf(request)) {
      case "dropRequest":
        return yield* new ConnectionSevered({ at: "request" })
      case "dropAnswer":
        yield* handler
        return yield* new ConnectionSevered({ at: "answer" })
      case "unavailable":
        return overloaded(url, 503, Seeded.between(retryAfterSeconds, seed, "retry after", request))
      case "rateLimited":
        return overloaded(url, 429, Seeded.between(retryAfterSeconds, seed, "retry after", request))
      case "slow":
        yield* Effect.sleep(Seeded.between(slowMillis, seed, "slow", request))
        return yield* handler
      case undefined:
        return yield* handler
    }
  })

  return Faults.of({
    listLagMillis: rates.listLagMillis,
    duplicatesCreate: Effect.sync(() => {
      creates += 1
      return Seeded.fraction(seed, "duplicate", creates) < rates.duplicateCreate
    }),
    disturb
  })
}

/** In the error body of the endpoint. */
const overloaded = (url: string, status: 429 | 503, afterSeconds: number): HttpServerResponse.HttpServerResponse => {
  const title = status === 429 ? "Rate limit exceeded" : "Service unavailable"
  const code = status === 429 ? "rate-limit-exceeded" : "service-unavailable"
  const body = url.startsWith("/v0/orders")
    ? { errors: [{ status: String(status), code, title }] }
    : url.startsWith("/api/")
      ? { status, error: { code, message: title } }
      : { message: title }
  return HttpServerResponse.jsonUnsafe(body, { status, headers: { "retry-after": String(afterSeconds) } })
}
