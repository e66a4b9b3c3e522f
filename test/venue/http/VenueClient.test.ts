/** What one attempt tells the rate limiter: only a venue that says "too many" is asked less often. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Metric, Redacted } from "effect"
import { HttpClientError, HttpClientRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { RateLimited, type RateLimiter } from "../../../src/venue/http/RateLimiter.ts"
import { attempt, type Send } from "../../../src/venue/http/VenueClient.ts"

/** What the limiter heard of an attempt that was answered so. */
const heard = Effect.fnUntraced(function* (send: Send, kind: "read" | "write" = "read") {
  const told: Array<string> = []
  const tell = (what: string) => Effect.sync(() => void told.push(what))
  const limiter: RateLimiter = {
    enter: () => Effect.void,
    accepted: tell("accepted"),
    throttled: (pauseMillis) => tell(`throttled ${pauseMillis}`)
  }
  yield* Effect.exit(attempt({ operation: "read order", kind, send, deadlineMillis: 1_000 }, limiter, 1_000))
  return told
})

const request = HttpClientRequest.get("http://venue.test/v0/orders")
const answered = (status: number): Send =>
  Effect.sync(() =>
    HttpServerResponse.toClientResponse(HttpServerResponse.text("", { status, headers: { "retry-after": "7" } }), {
      request
    })
  )

describe("an attempt", () => {
  const answers: ReadonlyArray<readonly [number, Array<string>]> = [
    [200, ["accepted"]],
    [400, ["accepted"]],
    [404, ["accepted"]],
    [429, ["throttled 7000"]],
    [500, []],
    [503, []]
  ]
  it.effect.each(answers)("with the answer %i is reported to the limiter as documented", ([status, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* heard(answered(status)), expected)
      assert.deepStrictEqual(yield* heard(answered(status), "write"), expected)
    })
  )

  it.effect("that is not sent proves nothing about the venue", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* heard(Effect.fail(new Error("the request has no path"))), [])
    })
  )

  it.effect("whose connection fails reports the innermost cause", () =>
    Effect.gen(function* () {
      const cause = new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:1") })
      const reason = new HttpClientError.TransportError({ request, cause })
      const send = Effect.fail(new HttpClientError.HttpClientError({ reason }))
      const free: RateLimiter = { enter: () => Effect.void, accepted: Effect.void, throttled: () => Effect.void }
      const asked = { operation: "read order", kind: "read", send, deadlineMillis: 1_000 } as const
      const { message } = yield* Effect.flip(attempt(asked, free, 1_000))
      assert.match(message, /http:\/\/venue\.test: connect ECONNREFUSED 127\.0\.0\.1:1/)
    })
  )

  it.effect("without its turn is not sent, and may be repeated later", () =>
    Effect.gen(function* () {
      const full: RateLimiter = {
        enter: () => Effect.fail(new RateLimited({ afterMillis: 5_000 })),
        accepted: Effect.die("nothing was sent"),
        throttled: () => Effect.die("nothing was sent")
      }
      const send = Effect.die("nothing was to be sent")
      const asked = { operation: "read order", kind: "read", send, deadlineMillis: 1_000 } as const
      const { reason } = yield* Effect.flip(attempt(asked, full, 1_000))
      assert.strictEqual(reason._tag === "RetryLater" && reason.afterMillis, 5_000)
    })
  )

  it.effect("is counted with its duration, by operation and outcome", () =>
    Effect.gen(function* () {
      const free: RateLimiter = { enter: () => Effect.void, accepted: Effect.void, throttled: () => Effect.void }
      const [took, other] = [Duration.seconds(20), Duration.seconds(2)]
      const lasting = (operation: string, status: number, duration: Duration.Duration) => {
        const send = Effect.delay(answered(status), duration)
        const request = { operation, kind: "read", send, deadlineMillis: 30_000 } as const
        const exchange = Effect.forkChild(Effect.exit(attempt(request, free, 1_000)))
        return Effect.andThen(exchange, TestClock.adjust(duration))
      }
      yield* lasting("read order", 200, took)
      yield* lasting("read order", 200, other)
      yield* lasting("read order", 500, other)
      yield* lasting("list orders", 200, other)
      const counted = (yield* Metric.snapshot).flatMap(({ attributes, id, state }) =>
        id === "limitbot_venue_request_seconds" && "buckets" in state
          ? [{ labels: attributes, seconds: state.sum, upTo: Object.fromEntries(state.buckets) }]
          : []
      )
      const upTo = (short: number, all: number) => ({
        ...{ 0.05: 0, 0.1: 0, 0.25: 0, 0.5: 0, 1: 0 },
        ...{ 2.5: short, 5: short, 10: short, 30: all }
      })
      assert.deepStrictEqual(counted, [
        { labels: { operation: "read order", outcome: "ok" }, seconds: 22, upTo: upTo(1, 2) },
        { labels: { operation: "read order", outcome: "RetryLater" }, seconds: 2, upTo: upTo(1, 1) },
        { labels: { operation: "list orders", outcome: "ok" }, seconds: 2, upTo: upTo(1, 1) }
      ])
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect("hides the key and the tokens that a venue repeats in its answer", () =>
    Effect.gen(function* () {
      const own = HttpClientRequest.setHeaders(request, {
        "x-api-key": "the-api-key",
        authorization: "Bearer session-1"
      })
      const said = "who are you, the-api-key? session-1, or partner-1?"
      const free: RateLimiter = { enter: () => Effect.void, accepted: Effect.void, throttled: () => Effect.void }
      const answerWith = (status: number): Send =>
        Effect.sync(() =>
          HttpServerResponse.toClientResponse(
            HttpServerResponse.text(JSON.stringify({ message: said }), {
              status,
              headers: { "x-correlation-id": said }
            }),
            { request: own }
          )
        )
      const secrets = [Redacted.make("partner-1")]
      for (const status of [200, 400, 401, 429, 500]) {
        const asked = { operation: "read order", kind: "read", secrets, deadlineMillis: 1_000 } as const
        const told = yield* Effect.exit(attempt({ ...asked, send: answerWith(status) }, free, 1_000))
        const text = JSON.stringify(told)
        assert.include(text, "<redacted>")
        for (const secret of ["the-api-key", "session-1", "partner-1"]) assert.notInclude(text, secret, `${status}`)
      }
    })
  )
})
