/** Owners of one account that are replaced while they live, in the bad world (`npm run simulate:fleet` for many more). */
import { assert, describe, it } from "@effect/vitest"
import { firstOf } from "../long.ts"
import { run } from "./Fleet.ts"
import { Violation } from "./oracle/Judge.ts"

const fallenIn = async (seed: number): Promise<string> => {
  try {
    await run({ seed, fence: "none" })
    return "none"
  } catch (error) {
    return error instanceof Violation ? error.invariant : "crash"
  }
}

describe("an account of a fleet", () => {
  for (const seed of firstOf(1, [3, 2, 4, 7]))
    it(`is paid for once, whoever believes to own it, and its books agree in the end (seed ${seed})`, async () => {
      const { deposits, fencedOff, sharedMillis } = await run({ seed })
      assert.isAbove(deposits, 0)
      assert.isAbove(fencedOff, 0)
      assert.isAbove(sharedMillis, 0)
    }, 60_000)

  it("had its orders withdrawn by a process that had just been told that it owned it no more (seed 100761)", async () => {
    const { fencedOff } = await run({ seed: 100_761 })
    assert.isAbove(fencedOff, 0)
  }, 60_000)

  it("is paid for twice where the journal takes what a stale owner appends", async () => {
    let seed = 1
    while (seed < 40 && (await fallenIn(seed)) !== "I4") seed += 1
    assert.isBelow(seed, 40)
  }, 120_000)
})
