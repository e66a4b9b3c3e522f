/** What people write who come from other programs: each mistake names the line to write. */
import { assert, describe, it } from "@effect/vitest"
import { problemsOf } from "../support.ts"

const said = (side: string, price: string, then: string) =>
  problemsOf(`name: s
market: BTC/USDC
kind: rules
limits: { budget: { quote: 60000 } }
rules: { orders: { dip: { when: mid < 50000, side: ${side}, price: ${price}, size: { quote: 100 }, then: { ${then} } } } }
`).map(({ hint }) => hint)

describe("words of other programs", () => {
  it.each([
    ["long", "mid", "stop: entry - 1", 'did you mean "buy"?'],
    ["short", "mid", "stop: entry + 1", 'did you mean "sell"?'],
    ["buy", "market", "stop: entry - 1", "an order at the market is price: mid with by: swap"],
    ["buy", "mid", "stop: 3%", "write entry * (1 + 3%) or entry * (1 - 3%)"],
    ["buy", "mid", "stop: -3%", "write entry * (1 - 3%)"],
    ["buy", "mid", "price: +2%", "write mid * (1 + 2%)"],
    ["buy", "-1%", "stop: entry - 1", "write mid * (1 - 1%)"]
  ])("get the line to write as advice: side: %s, price: %s, %s", (side, price, then, hint) =>
    assert.deepStrictEqual(said(side, price, then), [hint])
  )
})
