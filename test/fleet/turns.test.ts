/** When accounts are compared: spread evenly over the hour, and at the account's own moment whoever owns it. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { turnsOf } from "../../src/fleet/accounts/AccountBot.ts"

const [minute, hour] = [60_000, 3_600_000]
const names = Array.from({ length: 10_000 }, (_, index) => `account-${index}`)

/** In the fullest minute. */
const most = (waits: ReadonlyArray<number>): number =>
  Math.max(...[...Map.groupBy(waits, (wait) => Math.floor((wait - 1) / minute)).values()].map(({ length }) => length))

describe("turns of accounts", () => {
  it.effect("are spread over time, even if all accounts start at once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const all = names.map((name) => turnsOf(name, hour))
      const first = yield* Effect.forEach(all, (turns) => turns.first)
      assert.isAbove(Math.min(...first), 0)
      assert.isAtMost(Math.max(...first), 10 * minute)
      assert.isAtMost(most(first), 1_200)
      const next = yield* Effect.forEach(all, (turns) => turns.next)
      assert.isAbove(Math.min(...next), 0)
      assert.isAtMost(Math.max(...next), hour)
      assert.isAtMost(most(next), 250)
    })
  )

  it.effect("keep their times, whoever owns the account and since when", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const turn = Effect.gen(function* () {
        return (yield* Clock.currentTimeMillis) + (yield* turnsOf("account-7", hour).next)
      })
      const due = yield* turn
      yield* TestClock.setTime(due - 1)
      assert.strictEqual(yield* turn, due)
      yield* TestClock.setTime(due)
      assert.strictEqual(yield* turn, due + hour)
      assert.deepStrictEqual(yield* turnsOf("account-7", 1_000).first, yield* turnsOf("account-7", 1_000).next)
    })
  )
})
