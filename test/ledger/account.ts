/**
 * A small account whose figures are known without computing them: one strategy that was given dollars and coins buys, sells
 * and moves an order, and the operator swaps by hand.
 */
import type { BotEvent, Recorded } from "../../src/domain/BotEvent.ts"
import { dayMillis } from "../../src/domain/Durations.ts"
import { byHand } from "../../src/domain/Placement.ts"
import { price } from "../strategy/support.ts"

export const start = Date.UTC(2026, 0, 1)
export const decimals = (symbol: string): number => (symbol === "BTC" ? 8 : 6)

const strategy = "grid"
const why = { code: "cell", text: "buys below the mid" }
const txHashes = ["tx-1", "tx-2"]

const planned = (placement: string, side: "BUY" | "SELL", base: bigint, quote: bigint, owner = strategy): BotEvent => {
  const [inputAsset, inputAmount, outputAsset, outputAmount] =
    side === "BUY" ? (["USDC", quote, "BTC", base] as const) : (["BTC", base, "USDC", quote] as const)
  return {
    _tag: "Planned",
    ...of(placement, owner),
    market: "BTC/USDC",
    side,
    price: price("60000"),
    quantity: base,
    inputAsset,
    inputAmount,
    outputAsset,
    outputAmount,
    deadline: start + 2 * dayMillis,
    why
  }
}

const of = (placement: string, owner = strategy) => ({ strategy: owner, slot: `cell-${placement}`, placement })

const bound = (placement: string): BotEvent => ({
  _tag: "Bound",
  ...of(placement),
  orderId: `order-${placement}`,
  depositAddress: `address-${placement}`,
  via: "reply",
  estimatedWithdrawFee: 30n,
  estimatedRefundFee: 20n
})

const estimated = (placement: string): BotEvent => ({
  _tag: "FeesEstimated",
  ...of(placement),
  estimatedWithdrawFee: 35n,
  estimatedRefundFee: 25n
})

const echoed = (placement: string): BotEvent => ({
  _tag: "FeeEchoed",
  ...of(placement),
  credential: "partner",
  askedBasisPoints: 0,
  basisPoints: 20.01
})

const deposited = (placement: string, asset: string, total: bigint, owner = strategy, fresh = total): BotEvent => ({
  _tag: "DepositSeen",
  ...of(placement, owner),
  asset,
  total,
  fresh
})

const payoutStarted = (placement: string, asset: string, amount: bigint, owner = strategy): BotEvent => ({
  _tag: "PayoutStarted",
  ...of(placement, owner),
  asset,
  amount
})

const fill = (
  placement: string,
  fillId: string,
  side: "BUY" | "SELL",
  base: bigint,
  quote: bigint,
  filledAt: number,
  owner = strategy
): BotEvent => ({
  _tag: "FillSeen",
  ...of(placement, owner),
  fillId,
  side,
  price: price(side === "BUY" ? "60000" : "66000"),
  filledAt,
  ...(side === "BUY"
    ? { inputAsset: "USDC", amountIn: quote, outputAsset: "BTC", amountOut: base }
    : { inputAsset: "BTC", amountIn: base, outputAsset: "USDC", amountOut: quote })
})

const closed = (placement: string, inputAsset: string, unspent: bigint): BotEvent => ({
  _tag: "Closed",
  ...of(placement),
  status: unspent === 0n ? "FILLED" : "CANCELED",
  inputAsset,
  unspent
})

const legClosed = (placement: string, side: "BUY" | "SELL"): BotEvent => {
  const { slot } = of(placement)
  return { _tag: "LegClosed", strategy, slot, side, asset: "BTC", rest: 0n, reason: "nothing is left of it" }
}

/** By minute since the start. */
const history: ReadonlyArray<readonly [minute: number, event: BotEvent]> = [
  [0, { _tag: "StrategyLoaded", strategy, file: "grid.yaml", kind: "grid", market: "BTC/USDC, ETH/USDC", hash: "a" }],
  [1, { _tag: "BudgetAllotted", strategy, asset: "USDC", amount: 1_000_000_000n }],
  [2, { _tag: "BudgetAllotted", strategy, asset: "BTC", amount: 1_000_050n }],
  [
    3,
    {
      _tag: "Decided",
      strategy,
      bid: price("59000.5"),
      ask: price("61000.5"),
      priceAt: start + 150_000,
      elsewhere: [{ market: "ETH/USDC", bid: price("3000"), ask: price("3002"), at: start + 140_000 }],
      desired: [],
      absent: [],
      reasons: [],
      until: { onFill: true },
      memory: null
    }
  ],
  // Buys 0.002 BTC for 120 USDC in two parts, of which the later one is reported first.
  [10, planned("p1", "BUY", 200_000n, 120_000_000n)],
  [11, bound("p1")],
  [12, deposited("p1", "USDC", 120_000_000n)],
  [13, deposited("p1", "USDC", 120_000_000n, strategy, 0n)],
  [20, fill("p1", "f2", "BUY", 120_000n, 72_000_000n, start + 19 * 60_000)],
  [21, fill("p1", "f1", "BUY", 80_000n, 48_000_000n, start + 18 * 60_000)],
  [22, closed("p1", "USDC", 0n)],
  [22, payoutStarted("p1", "BTC", 200_000n)],
  [23, { _tag: "PaidOut", ...of("p1"), asset: "BTC", amount: 199_993n, fee: 7n, txHashes }],
  // Sells 0.001 BTC of a planned 0.003 for 66 USDC.
  [30, planned("p2", "SELL", 300_000n, 198_000_001n)],
  [31, bound("p2")],
  [31, estimated("p2")],
  [31, echoed("p2")],
  [32, deposited("p2", "BTC", 300_000n)],
  [33, fill("p2", "f1", "SELL", 100_000n, 66_000_000n, start + 33 * 60_000)],
  [34, { _tag: "CancelRequested", ...of("p2"), why: { code: "drain", text: "the strategy was removed" } }],
  [35, closed("p2", "BTC", 200_000n)],
  [35, payoutStarted("p2", "USDC", 66_000_000n)],
  [36, { _tag: "PaidOut", ...of("p2"), asset: "USDC", amount: 65_999_990n, fee: 10n, txHashes: ["tx-3"] }],
  [37, { _tag: "Refunded", ...of("p2"), asset: "BTC", amount: 199_997n, fee: 3n, txHashes: ["tx-4"] }],
  // Moves an order that the venue never named an estimate for, a day later.
  [1_450, planned("p3", "BUY", 200_000n, 120_000_000n)],
  [1_451, estimated("p3")],
  [1_451, deposited("p3", "USDC", 120_000_000n)],
  [1_452, { _tag: "CancelRequested", ...of("p3"), why: { code: "requote", text: "the price has moved" } }],
  [1_453, closed("p3", "USDC", 120_000_000n)],
  [1_454, { _tag: "Refunded", ...of("p3"), asset: "USDC", amount: 119_999_980n, fee: 20n, txHashes: [] }],
  [1_455, { _tag: "Settled", ...of("p3") }],
  // By hand: nobody's trading.
  [1_460, planned("p4", "BUY", 200_000n, 120_000_000n, byHand)],
  [1_461, deposited("p4", "USDC", 120_000_000n, byHand)],
  [1_462, fill("p4", "f1", "BUY", 200_000n, 120_000_000n, start + 1_462 * 60_000, byHand)],
  [1_462, payoutStarted("p4", "BTC", 200_000n, byHand)],
  [1_463, { _tag: "PaidOut", ...of("p4", byHand), asset: "BTC", amount: 199_990n, fee: 10n, txHashes: [] }],
  [1_470, { _tag: "BudgetAllotted", strategy, asset: "USDC", amount: 1_500_000_000n }],
  [1_471, { _tag: "BudgetAllotted", strategy, asset: "USDC", amount: 1_500_000_000n }],
  [1_472, { _tag: "BudgetAllotted", strategy, asset: "BTC", amount: 500_050n }],
  [1_473, legClosed("p2", "SELL")],
  [1_473, legClosed("p2", "BUY")]
]

export const journal: ReadonlyArray<Recorded> = history.map(([minute, event], index) => ({
  sequence: index + 1,
  at: start + minute * 60_000,
  event
}))
