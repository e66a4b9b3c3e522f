/** What happens next in a strategy, as status, page and API show it. */
import { assert, describe, it } from "@effect/vitest"
import { decisionEvent } from "../../src/engine/planning/DecisionRecord.ts"
import { nextOf } from "../../src/views/Next.ts"
import { price, strategyOf, viewAt } from "../strategy/support.ts"

const head = `name: s
market: BTC/USDC
limits: { budget: { base: 1, quote: 60000 } }
`
const start = Date.UTC(2027, 0, 1)
const hour = 3_600_000

const nextIn = (text: string, mid = "60000", now = start) => {
  const strategy = strategyOf(head + text)
  const view = { ...viewAt(strategy, price(mid)), now }
  const checks = strategy.inputs?.(view, strategy.initialMemory)
  const decision = decisionEvent(strategy, view, strategy.decide(view, strategy.initialMemory), checks)
  return nextOf(decision, now, checks, strategy.endsAt)
}

describe("next in a strategy", () => {
  it("is the next purchase of a DCA, with its number, its time and the price that brings it forward", () => {
    assert.deepStrictEqual(nextIn("kind: dca\ndca: { every: 6h, size: { quote: 50 }, times: 4, drop: 5% }\n"), [
      {
        slot: "purchase-001",
        text: "order 2 of 4 is due at 2027-01-01T06:00:00.000Z, or at a price of 57000",
        at: start + 6 * hour
      }
    ])
  })

  it("is each slice of a TWAP that has not begun, in the order of their times", () => {
    const next = nextIn("kind: twap\ntwap: { side: buy, total: { base: 0.4 }, over: 3h, slices: 3, limit: 70000 }\n")
    assert.deepStrictEqual(
      next.map(({ at }) => at),
      [start + hour, start + 2 * hour]
    )
    assert.strictEqual(next[0]?.text, "slice 2 of 3 begins at 2027-01-01T01:00:00.000Z")
  })

  it("is the beginning of a period, once for all slots, and its end", () => {
    const next = nextIn(
      "kind: grid\nfrom: 2027-01-02\nuntil: 2027-01-03\ngrid: { levels: [50000, 55000, 60000], size: { base: 0.1 } }\n"
    )
    assert.deepStrictEqual(next, [
      { slot: null, text: "begins at 2027-01-02T00:00:00.000Z", at: start + 24 * hour },
      { slot: null, text: "ends at 2027-01-03 00:00:00 UTC", at: start + 48 * hour }
    ])
  })

  it("is nothing that would be later than the end", () => {
    const twap = "twap: { side: buy, total: { base: 0.4 }, over: 3h, slices: 3, limit: 70000 }\n"
    const ats = nextIn(`kind: twap\nuntil: 2027-01-01T01:30Z\n${twap}`).map(({ at }) => at)
    assert.deepStrictEqual(ats, [start + hour, start + 1.5 * hour])
  })

  it("is each comparison that would change the answer alone, with its value and its turning point", () => {
    const rules = (when: string) =>
      `kind: rules\nrules: { orders: { dip: { when: ${when}, side: buy, price: mid, size: { quote: 100 } } } }\n`
    const textsOf = (when: string) => nextIn(rules(when)).map(({ text }) => text)
    assert.deepStrictEqual(textsOf("mid < 55000"), ["mid is 60000, true below 55000"])
    assert.deepStrictEqual(textsOf("55000 >= mid"), ["mid is 60000, true at or below 55000"])
    assert.deepStrictEqual(textsOf("mid > 55000"), ["mid is 60000, false at or below 55000"])
    assert.deepStrictEqual(textsOf("mid < 55000 and position > 0"), [
      "mid is 60000, true below 55000 and position is 0 BTC, true above 0"
    ])
  })

  it("does not list a time that has passed", () => {
    const text = "kind: grid\nuntil: 2027-01-01\ngrid: { levels: [50000, 55000], size: { base: 0.1 } }\n"
    assert.deepStrictEqual(nextIn(text), [])
  })
})
