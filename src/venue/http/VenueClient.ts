/**
 * The contract's generated client with common rules around every call: a deadline, a capped body, no redirects, a closed set of outcomes.
 * Reads are repeated with a backoff that honours `Retry-After`; a write is exactly one network attempt. It needs only a `VenueConfig`
 * and an `HttpClient`, so it also runs in memory. On Node use `NodeHttpClient.layerUndici` (half the cost of the `node:http` one).
 */
import { Clock, Context, Duration, Effect, Layer, Metric, Redacted, Schedule, type Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { monotonicMillis } from "../../domain/Durations.ts"
import { messageOf } from "../../domain/Text.ts"
import { OptionalPartner, OrderCredential, PartnerJwt, PartnerKey, UserSession } from "../api/Credentials.ts"
import { WholeVenueApi } from "../api/VenueApi.ts"
import * as ClockSkew from "../ClockSkew.ts"
import type { Answer } from "../Venue.ts"
import { secretsOf, VenueConfig } from "../VenueConfig.ts"
import { invalidRequestCode, OutcomeUnknown, RetryLater, refusal, VenueError } from "../VenueError.ts"
import { clean } from "../wire/WireValue.ts"
import { type Priority, RateBudget } from "./RateBudget.ts"
import type { RateLimited, RateLimiter } from "./RateLimiter.ts"
import * as Reply from "./Reply.ts"

const maxAttempts = 4

export type Send = Effect.Effect<HttpClientResponse.HttpClientResponse, unknown>

export interface Call {
  readonly operation: string
  readonly priority: Priority
  /** The setting of the credential that is sent; missing for calls that need none. */
  readonly credential?: string
  readonly mostBytes?: number
}

export const SessionToken = Context.Reference<Redacted.Redacted | undefined>("limitbot/venue/http/SessionToken", {
  defaultValue: () => undefined
})

type Change = (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest

const unchanged: Change = (request) => request
const withBearer = (token: Redacted.Redacted | undefined): Change =>
  token === undefined ? unchanged : HttpClientRequest.bearerToken(token)
const withApiKey = (key: Redacted.Redacted | undefined): Change =>
  key === undefined ? unchanged : HttpClientRequest.setHeader("x-api-key", Redacted.value(key))

/** Each credential middleware of the contract sends its configured credential, if there is one. */
export const credentials = Layer.unwrap(
  Effect.gen(function* () {
    const { apiKey, partnerJwt } = yield* VenueConfig
    const key = withApiKey(apiKey)
    const partner = partnerJwt === undefined ? key : withBearer(partnerJwt)
    return Layer.mergeAll(
      HttpApiMiddleware.layerClient(PartnerJwt, ({ next, request }) => next(withBearer(partnerJwt)(request))),
      HttpApiMiddleware.layerClient(OrderCredential, ({ next, request }) => next(key(request))),
      HttpApiMiddleware.layerClient(PartnerKey, ({ next, request }) => next(key(request))),
      HttpApiMiddleware.layerClient(OptionalPartner, ({ next, request }) => next(partner(request))),
      HttpApiMiddleware.layerClient(UserSession, ({ next, request }) =>
        Effect.flatMap(SessionToken, (token) => next(withBearer(token)(request)))
      )
    )
  })
)

/** The contract over HTTP: reads are repeated with backoff, writes are sent once. */
export class VenueClient extends Context.Service<
  VenueClient,
  {
    /** The generated client of the whole contract. */ readonly api: HttpApiClient.ForApi<typeof WholeVenueApi>
    /** Posts JSON text exactly as given, with the partner's API key. */
    post(path: string, body: string): Send
    /** Repeats a call that changes nothing. */
    read<A>(call: Call, send: Send, success: Schema.Codec<A, unknown>): Effect.Effect<Answer<A>, VenueError>
    /** Sends exactly once. */
    write<A>(call: Call, send: Send, success: Schema.Codec<A, unknown>): Effect.Effect<Answer<A>, VenueError>
    /** Milliseconds by which our clock is ahead of the venue's; `undefined` until an answer has a time. */
    readonly clockSkewMillis: Effect.Effect<number | undefined>
  }
>()("limitbot/venue/http/VenueClient") {
  static readonly layerOfBudget = Layer.effect(
    VenueClient,
    Effect.gen(function* () {
      const config = yield* VenueConfig
      const { apiKey, patience, url } = config
      const secrets = secretsOf(config)
      const budget = yield* RateBudget
      const http = (yield* HttpClient.HttpClient).pipe(HttpClient.mapRequest(HttpClientRequest.prependUrl(url)))
      const api = yield* HttpApiClient.makeWith(WholeVenueApi, { httpClient: http })

      const skew = ClockSkew.make()
      const timing = () => {
        let last: Pick<ClockSkew.Sample, "receivedAt" | "tookMillis"> | undefined
        const timed = (send: Send): Send =>
          Effect.gen(function* () {
            const [took, response] = yield* Effect.timed(send)
            last = { receivedAt: yield* Clock.currentTimeMillis, tookMillis: Duration.toMillis(took) }
            skew.note({ ...last, venueTime: undefined, date: response.headers["date"] })
            return response
          })
        const noteTime = ({ venueTime }: { readonly venueTime?: number }) =>
          Effect.sync(() => {
            if (last === undefined || venueTime === undefined) return
            skew.note({ ...last, venueTime, date: undefined })
          })
        return { timed, noteTime }
      }

      const post = (path: string, body: string): Send =>
        http.execute(
          HttpClientRequest.post(path).pipe(HttpClientRequest.bodyText(body, "application/json"), withApiKey(apiKey))
        )

      const call = Effect.fnUntraced(function* <A>(
        { credential, mostBytes, operation, priority }: Call,
        kind: Reply.RequestKind,
        send: Send,
        success: Schema.Codec<A, unknown>
      ) {
        yield* Effect.annotateCurrentSpan({ operation })
        const { timed, noteTime } = timing()
        const isRead = kind === "read"
        const deadlineMillis = isRead ? patience.attemptMillis : patience.writeMillis
        const request = { credential, mostBytes, operation, kind, secrets, send: timed(send), deadlineMillis }
        const once = attempt(request, budget.limiter(priority), isRead ? patience.readMillis : patience.writeMillis)
        const repeated = once.pipe(
          Effect.retry(repeatReads(patience.readMillis)),
          within(operation, patience.readMillis)
        )
        return yield* Effect.tap(Reply.decode(success)(operation, yield* isRead ? repeated : once), noteTime)
      })

      const calling = (kind: Reply.RequestKind) =>
        Effect.fn(`VenueClient.${kind}`)(<A>(about: Call, send: Send, success: Schema.Codec<A, unknown>) =>
          call(about, kind, send, success)
        )

      const [read, write] = [calling("read"), calling("write")]
      return VenueClient.of({ api, post, read, write, clockSkewMillis: Effect.sync(skew.millis) })
    })
  ).pipe(Layer.provide(credentials))

  static readonly layer = Layer.provide(VenueClient.layerOfBudget, RateBudget.layer)
}

export const within = (operation: string, millis: number) =>
  Effect.timeoutOrElse({
    duration: Duration.millis(millis),
    orElse: () => Effect.fail(Reply.noAnswer(operation, `no answer within ${millis} ms`))
  })

// Counted for the whole process, like the rate of a credential: the accounts of a runner share these metrics.
const requests = (operation: string, outcome: string) =>
  Metric.histogram("limitbot_venue_request_seconds", {
    description: "Duration of this process's requests to the venue until the last byte, by outcome",
    attributes: { operation, outcome },
    boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
  })
const waits = (operation: string) =>
  Metric.counter("limitbot_venue_wait_seconds_total", {
    description: "Time for which requests waited for their turn in the bot's own budget",
    attributes: { operation },
    incremental: true
  })

export interface AttemptedRequest extends Reply.RequestTraits {
  readonly send: Send
  readonly deadlineMillis: number
}

export const attempt = Effect.fnUntraced(function* (
  request: AttemptedRequest,
  limiter: RateLimiter,
  maxWaitMillis: number
) {
  const { operation } = request
  const askedAt = yield* monotonicMillis
  yield* Effect.mapError(limiter.enter(maxWaitMillis), (limited) => notSent(operation, limited))
  const sentAt = yield* monotonicMillis
  yield* Metric.update(waits(operation), (sentAt - askedAt) / 1000)
  const result = yield* Effect.result(exchange(request))
  const reason = result._tag === "Failure" ? result.failure.reason : undefined
  yield* Metric.update(requests(operation, reason?._tag ?? "ok"), ((yield* monotonicMillis) - sentAt) / 1000)
  if (reason?._tag === "RetryLater" && reason.status === 429) yield* limiter.throttled(reason.afterMillis)
  // A request that is refused for its content was within the rate.
  else if (reason === undefined || (reason._tag === "Rejected" && reason.status !== undefined)) yield* limiter.accepted
  return yield* Effect.fromResult(result)
})

const notSent = (operation: string, { afterMillis, message }: RateLimited): VenueError =>
  new VenueError({ reason: new RetryLater({ operation, afterMillis, text: message }) })

const exchange = (request: AttemptedRequest): Effect.Effect<Reply.Reply, VenueError> =>
  request.send.pipe(
    Effect.flatMap((response) => Reply.receive(request, response)),
    Effect.mapError((error) => failureOf(request.operation, error)),
    within(request.operation, request.deadlineMillis),
    Effect.flatMap((reply) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const error = Reply.refused(request, reply, now)
        return error === undefined ? Effect.succeed(reply) : Effect.fail(error)
      })
    ),
    Effect.provideService(HttpClient.TracerPropagationEnabled, false),
    Effect.provideService(HttpClient.TracerDisabledWhen, () => false),
    // A redirected POST would be a second request, with our key in it, to an address of the venue's choice.
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
  )

/** Any failure outside the transport happened while the request was built: it was never sent. */
const failureOf = (operation: string, error: unknown): VenueError => {
  if (error instanceof VenueError) return error
  if (error instanceof HttpClientError.HttpClientError) return transportFailure(operation, error)
  return refusal(operation, invalidRequestCode, clean(`the request is not valid: ${messageOf(error)}`))
}

const transportFailure = (operation: string, { message, reason, request }: HttpClientError.HttpClientError) => {
  if (reason._tag !== "TransportError") return Reply.noAnswer(operation, message)
  const text = `Cannot reach ${URL.parse(request.url)?.origin ?? request.url}: ${networkWord(reason.cause)}`
  return new VenueError({ reason: new OutcomeUnknown({ operation, text: clean(text), isUnreached: true }) })
}

const networkWord = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "the connection failed"
  if (cause.cause instanceof Error) return networkWord(cause.cause)
  return cause.message === "" && "code" in cause ? String(cause.code) : cause.message
}

/** A reply with a status would come again, unless the venue asked for a repetition. */
const isTransient = ({ reason }: VenueError): boolean =>
  reason._tag === "RetryLater" || (reason._tag === "OutcomeUnknown" && reason.status === undefined)

export const repeatReads = (readMillis: number) =>
  Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced("10 seconds")]).pipe(
    Schedule.jittered,
    Schedule.upTo({ times: maxAttempts - 1 }),
    Schedule.setInputType<VenueError>(),
    Schedule.modifyDelay(({ duration, input }) => Effect.succeed(Duration.max(duration, Reply.askedPause(input)))),
    Schedule.while(
      ({ duration, elapsed, input }) => isTransient(input) && elapsed + Duration.toMillis(duration) < readMillis
    )
  )
