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

const decided = (text: string, memory: Memory, slots: Slots = new Map(), mid = "60000", now = 1_000) => {
  const strategy = strategyOf(text)
  const decision = strategy.decide(viewAt(strategy, price(mid), slots, now), memory)
  const [slot] = decision.desired
  const order = slot && armedLeg(slot, slots.get("hand") ?? completed(0))
  return {
    memory: decision.memory,
    stops: decision.stops,
    until: decision.until,
    whys: [...decision.desired, ...decision.absent].map(({ why }) => why.code),
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

  it("counts `after` of an added `then` from the first fill", () => {
    const without = file("59000").replace(", then: { price: 64000, stop: 55000 }", "")
    const after = file("59000", "base: 0.01", "after: 1h")
    const part: Slots = new Map([
      [
        "hand",
        { ...completed(0), filledInLeg: 400_000n, live: { side: "BUY", price: price("59000"), quantity: 600_000n } }
      ]
    ])
    const minute = 60_000
    const { memory } = decided(without, null)
    const bought = decided(without, memory, part, "60000", minute)
    const edited = decided(after, bought.memory, part, "60000", 50 * minute)
    assert.strictEqual(edited.until.time, 61 * minute)
    assert.deepStrictEqual(decided(after, edited.memory, part, "60000", 61 * minute).order, undefined)
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

describe("an edit of the exits of a rule whose order is open", () => {
  const exits = (text: string) => file("59000", "base: 0.01", text)
  const without = exits("").replace(", then: {  }", "")
  const resting = (at: string): Slots => new Map([["hand", { ...completed(1), ...received, live: exitAt(at) }]])
  const received = { receivedByLastLeg: 1_000_000n }
  const exitAt = (at: string) => ({ side: "SELL", price: price(at), quantity: 1_000_000n }) as const
  /** The order has filled with the first exits, and the file has the second. */
  const heldThen = (before: string, after: string, mid?: string) => {
    const placed = decided(before, null)
    const held = decided(before, placed.memory, filled)
    return decided(after, held.memory, filled, mid)
  }
  const laterAt = (text: string, { memory }: ReturnType<typeof decided>, mid: string, now?: number) =>
    decided(text, memory, filled, mid, now).order

  it("adds a stop to a target, as a number or computed now from the price of its entry", () => {
    for (const stop of ["57500", "entry * (1 - 2%)", "mid - 2500"]) {
      const next = exits(`price: 64000, stop: ${stop}`)
      const edited = heldThen(exits("price: 64000"), next)
      assert.strictEqual(edited.order, "SELL 1000000 at 64000")
      assert.strictEqual(laterAt(next, edited, "58000"), "SELL 1000000 at 64000")
      assert.strictEqual(laterAt(next, edited, "57000"), "SELL 1000000 at 56715", stop)
    }
  })

  it("computes an exit that it adds only once", () => {
    const next = exits("price: 64000, stop: mid - 2500")
    const edited = heldThen(exits("price: 64000"), next)
    const risen = decided(next, edited.memory, filled, "62000")
    assert.deepStrictEqual([risen.memory, risen.stops], [edited.memory, edited.stops])
  })

  it("adds a target to a stop", () => {
    for (const target of ["64000", "entry * (1 + 10%)"]) {
      const edited = heldThen(exits("stop: 55000"), exits(`price: ${target}, stop: 55000`))
      assert.strictEqual(edited.order, `SELL 1000000 at ${target === "64000" ? target : "64900"}`)
    }
  })

  it("adds break-even, a trailing stop and a time", () => {
    const before = exits("price: 70000")
    const even = exits("price: 70000, breakevenAt: 61000")
    const risen = decided(even, heldThen(before, even).memory, filled, "61500")
    assert.strictEqual(laterAt(even, risen, "58900"), "SELL 1000000 at 58605.5")
    const trail = exits("price: 70000, trail: 3%, trailFrom: 61000")
    const best = decided(trail, heldThen(before, trail).memory, filled, "62000")
    assert.strictEqual(laterAt(trail, best, "60000"), "SELL 1000000 at 59700")
    const after = exits("price: 70000, after: 1h")
    assert.strictEqual(laterAt(after, heldThen(before, after), "60000", 3_601_000), "SELL 1000000 at 59700")
  })

  it("waits for the candles of an exit that it adds, and keeps the others", () => {
    const edited = heldThen(exits("price: 64000"), exits("price: 64000, stop: entry - 2 * atr(14)"))
    assert.deepStrictEqual([edited.order, edited.until.barClose], ["SELL 1000000 at 64000", "1h"])
  })

  it("removes the exits that the file no longer has", () => {
    const target = exits("price: 64000")
    assert.strictEqual(
      laterAt(target, heldThen(exits("price: 64000, stop: 55000"), target), "50000"),
      "SELL 1000000 at 64000"
    )
    const stop = exits("stop: 55000")
    const edited = heldThen(exits("price: 64000, stop: 55000, breakevenAt: 60500"), stop)
    assert.isUndefined(edited.order)
    assert.isUndefined(laterAt(stop, edited, "58000"), "not at its entry")
    assert.strictEqual(laterAt(stop, edited, "54000"), "SELL 1000000 at 53730")
  })

  it("keeps a stop that has fired", () => {
    const before = exits("price: 64000, stop: 55000")
    const held = decided(before, decided(before, null).memory, filled)
    const fired = decided(before, held.memory, filled, "54000")
    assert.strictEqual(laterAt(exits("price: 64000"), fired, "54000"), "SELL 1000000 at 53730")
  })

  it("gives an order without exits the exits that the file adds, while it is open and once it has filled", () => {
    const next = exits("price: 64000, stop: 55000")
    const { memory } = decided(without, null)
    const edited = decided(next, memory, open)
    assert.strictEqual(edited.order, "BUY 1000000 at 59000")
    assert.strictEqual(decided(next, edited.memory, filled).order, "SELL 1000000 at 64000")
    const part: Slots = new Map([["hand", { ...completed(0), filledInLeg: 400_000n }]])
    const touched = decided(next, decided(without, memory, part).memory, part)
    assert.strictEqual(decided(next, touched.memory, filled, "54000").order, "SELL 1000000 at 53730")
    assert.strictEqual(decided(next, memory, filled).order, "SELL 1000000 at 64000", "filled during the edit")
  })

  it("ends an order whose exits the file no longer has, as soon as its entry has filled", () => {
    const before = exits("price: 64000, stop: 55000")
    const edited = decided(without, decided(before, null).memory, open)
    assert.strictEqual(edited.order, "BUY 1000000 at 59000")
    const over = decided(without, edited.memory, filled, "50000")
    assert.deepStrictEqual([over.order, over.whys], [undefined, ["used-up"]])
    const held = heldThen(before, without, "50000")
    assert.deepStrictEqual([held.order, held.whys], [undefined, ["used-up"]])
  })

  it("ends no order whose exit is open or has sold a part, so that this sale counts for no later purchase", () => {
    const before = exits("price: 64000, stop: 55000")
    const often = without.replace("times: 1", "times: 5, pause: 1s")
    const rests = decided(before, decided(before, null).memory, resting("64000"))
    const edited = decided(often, rests.memory, resting("64000"))
    assert.deepStrictEqual([edited.order, edited.whys], [undefined, ["rule-fired"]])
    const sold: Slots = new Map([
      ["hand", { ...completed(1), ...received, filledInLeg: 400_000n, filledAt: price("64000") }]
    ])
    const part = decided(often, edited.memory, sold)
    assert.isUndefined(part.order)
    assert.strictEqual(decided(before, part.memory, sold).order, "SELL 600000 at 64000", "the file has them again")
    assert.strictEqual(decided(often, edited.memory, filled).whys[0], "paused")
  })
})

it("a rule whose file is not edited remembers the same, whatever its exits are", () => {
  for (const then of [
    "price: 64000",
    "stop: entry * (1 - 2%)",
    "price: mid + 5000, stop: 55000, breakevenAt: 61000",
    "after: 1h"
  ]) {
    const text = file("59000", "base: 0.01", then)
    const held = decided(text, decided(text, null).memory, filled)
    assert.deepStrictEqual(decided(text, JSON.parse(JSON.stringify(held.memory)), filled).memory, held.memory)
  }
})
