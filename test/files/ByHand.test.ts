/** Files of orders by hand: one line is one order, and an edit touches that line alone. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as ByHand from "../../src/files/ByHand.ts"
import { wantedBy } from "../../src/orderbook/Wanted.ts"
import * as StrategyFile from "../../src/strategy/StrategyFile.ts"
import { market } from "../world/bitcoin.ts"

const markets = { assets: [market.base, market.quote], ticks: new Map() }
const rule = (price: number) => `{ when: "mid > 0", side: buy, price: ${price}, size: { base: 0.01 }, times: 1 }`
const budget = { base: 0n, quote: 1_200_000_000n }
const two = new Map([
  ["buy-00000001", rule(59_000)],
  ["buy-00000002", rule(58_000)]
])
const text = ByHand.edited("", market, { orders: two, budget })

const strategyIn = (written: string) =>
  Result.getOrThrow(StrategyFile.parse(written, "journal.by-hand-btc-usdc.yaml", markets))

describe("a file of orders by hand", () => {
  it("is another one for each market, also if names differ only in case or in signs", () => {
    const names = ["BTC/USDC", "btc/USDC", "Btc/USDC", "BTC/USDC.e", "BTC/USDC-E", "BTC/USDC/E"]
    const files = names.map((name) => ByHand.fileOf("journal", { name }).toLowerCase())
    assert.strictEqual(new Set(files).size, names.length)
    assert.strictEqual(files[0], "journal.by-hand-btc-usdc.yaml")
  })

  it("is a valid strategy with its orders, with one, and with none", () => {
    const one = ByHand.edited(text, market, { orders: new Map([...two].slice(1)), budget, cancelled: "buy-00000001" })
    const none = ByHand.edited(one, market, {
      orders: new Map(),
      budget: { base: 0n, quote: 0n },
      cancelled: "buy-00000002"
    })
    for (const [written, count] of [
      [text, 2],
      [one, 1],
      [none, 0]
    ] as const) {
      assert.strictEqual(strategyIn(written).name, "by-hand-btc-usdc")
      assert.strictEqual(ByHand.ordersIn(written).size, count)
    }
    assert.deepStrictEqual(ByHand.cancelledIn(none), ["buy-00000002", "buy-00000001"])
    assert.deepStrictEqual(ByHand.cancelledIn(text), [])
    assert.strictEqual(
      ByHand.edited(none, market, { orders: two, budget }).replace(/^# cancelled:.*$/m, "# cancelled:"),
      text
    )
  })

  it("has an order with several targets on one line, and each target has a slot of this order", () => {
    const targets = '[{ at: "entry * (1 + 2%)", part: 50% }, { at: 62000, part: 50% }]'
    const split = rule(58_000).replace(" }", ` }, then: { price: ${targets}, stop: 57000 }`)
    const orders = new Map([...two, ["buy-00000003", split]])
    const written = ByHand.edited("", market, { orders, budget: { base: 0n, quote: 1_800_000_000n } })
    assert.deepStrictEqual(ByHand.ordersIn(written), orders)
    assert.strictEqual(ByHand.edited(written, market, { orders: two, budget }), text)
    const slots = ["buy-00000003-2", "by-hand-btc-usdc/sell-0000000a-10", "buy-00000003", "position-2"]
    assert.deepStrictEqual(slots.map(ByHand.orderOf), [
      "buy-00000003",
      "by-hand-btc-usdc/sell-0000000a",
      "buy-00000003",
      "position-2"
    ])
  })

  it("asks for the price of its largest order, no matter how many orders have ended", () => {
    const sizesIn = (orders: ReadonlyMap<string, string>) => {
      const written = ByHand.edited("", market, { orders, budget })
      return wantedBy([ByHand.withLargestOrder(strategyIn(written))]).map(({ sizes }) => sizes)
    }
    const sale = rule(62_000).replace("side: buy", "side: sell").replace("0.01", "0.02")
    assert.deepStrictEqual(sizesIn(two), [{ base: 0n, quote: 590_000_000n }])
    assert.deepStrictEqual(sizesIn(new Map([...two, ["sell-00000003", sale]])), [
      { base: 2_000_000n, quote: 590_000_000n }
    ])
    assert.deepStrictEqual(sizesIn(new Map()), [{ base: 100_000_000n, quote: 0n }])
    const rewritten = rule(59_000).replace("size: { base: 0.01 }", "size: { quote: 100 }")
    assert.deepStrictEqual(sizesIn(new Map([["buy-00000001", rewritten]])), [{ base: 0n, quote: 120_000_000n }])
  })

  it("asks for the price of its largest order that has not ended", () => {
    const split = "side: buy, price: 57000, size: { base: 0.02 }, times: 1, then: { price: [{}, {}] }"
    const orders = new Map([...two, ["buy-00000003", `{ when: "close >= 0", ${split} }`]])
    const strategy = ByHand.withLargestOrder(strategyIn(ByHand.edited("", market, { orders: two, budget })))
    const all = ByHand.withLargestOrder({ ...strategy, text: ByHand.edited("", market, { orders, budget }) })
    const quoteWith = (...ends: ReadonlyArray<readonly [string, boolean]>) =>
      wantedBy([all], () => new Map(ends)).map(({ sizes }) => sizes.quote)
    assert.deepStrictEqual(quoteWith(), [1_140_000_000n])
    assert.deepStrictEqual(quoteWith(["buy-00000003-1", true], ["buy-00000003-2", false]), [1_140_000_000n])
    const [first = "", second = ""] = two.keys()
    const ended = [["buy-00000003-1", true] as const, ["buy-00000003-2", true] as const]
    assert.deepStrictEqual(quoteWith(...ended, [second, false]), [590_000_000n])
    assert.deepStrictEqual(
      wantedBy([all], () => new Map([...ended, [first, true], [second, true]])).map(({ sizes }) => sizes),
      [{ base: 100_000_000n, quote: 0n }]
    )
  })

  it("keeps the ids of orders that have left it", () => {
    const [first = "", second = ""] = two.keys()
    const without = ByHand.edited(text, market, { orders: new Map(), budget, ended: [first] })
    const next = ByHand.edited(without, market, { orders: new Map(), budget, ended: [second] })
    assert.deepStrictEqual([ByHand.endedIn(text), ByHand.endedIn(without)], [[], [first]])
    assert.deepStrictEqual(ByHand.endedIn(next), [first, second])
    assert.deepStrictEqual(ByHand.cancelledIn(next), [])
    assert.strictEqual(strategyIn(next).name, "by-hand-btc-usdc")
  })

  it("keeps the keys that a person wrote beside the orders", () => {
    const more = text
      .replace("limits:\n", "limits:\n  maxOrdersPerHour: 5\n")
      .replace("rules:\n", "rules:\n  timeframe: 4h\n")
    const edited = ByHand.edited(more, market, { orders: new Map([...two].slice(1)), budget })
    assert.strictEqual(strategyIn(edited).limits.maxOrdersPerHour, 5)
    assert.include(edited, "  timeframe: 4h\n")
  })

  it("an edit that only cancels is known as one; a new order, another price or a larger budget is not", () => {
    const isCancel = (orders: ReadonlyMap<string, string>, quote = budget.quote, before = text) =>
      ByHand.onlyCancels(strategyIn(ByHand.edited(before, market, { orders, budget: { base: 0n, quote } })), text)
    assert.isTrue(isCancel(new Map([...two].slice(1))))
    assert.isTrue(isCancel(new Map(), 1n))
    assert.isFalse(isCancel(new Map([...two].slice(1)), budget.quote + 1n))
    assert.isFalse(isCancel(new Map([...two, ["buy-00000003", rule(57_000)]])))
    assert.isFalse(isCancel(new Map([["buy-00000001", rule(58_500)]])))
    assert.isFalse(isCancel(new Map([...two].slice(1)), budget.quote, text.replace("kind:", "terms: {}\nkind:")))
  })
})
