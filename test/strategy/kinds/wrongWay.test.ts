/** Exits on the wrong side of their entry, and distances that no price ever comes to: refused, or never placed. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { decideAt, price, problemsOf, strategyOf } from "../support.ts"

const file = (kind: string, section: string, rest = "") => `name: test
market: BTC/USDC
kind: ${kind}
limits: { budget: { base: 5, quote: 100000 }${rest} }
${kind}: ${section}
`
const rule = (side: string, entry: string, then: string) =>
  file(
    "rules",
    `{ orders: { in: { when: mid > 0, side: ${side}, price: ${entry}, size: { base: 1 }, then: ${then} } } }`
  )
const bracket = (side: string, entry: string, takeProfit: string, stop: string) =>
  file("bracket", `{ side: ${side}, size: { base: 1 }, entry: ${entry}, takeProfit: ${takeProfit}, stop: ${stop} }`)

const messages = (text: string) => problemsOf(text).map(({ message }) => message)

describe("exits on the wrong side of the entry", () => {
  it.each([
    ["a rule that sells below its purchase", rule("buy", "mid", "{ price: entry * 0.9 }"), "the exit must be above"],
    ["by percent", rule("buy", "mid * (1 - 1%)", "{ price: entry * (1 - 2%) }"), "the exit must be above"],
    ["from the mid", rule("buy", "mid", "{ price: mid * 0.99 }"), "the exit must be above"],
    ["by a difference", rule("sell", "mid", "{ price: entry + 10 }"), "the exit must be below"],
    ["a stop above a purchase", rule("buy", "mid", "{ stop: entry * 1.05 }"), "the stop must be below"],
    ["a stop below a sale", rule("sell", "1000", "{ stop: 900 }"), "the stop must be above the entry price 1000"],
    ["a bracket's take-profit", bracket("buy", "mid", "entry * 0.9", "3%"), "the take-profit must be above"],
    ["a bracket's stop", bracket("sell", "1%", "5%", "entry - 10"), "the stop must be above the entry price"]
  ])("are reported: %s", (_, text, says) => {
    const found = messages(text)
    assert.strictEqual(found.length, 1)
    assert.include(found[0], says)
  })

  it.each([
    rule("buy", "bid", "{ price: ask }"),
    rule("buy", "mid", "{ price: entry + 10, stop: entry - 2 * atr(14) }"),
    rule("buy", "mid", "{ price: last * 1.01 }"),
    rule("buy", "mid", "{ price: entry * (1 + (hour - 12) / 100) }"),
    rule("buy", "mid", "{ price: entry * 0.98, by: swap }"),
    bracket("buy", "1%", "1200", "3%")
  ])("are accepted if some market puts them right: %s", (text) => assert.deepStrictEqual(messages(text), []))

  it.each([
    ["rules", rule("buy", "mid", "{ price: 1000, stop: 800 }")],
    ["a bracket", bracket("buy", "mid", "1000", "800")]
  ])("are not placed by %s if the market has passed them", (_, text) => {
    const strategy = strategyOf(text)
    const passed = decideAt(strategy, price("1100"))
    assert.deepStrictEqual(passed.desired, [])
    assert.deepStrictEqual(
      passed.absent.map(({ why: { code, text } }) => [code, text]),
      [["no-order", "its exit would be at 1000, not above its entry at 1100"]]
    )
    const stopped = decideAt(strategy, price("700"), passed.memory)
    assert.deepStrictEqual(
      stopped.absent.map(({ why }) => why.text),
      ["its stop would be at 800, not below its entry at 700"]
    )
    const [order] = decideAt(strategy, price("900"), stopped.memory).desired
    assert.deepStrictEqual(
      order?.legs.map(({ price }) => Decimal.format(price)),
      ["900", "1000"]
    )
  })

  it("are refused: a stop above its take-profit", () => {
    const section = "{ step: 1%, size: { quote: 100 }, fundNearest: 4, stop: 70000, takeProfit: 50000 }"
    assert.deepStrictEqual(messages(file("grid", section)), ["the stop must be below the take-profit 50000"])
  })

  it("are reported: a deal that trails further than its take-profit", () => {
    const warned = (trail: string) =>
      strategyOf(file("deals", `{ size: { quote: 100 }, takeProfit: 1%, trail: ${trail} }`)).warnings?.map(
        ({ message }) => message
      )
    assert.isUndefined(warned("0.9%"))
    assert.deepStrictEqual(warned("5%"), ["it may exit at a loss: trail is wider than takeProfit"])
  })
})

describe("distances that no price can reach", () => {
  const deals = (keys: string) => file("deals", `{ size: { quote: 100 }, takeProfit: 1%, ${keys} }`)
  const sales = (keys: string) => file("deals", `{ side: sell, size: { base: 0.1 }, ${keys} }`)
  const dca = (keys: string) => file("dca", `{ every: 1d, times: 2, ${keys} }`)
  const making = (keys: string) => file("market-making", `{ levels: 1, spread: 1%, size: 0.1, ${keys} }`)
  const fixed = (keys: string) => bracket("buy", "1000", "1100", `900, ${keys}`)
  it.each([
    ["trail of a bracket", fixed("trail: 150%")],
    ["trailStep", fixed("trail: 5%, trailStep: 100%")],
    ["reach of a bracket", fixed("reach: 100%")],
    ["trail of a bracket that follows the market", bracket("buy", "1%", "5%", "3%, trail: 150%")],
    ["reach of a bracket that follows the market", bracket("buy", "1%", "5%", "3%, reach: 200%")],
    ["stop by a distance", bracket("buy", "1%", "5%", "100%")],
    ["take-profit of a sale by a distance", bracket("sell", "1%", "120%", "3%")],
    ["trail of a rule", rule("buy", "mid", "{ price: entry * 2, trail: 100% }")],
    ["reach of a rule", rule("buy", "mid", "{ stop: entry * 0.9, reach: 10000bps }")],
    ["drop", dca("size: { quote: 10 }, drop: 100%")],
    ["reach of dca", dca("size: { quote: 10 }, reach: 150%")],
    ["trail of deals", deals("trail: 100%")],
    ["stop of deals", deals("stop: 100%")],
    ["reach of deals", deals("reach: 100%")],
    ["take-profit of sales", sales("takeProfit: 100%")],
    ["requote", making("requote: 100%")],
    ["maxImpact", making("maxImpact: 100%")],
    ["hanging.distance", making("hanging: { distance: 100% }")],
    ["rearm", file("grid", "{ lower: 1, upper: 2, levels: 3, size: { quote: 1 } }\nrearm: 100%")],
    ["maxDrawdown", file("grid", "{ lower: 1, upper: 2, levels: 3, size: { quote: 1 } }", ", maxDrawdown: 100%")]
  ])("are refused: %s", (_, text) => {
    const found = messages(text)
    assert.strictEqual(found.length, 1, found.join("\n"))
    assert.match(found[0] ?? "", /^no price falls by \d+%$/)
  })

  it.each([
    ["sizeSkew", making("sizeSkew: 101%")],
    ["vary", file("twap", "{ side: buy, total: { quote: 100 }, over: 1h, slices: 2, limit: 1000, vary: 101% }")],
    ["size.equity", rule("buy", "mid", "{ price: entry * 2 }").replace("base: 1", "equity: 101%")],
    ["size.risk", rule("buy", "mid", "{ stop: entry * 0.9 }").replace("base: 1", "risk: 101%")]
  ])("are refused if %s is more than the whole", (_, text) => {
    assert.deepStrictEqual(messages(text), ["101% is too much: at most 100% is possible"])
  })

  it("are those of a grid with levels more than a hundredfold apart", () => {
    const section = (step: string) => file("grid", `{ step: ${step}, size: { quote: 100 }, fundNearest: 1 }`)
    assert.deepStrictEqual(messages(section("9900%")), [])
    assert.strictEqual(messages(section("9901%")).length, 1)
  })

  it("do not exist upwards", () => {
    assert.deepStrictEqual(messages(dca("side: sell, size: { base: 1 }, drop: 150%")), [])
    assert.deepStrictEqual(messages(sales("takeProfit: 5%, stop: 150%")), [])
    assert.deepStrictEqual(messages(bracket("sell", "150%", "5%", "150%")), [])
  })
})
