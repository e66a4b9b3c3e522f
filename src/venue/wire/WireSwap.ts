/**
 * The record of a swap, and its decoding into exact values. Only the four lists of hashes are always present. Every amount may be missing
 * even at the end, and the status word is a claim, not evidence. The amounts prove what was paid.
 */
import { Result, Schema } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import { present } from "../../domain/Present.ts"
import type { SwapReport } from "../../domain/SwapRecord.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { ShownQuote } from "./WireQuote.ts"
import * as Wire from "./WireValue.ts"

const { informal, tolerant } = Wire
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

const SwapDetails = Schema.Struct({
  intentHashes: tolerant(Schema.Array(Text)),
  ...Wire.ledgerTxHashes,
  originChainTxHashes: tolerant(Wire.ChainTxHashes),
  destinationChainTxHashes: tolerant(Wire.ChainTxHashes),
  amountIn: tolerant(Text),
  amountInFormatted: informal(Text),
  amountInUsd: informal(Text),
  amountOut: tolerant(Text),
  amountOutFormatted: informal(Text),
  amountOutUsd: informal(Text),
  slippage: informal(Schema.Finite),
  refundedAmount: tolerant(Text),
  refundedAmountFormatted: informal(Text),
  refundedAmountUsd: informal(Text),
  refundReason: tolerant(Wire.openEnum(refundReasons)),
  depositedAmount: tolerant(Text),
  depositedAmountFormatted: informal(Text),
  depositedAmountUsd: informal(Text),
  withdrawFee: tolerant(Text),
  referral: informal(Text)
}).annotate({ identifier: "SwapDetails" })

export const SwapStatusResponse = Schema.Struct({
  correlationId: informal(Text),
  quoteResponse: tolerant(ShownQuote),
  status: Wire.openEnum(swapStatuses),
  updatedAt: tolerant(Text),
  swapDetails: tolerant(SwapDetails)
}).annotate({ identifier: "SwapStatus" })
export type SwapStatusResponse = typeof SwapStatusResponse.Type

/** All known facts of a swap, in smallest units and epoch milliseconds. A missing field: the venue does not report it. */
export interface Swap {
  /** A claim; the amounts are the evidence. */ readonly status: (typeof swapStatuses)[number] | (string & {})
  /** Names the swap, with the memo. */ readonly depositAddress: string | undefined
  /** Only on chains with memos. */ readonly depositMemo: string | undefined
  /** Epoch milliseconds. */ readonly updatedAt: number | undefined
  /** Smallest units of the origin asset. */ readonly depositedAmount: Amount | undefined
  /** Smallest units that were swapped. */ readonly amountIn: Amount | undefined
  /** Smallest units that were paid out. */ readonly amountOut: Amount | undefined
  /** Smallest units that came back. */ readonly refundedAmount: Amount | undefined
  /** Smallest units of the destination asset. */ readonly withdrawFee: Amount | undefined
  /** A word of the venue. */ readonly refundReason: string | undefined
  /** For people: values in USD and slippage in percent. */ readonly figures: NonNullable<SwapReport["figures"]>
  /** Hashes at the verifier. */ readonly intentHashes: ReadonlyArray<string>
  /** Transactions on the home ledger. */ readonly ledgerTxHashes: ReadonlyArray<string>
  /** Transactions on the origin chain. */ readonly originTxHashes: ReadonlyArray<string>
  /** Transactions on the destination chain. */ readonly destinationTxHashes: ReadonlyArray<string>
}

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
      figures: present({
        slippagePercent: details.slippage,
        depositedUsd: details.depositedAmountUsd,
        amountInUsd: details.amountInUsd,
        amountOutUsd: details.amountOutUsd,
        refundedUsd: details.refundedAmountUsd
      }),
      intentHashes: details.intentHashes ?? [],
      ledgerTxHashes: Wire.readLedgerTxHashes(details),
      originTxHashes: Wire.hashesIn(details.originChainTxHashes),
      destinationTxHashes: Wire.hashesIn(details.destinationChainTxHashes)
    })
  )
}
