import { assert, describe, it } from "@effect/vitest"
import { nothing } from "../../../src/ledger/Profit.ts"
import * as ProfitText from "../../../src/report/text/ProfitText.ts"

const assets = new Map([["USDC", { symbol: "USDC", id: "usdc", decimals: 6 }]])
const returns = { timeWeighted: 0.01, moneyWeighted: null, maxDrawdown: 0.002, againstHolding: 3 }
const textOf = (filled: number): string => {
  const orders = {
    rested: 4,
    filled,
    fillRatio: filled / 4,
    medianMillisToFill: null,
    requotes: 1,
    costPerRequote: null,
    feesPaid: 0,
    feesEstimated: 0,
    markout: { "1m": 0.001, "5m": null }
  }
  return ProfitText.lines(
    {
      method: "average",
      whole: [{ group: "", quote: "USDC", figures: nothing }],
      by: "slot",
      groups: ["grid/", "grid/cell-01"].map((group) => ({ group, quote: "USDC", figures: nothing })),
      markedAt: undefined,
      statistics: new Map([["USDC", { orders, returns }]])
    },
    assets
  ).join("\n")
}

describe("profit as text", () => {
  it("names what belongs to no slot, and tells what came after fills only where there are some", () => {
    assert.match(textOf(0), /\ngrid \(budget\) +0.*\ngrid\/cell-01 +0/)
    assert.match(textOf(0), /0 of 4 orders filled; 1 repriced\n/)
    assert.match(
      textOf(2),
      /2 of 4 orders filled; 1 repriced\. Price after a fill, in our favour: 1m 0\.10 %, 5m not known\n/
    )
  })
})
