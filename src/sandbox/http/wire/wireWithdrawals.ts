/** Payments of a swap that collects any input, as the contract writes them: newest first by default. */

import * as Amount from "../../../domain/Amount.ts"
import * as Timestamp from "../../../domain/Timestamp.ts"
import { mostWithdrawals } from "../../../venue/api/DepositsApi.ts"

import { usdOf } from "../../core/orders/Pricing.ts"
import type { SandboxSwap, State } from "../../core/State.ts"

interface Asked {
  readonly timestampFrom?: string
  readonly page?: number
  readonly limit?: number
  readonly sortOrder?: "asc" | "desc"
}

export const withdrawalsOf = (
  state: State,
  { destination, request, withdrawals, withdrawFee }: SandboxSwap,
  { limit = mostWithdrawals, page = 1, sortOrder = "desc", timestampFrom = "" }: Asked
) => {
  const from = Timestamp.parse(timestampFrom) ?? Number.NEGATIVE_INFINITY
  const since = withdrawals.filter(({ at }) => at >= from)
  const sorted = sortOrder === "asc" ? since : since.toReversed()
  const of = (name: "amountOut" | "withdrawFee", amount: Amount.Amount) =>
    ({
      [name]: String(amount),
      [`${name}Formatted`]: Amount.format(amount, destination.decimals),
      [`${name}Usd`]: usdOf(state, destination, amount).toFixed(4)
    }) as const
  return {
    asset: destination.id,
    recipient: request.recipient,
    affiliateRecipient: request.appFees?.[0]?.recipient ?? "",
    withdrawals: sorted.slice((page - 1) * limit, page * limit).map(({ amountOut, at, hash, status }) => ({
      status,
      amountOut: String(amountOut),
      ...of("amountOut", amountOut),
      ...of("withdrawFee", status === "FAILED" ? 0n : withdrawFee),
      timestamp: Timestamp.format(at),
      hash
    }))
  }
}
