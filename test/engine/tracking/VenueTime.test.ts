/** Our clock against the venue's: what is noted, what stops payments, and by which of the two a payload has expired. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as VenueTime from "../../../src/engine/tracking/VenueTime.ts"
import { remembered } from "../firstOrder.ts"

const noted = (skewMillis: number, ok: boolean): ReadonlyArray<BotEvent> => [{ _tag: "ClockCompared", skewMillis, ok }]
const state = (skewMillis: number, ok: boolean) => remembered(noted(skewMillis, ok))

describe("our clock and the venue's", () => {
  it("are compared, and a difference of a second or a new verdict is recorded", () => {
    assert.deepStrictEqual(VenueTime.compared(remembered([]), undefined), [])
    assert.deepStrictEqual(VenueTime.compared(remembered([]), 0), noted(0, true))
    assert.deepStrictEqual(VenueTime.compared(state(500, true), 1_499), [])
    assert.deepStrictEqual(VenueTime.compared(state(500, true), 1_500), noted(1_500, true))
    assert.deepStrictEqual(VenueTime.compared(state(500, true), -500), noted(-500, true))
    assert.deepStrictEqual(VenueTime.compared(state(1_500, true), 2_000), [])
    assert.deepStrictEqual(VenueTime.compared(state(1_500, true), 2_001), noted(2_001, false))
    assert.deepStrictEqual(VenueTime.compared(state(-1_500, true), -2_001), noted(-2_001, false))
  })

  it("stop new orders if they differ by more than half a minute, in either direction", () => {
    for (const within of [undefined, 0, 30_000, -30_000]) assert.isUndefined(VenueTime.problemOf(within))
    for (const beyond of [30_001, -30_001]) assert.include(VenueTime.problemOf(beyond), "by 30 s")
    assert.isUndefined(VenueTime.problem(remembered([])))
    assert.include(VenueTime.problem(state(45_500, false)), "by 46 s")
  })

  it("both decide whether a payload has expired: the earlier one counts", () => {
    assert.strictEqual(VenueTime.of(remembered([]), 100_000), 100_000)
    assert.strictEqual(VenueTime.of(state(1_000, true), 100_000), 100_000)
    assert.strictEqual(VenueTime.of(state(60_000, false), 100_000), 40_000)
    assert.strictEqual(VenueTime.of(state(-60_000, false), 100_000), 100_000)
  })

  it.effect("give the present time in the same way", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust(100_000)
      assert.strictEqual(yield* VenueTime.now(state(60_000, false)), 40_000)
    })
  )
})
