/** A swap: its terms, the place of its money, and all proof of its end. */
import { Option, Schema } from "effect"
import type { Amount } from "../domain/Amount.ts"
import { iso } from "../domain/Text.ts"
import * as SwapHistory from "../engine/state/swaps/SwapHistory.ts"

export const swapView = (swap: SwapHistory.SwapHistory) => {
  const { agreed, placement } = swap
  const { contradiction, funding, report } = placement
  const end = SwapHistory.endOf(swap)
  const money = SwapHistory.moneyOf(swap)
  return {
    swap: swap.id,
    phase: SwapHistory.phaseOf(swap),
    outcome: end?.outcome ?? null,
    text: end?.text ?? null,
    contradiction: contradiction ?? null,
    status: report?.status ?? null,
    origin: agreed.origin.symbol,
    destination: agreed.destination.symbol,
    depositAddress: agreed.depositAddress,
    depositMemo: agreed.depositMemo ?? null,
    quotedIn: String(agreed.amountIn),
    quotedOut: String(agreed.amountOut),
    minimumOut: amountText(agreed.minAmountOut),
    refundFee: amountText(agreed.refundFee),
    deadline: iso(agreed.deadline),
    quote: Option.getOrNull(decodeQuote(agreed.quote)),
    deposited: amountText(report?.deposited),
    amountIn: amountText(report?.amountIn),
    amountOut: amountText(report?.amountOut),
    refunded: amountText(report?.refunded),
    withdrawFee: amountText(report?.withdrawFee),
    refundReason: report?.refundReason ?? null,
    slippagePercent: report?.figures?.slippagePercent ?? null,
    depositedUsd: report?.figures?.depositedUsd ?? null,
    amountInUsd: report?.figures?.amountInUsd ?? null,
    amountOutUsd: report?.figures?.amountOutUsd ?? null,
    refundedUsd: report?.figures?.refundedUsd ?? null,
    money: Object.fromEntries(SwapHistory.swapPlaces.map((place) => [place, String(money.input[place])])),
    received: String(money.received),
    intentHash: funding?.intentHash || null,
    txHash: funding?.payment?.txHash ?? null,
    intentHashes: report?.intentHashes ?? [],
    ledgerTxHashes: report?.ledgerTxHashes ?? [],
    originTxHashes: report?.originTxHashes ?? [],
    destinationTxHashes: report?.destinationTxHashes ?? [],
    correlationIds: SwapHistory.correlationIdsOf(swap)
  }
}

const decodeQuote = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

const amountText = (amount: Amount | undefined): string | null => (amount === undefined ? null : String(amount))
