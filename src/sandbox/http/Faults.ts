/**
 * Deliberate, seeded faults between a client and a service: lost requests and answers, overload, slowness, a create that executes twice,
 * orders that the list shows late. By default there are none. The sandbox's own endpoints are never disturbed, so a test can always see the
 * truth.
 */
import { Context, Data, Effect, Layer } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { type OrderErrorCode, orderErrorCodes } from "../../venue/wire/WireError.ts"
import * as Seeded from "../Seeded.ts"
import { errorAnswer } from "./everyAnswer.ts"

/** Shares of the requests, together at most one; `duplicateCreate` is a share of the creates. */
export interface FaultRates {
  /** Share of requests that never arrive, 0 to 1. */ readonly dropRequest: number
  /** Executed, but the answer is lost. */
  readonly dropAnswer: number
  /** Executed, but the answer says that it failed. */
  readonly internalError: number
  /** Share answered 503, 0 to 1. */ readonly unavailable: number
  /** Share answered 429, 0 to 1. */ readonly rateLimited: number
  /** Share answered late, 0 to 1. */ readonly slow: number
  /** Share of creates that make two orders, 0 to 1. */ readonly duplicateCreate: number
  /** Milliseconds for which new orders are missing in the list. */
  readonly listLagMillis: number
}

const kinds = ["dropRequest", "dropAnswer", "internalError", "unavailable", "rateLimited", "slow"] as const
type Kind = (typeof kinds)[number]

export const uniformFaults = (rate: number): FaultRates => {
  const each = rate / kinds.length
  return {
    dropRequest: each,
    dropAnswer: each,
    internalError: each,
    unavailable: each,
    rateLimited: each,
    slow: each,
    duplicateCreate: each,
    listLagMillis: Math.round(rate * 2000)
  }
}

export const noFaults = uniformFaults(0)

export class ConnectionSevered extends Data.TaggedError("ConnectionSevered")<{ readonly at: "request" | "answer" }> {}

const slowMillis: readonly [number, number] = [200, 3000]
const retryAfterSeconds: readonly [number, number] = [1, 2]

export class Faults extends Context.Service<
  Faults,
  {
    readonly listLagMillis: number
    readonly duplicatesCreate: Effect.Effect<boolean>
    disturb<E, R>(
      handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ): Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      E | ConnectionSevered,
      R | HttpServerRequest.HttpServerRequest
    >
  }
>()("limitbot/sandbox/http/Faults") {
  static readonly layer = (seed: number, rates: FaultRates) => Layer.sync(Faults, () => make(seed, rates))
}

const make = (seed: number, rates: FaultRates): Faults["Service"] => {
  let requests = 0
  let creates = 0

  const isQuiet = kinds.every((kind) => rates[kind] === 0)
  const kindOf = (request: number): Kind | undefined => {
    if (isQuiet) return undefined
    let rest = Seeded.fraction(seed, "fault", request)
    return kinds.find((kind) => {
      rest -= rates[kind]
      return rest < 0
    })
  }

  const refuseFor = (url: string, request: number, code: OrderErrorCode) =>
    failure(url, code, Seeded.between(retryAfterSeconds, seed, "retry after", request))

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
      case "internalError":
        yield* handler
        return yield* failure(url, "internal-error")
      case "unavailable":
        return yield* refuseFor(url, request, "service-unavailable")
      case "rateLimited":
        return yield* refuseFor(url, request, "rate-limit-exceeded")
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

const failure = (url: string, code: OrderErrorCode, afterSeconds?: number) => {
  const [status, title] = orderErrorCodes[code]
  return errorAnswer(
    url,
    { status, code, title },
    afterSeconds === undefined ? {} : { "retry-after": String(afterSeconds) }
  )
}
