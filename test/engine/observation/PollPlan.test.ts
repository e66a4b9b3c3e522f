/** When the bot looks again: at once while money moves, and no later than a price could change anything. */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { defaults } from "../../../src/engine/EngineSettings.ts"
import { isMoving, isWithinReach, pauseAfter, pauseMillis } from "../../../src/engine/observation/PollPlan.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import type { Placement } from "../../../src/engine/state/Placement.ts"
import type { Decision } from "../../../src/strategy/Decision.ts"
import { price, strategyOf } from "../../strategy/support.ts"
import { payloadEndsAt } from "../../world/journalRows.ts"
import { about, placementAfter } from "../firstOrder.ts"

const settings = {
  ...defaults,
  account: { signerId: "me", depositType: "INTENTS" as const, maxAppFeeBasisPoints: 100 }
}
const watching = (mid: number, ...levels: ReadonlyArray<number>) => ({ mid, levels })

describe("the pause until the next poll", () => {
  // At 0.05 % a second, 100 away from 100,000 is two seconds.
  it("is the time in which the fastest market can reach the nearest level of any market", () => {
    const pause = (...watched: ReadonlyArray<ReturnType<typeof watching>>) => pauseMillis(settings, watched)
    assert.approximately(pause(watching(100_000, 100_100, 99_700)), 2_000, 0.001)
    assert.approximately(pause(watching(100_000, 99_800, 100_300)), 4_000, 0.001)
    assert.approximately(pause(watching(100_000, 90_000), watching(200, 200.5)), 5_000, 0.001)
  })

  it("stays between the minimum and the maximum", () => {
    assert.strictEqual(pauseMillis(settings, [watching(100_000, 100_001)]), 1_000)
    assert.strictEqual(pauseMillis(settings, [watching(100_000, 150_000)]), 10_000)
    assert.strictEqual(pauseMillis(settings, [watching(100_000)]), 10_000)
    assert.strictEqual(pauseMillis(settings, []), 10_000)
  })

  it("follows from the prices of open orders, and is the minimum without a price or while money moves", () => {
    const [open, moving] = [placementAfter("StatusSeen"), placementAfter("Planned")]
    const near = Decimal.toNumber(open.price) * 1.001
    const pause = (placement: Placement, mid: number | undefined) => {
      const mids =
        mid === undefined ? [] : [[open.market, { bid: price(`${mid}`), ask: price(`${mid}`), at: 0 }] as const]
      const state = { ...BotState.make(), placements: new Map([[placement.id, placement]]) }
      return pauseAfter(settings, state, new Map(mids), [], 0)
    }
    assert.approximately(pause(open, near), 1_998, 1)
    assert.strictEqual(pause(open, near * 2), 10_000)
    assert.strictEqual(pause(open, undefined), 1_000)
    assert.strictEqual(pause(moving, near * 2), 1_000)
  })

  it("follows from the bounds of decisions and from the prices of their swaps", () => {
    const strategy = strategyOf(
      "name: s\nmarket: BTC/USDC\nkind: iceberg\nlimits: { budget: { base: 1, quote: 60000 }, staleAfter: 5m }\niceberg: { side: buy, price: 50000, total: { base: 1 }, visible: { base: 1 } }\n"
    )
    const prices = new Map([[strategy.market.name, { bid: price("60000"), ask: price("60000"), at: 0 }]])
    const pause = (decision: Partial<Decision>) => {
      const whole: Decision = {
        desired: [],
        absent: [],
        memory: null,
        reasons: [],
        until: { onFill: false },
        ...decision
      }
      return pauseAfter(settings, BotState.make(), prices, [{ strategy, decision: whole }], 0)
    }
    const why = { code: "test", text: "" }
    const leg = { side: "BUY", price: price("60060"), quantity: 1n } as const
    const slot = { slot: "a", cycle: false, why, legs: [leg] } as const
    assert.approximately(pause({ until: { onFill: false, priceAbove: price("60090") } }), 3_000, 0.001)
    assert.approximately(pause({ desired: [{ ...slot, legs: [{ ...leg, by: "swap" }] }] }), 2_000, 0.001)
    assert.strictEqual(pause({ desired: [slot] }), 10_000)
  })
})

describe("a level within reach", () => {
  it("is one that the price may have reached by now", () => {
    assert.isTrue(isWithinReach(price("90000"), 100_000, 200_000))
    assert.isFalse(isWithinReach(price("90000"), 100_000, 199_999))
    assert.isTrue(isWithinReach(price("110000"), 100_000, 200_000))
    assert.isTrue(isWithinReach(price("110000"), undefined, 0))
  })
})

describe("an order with moving money", () => {
  const pulled: BotEvent = { _tag: "CancelRequested", ...about, why: { code: "test", text: "pulled" } }
  const validUntil = payloadEndsAt(1)
  it("begins, ends, fills or is being cancelled", () => {
    for (const tag of ["Planned", "CreateSent", "Bound", "FundingSigned", "FundingSent", "FillSeen", "Closed"] as const)
      assert.isTrue(isMoving(placementAfter(tag), 0), tag)
    assert.isTrue(isMoving(placementAfter("StatusSeen", pulled), 0))
  })

  it("is neither open, nor over, nor a payment that may stay unclear for hours", () => {
    assert.isFalse(isMoving(placementAfter("StatusSeen"), 0))
    assert.isFalse(isMoving(placementAfter("Bound", { _tag: "Abandoned", ...about, reason: "test" }), 0))
    assert.isTrue(isMoving(placementAfter("FundingSent"), validUntil + 59_999))
    assert.isFalse(isMoving(placementAfter("FundingSent"), validUntil + 60_000))
    const doubt = { asset: "USDC", amount: 120_000_000n, reason: "test" }
    assert.isFalse(isMoving(placementAfter("FundingSent", { _tag: "FundingInDoubt", ...about, ...doubt }), 0))
  })

  it("is a swap until it ends", () => {
    assert.isTrue(isMoving({ ...placementAfter("StatusSeen"), by: "swap" }, 0))
  })
})
