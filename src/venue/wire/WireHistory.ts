/** Records of past swaps: the partner's, in exact values, and the end user's own. */
import { Result, Schema } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import { refundReasons } from "./WireSwap.ts"
import * as Wire from "./WireValue.ts"

const { nullable, tolerant } = Wire
const Text = Schema.String
const Texts = Schema.Array(Text)

export const transactionStatuses = [
  "SUCCESS",
  "FAILED",
  "INCOMPLETE_DEPOSIT",
  "PENDING_DEPOSIT",
  "PROCESSING",
  "REFUNDED"
] as const

export const TransactionRecord = Schema.Struct({
  originAsset: Text,
  destinationAsset: Text,
  depositAddress: Text,
  depositMemo: nullable(Text),
  /** Deprecated: address and memo joined by an underscore. */
  depositAddressAndMemo: tolerant(Text),
  recipient: tolerant(Text),
  status: Wire.openEnum(transactionStatuses),
  createdAt: Text,
  createdAtTimestamp: tolerant(Schema.Finite),
  intentHashes: nullable(Text),
  referral: nullable(Text),
  amountInFormatted: tolerant(Text),
  amountOutFormatted: tolerant(Text),
  appFees: tolerant(Schema.Array(Wire.ReportedFee)),
  ...Wire.ledgerTxHashes,
  originChainTxHashes: tolerant(Texts),
  destinationChainTxHashes: tolerant(Texts),
  /** Both amounts read 0 while the swap is in flight. */
  amountIn: Text,
  amountInUsd: tolerant(Text),
  amountOut: Text,
  amountOutUsd: tolerant(Text),
  refundTo: tolerant(Text),
  senders: tolerant(Texts),
  refundReason: tolerant(Wire.openEnum(refundReasons)),
  refundFee: tolerant(Text),
  refundFeeFormatted: nullable(Text),
  depositType: tolerant(Wire.openEnum(Wire.depositTypes)),
  recipientType: tolerant(Wire.openEnum(Wire.recipientTypes)),
  refundType: tolerant(Wire.openEnum(Wire.depositTypes))
}).annotate({ identifier: "TransactionRecord" })
export type TransactionRecord = typeof TransactionRecord.Type

/** A record as it was stored. */
export const decodeRecord = Schema.decodeUnknownEffect(Schema.fromJsonString(TransactionRecord))

export const TransactionsResponse = Schema.Array(TransactionRecord)

export const TransactionPagesResponse = Schema.Struct({
  data: Schema.Array(TransactionRecord),
  totalPages: Schema.Finite,
  page: Schema.Finite,
  perPage: Schema.Finite,
  total: Schema.Finite,
  nextPage: nullable(Schema.Finite),
  prevPage: nullable(Schema.Finite)
}).annotate({ identifier: "TransactionPages" })

const AccountHistoryItem = Schema.Struct({
  status: Wire.openEnum(transactionStatuses),
  depositType: tolerant(Wire.openEnum(Wire.depositTypes)),
  recipientType: tolerant(Wire.openEnum(Wire.recipientTypes)),
  createdAt: Text,
  depositAddress: Text,
  depositMemo: nullable(Text),
  originAsset: tolerant(Text),
  amountInFormatted: tolerant(Text),
  amountInUsd: tolerant(Text),
  destinationAsset: tolerant(Text),
  amountOutFormatted: tolerant(Text),
  amountOutUsd: tolerant(Text),
  recipient: tolerant(Text),
  quoteTransactions: tolerant(Schema.Array(Schema.Struct({ sender: tolerant(Text), txHash: tolerant(Text) }))),
  refundTo: tolerant(Text),
  refundType: tolerant(Wire.openEnum(Wire.depositTypes)),
  refundReason: tolerant(Wire.openEnum(refundReasons)),
  refundedAmountFormatted: tolerant(Text),
  refundedAmountUsd: tolerant(Text),
  refundFee: tolerant(Text),
  refundFeeFormatted: tolerant(Text)
}).annotate({ identifier: "AccountHistoryItem" })

export const AccountHistoryResponse = Schema.Struct({
  items: Schema.Array(AccountHistoryItem),
  /** Newer items. */
  nextCursor: tolerant(Text),
  /** Older items. */
  prevCursor: tolerant(Text)
}).annotate({ identifier: "AccountHistory" })
export type AccountHistoryResponse = typeof AccountHistoryResponse.Type

/** A past swap in smallest units and epoch milliseconds; `record` is all that the venue said. */
export interface Transaction {
  readonly depositAddress: string
  readonly depositMemo: string | undefined
  readonly status: TransactionRecord["status"]
  readonly createdAt: number
  readonly amountIn: Amount
  readonly amountOut: Amount
  readonly refundFee: Amount | undefined
  readonly ledgerTxHashes: ReadonlyArray<string>
  readonly record: TransactionRecord
}

/** The transaction in exact values, or which field is impossible. */
export const toTransaction = (record: TransactionRecord): Wire.Exact<Transaction> =>
  Result.map(
    Result.all({
      depositAddress: Wire.required("depositAddress", record.depositAddress, Wire.parseName),
      createdAt: Wire.required("createdAt", record.createdAt, Wire.parseTimestamp),
      amountIn: Wire.required("amountIn", record.amountIn, Wire.parseAmount),
      amountOut: Wire.required("amountOut", record.amountOut, Wire.parseAmount),
      refundFee: Wire.optionally("refundFee", record.refundFee, Wire.parseAmount)
    }),
    (exact): Transaction => ({
      ...exact,
      depositMemo: record.depositMemo,
      status: record.status,
      ledgerTxHashes: Wire.readLedgerTxHashes(record),
      record
    })
  )
