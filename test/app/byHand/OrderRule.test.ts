/** The rule of an order by hand: several targets in one text, on one line of a file, and in the words of a list. */
import { assert, describe, it } from "@effect/vitest"
import { Option, Result, Schema } from "effect"
import { repriced, ruleOf, sentenceOf, slotsOf, termsIn, wholeOf } from "../../../src/app/byHand/OrderRule.ts"
import { OrderRequest, wordsOfOrder } from "../../../src/control/api/Order.ts"
import * as ByHand from "../../../src/files/ByHand.ts"
import * as StrategyFile from "../../../src/strategy/StrategyFile.ts"
import { market } from "../../world/bitcoin.ts"

const markets = { assets: [market.base, market.quote], ticks: new Map() }
const plain = { side: "buy", market: market.name, amount: "0.01000001", price: "59000" } as const
const exits = { takeProfit: "2%:50%,62000:50%", stop: "57000", breakevenAt: "2%" } as const

const written = (request: OrderRequest): string => {
  const result = ruleOf(request, market)
  return "why" in result ? assert.fail(result.why) : result.rule
}
const fileOf = (rule: string): string =>
  ByHand.edited("", market, { orders: new Map([["buy-00000001", rule]]), budget: { base: 0n, quote: 700_000_000n } })
const mistakesIn = (request: OrderRequest): ReadonlyArray<string> =>
  Result.match(StrategyFile.parse(fileOf(written(request)), "orders.yaml", markets), {
    onSuccess: () => [],
    onFailure: (problems) => problems.map(({ message }) => message)
  })

describe("an order by hand with several targets", () => {
  it("is one line with a list of targets, which the reader of strategy files accepts", () => {
    const rule = written({ ...plain, ...exits })
    const targets = '[{ at: "entry * (1 + 2%)", part: 50% }, { at: 62000, part: 50% }]'
    assert.include(rule, `then: { price: ${targets}, stop: 57000, breakevenAt: "entry * (1 + 2%)" } }`)
    assert.deepStrictEqual([...ByHand.ordersIn(fileOf(rule))], [["buy-00000001", rule]])
    assert.deepStrictEqual(mistakesIn({ ...plain, ...exits }), [])
    assert.include(written({ ...plain, ...exits, side: "sell" }), 'at: "entry * (1 - 2%)"')
    assert.strictEqual(written({ ...plain, ...exits, takeProfit: "2%:50%, 62000:50%" }), rule)
  })

  it("has a slot for each target, and the last one takes the rest", () => {
    const terms = termsIn(market, written({ ...plain, ...exits }))
    assert.deepStrictEqual(slotsOf("buy-00000001", terms), [
      { slot: "buy-00000001-1", size: 500_000n },
      { slot: "buy-00000001-2", size: 500_001n }
    ])
    for (const takeProfit of ["2%", "2%:100%"])
      assert.deepStrictEqual(slotsOf("buy-00000001", termsIn(market, written({ ...plain, takeProfit }))), [
        { slot: "buy-00000001", size: 1_000_001n }
      ])
    assert.strictEqual(wholeOf(market, written({ ...plain, ...exits })), "0.01000001")
  })

  it("shows its targets in its terms, also at another price", () => {
    const then = "then take-profit: 50% at +2%, 50% at 62000, stop: 57000, breakeven: +2%"
    const rule = written({ ...plain, ...exits })
    assert.strictEqual(sentenceOf(market, rule), `BUY 0.01000001 BTC at 59000 USDC, ${then}`)
    const moved = repriced(rule, "58500")
    assert.strictEqual(
      sentenceOf(market, "rule" in moved ? moved.rule : moved.why),
      `BUY 0.01000001 BTC at 58500 USDC, ${then}`
    )
    const single = "BUY 0.01000001 BTC at 59000 USDC, then take-profit: +5%, stop: 57000"
    assert.strictEqual(sentenceOf(market, written({ ...plain, takeProfit: "5%", stop: "57000" })), single)
  })

  it("shows its condition and its duration in its terms", () => {
    const waiting = { ...plain, when: 'mid < close("ETH/USDC", 1h)', expire: "6h", stop: "5%" }
    assert.strictEqual(
      sentenceOf(market, written(waiting)),
      'BUY 0.01000001 BTC at 59000 USDC when mid < close("ETH/USDC", 1h), expires after 6h, then stop: -5%'
    )
  })

  it("is refused with the words of the strategy reader", () => {
    const mistakesOf = (takeProfit: string) => mistakesIn({ ...plain, takeProfit })
    assert.deepStrictEqual(mistakesOf("2%:50%,5%:40%"), ["the parts of the targets add up to 90%, not to 100%"])
    assert.deepStrictEqual(mistakesOf("2%:50%"), ["the parts of the targets add up to 50%, not to 100%"])
    assert.deepStrictEqual(mistakesOf(Array(11).fill("2%:9%").join(",")), ["at most 10 targets"])
    assert.deepStrictEqual(mistakesOf("58000:50%,62000:50%"), ["the exit must be above the entry price 59000"])
    for (const [side, breakevenAt, place] of [
      ["buy", "58000", "above"],
      ["sell", "59000", "below"]
    ] as const)
      assert.deepStrictEqual(ruleOf({ ...plain, side, breakevenAt }, market), {
        why: `breakevenAt must be ${place} the entry price 59000`
      })
  })

  it("in parts buys no further part after its stop", () => {
    const request = { ...plain, amount: "0.03", parts: 3 } as const
    const rule = written({ ...request, takeProfit: "2%", stop: "57000" })
    assert.include(rule, "stop: 57000, ends: true }")
    assert.deepStrictEqual(mistakesIn({ ...request, takeProfit: "2%", stop: "57000" }), [])
    assert.match(sentenceOf(market, rule), /in 3 parts at 59000 USDC, then take-profit: \+2%, stop: 57000$/)
    assert.notInclude(written({ ...request, takeProfit: "2%" }), "ends")
    assert.notInclude(written({ ...plain, stop: "57000" }), "ends")
  })

  it("is one text in a request", () => {
    const decode = Schema.decodeUnknownOption(OrderRequest)
    const isTaken = (takeProfit: string) => Option.isSome(decode({ ...plain, takeProfit }))
    for (const text of ["61000", "2%", "2%:100%", "2%:50%,5%:50%", "2.5%:33.3%, 61000:66.7%"])
      assert.isTrue(isTaken(text), text)
    for (const text of ["", "0", "0%", "2%,5%:50%", "2%:50%,5%", "2%:50", "2%:50%;5%:50%", "0%:50%,5%:50%", "2%:50%,"])
      assert.isFalse(isTaken(text), text)
    assert.match(
      Result.match(Schema.decodeUnknownResult(OrderRequest)({ ...plain, takeProfit: "2%,5%" }), {
        onSuccess: () => "",
        onFailure: ({ message }) => message
      }),
      /or several, each with its part, such as 2%:50%,5%:50%/
    )
  })

  it("is written in a chat as in a terminal", () => {
    const words = "buy 0.01000001 BTC/USDC at 59000 take-profit 2%:50%,62000:50% stop 57000 breakeven 2%"
    assert.deepStrictEqual(wordsOfOrder(words.split(" ")), { ...plain, ...exits })
    const ofApi = words.replace("take-profit", "takeProfit").replace("stop", "Stop").replace("breakeven", "breakevenAt")
    assert.deepStrictEqual(wordsOfOrder(ofApi.split(" ")), { ...plain, ...exits })
  })
})
