/** A running grid whose levels are changed: what it has bought keeps its cost, and nothing is bought above the market. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Decision } from "../../../src/strategy/Decision.ts"
import { armedAboveCost } from "../../../src/strategy/kinds/CostFloor.ts"
import { type SlotProgress, untouchedSlot } from "../../../src/strategy/View.ts"
import { decideAt, price, random, type Slots, strategyOf } from "../support.ts"

const file = (levels: number, more = "") => `name: test
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.05, quote: 100000 } }
grid: { lower: 50000, upper: 70000, levels: ${levels}, size: { base: 0.002 }${more} }
`

/** Bought whole at a price, and paid out. */
const boughtAt = (usdc: string): SlotProgress => ({
  ...untouchedSlot,
  completedLegs: 1,
  receivedByLastLeg: 200_000n,
  bought: 200_000n,
  lastLeg: { side: "BUY", made: { base: 200_000n, quote: (BigInt(usdc) * 200_000n) / 100n } }
})

const ordersOf = (text: string, decision: Decision, slots: Slots) =>
  decision.desired.flatMap((desired) => {
    const order = armedAboveCost(strategyOf(text).market, desired, slots.get(desired.slot) ?? untouchedSlot)
    return order === undefined ? [] : [order]
  })

describe("a grid with other levels than before", () => {
  const held: Slots = new Map([
    ["cell-12", boughtAt("62000")],
    ["cell-50", boughtAt("66000")]
  ])

  it("sells what it bought above its cost, in a cell that it still has", () => {
    const first = decideAt(strategyOf(file(21)), price("62500"))
    const edited = decideAt(strategyOf(file(61)), price("57000"), first.memory, held)
    const sale = ordersOf(file(61), edited, held).find(({ slot }) => slot === "cell-12")
    assert.strictEqual(sale?.side, "SELL")
    assert.isTrue(
      Decimal.isGreater(sale?.price ?? Decimal.zero, price("62000")),
      Decimal.format(sale?.price ?? price("1"))
    )
    const losing = file(61, ", allowLoss: true")
    const allowed = ordersOf(losing, decideAt(strategyOf(losing), price("57000"), first.memory, held), held)
    assert.isTrue(allowed.some(({ slot, price: at }) => slot === "cell-12" && Decimal.isLess(at, price("62000"))))
  })

  it("sells what a cell bought that is no more, at the lowest level above its cost", () => {
    const first = decideAt(strategyOf(file(61)), price("66500"))
    const edited = decideAt(strategyOf(file(21)), price("57000"), first.memory, held)
    const sale = ordersOf(file(21), edited, held).find(({ slot }) => slot === "cell-50")
    assert.strictEqual(
      `${sale?.side} ${sale?.quantity} at ${Decimal.format(sale?.price ?? price("1"))}`,
      "SELL 200000 at 67000"
    )
    const sold: Slots = new Map([["cell-50", { ...boughtAt("66000"), completedLegs: 2, lastLeg: { side: "SELL" } }]])
    const after = decideAt(strategyOf(file(21)), price("57000"), edited.memory, sold)
    assert.isFalse(after.desired.some(({ slot }) => slot === "cell-50"))
  })

  it("never buys above the market, nor sells below its cost, for any levels and prices", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const next = random(seed)
      const [before, after] = [3 + Math.floor(next() * 60), 3 + Math.floor(next() * 60)]
      const start = price(String(50_500 + Math.floor(next() * 19_000)))
      const now = price(String(50_500 + Math.floor(next() * 19_000)))
      const first = decideAt(strategyOf(file(before)), start)
      const slots: Slots = new Map(
        first.desired.flatMap(({ slot, legs }) =>
          legs[0].side === "BUY" && Decimal.isGreater(legs[0].price, now)
            ? [[slot, boughtAt(String(Math.round(Decimal.toNumber(legs[0].price))))] as const]
            : []
        )
      )
      const edited = decideAt(strategyOf(file(after)), now, first.memory, slots)
      for (const order of ordersOf(file(after), edited, slots)) {
        const cost = slots.get(order.slot)?.lastLeg?.made
        const about = `seed ${seed}: ${order.slot} ${order.side} at ${Decimal.format(order.price)}`
        if (order.side === "BUY" && before !== after) assert.isFalse(Decimal.isGreater(order.price, now), about)
        if (order.side === "SELL" && cost !== undefined)
          assert.isAtLeast(Decimal.toNumber(order.price), Number(cost.quote * 100n) / Number(cost.base), about)
      }
    }
  })
})
