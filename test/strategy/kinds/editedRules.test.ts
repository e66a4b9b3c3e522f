/** Edits of the prices that a rule states as numbers, while its order is open. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { armedLeg, type Memory } from "../../../src/strategy/Decision.ts"
import { completed, price, type Slots, strategyOf, viewAt } from "../support.ts"

const file = (entry: string, size = "base: 0.01", exits = "price: 64000, stop: 55000") => `name: test
market: BTC/USDC
kind: rules
limits:
  budget: { base: 10, quote: 100000 }
rules:
  orders:
    hand: { when: mid > 0, side: buy, price: ${entry}, size: { ${size} }, times: 1, then: { ${exits} } }
`

const decided = (text: string, memory: Memory, slots: Slots = new Map()) => {
  const strategy = strategyOf(text)
  const decision = strategy.decide(viewAt(strategy, price("60000"), slots, 1_000), memory)
  const [slot] = decision.desired
  const order = slot && armedLeg(slot, slots.get("hand") ?? completed(0))
  return {
    memory: decision.memory,
    isExact: order?.isExact,
    order: order && `${order.side} ${order.quantity} at ${Decimal.format(order.price)}`
  }
}

const open: Slots = new Map([
  ["hand", { ...completed(0), live: { side: "BUY", price: price("59000"), quantity: 1_000_000n } }]
])
const filled: Slots = new Map([["hand", { ...completed(1), receivedByLastLeg: 1_000_000n }]])

describe("an edit of a rule whose order is open", () => {
  it("moves an order whose price is a number, in the same slot, and at any cost", () => {
    const { memory, order } = decided(file("59000"), null)
    assert.strictEqual(order, "BUY 1000000 at 59000")
    const moved = decided(file("58500"), memory, open)
    assert.deepStrictEqual([moved.order, moved.isExact], ["BUY 1000000 at 58500", true])
    assert.strictEqual(decided(file("58500"), moved.memory, open).order, moved.order)
  })

  it("keeps the present price of an order whose price is an expression", () => {
    const { memory, order } = decided(file("mid * 0.98"), null)
    assert.strictEqual(order, "BUY 1000000 at 58800")
    assert.strictEqual(decided(file("mid * 0.97"), memory, open).order, order)
  })

  it("pays no more than a size in quote", () => {
    const { memory, order } = decided(file("59000", "quote: 590"), null)
    assert.strictEqual(order, "BUY 1000000 at 59000")
    assert.strictEqual(decided(file("59500", "quote: 590"), memory, open).order, "BUY 991596 at 59500")
  })

  it("moves a relative exit with its entry while nothing has filled", () => {
    const relative = (entry: string) => file(entry, "base: 0.01", "price: entry * (1 + 10%), stop: entry * (1 - 5%)")
    const { memory } = decided(relative("59000"), null)
    const moved = decided(relative("58000"), memory, open)
    assert.strictEqual(decided(relative("58000"), moved.memory, filled).order, "SELL 1000000 at 63800")
  })

  it("moves the exit of a filled entry, and counts a relative exit from the price at which it filled", () => {
    const { memory } = decided(file("59000"), null)
    assert.strictEqual(
      decided(file("58500", "base: 0.01", "price: 65000, stop: 55000"), memory, filled).order,
      "SELL 1000000 at 65000"
    )
    const relative = decided(file("59000", "base: 0.01", "price: entry * (1 + 10%)"), null)
    assert.strictEqual(
      decided(file("58000", "base: 0.01", "price: entry * (1 + 10%)"), relative.memory, filled).order,
      "SELL 1000000 at 64900"
    )
  })
})
