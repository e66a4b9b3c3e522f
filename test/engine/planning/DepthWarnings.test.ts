/** A plan warns of orders that are larger than what the market was quoted to take. */
import { assert, describe, it } from "@effect/vitest"
import type { PlannedChange } from "../../../src/engine/planning/ahead/PlanReport.ts"
import { depthWarnings } from "../../../src/engine/planning/ahead/PlanWarnings.ts"
import { price } from "../../strategy/support.ts"
import { market } from "../../world/bitcoin.ts"

const change = (slot: string, quantity: bigint, rest: Partial<PlannedChange> = {}): PlannedChange => ({
  action: "create",
  strategy: "grid",
  slot,
  market: "BTC/USDC",
  side: "BUY",
  price: price("60000"),
  quantity,
  input: { asset: "USDC", amount: 1n },
  output: { asset: "BTC", amount: 1n },
  reason: { code: "x", text: "x" },
  costs: [],
  ...rest
})

describe("depth warnings", () => {
  it("name orders beyond the depth of their own side, and nothing else", () => {
    const depth = [
      { quantity: 100n, bid: price("59000"), ask: price("61000"), at: 0 },
      { quantity: 300n, bid: price("58000"), at: 0 }
    ]
    const changes = [
      change("large", 101n),
      change("fits", 100n),
      change("sale", 300n, { side: "SELL" }),
      change("kept", 900n, { action: "keep" })
    ]
    const [warning, ...others] = depthWarnings(changes, new Map([["BTC/USDC", { market, depth }]]))
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(warning?.slots, ["grid/large"])
    assert.match(
      warning?.text ?? "",
      /1 orders? exceeds? the quoted depth of 0\.000001 BTC .*large BUY 0\.00000101 BTC/
    )
    assert.deepStrictEqual(depthWarnings(changes, new Map()), [])
  })
})
