/** Rules that sell the strategy's position beside exits of other rules: no base is sold twice. */
import { assert, describe, it } from "@effect/vitest"
import * as CrossingIndex from "../../../src/candles/CrossingIndex.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { noCosts } from "../../../src/lab/backtest/kernel/FillPresets.ts"
import * as FillRows from "../../../src/lab/backtest/results/FillRows.ts"
import { armedLeg, type Memory } from "../../../src/strategy/Decision.ts"
import { type OwnState, progressOf, type SlotProgress, untouchedSlot } from "../../../src/strategy/View.ts"
import { price, strategyOf, viewAt } from "../../strategy/support.ts"
import { runOneMarket } from "../../world/oneMarket.ts"
import { waves } from "./waves.ts"

const entry = (exit: string, times = 1) =>
  `{ when: mid > 99.5, side: buy, price: 100, size: { base: 4 }, times: ${times}, pause: 1m, then: { ${exit} } }`
const seller = (size = "{ position: 100% }") =>
  `{ when: mid < 98 and position > 0, side: sell, price: mid * (1 - 0.1%), size: ${size} }`
const rules = (orders: Readonly<Record<string, string>>, budget = "base: 10, quote: 500") =>
  strategyOf(`name: t
market: BTC/USDC
kind: rules
limits: { budget: { ${budget} } }
rules: { timeframe: 1m, orders: { ${Object.entries(orders)
    .map(([name, rule]) => `${name}: ${rule}`)
    .join(", ")} } }
`)

const btc = 100_000_000n
const bought: SlotProgress = {
  ...untouchedSlot,
  completedLegs: 1,
  receivedByLastLeg: 4n * btc,
  lastLeg: { side: "BUY", quantity: 4n * btc },
  bought: 4n * btc,
  paid: 400_000_000n,
  filledAt: price("100")
}
const sold = (base: bigint): SlotProgress => ({
  ...untouchedSlot,
  completedLegs: 1,
  lastLeg: { side: "SELL", quantity: base },
  receivedByLastLeg: 1n,
  sold: base,
  proceeds: 1n,
  filledAt: price("97")
})

/** Decides at each price; the slots as they are then. */
const decided = (
  strategy: ReturnType<typeof rules>,
  moments: ReadonlyArray<readonly [mid: string, slots: Readonly<Record<string, SlotProgress>>]>
) => {
  let memory: Memory = null
  return moments.map(([mid, progress], index) => {
    const slots = new Map(Object.entries(progress))
    const position = [...slots.values()].reduce((sum, slot) => sum + slot.bought - slot.sold, 0n)
    const own: OwnState = { openOrders: 0, freeBase: 10n * btc, freeQuote: btc, position, realisedProfit: 0n }
    const view = { ...viewAt(strategy, price(mid), slots, index * 120_000), own }
    const decision = strategy.decide(view, memory)
    memory = decision.memory
    return decision.desired.flatMap((each) => {
      const order = armedLeg(each, progressOf(view, each.slot))
      return order === undefined
        ? []
        : [`${each.slot} ${order.side} ${Decimal.format(Decimal.make(order.quantity, 8))}${each.neverMore ? "!" : ""}`]
    })
  })
}

describe("a rule that sells the position", () => {
  it.each(["stop: entry * (1 - 5%)", "stop: entry * (1 - 5%), price: 120", "when: mid < 95"])(
    "leaves nothing to sell for an exit by %s",
    (exit) => {
      const strategy = rules({ a: entry(exit, 2), b: seller() })
      const [first, , , after, again] = decided(strategy, [
        ["100", {}],
        ["99", { a: bought }],
        ["97", { a: bought }],
        ["94", { a: bought, b: sold(4n * btc) }],
        ["100", { a: bought, b: sold(4n * btc) }]
      ])
      assert.deepStrictEqual([first, after], [["a BUY 4"], []])
      assert.deepStrictEqual(again, ["a BUY 4"], "its entry comes again")
    }
  )

  it("leaves the rest to an exit after a part", () => {
    for (const size of ["{ position: 25% }", "{ base: position / 4 }"]) {
      const strategy = rules({ a: entry("stop: entry * (1 - 5%)"), b: seller(size) })
      const orders = decided(strategy, [
        ["100", {}],
        ["99", { a: bought }],
        ["97", { a: bought, b: sold(btc) }],
        ["94", { a: bought, b: sold(btc) }]
      ])
      assert.include(orders[3] ?? [], "a SELL 3!", size)
    }
  })

  it("leaves an exit whole while others hold enough", () => {
    const other = "{ when: mid > 99.5, side: buy, price: 100, size: { base: 4 }, times: 1 }"
    const strategy = rules({ a: entry("stop: entry * (1 - 5%)"), c: other, b: seller("{ position: 50% }") })
    const orders = decided(strategy, [
      ["100", {}],
      ["99", { a: bought, c: bought }],
      ["94", { a: bought, c: bought, b: sold(4n * btc) }]
    ])
    assert.include(orders[2] ?? [], "a SELL 4")
  })

  it.each(["{ base: 4 }", '{ base: "4 BTC * rsi(close, 14) / 100" }'])(
    "is none if it sells base of the budget, such as %s",
    (size) => {
      const strategy = rules({ a: entry("stop: entry * (1 - 5%)"), b: seller(size), c: seller() })
      const orders = decided(strategy, [
        ["100", {}],
        ["99", { a: bought }],
        ["94", { a: bought, b: sold(4n * btc) }]
      ])
      assert.include(orders[2] ?? [], "a SELL 4")
    }
  )

  it.each(["base: 10, quote: 500", "quote: 500"])("sells once in a backtest with the budget %s", (budget) => {
    const strategy = rules({ a: entry("stop: entry * (1 - 5%)"), b: seller() }, budget)
    const candles = waves([100.2, 99.8, 99.7, 97.5, 97, 96, 94, 93, 92, 91], 10)
    const index = CrossingIndex.linearIndices(candles)
    const { outcome } = runOneMarket(strategy, candles, index, "optimistic", { costs: noCosts, changes: {} })
    const fills = [...FillRows.rows(outcome, candles)].map(({ side, slot }) => `${slot} ${side}`)
    assert.deepStrictEqual(fills, ["0 BUY", "1 SELL"])
  })
})
