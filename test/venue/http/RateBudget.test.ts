/** The learned rate: it finds the venue's limit, never lets what matters wait behind what does not, and loses no turn. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Layer } from "effect"
import { HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { type Priority, RateBudget } from "../../../src/venue/http/RateBudget.ts"
import { RateLimited } from "../../../src/venue/http/RateLimiter.ts"
import { RateSettings } from "../../../src/venue/http/RateShare.ts"
import { attempt } from "../../../src/venue/http/VenueClient.ts"

const settings = { initial: 10, min: 0.5, max: 40, increase: 0.25, lessonMillis: 1000 }
const budget = RateBudget.layer.pipe(Layer.provide(Layer.succeed(RateSettings, settings)))

const enter = (priority: Priority, maxWaitMillis = 60_000) =>
  RateBudget.use((service) => service.limiter(priority).enter(maxWaitMillis))
const throttled = (pauseMillis: number) => RateBudget.use((service) => service.limiter("normal").throttled(pauseMillis))
const rate = RateBudget.use((service) => service.rate)
const drain = Effect.forEach(Array.from({ length: 10 }), () => enter("normal"))

/** In steps, because what a waking fiber does next takes a turn of the loop that one long adjustment does not wait for. */
const advance = (millis: number) => Effect.repeat(TestClock.adjust(20), { times: millis / 20 - 1 })

/** Requests that come at once, and in which order they go. */
const line = () => {
  const order: Array<string> = []
  const come = (priority: Priority) =>
    Effect.forkChild(
      Effect.andThen(
        enter(priority),
        Effect.sync(() => order.push(priority))
      )
    )
  return { come, order }
}

describe("the rate budget", () => {
  it.effect("gives a second's worth at once and then keeps the rate", () =>
    Effect.gen(function* () {
      const times: Array<number> = []
      const all = Effect.forEach(
        Array.from({ length: 30 }),
        () =>
          enter("normal").pipe(
            Effect.andThen(Clock.currentTimeMillis),
            Effect.map((now) => times.push(now))
          ),
        { concurrency: 30 }
      )
      const fiber = yield* Effect.forkChild(all)
      yield* advance(3000)
      yield* Fiber.join(fiber)
      assert.strictEqual(times.filter((time) => time === 0).length, 10)
      assert.strictEqual(times.at(-1), 2000)
      for (const from of times) {
        assert.isAtMost(times.filter((time) => time >= from && time < from + 1000).length, 20)
      }
    }).pipe(Effect.provide(budget))
  )

  it.effect("serves urgent requests first, in any order of arrival", () =>
    Effect.gen(function* () {
      yield* drain
      const { come, order } = line()
      for (const priority of ["background", "background", "normal", "background"] as const) yield* come(priority)
      yield* advance(40)
      yield* come("urgent")
      yield* advance(1000)
      assert.deepStrictEqual(order, ["urgent", "normal", "background", "background", "background"])
    }).pipe(Effect.provide(budget))
  )

  it.effect("holds everything except urgent requests while the venue asks for a pause", () =>
    Effect.gen(function* () {
      yield* throttled(30_000)
      const looking = yield* Effect.forkChild(enter("normal"))
      yield* TestClock.adjust("300 millis")
      yield* enter("urgent")
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(looking.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(looking)))
    }).pipe(Effect.provide(budget))
  )

  it.effect.each([
    ["cancel", ["normal", "background"]],
    ["urgent", ["normal", "background"]],
    ["background", ["normal"]]
  ] as const)("does not stop the other reads during a pause of five minutes for a %s", ([priority, others]) =>
    Effect.gen(function* () {
      yield* RateBudget.use((service) => service.limiter(priority).throttled(300_000))
      yield* TestClock.adjust("1 second")
      for (const other of others) yield* enter(other, 0)
    }).pipe(Effect.provide(budget))
  )

  it.effect("lets a cancel wait for other cancels alone", () =>
    Effect.gen(function* () {
      yield* drain
      const others = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 20 }), () => enter("urgent"), { concurrency: 20 })
      )
      yield* throttled(30_000)
      yield* Effect.yieldNow
      yield* enter("cancel", 0)
      yield* Fiber.interrupt(others)
    }).pipe(Effect.provide(budget))
  )

  it.effect("sends cancels as fast as the venue accepts them, and at the rate if it refuses", () =>
    Effect.gen(function* () {
      const cancels = yield* RateBudget.use((service) => Effect.succeed(service.limiter("cancel")))
      const limit = 15
      let taken = 0
      const cancel = Effect.gen(function* () {
        yield* cancels.enter(60_000)
        yield* Effect.sleep(20)
        if (taken === limit) return yield* cancels.throttled(1000)
        taken += 1
        return yield* cancels.accepted
      })
      const all = Effect.all(
        Array.from({ length: 30 }, () => cancel),
        { concurrency: 30 }
      )
      const fiber = yield* Effect.forkChild(all)
      yield* advance(100)
      assert.strictEqual(taken, limit, "more than a second's worth, in less than a second")
      yield* advance(900)
      assert.isUndefined(fiber.pollUnsafe(), "the rest keeps to the rate")
      yield* advance(3000)
      assert.isDefined(fiber.pollUnsafe())
    }).pipe(Effect.provide(budget))
  )

  it.effect("gives a cancel its turn within a second, however low the rate", () =>
    Effect.gen(function* () {
      for (let lesson = 0; lesson < 5; lesson += 1) {
        yield* throttled(1000)
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual(yield* rate, settings.min)
      yield* enter("cancel", 0)
      const second = yield* Effect.forkChild(enter("cancel"))
      yield* advance(980)
      assert.isUndefined(second.pollUnsafe())
      yield* advance(40)
      assert.isDefined(second.pollUnsafe())
    }).pipe(Effect.provide(budget))
  )

  it.effect("sends nothing else while a cancel waits, and counts cancels against the rate", () =>
    Effect.gen(function* () {
      const { come, order } = line()
      for (let count = 0; count < 10; count += 1) yield* enter("cancel", 0)
      for (const priority of ["normal", "cancel", "urgent", "cancel"] as const) yield* come(priority)
      yield* advance(1000)
      assert.deepStrictEqual(order, ["cancel", "cancel", "urgent", "normal"])
    }).pipe(Effect.provide(budget))
  )

  it.effect("does not slow down for cancels that are refused for their content, nor the reads after them", () =>
    Effect.gen(function* () {
      const cancels = yield* RateBudget.use((service) => Effect.succeed(service.limiter("cancel")))
      const url = "https://venue.example/cancel"
      const send = Effect.sync(() =>
        HttpClientResponse.fromWeb(HttpClientRequest.post(url), new Response("{}", { status: 409 }))
      )
      const request = { operation: "cancel order", kind: "write", send, deadlineMillis: 1000 } as const
      for (let count = 0; count < 30; count += 1) {
        const { reason } = yield* Effect.flip(attempt(request, cancels, 0))
        assert.strictEqual(reason._tag, "Rejected")
      }
      const read = yield* Effect.forkChild(enter("normal", 150))
      yield* advance(160)
      yield* Fiber.join(read)
    }).pipe(Effect.provide(budget))
  )

  it.effect("halves on 429, once per lesson, and stays between its floor and its ceiling", () =>
    Effect.gen(function* () {
      yield* Effect.all([throttled(1000), throttled(1000), throttled(1000)])
      assert.strictEqual(yield* rate, 5)
      for (let lesson = 0; lesson < 20; lesson += 1) {
        yield* TestClock.adjust("1 second")
        yield* throttled(1000)
      }
      assert.strictEqual(yield* rate, settings.min)
      const { accepted } = yield* RateBudget.use((service) => Effect.succeed(service.limiter("normal")))
      for (let request = 0; request < 10_000; request += 1) yield* accepted
      assert.strictEqual(yield* rate, settings.max)
    }).pipe(Effect.provide(budget))
  )

  it.effect("says at once if the turn would come too late", () =>
    Effect.gen(function* () {
      yield* throttled(120_000)
      const limited = yield* Effect.flip(enter("normal", 30_000))
      assert.instanceOf(limited, RateLimited)
      assert.strictEqual(limited.afterMillis, 120_000)
    }).pipe(Effect.provide(budget))
  )

  it.effect("serves prices before the other calls of all accounts of a credential", () =>
    Effect.gen(function* () {
      yield* drain
      const { come, order } = line()
      for (let call = 0; call < 40; call++) yield* come(call % 2 === 0 ? "urgent" : "normal")
      for (let price = 0; price < 3; price++) yield* come("background")
      yield* advance(3_000)
      const places = order.flatMap((priority, place) => (priority === "background" ? [place] : []))
      assert.deepStrictEqual(places, [7, 15, 23])
      assert.deepStrictEqual(
        order.slice(0, 7),
        Array.from({ length: 7 }, () => "urgent")
      )
    }).pipe(Effect.provide(budget))
  )

  it.effect("reports a turn that is too late", () =>
    Effect.gen(function* () {
      yield* drain
      const busy = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 30 }, () => enter("normal")),
          { concurrency: 30 }
        )
      )
      const outranked = yield* Effect.forkChild(Effect.flip(enter("background", 500)))
      yield* advance(2000)
      yield* Fiber.interrupt(busy)
      assert.instanceOf(yield* Fiber.join(outranked), RateLimited)
    }).pipe(Effect.provide(budget))
  )

  it.effect("gives no turn to a caller who gives up", () =>
    Effect.gen(function* () {
      yield* drain
      const gone = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 50 }, () => enter("urgent")),
          { concurrency: 50 }
        )
      )
      const waiting = yield* Effect.forkChild(enter("normal"))
      yield* advance(20)
      yield* Fiber.interrupt(gone)
      yield* advance(80)
      assert.isDefined(waiting.pollUnsafe())
    }).pipe(Effect.provide(budget))
  )

  it.effect.each([2, 7, 25])("finds the limit of a venue that accepts %i a second", (limit) =>
    Effect.gen(function* () {
      const recent: Array<number> = []
      const refused: Array<number> = []
      let taken = 0
      const {
        accepted,
        enter: turn,
        throttled: told
      } = yield* RateBudget.use((service) => Effect.succeed(service.limiter("normal")))
      const request = Effect.gen(function* () {
        yield* turn(60_000)
        const now = yield* Clock.currentTimeMillis
        while (recent.length > 0 && (recent[0] ?? 0) <= now - 1000) recent.shift()
        if (recent.length >= limit) {
          refused.push(now)
          return yield* told(1000)
        }
        recent.push(now)
        taken += 1
        return yield* accepted
      })
      const fiber = yield* Effect.forkChild(Effect.forever(request))
      yield* advance(30_000)
      const settled = refused.length
      const before = taken
      yield* advance(30_000)
      yield* Fiber.interrupt(fiber)
      assert.isAbove((taken - before) / 30, limit * 0.4, "most of what is allowed is used")
      assert.isBelow(refused.length - settled, 30 * 0.5, "refusals are rare")
    }).pipe(Effect.provide(budget))
  )
})
