/** Signals that arrive within one second: the last value that is accepted counts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Signals from "../../src/control/Signals.ts"
import { Bookkeeper } from "../../src/engine/state/Bookkeeper.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"

const memory = Bookkeeper.layer.pipe(
  Layer.provideMerge(Journal.layer),
  Layer.provide(Sqlite.layer({ filename: ":memory:" }))
)
const signals = new Map([["trend", 60_000]])

describe("a signal", () => {
  it.effect("that is refused replaces no value that waits", () =>
    Effect.gen(function* () {
      const books = yield* Bookkeeper
      const { take } = yield* Signals.make({ strategies: () => [{ signals }], wake: Effect.void })
      yield* TestClock.setTime(1_000_000)
      assert.strictEqual(yield* take("ada", { name: "trend", value: 1 }), "trend is 1")
      const waiting = yield* Effect.forkChild(take("ada", { name: "trend", value: 2 }))
      yield* TestClock.adjust(100)
      const refusals = yield* Effect.forEach([1, 1_070_000], (at) =>
        Effect.forkChild(Effect.flip(take("ada", { name: "trend", value: 3, at })))
      )
      yield* TestClock.adjust(1_000)
      for (const refusal of refusals) assert.strictEqual((yield* Fiber.join(refusal))._tag, "Refused")
      assert.strictEqual(yield* Fiber.join(waiting), "trend is 2")
      assert.strictEqual(books.state.signals.get("trend")?.value, 2)
    }).pipe(Effect.provide(memory))
  )
})
