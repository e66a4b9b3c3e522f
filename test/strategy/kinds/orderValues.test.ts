/** Orders that the limits of their own file refuse whenever they are to be placed: `check` and `plan` say so before. */
import { assert, describe, it } from "@effect/vitest"
import { strategyOf } from "../support.ts"

const warned = (kind: string, section: string, limit: string) =>
  strategyOf(`name: test
market: BTC/USDC
kind: ${kind}
limits: { budget: { base: 9, quote: 900000 }, ${limit} }
${kind}: ${section}
`).warnings?.map(({ message }) => message)

const kinds: ReadonlyArray<readonly [kind: string, section: (size: string, factor: number) => string]> = [
  ["grid", (size) => `{ lower: 1000, upper: 2000, levels: 3, size: ${size} }`],
  ["grid", (size) => `{ step: 1%, fundNearest: 2, size: ${size} }`],
  ["dca", (size) => `{ every: 1d, times: 2, size: ${size} }`],
  ["deals", (size) => `{ takeProfit: 1%, size: ${size} }`],
  ["deals", (size) => `{ takeProfit: 1%, size: { quote: 60 }, safety: { orders: 1, distance: 1%, size: ${size} } }`],
  ["bracket", (size) => `{ side: buy, entry: 1000, takeProfit: 1100, stop: 999, size: ${size} }`],
  ["bracket", (size) => `{ side: buy, entry: 1%, takeProfit: 5%, stop: 3%, size: ${size} }`],
  ["rules", (size) => `{ orders: { in: { when: mid > 0, side: buy, price: mid, size: ${size} } } }`],
  ["ladder", (_, size) => `{ side: buy, from: 1000, to: 900, rungs: 2, total: { quote: ${2 * size} } }`],
  ["twap", (_, size) => `{ side: buy, limit: 1000, over: 1h, slices: 2, total: { quote: ${2 * size} } }`],
  ["iceberg", (size) => `{ side: buy, price: 1000, total: { quote: 600 }, visible: ${size} }`]
]

describe("orders that limits refuse", () => {
  it.each(kinds)("of %s give a warning in check: %s", (kind, section) => {
    const of = (size: number) => section(`{ quote: ${size} }`, size)
    assert.isUndefined(warned(kind, of(60), "minOrder: 50, maxNotional: 100"))
    assert.match(
      warned(kind, of(40), "minOrder: 50")?.join() ?? "",
      /^an order worth [\d.]+ USDC is not placed: limits\.minOrder is 50 USDC$/
    )
    assert.match(
      warned(kind, of(200), "maxNotional: 100")?.join() ?? "",
      /^an order worth [\d.]+ USDC is not placed: limits\.maxNotional is 100 USDC$/
    )
  })

  it("of a part of a bracket's targets give a warning", () => {
    const parts = (size: string, prices: string) =>
      `{ side: buy, ${prices}, takeProfit: [{ at: 2%, part: 80% }, { at: 4%, part: 20% }], size: ${size} }`
    const byQuote = parts("{ quote: 400 }", "entry: 1%, stop: 3%")
    const message = (worth: number) => [`an order worth ${worth} USDC is not placed: limits.minOrder is 95 USDC`]
    assert.deepStrictEqual(warned("bracket", byQuote, "minOrder: 95"), message(80))
    assert.isUndefined(warned("bracket", byQuote, "minOrder: 80"))
    const byBase = parts("{ base: 0.5 }", 'entry: "1000", stop: "900"')
    const part = ["an order worth 100 USDC is not placed: limits.minOrder is 105 USDC"]
    assert.deepStrictEqual(warned("bracket", byBase, "minOrder: 105"), part)
  })

  it("of an exit at a distance below its entry give a warning", () => {
    const text = (worth: number, least: number) => [
      `an order worth ${worth} USDC is not placed: limits.minOrder is ${least} USDC`
    ]
    const bracket = "{ side: buy, entry: 1%, takeProfit: 5%, stop: 3%, size: { quote: 100 } }"
    assert.deepStrictEqual(warned("bracket", bracket, "minOrder: 98"), text(97, 98))
    assert.isUndefined(warned("bracket", bracket, "minOrder: 97, maxNotional: 100"))
    const written = '{ side: buy, entry: "1000", takeProfit: 5%, stop: 3%, size: { base: 0.1 } }'
    assert.deepStrictEqual(warned("bracket", written, "minOrder: 98"), text(97, 98))
    const back = "{ side: sell, entry: 1%, takeProfit: 5%, stop: 3%, size: { quote: 100 } }"
    assert.strictEqual(warned("bracket", back, "minOrder: 98")?.[0], text(95, 98)[0])
    const rule = (then: string) =>
      `{ orders: { in: { when: mid > 0, side: buy, price: mid, size: { quote: 100 }, then: { ${then} } } } }`
    assert.deepStrictEqual(warned("rules", rule("stop: entry * (1 - 4%)"), "minOrder: 98"), text(96, 98))
    assert.isUndefined(warned("rules", rule("stop: entry - 2 * atr(14)"), "minOrder: 98"))
    assert.deepStrictEqual(
      warned("deals", "{ takeProfit: 1%, stop: 6%, size: { quote: 100 } }", "minOrder: 98"),
      text(94, 98)
    )
  })

  it("of an exit smaller than its entry give a warning, because the position would have no exit", () => {
    const section = "{ side: buy, entry: 1000, takeProfit: 1100, stop: 900, size: { base: 0.1 } }"
    assert.deepStrictEqual(warned("bracket", section, "minOrder: 95"), [
      "an order worth 90 USDC is not placed: limits.minOrder is 95 USDC"
    ])
  })
})
