import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import * as SlotState from "../../../../src/lab/backtest/kernel/orders/SlotState.ts"
import { WantedSlots } from "../../../../src/lab/backtest/kernel/orders/WantedSlots.ts"
import type { DesiredSlot } from "../../../../src/strategy/Decision.ts"

const wish = (slot: string): DesiredSlot => ({
  slot,
  legs: [{ side: "BUY", price: Decimal.one, quantity: 1n }],
  cycle: false,
  why: { code: "wish", text: "" }
})

/** Takes decisions one after the other, and says which slots each of them makes due. */
const taking = () => {
  const all = new WantedSlots()
  const slots = new Map<string, SlotState.SlotState>()
  const slotNamed = (name: string) => {
    const slot = slots.get(name) ?? SlotState.make(slots.size, name, [])
    slots.set(name, slot)
    return slot
  }
  const take = (wanted: ReadonlyArray<DesiredSlot>) => {
    all.take(wanted, slotNamed)
    for (const slot of all.due) SlotState.mark(slot, false)
    return all.due.map(({ name }) => name)
  }
  return { take, all, slotNamed }
}

describe("WantedSlots", () => {
  it("skips slots that are the same at the start of two decisions in a row", () => {
    const { take, all } = taking()
    const many = Array.from({ length: 1000 }, (_, index) => wish(`${index}`))
    assert.lengthOf(take(many), 1000)
    assert.deepStrictEqual(take([...many, wish("new")]), ["new"])
    assert.strictEqual(all.firstDue, 1000)
    assert.deepStrictEqual(take([...many, wish("new")]), ["new"])
    assert.deepStrictEqual(take(many), ["new"])
    assert.deepStrictEqual(take(many), [])
  })

  it("names changed and removed slots, in the order of the slots", () => {
    const { take, all } = taking()
    const [a, b, c] = [wish("a"), wish("b"), wish("c")]
    take([a, b, c])
    assert.deepStrictEqual(take([c, a]), ["a", "b", "c"])
    assert.deepStrictEqual(
      all.slots.map(({ name, wanted }) => [name, wanted]),
      [
        ["c", c],
        ["a", a]
      ]
    )
  })

  it("names slots with a leaving order once more, for any decision", () => {
    const { take, all, slotNamed } = taking()
    const [a, b] = [wish("a"), wish("b")]
    take([a, b])
    all.leaves(slotNamed("b"))
    assert.isFalse(all.isSettled)
    assert.deepStrictEqual(take([a, b]), ["b"])
    assert.strictEqual(all.firstDue, 0)
    assert.deepStrictEqual(take([a, b]), [])
  })
})
