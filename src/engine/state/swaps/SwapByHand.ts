/** A swap by hand as a placement. The operator agreed to a quote, so its order exists from the beginning, without price limit or budget. */
import { formatWithSymbol } from "../../../domain/Amount.ts"
import type { BotEvent } from "../../../domain/BotEvent.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { byHand } from "../../../domain/Placement.ts"
import { present } from "../../../domain/Present.ts"
import type { AgreedSwap } from "../../../domain/SwapRecord.ts"

/** The quoted price is only for people. */
const priceScale = 12

export const about = (swap: string) => ({ strategy: byHand, slot: swap, placement: swap })

export const startEvents = (name: string, swap: AgreedSwap): ReadonlyArray<BotEvent> => {
  const { amountIn, amountOut, deadline, depositAddress, depositMemo, destination, origin, refundFee = 0n } = swap
  const input = Decimal.make(amountIn, origin.decimals)
  const price = Decimal.divide(Decimal.make(amountOut, destination.decimals), input, priceScale, "down")
  const text = `Swap by hand: ${formatWithSymbol(amountIn, origin)} for ${formatWithSymbol(amountOut, destination)}`
  return [
    {
      _tag: "Planned",
      ...about(name),
      market: `${origin.symbol}/${destination.symbol}`,
      side: "SELL",
      price,
      quantity: amountIn,
      by: "swap",
      inputAsset: origin.symbol,
      inputAmount: amountIn,
      outputAsset: destination.symbol,
      outputAmount: promised(swap),
      deadline,
      why: { code: "by-hand", text },
      swap
    },
    { _tag: "CreateSent", ...about(name), attempt: 1 },
    {
      _tag: "Bound",
      ...about(name),
      orderId: depositAddress,
      depositAddress,
      ...present({ depositMemo }),
      via: "reply",
      estimatedWithdrawFee: 0n,
      estimatedRefundFee: refundFee,
      ...present({ correlationId: swap.correlationId })
    }
  ]
}

/** Minimum output of the whole input. For a flexible input the venue promises none. */
const promised = ({ minAmountOut = 0n, swapType }: AgreedSwap): bigint =>
  swapType === "EXACT_INPUT" || swapType === "EXACT_OUTPUT" ? minAmountOut : 0n
