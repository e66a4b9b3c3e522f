/**
 * The network between a bot and the service. The seed and the present trouble decide the fate of each request. `seen` gets each request as
 * it leaves the bot, when its record must already be on disk.
 */
import { Effect } from "effect"
import { type HttpClient, HttpClientError, type HttpClientRequest, HttpServerResponse } from "effect/http"
import { answeredBy } from "../../sandbox/http/memoryClient.ts"
import { type Accident, accidents, type Trouble } from "./Trouble.ts"
import { type Domain, randomFrom, type World } from "./World.ts"

export type RequestFate = "delivered" | "outage" | "rateLimited" | Accident

export interface Departure {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly at: number
  readonly fate: RequestFate
}

export interface HttpAnswer {
  readonly status: number
  readonly text: string
}

export interface NetworkOptions {
  readonly world: World
  readonly seed: number
  readonly service: HttpClient.HttpClient
  readonly servers: Domain
  readonly trouble: () => Trouble
  readonly seen: (departure: Departure) => void
  /** The rate limit of the service. Missing: chosen by the seed. */
  readonly limit?: RateLimit
  /** Overrides the trouble and the seed for requests of this path; `undefined` leaves the decision to those. */
  readonly fate?: (path: string) => RequestFate | undefined
  /** Replaces the service's answer; `undefined` keeps it. */
  readonly rewrite?: (departure: Departure, answer: HttpAnswer) => HttpAnswer | undefined
}

const maxOldAnswers = 400
const latencyMillis = 20

export const make = (options: NetworkOptions): HttpClient.HttpClient => {
  const { rewrite, seed, servers, service, world } = options
  const random = randomFrom(seed + 7)
  const old = new Map<string, ReadonlyArray<HttpAnswer & { readonly at: number }>>()
  const limit = options.limit ?? rateLimit(seed)

  const fateOf = (trouble: Trouble): RequestFate => {
    if (isDark(trouble, seed, world.now)) return "outage"
    if (!limit.take(trouble, world.now)) return "rateLimited"
    let rest = random()
    const accident = accidents.find((name) => {
      rest -= trouble[name]
      return rest < 0
    })
    return accident ?? "delivered"
  }

  const serve = (request: HttpClientRequest.HttpClientRequest, delayMillis: number) => {
    const served = Effect.andThen(Effect.sleep(delayMillis), service.execute(request))
    return Effect.callback<Effect.Success<typeof served>, HttpClientError.HttpClientError>((resume) => {
      servers.fork(served).addObserver((exit) => resume(exit))
    })
  }

  const arrive = Effect.fnUntraced(function* (
    request: HttpClientRequest.HttpClientRequest,
    departure: Departure,
    delayMillis: number
  ) {
    const response = yield* serve(request, delayMillis)
    const isKept = departure.method === "GET"
    if (rewrite === undefined && !isKept) return response
    const truth = { status: response.status, text: yield* response.text }
    const answer = rewrite?.(departure, truth) ?? truth
    if (isKept) keep(departure.path, answer)
    return asResponse(request, answer, response.headers["retry-after"])
  })

  const keep = (path: string, answer: HttpAnswer): void => {
    if (old.size > maxOldAnswers) old.clear()
    old.set(path, [...(old.get(path) ?? []).slice(-8), { ...answer, at: world.now }])
  }

  const oldAnswer = ({ staleMillis }: Trouble, path: string): HttpAnswer | undefined =>
    old.get(path)?.find(({ at }) => at >= world.now - staleMillis)

  return answeredBy((request) =>
    Effect.gen(function* () {
      const trouble = options.trouble()
      const path = pathOf(request)
      const fate = options.fate?.(path) ?? fateOf(trouble)
      const departure: Departure = { method: request.method, path, body: bodyOf(request), at: world.now, fate }
      options.seen(departure)
      const lateMillis = Math.ceil(random() * trouble.lateMillis)
      yield* Effect.sleep(Math.ceil(random() * latencyMillis))
      if (fate === "requestLost" || fate === "outage") return yield* lost(request)
      if (fate === "rateLimited") return refusal(request, 429, String(Math.trunc(random() * 5)))
      if (fate === "refused") return refusal(request, random() < 0.5 ? 503 : 500)
      if (fate === "twice") servers.fork(Effect.andThen(Effect.sleep(lateMillis), service.execute(request)))
      const stale = fate === "stale" && request.method === "GET" ? oldAnswer(trouble, departure.path) : undefined
      if (stale !== undefined) return asResponse(request, stale)
      const response = yield* arrive(request, departure, fate === "requestLate" ? lateMillis : 0)
      yield* Effect.sleep(fate === "answerLate" ? lateMillis : Math.ceil(random() * latencyMillis))
      if (fate === "answerLost") return yield* lost(request)
      if (fate === "misreported") return refusal(request, random() < 0.5 ? 500 : 400)
      return response
    })
  )
}

export const isDark = ({ outageEveryMillis: every, outageMillis }: Trouble, seed: number, now: number): boolean => {
  if (every === 0) return false
  const window = Math.floor(now / every)
  const dice = randomFrom(seed * 31 + window)
  dice()
  const from = window * every + dice() * every
  return now >= from && now < from + dice() * outageMillis
}

export interface RateLimit {
  readonly take: (trouble: Trouble, now: number) => boolean
  readonly copy: () => RateLimit
}

/** A token bucket with one second's worth, at a rate that changes every few minutes. */
export const rateLimit = (seed: number, from = { tokens: 1, filledAt: 0 }): RateLimit => {
  let { filledAt, tokens } = from
  return {
    take: ({ requestsPerSecond: [low, high] }, now) => {
      const dice = randomFrom(seed * 17 + Math.floor(now / 180_000))
      dice()
      const rate = low + dice() * (high - low)
      tokens = Math.min(rate + 1, tokens + (Math.max(0, now - filledAt) / 1000) * rate)
      filledAt = Math.max(filledAt, now)
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
    copy: () => rateLimit(seed, { tokens, filledAt })
  }
}

const pathOf = ({ url, urlParams }: HttpClientRequest.HttpClientRequest): string => {
  const query = [...urlParams].map(([name, value]) => `${name}=${value}`).join("&")
  return `${url.replace(/^\w+:\/\/[^/]+/, "")}${query === "" ? "" : `?${query}`}`
}

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

const lost = (request: HttpClientRequest.HttpClientRequest) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })

const asResponse = (
  request: HttpClientRequest.HttpClientRequest,
  { status, text }: HttpAnswer,
  retryAfter?: string
) => {
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter }
  const response = HttpServerResponse.text(text, { status, contentType: "application/json", headers })
  return HttpServerResponse.toClientResponse(response, { request })
}

const codes: Readonly<Record<number, string>> = {
  400: "request-rejected",
  429: "rate-limit-exceeded",
  500: "internal-error",
  503: "service-unavailable"
}

const refusal = (request: HttpClientRequest.HttpClientRequest, status: number, retryAfter?: string) => {
  const code = codes[status] ?? "internal-error"
  const body = { errors: [{ status: String(status), code, title: code }], message: code }
  return asResponse(request, { status, text: JSON.stringify(body) }, retryAfter)
}
