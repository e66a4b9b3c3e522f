/** The story of an order whose money is on another chain, up to the question to the wallet that pays it. */
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"

export const about = { strategy: "s", slot: "a", placement: "p1" }

export const asked = (wallet: "manual" | "command"): ReadonlyArray<BotEvent> => [
  { _tag: "BudgetAllotted", strategy: "s", asset: "BTC", amount: 9n },
  {
    _tag: "Planned",
    ...about,
    market: "BTC/USDC",
    side: "SELL",
    price: Decimal.make(60_000n),
    quantity: 5n,
    inputAsset: "BTC",
    inputAmount: 5n,
    outputAsset: "USDC",
    outputAmount: 3_000n,
    deadline: 1_000_000,
    why: { code: "x", text: "x" }
  },
  { _tag: "CreateSent", ...about, attempt: 1 },
  {
    _tag: "Bound",
    ...about,
    orderId: "o",
    depositAddress: "bc1deposit",
    via: "reply",
    estimatedWithdrawFee: 0n,
    estimatedRefundFee: 0n
  },
  {
    _tag: "PaymentAsked",
    ...about,
    orderId: "o",
    depositAddress: "bc1deposit",
    asset: "BTC",
    amount: 5n,
    wallet,
    validUntil: 1_000_000
  }
]
