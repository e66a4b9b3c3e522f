/** Fees from the events of a journal: what fills brought less than their price, and what payouts cost. */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import * as MeasuredFees from "../../../../src/ledger/measured/MeasuredFees.ts"

const about = (id: string) => ({ strategy: "s", slot: "a", placement: id })

/** Buys one for a hundred; it brings a share less. */
const order = (id: string, basisPoints: number): ReadonlyArray<BotEvent> => [
  {
    _tag: "Planned",
    ...about(id),
    market: "BTC/USDC",
    side: "BUY",
    price: Decimal.make(100n),
    quantity: 1_000_000n,
    inputAsset: "USDC",
    inputAmount: 100_000_000n,
    outputAsset: "BTC",
    outputAmount: 1_000_000n,
    deadline: 0,
    why: { code: "x", text: "x" }
  },
  {
    _tag: "FillSeen",
    ...about(id),
    fillId: id,
    side: "BUY",
    price: Decimal.make(100n),
    inputAsset: "USDC",
    amountIn: 50_000_000n,
    outputAsset: "BTC",
    amountOut: (500_000n * BigInt(10_000 - basisPoints)) / 10_000n,
    filledAt: 0
  },
  { _tag: "PaidOut", ...about(id), asset: "BTC", amount: 1n, fee: 30n, txHashes: [] }
]

const orders = (count: number, basisPoints: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => order(`${index}`, basisPoints(index))).flat()

describe("measured fees", () => {
  it("include how quotes get worse with size: half of the spread, if strategies saw two sizes", () => {
    const [planned] = order("1", 0)
    if (planned === undefined) return assert.fail()
    const level = (quantity: bigint, half: number) => ({
      quantity,
      bid: Decimal.make(BigInt(1_000_000 - half), 2),
      ask: Decimal.make(BigInt(1_000_000 + half), 2),
      at: 0
    })
    const decided = (depth: ReadonlyArray<ReturnType<typeof level>>): BotEvent => ({
      _tag: "Decided",
      strategy: "s",
      bid: Decimal.make(9_990n),
      ask: Decimal.make(10_010n),
      priceAt: 0,
      desired: [],
      absent: [],
      reasons: [],
      until: { onFill: true },
      memory: null,
      depth
    })
    const of = (count: number, depth: ReadonlyArray<ReturnType<typeof level>>) =>
      MeasuredFees.impacts([planned, ...Array.from({ length: count }, () => decided(depth))])
    // 10 and 40 basis points for 1 and 4 BTC of 10,000: 1,000 for each million.
    const [one, four] = [level(100_000_000n, 1000), level(400_000_000n, 4000)]
    assert.closeTo((of(30, [four, one]).get("BTC/USDC") ?? 0) * 1e8 * 1e6, 1000, 1e-6)
    assert.strictEqual(of(29, [four, one]).size, 0)
    assert.strictEqual(of(30, [one]).size, 0)
  })

  it("are the median of what fills lose against their price, and of what payouts cost", () => {
    const found = MeasuredFees.measure(orders(41, (index) => (index % 4 === 0 ? 0 : 20)))
    assert.deepStrictEqual(found, { fills: 41, basisPoints: 20, payouts: new Map([["BTC", 30n]]), refunds: new Map() })
  })

  it("of fills, payouts and refunds are those of orders, without swaps", () => {
    const swaps = Array.from({ length: 60 }, (_, index) => order(`swap-${index}`, -300)).flat()
    const events = swaps.flatMap((event): ReadonlyArray<BotEvent> => {
      if (event._tag === "Planned") return [{ ...event, by: "swap" }]
      if (event._tag !== "PaidOut") return [event]
      return [
        { ...event, fee: 0n },
        { ...event, _tag: "Refunded", asset: "USDC", fee: 0n }
      ]
    })
    const measured = MeasuredFees.measure([...events, ...orders(41, () => 20)])
    assert.deepStrictEqual(measured, {
      fills: 41,
      basisPoints: 20,
      payouts: new Map([["BTC", 30n]]),
      refunds: new Map()
    })
  })

  it("of payouts and refunds are the newest figures of the account's orders, without swaps", () => {
    const bound = (id: string, estimatedWithdrawFee: bigint, estimatedRefundFee: bigint): BotEvent => ({
      _tag: "Bound",
      ...about(id),
      orderId: id,
      depositAddress: id,
      via: "reply",
      estimatedWithdrawFee,
      estimatedRefundFee
    })
    const [planned, ...rest] = order("2", 0)
    if (planned?._tag !== "Planned") return assert.fail()
    const events: ReadonlyArray<BotEvent> = [
      ...order("1", 0),
      bound("1", 40n, 7n),
      { _tag: "FeesEstimated", ...about("1"), estimatedWithdrawFee: 30n, estimatedRefundFee: 5n },
      { ...planned, by: "swap" },
      ...rest,
      bound("2", 0n, 0n)
    ]
    const found = MeasuredFees.published(events)
    assert.deepStrictEqual(found, { payouts: new Map([["BTC", 30n]]), refunds: new Map([["USDC", 5n]]) })
  })

  it("of a market are the median spread that only its own strategies saw, less the fee in both sides", () => {
    const decided = (strategy: string, ask: string): BotEvent => ({
      _tag: "Decided",
      strategy,
      bid: Decimal.parse("99.5") ?? Decimal.one,
      ask: Decimal.parse(ask) ?? Decimal.one,
      priceAt: 0,
      desired: [],
      absent: [],
      reasons: [],
      until: { onFill: true },
      memory: null
    })
    const many = (strategy: string, count: number) =>
      Array.from({ length: count }, (_, index) => decided(strategy, index % 4 === 0 ? "103" : "100.5"))
    const [bitcoin] = order("1", 0)
    const journal = (count: number) => [bitcoin ?? assert.fail(), ...many("s", count), ...many("without orders", 99)]
    assert.deepStrictEqual(MeasuredFees.spreads(journal(40), 0), new Map([["BTC/USDC", 100]]))
    assert.deepStrictEqual(MeasuredFees.spreads(journal(40), 20), new Map([["BTC/USDC", 60]]))
    assert.deepStrictEqual(MeasuredFees.spreads(journal(29), 0), new Map())
    const other: BotEvent = { ...(bitcoin as Extract<BotEvent, { _tag: "Planned" }>), market: "ETH/USDC" }
    assert.deepStrictEqual(MeasuredFees.spreads([...journal(40), other], 0), new Map())
  })

  it("are zero if fills bring more, and unknown with too few fills", () => {
    assert.strictEqual(MeasuredFees.measure(orders(40, () => -5))?.basisPoints, 0)
    assert.isUndefined(MeasuredFees.measure(orders(29, () => 20)))
  })
})
