/** Prices that matter to a strategy beside its orders, as the status and the chart of the page show them. */
import { assert, describe, it } from "@effect/vitest"
import { noPosition } from "../../src/domain/CostBasis.ts"
import { untouchedSlot, type View } from "../../src/strategy/View.ts"
import { levelsOf } from "../../src/views/Levels.ts"
import { price, strategyOf, viewAt } from "../strategy/support.ts"

const levelsIn = (section: string, basis = noPosition.basis, slots: View["slots"] = new Map()) => {
  const strategy = strategyOf(`name: s
market: BTC/USDC
limits: { budget: { base: 1, quote: 60000 } }
${section}`)
  const view = viewAt(strategy, price("60000"))
  const trading = new Map([["BTC/USDC", { position: { ...noPosition, basis } }]])
  const levels = levelsOf(strategy, trading, strategy.decide(view, strategy.initialMemory), () => slots)
  return levels.map(({ kind, price: at }) => `${kind} ${at}`)
}
const bracket = "kind: bracket\nbracket: { side: buy, size: { base: 0.1 }, entry: 59000, takeProfit: 62000, stop: 57000"

describe("the levels of a strategy", () => {
  it("are the stop and the target of an order that has not filled", () => {
    assert.deepStrictEqual(levelsIn(`${bracket} }\n`), ["stop 57000", "target 62000"])
  })

  it("have no target of a slot whose legs have all filled", () => {
    const slots = new Map([["position", { ...untouchedSlot, completedLegs: 2 }]])
    assert.deepStrictEqual(levelsIn(`${bracket} }\n`, noPosition.basis, slots), ["stop 57000"])
  })

  it("name a stop that follows the price as such, whatever a comment says", () => {
    assert.deepStrictEqual(levelsIn(`${bracket}, trail: 1% }\n`)[0], "trail 58410")
    assert.deepStrictEqual(levelsIn(`${bracket} } # trail: later\n`)[0], "stop 57000")
  })

  it("are the ends of a grid's range", () => {
    const grid = "kind: grid\ngrid: { lower: 50000, upper: 70000, levels: 5, size: { base: 0.01 } }\n"
    assert.deepStrictEqual(levelsIn(grid), ["range-low 50000", "range-high 70000"])
  })

  it("are the average entry and the price that brings back the cost of a position, fees included", () => {
    const basis = { ...noPosition.basis, position: 10_000_000n, cost: 5_900_000_000n, realised: -10_000_000n }
    const levels = levelsIn(
      "kind: grid\ngrid: { lower: 50000, upper: 70000, levels: 5, size: { base: 0.01 } }\n",
      basis
    )
    assert.deepStrictEqual(levels.slice(2), ["average-entry 59000", "break-even 59100"])
  })
})
