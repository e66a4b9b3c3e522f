/** Returns and the quality of orders on histories whose answers are known without computing them. */
import { assert, describe, it } from "@effect/vitest"
import { qualityOf } from "../../src/ledger/Quality.ts"
import { curve, returnsOf } from "../../src/ledger/Returns.ts"
import type { TradingRecord } from "../../src/ledger/Trades.ts"
import { price } from "../strategy/support.ts"
import { emptyRecord } from "./emptyRecord.ts"

const minute = 60_000
const decimals = (symbol: string): number => (symbol === "BTC" ? 8 : 6)
const one = 100_000_000n
const dollar = 1_000_000n
const about = { strategy: "s", slot: "a", placement: "p1", market: "BTC/USDC", base: "BTC", quote: "USDC" }
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
  it("are 100% of a coin that doubles after all money moves into it, and holding dollars returns zero", () => {
    const trading = { ...emptyRecord, flows: [flow(0, 100n)], trades: [trade(1, "BUY", one, 100n)] }
    const found = returnsOf(trading, { quote: "USDC", minutes: prices(100, 150, 200), decimals })
    assert.approximately(found.timeWeighted ?? 0, 1, 1e-9)
    assert.approximately(found.moneyWeighted ?? 0, 1, 1e-9)
    assert.strictEqual(found.maxDrawdown, 0)
  })

  it("do not change with new money if weighted by time, and do if weighted by money", () => {
    const trading = {
      ...emptyRecord,
      flows: [flow(0, 100n), flow(1.5 * minute, 1_000n)],
      trades: [trade(1, "BUY", one, 100n)]
    }
    const found = returnsOf(trading, { quote: "USDC", minutes: prices(100, 200, 100), decimals })
    // The coin doubles while it is all there is; then it halves beside ten times as much money.
    assert.approximately(found.timeWeighted ?? 0, 2 * (1_100 / 1_200) - 1, 1e-9)
    assert.approximately(found.moneyWeighted ?? 1, 0, 1e-9)
    assert.approximately(found.maxDrawdown ?? 0, 1 - 1_100 / 1_200, 1e-9)
  })

  it("count capital of a market without a price yet as capital, not as a gain", () => {
    const trading = {
      ...emptyRecord,
      flows: [flow(0, 100n), { at: 1.5 * minute, strategy: "t", asset: "ETH", amount: 1_000_000n }]
    }
    const closes = (first: number, ...all: ReadonlyArray<number>) =>
      all.map((close, index) => ({ openedAt: (first + index) * minute, low: close, high: close, close }))
    const minutes = new Map([
      ["BTC/USDC", closes(0, 100, 100, 100, 100, 100)],
      ["ETH/USDC", closes(3, 240, 240)]
    ])
    const found = returnsOf(trading, { quote: "USDC", minutes, decimals })
    assert.approximately(found.timeWeighted ?? 1, 0, 1e-9)
    assert.approximately(found.moneyWeighted ?? 1, 0, 1e-9)
    assert.strictEqual(found.maxDrawdown, 0)
  })

  it("count a loss before the first close as a fall", () => {
    const trading = { ...emptyRecord, flows: [flow(0, 100n)], trades: [trade(1, "BUY", one, 100n)] }
    const found = returnsOf(trading, { quote: "USDC", minutes: prices(90, 95), decimals })
    assert.approximately(found.timeWeighted ?? 0, -0.05, 1e-9)
    assert.approximately(found.maxDrawdown ?? 0, 0.1, 1e-9)
  })

  it("are unknown without recorded prices", () => {
    const found = returnsOf({ ...emptyRecord, flows: [flow(0, 1n)] }, { quote: "USDC", minutes: new Map(), decimals })
    assert.deepStrictEqual(new Set(Object.values(found)), new Set([null]))
  })

  it("are unknown if no rate leads to the present equity, and over no time at all", () => {
    // All is lost: no rate above -100% ends at less than nothing. The other way round, it grew beyond any rate.
    for (const [closes, capital] of [
      [[100, 0], 100n],
      [[100, 200_000], 100n]
    ] as const) {
      const trading = { ...emptyRecord, flows: [flow(0, capital)], trades: [trade(1, "BUY", one, capital)] }
      const found = returnsOf(trading, { quote: "USDC", minutes: prices(...closes), decimals })
      assert.strictEqual(found.moneyWeighted, null)
      assert.approximately(found.timeWeighted ?? 0, closes[1] / 100 - 1, 1e-9)
    }
    const once = returnsOf(
      { ...emptyRecord, flows: [flow(0, 100n)] },
      { quote: "USDC", minutes: prices(100), decimals }
    )
    assert.deepStrictEqual(once, { timeWeighted: 0, moneyWeighted: null, maxDrawdown: 0 })
  })

  it("are unknown without holdings at first, and restart after a total loss", () => {
    const bought = { ...emptyRecord, trades: [trade(0, "BUY", one, 100n)] }
    const found = returnsOf(bought, { quote: "USDC", minutes: prices(100, 200), decimals })
    assert.deepStrictEqual(new Set(Object.values(found)), new Set([null]))
    const trading = {
      ...emptyRecord,
      flows: [flow(0, 100n), flow(2.5 * minute, 100n)],
      trades: [trade(1, "BUY", one, 100n), trade(2.6 * minute, "BUY", one, 100n)]
    }
    const lost = returnsOf(trading, { quote: "USDC", minutes: prices(100, 0, 50), decimals })
    assert.deepStrictEqual([lost.timeWeighted, lost.maxDrawdown], [-1, 1])
    // Half a dollar, all in a coin that doubles.
    const tiny = {
      ...emptyRecord,
      flows: [{ ...flow(0, 0n), amount: 500_000n }],
      trades: [{ ...trade(1, "BUY", one, 0n), quoteAmount: 500_000n }]
    }
    assert.strictEqual(returnsOf(tiny, { quote: "USDC", minutes: prices(0.5, 1), decimals }).timeWeighted, 1)
  })

  it("fall by fees, counted once, and are of one quote asset only", () => {
    const flows = [flow(0, 100n)]
    const fee = (at: number, quote: string) =>
      ({
        ...about,
        quote,
        at,
        kind: "refund",
        asset: "USDC",
        amount: 10n * dollar,
        inQuote: 10n * dollar,
        received: 0n,
        txHashes: []
      }) as const
    const minutes = new Map([
      ...prices(100, 100, 100),
      ["ETH/DAI", [{ openedAt: 0, low: 1, high: 1, close: 1 }]] as const
    ])
    const valuation = { quote: "USDC", minutes, decimals }
    const plain = returnsOf({ ...emptyRecord, flows, fees: [fee(1.5 * minute, "USDC")] }, valuation)
    assert.approximately(plain.timeWeighted ?? 0, -0.1, 1e-9)
    const others: ReadonlyArray<Partial<TradingRecord>> = [
      { flows: [...flows, { ...flow(0, 5n), asset: "DAI" }] },
      { fees: [fee(1.5 * minute, "DAI")] },
      { fees: [{ ...fee(1.5 * minute, "USDC"), asset: "ETH" }] },
      { trades: [{ ...trade(1.5 * minute, "BUY", one, 50n), quote: "DAI" }] },
      { trades: [{ ...trade(1.5 * minute, "BUY", one, 50n), base: "ETH" }] }
    ]
    for (const other of others) {
      const none = returnsOf({ ...emptyRecord, flows, ...other }, valuation)
      assert.strictEqual(none.timeWeighted, 0)
      assert.approximately(none.moneyWeighted ?? 1, 0, 1e-9)
    }
  })

  it("count events in the same millisecond as a close before it, in any order of the records", () => {
    const trading = {
      ...emptyRecord,
      flows: [flow(2 * minute, 100n), flow(0, 100n)],
      trades: [trade(2 * minute, "BUY", one, 100n), trade(1, "BUY", one, 100n)]
    }
    const valuation = {
      quote: "USDC",
      closes: [3, 1, 2].map((at) => ({ market: "BTC/USDC", at: at * minute, close: 100 * at })),
      decimals
    }
    assert.deepStrictEqual(curve(trading, valuation), [
      { at: minute, worth: 100, capital: 100, held: 100 },
      { at: 2 * minute, worth: 500 - 100, capital: 100, held: 200 },
      { at: 3 * minute, worth: 600, capital: 0, held: 200 }
    ])
  })

  it("of sold amounts no longer move with the price", () => {
    const trades = [trade(1, "BUY", 2n * one, 100n), trade(1.5 * minute, "SELL", one / 2n, 50n)]
    const closes = [50, 100, 200].map((close, index) => ({ market: "BTC/USDC", at: (index + 1) * minute, close }))
    assert.deepStrictEqual(
      curve({ ...emptyRecord, flows: [flow(0, 100n)], trades }, { quote: "USDC", closes, decimals }).map(
        ({ worth }) => worth
      ),
      [100, 50 + 1.5 * 100, 50 + 1.5 * 200]
    )
  })

  it("begin once every holding has a price", () => {
    const coins = { at: 0, strategy: "s", asset: "ETH", amount: dollar }
    const closes = [
      { market: "BTC/USDC", at: minute, close: 1 },
      { market: "ETH/USDC", at: 2 * minute, close: 3 }
    ]
    const later = { ...emptyRecord, flows: [flow(0, 1n), coins] }
    assert.deepStrictEqual(curve(later, { quote: "USDC", closes, decimals }), [
      { at: 2 * minute, worth: 4, capital: 4, held: 4 }
    ])
    // The coin was sold before anybody knew a price: only what holding it would be worth is unknown.
    const sold = { ...later, trades: [{ ...trade(1, "SELL", dollar, 2n), base: "ETH" }] }
    assert.deepStrictEqual(
      curve(sold, { quote: "USDC", closes, decimals }).map(({ at }) => at),
      [2 * minute]
    )
    const bought = { ...emptyRecord, flows: [flow(0, 1n)], trades: [{ ...trade(1, "BUY", dollar, 1n), base: "ETH" }] }
    assert.deepStrictEqual(
      curve(bought, { quote: "USDC", closes, decimals }).map(({ at, worth }) => [at, worth]),
      [[2 * minute, 3]]
    )
    const nothingYet = { ...emptyRecord, flows: [flow(1.5 * minute, 1n)] }
    assert.deepStrictEqual(
      curve(nothingYet, { quote: "USDC", closes, decimals }).map(({ at }) => at),
      [2 * minute]
    )
  })
})

describe("the quality of orders", () => {
  it("counts fills, times, markouts and the cost of moving orders", () => {
    const order = { ...about, at: 0, side: "BUY", plannedAt: 0, price: price("100"), wasRequoted: false } as const
    const fee = { ...about, at: 9, kind: "refund", asset: "USDC", received: 1n, txHashes: [] } as const
    const trading: TradingRecord = {
      ...emptyRecord,
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

  it("counts only fees of cancelled orders as the cost of moving, and times from when orders open", () => {
    const order = { ...about, at: 0, side: "BUY", plannedAt: 0, price: price("100"), wasRequoted: false } as const
    const fee = { ...about, at: 9, kind: "refund", asset: "USDC", amount: dollar, received: 1n, txHashes: [] } as const
    const trading: TradingRecord = {
      ...emptyRecord,
      fees: [
        { ...fee, placement: "p1", inQuote: 64n * dollar },
        { ...fee, placement: "p2", inQuote: dollar },
        { ...fee, placement: "p3", inQuote: 2n * dollar },
        { ...fee, placement: "p3", kind: "payout", inQuote: 32n * dollar },
        { ...fee, placement: "p2", quote: "DAI", inQuote: 0n }
      ],
      orders: [
        { ...order, restingAt: 1_000, firstFillAt: 4_000 },
        { ...order, placement: "p2", restingAt: 5_000, wasRequoted: true },
        { ...order, placement: "p3", restingAt: 0, wasRequoted: true },
        { ...order, placement: "p4", restingAt: 3_000, firstFillAt: 1_000, quote: "DAI" },
        { ...order, placement: "p5", wasRequoted: true }
      ]
    }
    const of = (quote: string) => qualityOf(trading, { quote, minutes: new Map(), decimals })
    const found = of("USDC")
    assert.deepStrictEqual([found.requotes, found.costPerRequote], [2, 1.5])
    assert.deepStrictEqual([found.feesPaid, found.feesEstimated], [99, 99], "where none was named, what was paid")
    assert.deepStrictEqual([found.rested, found.filled, found.medianMillisToFill], [3, 1, 3_000])
    // Reported before it was seen resting.
    assert.deepStrictEqual([of("DAI").rested, of("DAI").medianMillisToFill, of("DAI").costPerRequote], [1, 0, null])
    const { fillRatio, medianMillisToFill } = qualityOf(emptyRecord, { quote: "USDC", minutes: new Map(), decimals })
    assert.deepStrictEqual([fillRatio, medianMillisToFill], [null, null])
  })

  it("measures the price move by value, per unit, with the last completed minute", () => {
    const markout = (trades: TradingRecord["trades"], minutes: ReturnType<typeof prices>) =>
      qualityOf({ ...emptyRecord, trades }, { quote: "USDC", minutes, decimals }).markout["1m"]
    const half = trade(minute, "BUY", one / 2n, 50n)
    assert.strictEqual(markout([half], prices(100, 110)), 110 / 100 - 1)
    assert.strictEqual(markout([{ ...half, side: "SELL" }], prices(100, 110)), -(110 / 100 - 1))
    const large = { ...trade(minute, "SELL", 3n * one, 300n), fillId: "large" }
    assert.approximately(markout([trade(minute, "BUY", one, 100n), large], prices(100, 110)) ?? 0, -0.05, 1e-9)
    // A fill of nothing has no price; nor has one before the first minute ended, or long after the last.
    assert.strictEqual(markout([trade(minute, "BUY", 0n, 100n)], prices(100, 110)), null)
    assert.strictEqual(markout([trade(-1, "BUY", one, 100n)], prices(100)), null)
    assert.strictEqual(markout([trade(0, "BUY", one, 100n)], prices(100)), 0)
    assert.strictEqual(markout([trade(3 * minute, "BUY", one, 100n)], prices(100)), 0)
    assert.strictEqual(markout([trade(3 * minute + 1, "BUY", one, 100n)], prices(100)), null)
    const dai = { ...trade(minute, "BUY", one, 100n), quote: "DAI" }
    assert.strictEqual(markout([dai], prices(100, 110)), null)
  })
})
