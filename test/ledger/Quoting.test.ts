/** The quality of quotes on a history whose answers are known without computing them. */
import { assert, describe, it } from "@effect/vitest"
import { quotingOf } from "../../src/ledger/Quality.ts"
import type { TradingRecord } from "../../src/ledger/Trades.ts"
import { price } from "../strategy/support.ts"
import { emptyRecord } from "./emptyRecord.ts"

const minute = 60_000
const about = { strategy: "mm", market: "BTC/USDC", base: "BTC", quote: "USDC" }
const minutes = new Map([
  [
    "BTC/USDC",
    [100, 100, 101, 101].map((close, index) => ({ openedAt: index * minute, low: close, high: close, close }))
  ]
])
const terms = { quote: "USDC", minutes, decimals: (symbol: string) => (symbol === "BTC" ? 8 : 6) }
const order = (
  slot: string,
  from: number,
  to: number | undefined,
  more: object = {}
): TradingRecord["orders"][number] => ({
  ...about,
  ...{ slot, side: slot.startsWith("bid") ? "BUY" : "SELL", placement: `${slot}${from}`, at: from, plannedAt: from },
  ...{ price: price("100"), restingAt: from * minute, ...(to === undefined ? {} : { closedAt: to * minute }) },
  ...more
})

describe("the quality of quotes", () => {
  const record: TradingRecord = {
    ...emptyRecord,
    orders: [
      order("bid-00", 0, 2, { firstFillAt: 2 * minute }),
      order("bid-00", 3, undefined),
      order("ask-00", 1, undefined),
      { ...order("ask-00", 0, undefined), strategy: "other" }
    ],
    trades: [
      {
        ...about,
        ...{ at: 2 * minute, slot: "bid-00", side: "BUY", placement: "bid-000", fillId: "f" },
        ...{ baseAmount: 50_000_000n, quoteAmount: 49_500_000n }
      }
    ]
  }

  it("has the spread captured, the time with both sides, the inventory, and the fills of each level", () => {
    const quality = quotingOf(record, "mm", terms, 4 * minute)
    assert.approximately(quality.spreadCaptured ?? 0, 100 / 99 - 1, 1e-12)
    assert.approximately(quality.markout["1m"] ?? 0, 101 / 99 - 1, 1e-12)
    // Both sides were open from 1 to 2 and from 3 to 4, of four minutes.
    assert.strictEqual(quality.uptime, 0.5)
    assert.strictEqual(quality.inventory, 0.5)
    assert.deepStrictEqual(quality.levels, [
      { slot: "bid-00", filled: 1, rested: 2 },
      { slot: "ask-00", filled: 0, rested: 1 }
    ])
  })

  it("has an inventory without the base that fees took, to the smallest unit", () => {
    const [bought] = record.trades
    if (bought === undefined) return assert.fail("no trade")
    const fee = { ...bought, side: "SELL", isFee: true, baseAmount: 1_000_000n, fillId: "payout fee" } as const
    const inventoryOf = (more: Partial<TradingRecord>) =>
      quotingOf({ ...record, ...more }, "mm", terms, 4 * minute).inventory
    assert.strictEqual(inventoryOf({ losses: [fee, { ...fee, strategy: "other" }] }), 0.49)
    // In doubles, 0.1 and 0.2 less 0.3 are not zero.
    const parts = [10_000_000n, 20_000_000n].map((baseAmount) => ({ ...bought, baseAmount }))
    assert.strictEqual(inventoryOf({ trades: [...parts, { ...bought, side: "SELL", baseAmount: 30_000_000n }] }), 0)
  })

  it("is unknown before the first order", () => {
    const { fillRatio, spreadCaptured, uptime } = quotingOf(record, "none", terms, 4 * minute)
    assert.deepStrictEqual([fillRatio, spreadCaptured, uptime], [null, null, null])
  })
})
