/** Which signals count as one press of Ctrl-C: under npm each arrives twice, and a busy process gets to the second one late. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Stop from "../../../src/process/Stop.ts"

/** A stop, and what ends its press. */
const stopped = () => {
  const ends: Array<() => void> = []
  const stop = Stop.make((run) => ends.push(run))
  return { ...stop, ends }
}

describe("a request to stop", () => {
  it("by one signal interrupts a command that does not wait for signals", () => {
    assert.isFalse(stopped().ask())
  })

  it.effect("by a second signal counts once the command knows of the first and the key is released", () =>
    Effect.gen(function* () {
      const { ask, ends, service } = stopped()
      const command = yield* Effect.forkChild(service.requested, { startImmediately: true })
      assert.isTrue(ask())
      assert.isTrue(ask(), "npm passes it on")
      yield* Fiber.join(command)
      assert.isTrue(ask(), "what npm passes on may be handled late")
      assert.lengthOf(ends, 1)
      ends[0]?.()
      assert.isFalse(ask())
    })
  )

  it.effect("interrupts on the second signal a command that is still leaving after the first", () =>
    Effect.gen(function* () {
      const { ask, ends, service } = stopped()
      yield* Effect.raceFirst(service.requested, Effect.void)
      assert.isTrue(ask())
      assert.lengthOf(ends, 1)
      ends[0]?.()
      assert.isFalse(ask())
    })
  )
})
