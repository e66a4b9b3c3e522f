/** Rules whose size or price has no value before the first fill: check and the backtest say so. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { inventoryOf } from "../../../src/strategy/kinds/marketMaking/Inventory.ts"
import { parse } from "../../../src/strategy/StrategyFile.ts"
import { untouchedSlot } from "../../../src/strategy/View.ts"
import { markets, strategyOf, viewAt } from "../support.ts"

const warnings = (orders: string) =>
  Result.getOrThrow(
    parse(
      `name: t
market: SOL/USDC
kind: rules
limits: { budget: { quote: 2000 } }
rules:
  timeframe: 1m
  orders:
${orders}
`,
      "t.yaml",
      markets
    )
  ).warnings?.map(({ message }) => message) ?? []

const needing =
  "    a: { when: mid > 1, side: buy, price: mid, size: { quote: 'max(50 USDC, averageEntry * position * 60%)' } }"

describe("rules that need a position", () => {
  it("have a warning if no rule begins one", () => {
    assert.deepStrictEqual(warnings(needing), [
      "rule a never fires: its size has no value without a position, and no rule begins one"
    ])
    const priced = "    b: { when: mid > 1, side: sell, price: averageEntry * 1.01, size: { position: 100% } }"
    assert.lengthOf(warnings(`${needing}\n${priced}`), 2)
  })

  it("are valid beside a rule that buys first", () => {
    const first = "    first: { when: mid < 1, side: buy, price: mid, size: { quote: 50 } }"
    assert.deepStrictEqual(warnings(`${needing}\n${first}`), [])
  })
})

describe("an inventory that sizes follow", () => {
  it("counts to the unit", () => {
    const levels = [{ bid: "bid-00", ask: "ask-00", quantity: 100n }]
    const stock = { net: 150n, slots: { BUY: [{ ...untouchedSlot, filledInLeg: 50n }], SELL: [untouchedSlot] } }
    const whole = { levels, maxInventory: 1_000n, quantity: 100n, maxImpact: undefined }
    assert.strictEqual(inventoryOf({ ...whole, sizeSkew: Decimal.half }, stock), 150n)
    assert.strictEqual(inventoryOf({ ...whole, sizeSkew: undefined }, stock), 100n)
  })
})

describe("a rule that sells the position", () => {
  const all = "    all: { when: mid < 90, side: sell, price: mid, size: { position: 100% } }"
  const first = (exit: string) =>
    `    first: { when: mid > 1, side: buy, price: mid, size: { quote: 50 }, then: { ${exit} } }`

  it("has a warning if open exits hold the position", () => {
    for (const seller of [all, all.replace("position: 100%", "base: position")])
      assert.deepStrictEqual(warnings(`${first("price: entry * 1.1")}\n${seller}`), [
        "rule all sells a share of the position, and the exit of rule first holds what it bought: while that rests, nothing is free"
      ])
    assert.deepStrictEqual(warnings(`${first("stop: entry * 0.9")}\n${all}`), [])
  })

  it("says why no order follows while its own exit holds the base", () => {
    const strategy = strategyOf(
      `name: t\nmarket: SOL/USDC\nkind: rules\nlimits: { budget: { base: 3, quote: 2000 } }\nrules:\n  timeframe: 1m\n  orders:\n${all}\n`
    )
    const own = { openOrders: 1, freeBase: 0n, freeQuote: 0n, position: 3_000_000_000n, realisedProfit: 0n }
    const { absent } = strategy.decide({ ...viewAt(strategy, Decimal.make(80n)), own }, strategy.initialMemory)
    assert.deepStrictEqual(
      absent.map(({ slot, why }) => [slot, why.code, why.text]),
      [["all", "no-order", "its size comes to 3 SOL, and no SOL is free outside its orders"]]
    )
  })
})
