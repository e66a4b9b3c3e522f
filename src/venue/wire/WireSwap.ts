/**
 * The record of a swap, and its decoding into exact values. Only the four lists of hashes are always present. Every
 * amount may be missing even at the end, and the status word is a claim, not evidence. The amounts prove what was
 * paid.
 */

import { Result, Schema } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { ShownQuote } from "./WireQuote.ts"
import * as Wire from "./WireValue.ts"

const { tolerant } = Wire
const Text = Schema.String

export const swapStatuses = [
  "KNOWN_DEPOSIT_TX",
  "PENDING_DEPOSIT",
  "INCOMPLETE_DEPOSIT",
  "PROCESSING",
  "SUCCESS",
  "REFUNDED",
  "FAILED"
] as const

export const refundReasons = [
  "AMOUNT_LESS_THAN_MIN_AMOUNT_OUT",
  "AMOUNT_MORE_THAN_BALANCE",
  "INTENT_SUBMIT_FAILED",
  "PARTIAL_DEPOSIT",
  "CIRCUIT_BREAKER_BLOCKED",
  "FEE_ESTIMATION_FAILED",
  "NO_LIQUIDITY",
  "AMOUNT_LESS_THAN_MIN_WITHDRAWABLE",
  "INSUFFICIENT_BALANCE",
  "REFUND_ADD_FAILED",
  "UNKNOWN"
] as const

const ChainTxHashes = Schema.Array(Schema.Struct({ hash: Text, explorerUrl: tolerant(Text) }))

const SwapDetails = Schema.Struct({
  intentHashes: tolerant(Schema.Array(Text)),
  ...Wire.ledgerTxHashes,
  originChainTxHashes: tolerant(ChainTxHashes),
  destinationChainTxHashes: tolerant(ChainTxHashes),
  amountIn: tolerant(Text),
  amountInFormatted: tolerant(Text),
  amountInUsd: tolerant(Text),
  amountOut: tolerant(Text),
  amountOutFormatted: tolerant(Text),
  amountOutUsd: tolerant(Text),
  slippage: tolerant(Schema.Finite),
  refundedAmount: tolerant(Text),
  refundedAmountFormatted: tolerant(Text),
  refundedAmountUsd: tolerant(Text),
  refundReason: tolerant(Wire.openEnum(refundReasons)),
  depositedAmount: tolerant(Text),
  depositedAmountFormatted: tolerant(Text),
  depositedAmountUsd: tolerant(Text),
  withdrawFee: tolerant(Text),
  referral: tolerant(Text)
}).annotate({ identifier: "SwapDetails" })

export const SwapStatusResponse = Schema.Struct({
  correlationId: tolerant(Text),
  quoteResponse: tolerant(ShownQuote),
  status: Wire.openEnum(swapStatuses),
  updatedAt: tolerant(Text),
  swapDetails: tolerant(SwapDetails)
}).annotate({ identifier: "SwapStatus" })
export type SwapStatusResponse = typeof SwapStatusResponse.Type

/** Everything known of a swap, in smallest units and epoch milliseconds. Missing: the venue does not say. */
export interface Swap {
  readonly status: (typeof swapStatuses)[number] | (string & {})
  readonly depositAddress: string | undefined
  readonly depositMemo: string | undefined
  readonly updatedAt: number | undefined
  readonly depositedAmount: Amount | undefined
  readonly amountIn: Amount | undefined
  readonly amountOut: Amount | undefined
  readonly refundedAmount: Amount | undefined
  readonly withdrawFee: Amount | undefined
  readonly refundReason: string | undefined
  readonly intentHashes: ReadonlyArray<string>
  readonly ledgerTxHashes: ReadonlyArray<string>
  readonly originTxHashes: ReadonlyArray<string>
  readonly destinationTxHashes: ReadonlyArray<string>
}

/** The swap in exact values, or the field that is impossible. */
export const toSwap = (response: SwapStatusResponse): Result.Result<Swap, string> => {
  const { quoteResponse: { quote } = {}, status, swapDetails: details = {}, updatedAt } = response
  const amount = (field: "depositedAmount" | "amountIn" | "amountOut" | "refundedAmount" | "withdrawFee") =>
    Wire.optionally(field, details[field], Wire.parseAmount)
  return Result.map(
    Result.all({
      updatedAt: Result.succeed(updatedAt === undefined ? undefined : Timestamp.parse(updatedAt)),
      depositedAmount: amount("depositedAmount"),
      amountIn: amount("amountIn"),
      amountOut: amount("amountOut"),
      refundedAmount: amount("refundedAmount"),
      withdrawFee: amount("withdrawFee")
    }),
    (exact): Swap => ({
      ...exact,
      status,
      depositAddress: quote?.depositAddress,
      depositMemo: quote?.depositMemo,
      refundReason: details.refundReason,
      intentHashes: details.intentHashes ?? [],
      ledgerTxHashes: Wire.readLedgerTxHashes(details),
      originTxHashes: (details.originChainTxHashes ?? []).map(({ hash }) => hash),
      destinationTxHashes: (details.destinationChainTxHashes ?? []).map(({ hash }) => hash)
    })
  )
}
