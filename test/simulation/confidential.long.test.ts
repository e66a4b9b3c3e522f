/** Accounts of confidential intents trade like any other: funded from and paid out into their private balances. */
import { assert, describe, it } from "@effect/vitest"
import { profileNames } from "../../src/venue/profile/Profiles.ts"
import { firstOf } from "../long.ts"
import { run } from "./Torture.ts"

describe("an account of confidential intents", () => {
  it.each(firstOf(1, profileNames))(
    "trades at a service like %s, and both books agree after any losses and kills",
    {
      timeout: 180_000
    },
    async (like) => {
      const episode = {
        seed: 3,
        like,
        chaosMillis: 200_000,
        faultRate: 0.1,
        kills: 4,
        deposits: "CONFIDENTIAL_INTENTS"
      } as const
      const { fills, funded } = await run(episode)
      assert.isAbove(funded, 0)
      assert.isAbove(fills, 0)
    }
  )
})
