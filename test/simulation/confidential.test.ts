/** Accounts of confidential intents trade like any other: funded from and paid out into their private balances. */
import { assert, describe, it } from "@effect/vitest"
import { run } from "./Torture.ts"

describe("an account of confidential intents", () => {
  it("trades, and both books agree, whatever gets lost or is killed", { timeout: 60_000 }, async () => {
    const episode = {
      seed: 3,
      chaosMillis: 400_000,
      faultRate: 0.1,
      kills: 4,
      deposits: "CONFIDENTIAL_INTENTS"
    } as const
    const { fills, funded } = await run(episode)
    assert.isAbove(funded, 0)
    assert.isAbove(fills, 0)
  })
})
