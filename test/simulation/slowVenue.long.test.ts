/** A venue that answers honestly in the end, but later than any bound: what has left us is never counted as still here. */
import { assert, describe, it } from "@effect/vitest"
import { firstOf, isLong } from "../long.ts"
import { run } from "./Torture.ts"

const minute = 60_000

/** One order at a time that spends most of the budget and never fills. */
const strategy = `name: patient
market: SOL/USDC
kind: rules
limits: { budget: { quote: 600 } }
rules:
  timeframe: 1m
  orders:
    low:
      when: mid > 1
      side: buy
      price: mid * (1 - 30%)
      size: { quote: 500 }
`

const slow = {
  chaosMillis: 10 * minute,
  faultRate: 0,
  kills: 0,
  strategy,
  speed: 1,
  sandbox: { recognitionMillis: [11 * minute, 12 * minute], intentMillis: [2 * minute, 2 * minute] },
  pace: { pollMinMillis: 5_000 },
  budget: { USDC: 600_000_000 }
} as const

describe("at a venue that recognises deposits later than any bound, the bot", () => {
  it("spends at most the budget, because an acknowledged payment does not count as dead", async () => {
    const { spent } = await run({ seed: 1, ...slow })
    assert.strictEqual(spent["USDC"], 500_000_000n)
  })

  it("spends at most the budget if every acknowledgement is lost, because the doubt stays", async () => {
    for (const seed of firstOf(1, [1, 2])) {
      const { lost, spent } = await run({ seed, ...slow, losesAcknowledgements: true })
      assert.strictEqual(spent["USDC"], 500_000_000n)
      assert.strictEqual(lost, 1)
    }
  })

  it.skipIf(!isLong)("spends at most the budget if it dies right after it sent its bytes", async () => {
    const { spent } = await run({ seed: 4, ...slow, kills: 20, losesAcknowledgements: true })
    assert.strictEqual(spent["USDC"], 500_000_000n)
  })
})
