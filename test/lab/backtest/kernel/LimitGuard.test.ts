/** Which runs are first tried without looking at limits: those in which no order that a limit refuses would go unseen. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import { noCosts, rulesOf } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import * as Guard from "../../../../src/lab/backtest/kernel/LimitGuard.ts"

const limits = {
  budget: { base: 0n, quote: 0n },
  maxOpenOrders: 10,
  maxPriceDeviation: Decimal.make(2n, 2),
  staleAfterMillis: 1_000
}

describe("a run that is tried without limits", () => {
  it.each([
    ["fills at a touch, and an order beyond 2 % fills at once", { touch: "at", edgeBasisPoints: 100 }, true],
    ["one at 3 % would be refused, and rests unseen: solvers want 4 %", { touch: "at", edgeBasisPoints: 400 }, false],
    ["has to be traded through", { touch: "through", edgeBasisPoints: 0 }, false]
  ] as const)("%s", (_, changes, isQuick) => {
    const rules = rulesOf("optimistic", noCosts, changes)
    assert.strictEqual(Guard.isQuick({ rules, limits }), isQuick)
  })
})
