/** Deposits on another chain that are not what was asked for: orders end as the venue says, and the bot's ledger follows. */
import { assert, describe, it } from "@effect/vitest"
import { firstOf } from "../long.ts"
import { type Deviation, run } from "./Torture.ts"

const episode = {
  seed: 1,
  chaosMillis: 75_000,
  faultRate: 0,
  kills: 0,
  deposits: "ORIGIN_CHAIN",
  pace: { paymentVisibilityMillis: 70_000 }
} as const

/** Whether some of what the wallet says it paid is not found in any order, and therefore residual. */
const deviations: ReadonlyArray<readonly [pays: Deviation, isUnexplained: boolean]> = [
  ["short", true],
  ["excess", false],
  ["late", false],
  ["wrong memo", true]
]

describe("orders that are paid", () => {
  it.each(firstOf(1, deviations))("%s: have both books agree to the unit", async (pays, isUnexplained) => {
    const { fills, funded, residual } = await run({ ...episode, pays })
    assert.isAbove(funded, 0)
    assert.strictEqual(residual > 0, isUnexplained)
    if (pays === "excess") assert.isAbove(fills, 0)
    else if (pays !== "late") assert.strictEqual(fills, 0, "such an order never opens")
  })
})
