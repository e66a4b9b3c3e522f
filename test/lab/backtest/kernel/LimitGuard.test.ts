/** Which runs are first tried without looking at limits: those in which no order that a limit refuses would go unseen. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import { fillPresets } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import * as Guard from "../../../../src/lab/backtest/kernel/LimitGuard.ts"

const limits = {
  budget: { base: 0n, quote: 0n },
  maxOpenOrders: 10,
  maxPriceDeviation: Decimal.make(2n, 2),
  staleAfterMillis: 1_000
}

describe("a run that is tried without limits first", () => {
  it.each([
    [
      "is quick if orders fill at a touch, and one beyond 2 % fills at once",
      { touch: "at", edgeBasisPoints: 100 },
      true
    ],
    [
      "is not quick if an order at 3 % would be refused, and solvers require 4 %",
      { touch: "at", edgeBasisPoints: 400 },
      false
    ],
    ["is not quick if a limit must be traded through", { touch: "through", edgeBasisPoints: 0 }, false]
  ] as const)("%s", (_, changes, isQuick) => {
    const rules = { ...fillPresets.optimistic, ...changes }
    assert.strictEqual(Guard.isQuick({ rules, limits }), isQuick)
  })
})
