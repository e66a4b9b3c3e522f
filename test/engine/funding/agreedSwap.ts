/** A swap by hand as the operator agreed to it: a real quote of the sandbox. */
import { Effect } from "effect"
import { present } from "../../../src/domain/Present.ts"
import type { AgreedSwap } from "../../../src/domain/SwapRecord.ts"
import { type QuoteRequest, Swaps } from "../../../src/venue/Swaps.ts"
import { btc, quoteRequest, usdc } from "../../world/service/clients.ts"

export const origin = { symbol: "BTC", id: btc, decimals: 8 }
export const destination = { symbol: "USDC", id: usdc, decimals: 6 }

export const agreedSwap = Effect.fnUntraced(function* (
  account: string,
  venue: string,
  changes: Partial<QuoteRequest> & Pick<QuoteRequest, "deadline">
) {
  const asked = quoteRequest(account, changes)
  const { quote } = (yield* (yield* Swaps).quote(asked)).value
  const { depositType, recipient, recipientType, refundTo, refundType, swapType } = asked
  const agreed: AgreedSwap = {
    venue,
    account,
    swapType,
    origin,
    destination,
    depositType,
    depositAddress: quote.depositAddress ?? "",
    ...present({ depositMemo: quote.depositMemo }),
    amountIn: BigInt(quote.amountIn),
    amountOut: BigInt(quote.amountOut ?? 0),
    minAmountOut: BigInt(quote.minAmountOut ?? 0),
    refundFee: BigInt(quote.refundFee ?? 0),
    recipient,
    recipientType,
    refundTo,
    refundType,
    deadline: Date.parse(asked.deadline),
    quote: "{}",
    isSignatureVerified: true
  }
  return agreed
})
