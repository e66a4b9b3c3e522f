/** Returns and the quality of orders on histories whose answers are known without computing them. */
import { assert, describe, it } from "@effect/vitest"
import { qualityOf } from "../../src/ledger/Quality.ts"
import { returnsOf } from "../../src/ledger/Returns.ts"
import type { TradingRecord } from "../../src/ledger/Trades.ts"
import { price } from "../strategy/support.ts"

const minute = 60_000
const decimals = (symbol: string): number => (symbol === "BTC" ? 8 : 6)
const one = 100_000_000n
const dollar = 1_000_000n
const about = { strategy: "s", slot: "a", placement: "p1", market: "BTC/USDC", base: "BTC", quote: "USDC" }
const nothing: TradingRecord = { trades: [], fees: [], flows: [], orders: [], lastPrices: new Map() }
const prices = (...closes: ReadonlyArray<number>) =>
  new Map([["BTC/USDC", closes.map((close, index) => ({ openedAt: index * minute, low: close, high: close, close }))]])
const flow = (at: number, dollars: bigint) => ({ at, strategy: "s", asset: "USDC", amount: dollars * dollar })
const trade = (at: number, side: "BUY" | "SELL", base: bigint, dollars: bigint) => ({
  ...about,
  at,
  fillId: `f${at}`,
  side,
  baseAmount: base,
  quoteAmount: dollars * dollar
})

describe("returns", () => {
  it("of a coin that doubles after all money went into it are 100%, and holding dollars made nothing", () => {
    const trading = { ...nothing, flows: [flow(0, 100n)], trades: [trade(1, "BUY", one, 100n)] }
    const found = returnsOf(trading, { quote: "USDC", minutes: prices(100, 150, 200), decimals })
    assert.approximately(found.timeWeighted ?? 0, 1, 1e-9)
    assert.approximately(found.moneyWeighted ?? 0, 1, 1e-9)
    assert.deepStrictEqual([found.maxDrawdown, found.againstHolding], [0, 100])
  })

  it("weighted by time do not change when money comes; weighted by money they do", () => {
    const trading = {
      ...nothing,
      flows: [flow(0, 100n), flow(1.5 * minute, 1_000n)],
      trades: [trade(1, "BUY", one, 100n)]
    }
    const found = returnsOf(trading, { quote: "USDC", minutes: prices(100, 200, 100), decimals })
    // The coin doubles while it is all there is; then it halves beside ten times as much money.
    assert.approximately(found.timeWeighted ?? 0, 2 * (1_100 / 1_200) - 1, 1e-9)
    assert.approximately(found.moneyWeighted ?? 1, 0, 1e-9)
    assert.approximately(found.maxDrawdown ?? 0, 1 - 1_100 / 1_200, 1e-9)
  })

  it("are unknown without recorded prices", () => {
    const found = returnsOf({ ...nothing, flows: [flow(0, 1n)] }, { quote: "USDC", minutes: new Map(), decimals })
    assert.deepStrictEqual(new Set(Object.values(found)), new Set([null]))
  })
})

describe("the quality of orders", () => {
  it("counts fills, times, markouts and what moving orders cost", () => {
    const order = { ...about, at: 0, side: "BUY", plannedAt: 0, price: price("100"), wasRequoted: false } as const
    const fee = { ...about, at: 9, kind: "refund", asset: "USDC", received: 1n, txHashes: [] } as const
    const trading: TradingRecord = {
      ...nothing,
      trades: [trade(minute, "BUY", one, 100n)],
      fees: [{ ...fee, placement: "p2", amount: dollar, inQuote: dollar, estimatedInQuote: 2n * dollar }],
      orders: [
        { ...order, restingAt: 0, firstFillAt: 4_000 },
        { ...order, placement: "p2", restingAt: 0, wasRequoted: true },
        { ...order, placement: "p3" }
      ]
    }
    const found = qualityOf(trading, { quote: "USDC", minutes: prices(100, 101, 102, 103, 104, 105, 106), decimals })
    assert.deepStrictEqual(found, {
      rested: 2,
      filled: 1,
      fillRatio: 0.5,
      medianMillisToFill: 4_000,
      requotes: 1,
      costPerRequote: 1,
      feesPaid: 1,
      feesEstimated: 2,
      markout: { "1m": 101 / 100 - 1, "5m": 105 / 100 - 1, "60m": null }
    })
  })
})
