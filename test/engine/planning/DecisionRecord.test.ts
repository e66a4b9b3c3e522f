/** A decision that comes back from the journal is the one that was written. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { BotEvent } from "../../../src/domain/BotEvent.ts"
import { decisionEvent, stable } from "../../../src/engine/planning/DecisionRecord.ts"
import { price, strategyOf, viewAt } from "../../strategy/support.ts"

const EventJson = Schema.fromJsonString(Schema.toCodecJson(BotEvent))

describe("a recorded decision", () => {
  it("of a swap equals itself when repeated, with its keys in any order", () => {
    const strategy = strategyOf(`name: s
market: BTC/USDC
kind: rules
limits: { budget: { base: 1 } }
rules:
  orders:
    out: { when: mid > 100, side: sell, by: swap, price: mid * (1 - 1%), size: { base: 0.5 }, times: 1 }
`)
    const view = viewAt(strategy, price("60000"))
    const event = decisionEvent(strategy, view, strategy.decide(view, null), undefined)
    assert.strictEqual(event.desired[0]?.by, "swap")
    const read = Schema.decodeSync(EventJson)(Schema.encodeSync(EventJson)(event))
    assert.strictEqual(read._tag === "Decided" ? stable(read) : "", stable(event))
  })
})
