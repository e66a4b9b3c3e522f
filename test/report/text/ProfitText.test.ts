import { assert, describe, it } from "@effect/vitest"
import { nothing, plus } from "../../../src/ledger/Profit.ts"
import * as ProfitText from "../../../src/report/text/ProfitText.ts"

const assets = new Map([["USDC", { symbol: "USDC", id: "usdc", decimals: 6 }]])
const returns = { timeWeighted: 0.01, moneyWeighted: null, maxDrawdown: 0.002 }
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
    markout: { "1m": 0.001, "5m": null, "60m": null }
  }
  return ProfitText.lines(
    {
      standings: [],
      method: "average",
      whole: [{ group: "", quote: "USDC", figures: nothing }],
      by: "slot",
      groups: ["grid/", "grid/cell-01"].map((group) => ({ group, quote: "USDC", figures: nothing })),
      markedAt: new Map(),
      statistics: new Map([["USDC", { orders, returns }]])
    },
    assets
  ).join("\n")
}

describe("profit as text", () => {
  it("names amounts that belong to no slot, and the move after fills only if there are some", () => {
    assert.match(textOf(0), /\ngrid \(budget\) +0.*\ngrid\/cell-01 +0/)
    assert.match(textOf(0), /0 of 4 orders filled; 1 repriced\n/)
    assert.match(
      textOf(2),
      /2 of 4 orders filled; 1 repriced\. Price after a fill, in our favour: 1m 0\.10 %, 5m not known, 60m not known\n/
    )
  })

  it("begins with the standing: rounded to the cent, with its share of the capital and since when", () => {
    const figures = plus(nothing, { gridProfit: 12_345_000n, inventory: -4_996_000n, fees: 3_400n, rounds: 31 })
    const standing = {
      quote: "USDC",
      figures,
      earnedToday: -40_000n,
      capital: 5_000_000_000n,
      equity: 5_007_346_600n,
      since: Date.UTC(2026, 0, 1, 4),
      share: 0.001469,
      shareOfYear: 0.1
    }
    assert.strictEqual(
      ProfitText.standingParts(standing, assets).join(", "),
      "total +7.35 (+0.15 %), grid profit +12.35, inventory -5.00, fees 0.0034, earned today -0.04, 31 rounds, +10.00 % a year, capital 5000.00, since 2026-01-01 04:00 UTC"
    )
    const totalFor = (share: number) => ProfitText.standingParts({ ...standing, share }, assets)[0]
    assert.deepStrictEqual([0.00004, -0.00004].map(totalFor), ["total +7.35 (0.00 %)", "total +7.35 (0.00 %)"])
    assert.deepStrictEqual(
      ProfitText.standingParts(
        {
          quote: "USDC",
          figures: nothing,
          earnedToday: 0n,
          capital: undefined,
          equity: undefined,
          since: undefined,
          share: undefined,
          shareOfYear: undefined
        },
        assets
      ),
      ["total 0.00", "grid profit 0.00", "inventory 0.00", "fees 0.00", "earned today 0.00"]
    )
  })
})
