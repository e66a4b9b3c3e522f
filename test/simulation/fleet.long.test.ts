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
    it(`is paid for once, whoever claims it, and its books agree in the end (seed ${seed})`, async () => {
      const { deposits, fencedOff, sharedMillis } = await run({ seed })
      assert.isAbove(deposits, 0)
      assert.isAbove(fencedOff, 0)
      assert.isAbove(sharedMillis, 0)
    })

  it.skipIf(!isLong)(
    "keeps its orders: a process that has just lost the account cancels none (seed 100761)",
    async () => {
      const { fencedOff } = await run({ seed: 100_761 })
      assert.isAbove(fencedOff, 0)
    }
  )

  const failovers = [
    ["a second payment is signed for an order whose first one the database has lost", 140],
    ["a stale owner writes, whose claim has the number of a later one from an old copy", 8]
  ] as const
  for (const [symptom, seed] of firstOf(0, failovers))
    it(`excludes this defect: ${symptom} (seed ${seed})`, async () => {
      const { lostRecords } = await run({ seed, minutes: 2 })
      assert.isAbove(lostRecords, 0)
    })

  it("is paid for twice if the journal accepts a stale owner's events", async () => {
    assert.strictEqual(await fallenIn(90), "I4")
  })
})
