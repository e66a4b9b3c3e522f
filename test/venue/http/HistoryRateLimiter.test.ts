/** Turns at the history endpoints, of one process and of several processes on one journal. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as SharedRateLimiter from "../../../src/app/swap/SharedRateLimiter.ts"
import { HistoryStore } from "../../../src/journal/HistoryStore.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { HistoryRateLimiter } from "../../../src/venue/http/HistoryRateLimiter.ts"
import { defaultPatience, ownAccount, VenueConfig } from "../../../src/venue/VenueConfig.ts"

const config = Layer.succeed(VenueConfig, {
  url: "http://127.0.0.1:1",
  ledger: "native",
  verifier: "intents.native",
  account: ownAccount("anna", "INTENTS"),
  patience: defaultPatience
})
const shared = SharedRateLimiter.layer.pipe(
  Layer.provide(HistoryStore.layer.pipe(Layer.provideMerge(Sqlite.layer({ filename: ":memory:" })))),
  Layer.provide(config)
)

const limiters = [
  ["one process", HistoryRateLimiter.layer],
  ["several processes", shared]
] as const

describe("a turn at the history", () => {
  it.effect.each(limiters)("that is too far ahead is refused with its real wait, and is not booked (%s)", ([, layer]) =>
    Effect.gen(function* () {
      const { enter } = yield* HistoryRateLimiter
      yield* enter(0)
      for (const maxWaitMillis of [0, 1_000]) {
        const refusal = yield* Effect.flip(enter(maxWaitMillis))
        assert.strictEqual(refusal.message, "Our own request budget allows this only in 5500 ms")
      }
      yield* TestClock.adjust(5_400)
      assert.strictEqual((yield* Effect.flip(enter(0))).afterMillis, 100)
      yield* TestClock.adjust(100)
      yield* enter(0)
    }).pipe(Effect.provide(layer))
  )

  it.effect.each(limiters)("comes within seconds after the clock is set back by an hour (%s)", ([, layer]) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(3_600_000)
      const { enter } = yield* HistoryRateLimiter
      yield* enter(0)
      yield* TestClock.setTime(0)
      const turn = yield* Effect.forkChild(enter(10_000))
      yield* TestClock.adjust(5_500)
      yield* Fiber.join(turn)
    }).pipe(Effect.provide(layer))
  )
})
