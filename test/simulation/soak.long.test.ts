/** A short soak; `npm run soak` lives through ninety virtual days. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { growth, run } from "./Soak.ts"

describe("a bot that runs for long", () => {
  it.live("grows in its journal and in nothing else", () =>
    Effect.gen(function* () {
      const samples = yield* run({ days: 0.02, samples: 3 })
      assert.isAbove(samples.at(-1)?.events ?? 0, 100)
      assert.strictEqual(samples.at(-1)?.slots, 50)
      assert.deepStrictEqual(growth(samples), [])
    })
  )

  it("fails the test of growth if anything else grows", () => {
    const sample = {
      day: 0,
      events: 0,
      fills: 0,
      placements: 50,
      slots: 50,
      timers: 10,
      tasks: 0,
      descriptors: 20,
      resources: 2,
      journalBytes: 0,
      heapBytes: 0,
      requests: 0,
      cpuSeconds: 0
    }
    const leaking = [0, 1, 2].map((day) => ({
      ...sample,
      day,
      events: day * 1_000,
      timers: 10 + day * 100,
      heapBytes: day * 30_000_000
    }))
    assert.deepStrictEqual(growth(leaking), ["timers grew from 10 to 210", "the heap grew by 15000 bytes an event"])
  })
})
