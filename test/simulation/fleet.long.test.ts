/** Owners of one account that are replaced while they live, in the bad world (`npm run simulate:fleet` for many more). */
import { assert, describe, it } from "@effect/vitest"
import { firstOf, isLong } from "../long.ts"
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
    })

  it.skipIf(!isLong)(
    "had its orders withdrawn by a process that had just been told that it owned it no more (seed 100761)",
    async () => {
      const { fencedOff } = await run({ seed: 100_761 })
      assert.isAbove(fencedOff, 0)
    }
  )

  const failovers = [
    ["signed a second payment for an order of which the database had lost the first one", 140],
    ["was written by a stale owner whose claim had the same number as a later one, counted anew by an old copy", 8]
  ] as const
  for (const [symptom, seed] of firstOf(0, failovers))
    it(`${symptom} (seed ${seed})`, async () => {
      const { lostRecords } = await run({ seed, minutes: 2 })
      assert.isAbove(lostRecords, 0)
    })

  it("is paid for twice where the journal takes what a stale owner appends", async () => {
    assert.strictEqual(await fallenIn(90), "I4")
  })
})
