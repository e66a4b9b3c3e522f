/**
 * The record of a swap, and its decoding into exact values. Only the four lists of hashes are always present. Every amount may be missing
 * even at the end, and the status word is a claim, not evidence. The amounts prove what was paid. A swap of type ANY_INPUT turns every
 * deposit into one asset and lists its payments. A payment without exact values is kept as reported.
 */
import { Array, Option, Result, Schema } from "effect"
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

const WireWithdrawal = Schema.Struct({
  status: Wire.openEnum(["SUCCESS", "FAILED"]),
  amountOut: Text,
  amountOutFormatted: tolerant(Text),
  amountOutUsd: tolerant(Text),
  withdrawFee: tolerant(Text),
  withdrawFeeFormatted: tolerant(Text),
  withdrawFeeUsd: tolerant(Text),
  timestamp: tolerant(Text),
  hash: tolerant(Text)
})

const responseOf = <S extends Schema.Codec<unknown, unknown>>(withdrawals: S) =>
  Schema.Struct({
    asset: tolerant(Text),
    recipient: tolerant(Text),
    affiliateRecipient: tolerant(Text),
    withdrawals: tolerant(withdrawals)
  })

export const WithdrawalsResponse = responseOf(Schema.Array(WireWithdrawal)).annotate({
  identifier: "AnyInputWithdrawals"
})
/** The reply as it is read. The public description shows one withdrawal where it means a list, so one counts as a list. */
export const WithdrawalsReply = responseOf(Schema.Unknown)
export type WithdrawalsReply = typeof WithdrawalsReply.Type

export interface Withdrawal {
  readonly status: string
  readonly amountOut: Amount
  readonly withdrawFee?: Amount
  readonly at?: number
  readonly hash?: string
}

export interface Withdrawals {
  readonly asset?: string
  readonly recipient?: string
  readonly affiliateRecipient?: string
  readonly withdrawals: ReadonlyArray<Withdrawal>
  readonly odd: ReadonlyArray<unknown>
}

const decodeWithdrawal = Schema.decodeUnknownOption(WireWithdrawal)

const toWithdrawal = (said: unknown): Result.Result<Withdrawal, unknown> => {
  const wireFields = Option.getOrUndefined(decodeWithdrawal(said))
  const amountOut = Wire.parseAmount(wireFields?.amountOut ?? "")
  if (wireFields === undefined || amountOut === undefined) return Result.fail(said)
  const { hash, status, timestamp = "", withdrawFee = "" } = wireFields
  const details = { withdrawFee: Wire.parseAmount(withdrawFee), at: Timestamp.parse(timestamp), hash }
  return Result.succeed({ status, amountOut, ...present(details) })
}

export const toWithdrawals = ({ withdrawals: said, ...about }: WithdrawalsReply): Withdrawals => {
  const list: ReadonlyArray<unknown> = said === undefined ? [] : Array.isArray(said) ? said : [said]
  const [withdrawals, odd] = Array.partition(list, toWithdrawal)
  return { ...about, withdrawals, odd }
}
