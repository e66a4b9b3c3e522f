/** Records of past swaps as the interface document promises them: the partner's, and the end user's own. */
import { Schema } from "effect"
import { refundReasons } from "./WireSwap.ts"
import * as Wire from "./WireValue.ts"

const { nullable, tolerant } = Wire
const Text = Schema.String

export const transactionStatuses = [
  "SUCCESS",
  "FAILED",
  "INCOMPLETE_DEPOSIT",
  "PENDING_DEPOSIT",
  "PROCESSING",
  "REFUNDED"
] as const

/** A line of the history as the interface document describes it. */
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
  originChainTxHashes: tolerant(Wire.PlainTxHashes),
  destinationChainTxHashes: tolerant(Wire.PlainTxHashes),
  /** Both amounts read 0 while the swap is in flight. */
  amountIn: Text,
  amountInUsd: tolerant(Text),
  amountOut: Text,
  amountOutUsd: tolerant(Text),
  refundTo: tolerant(Text),
  senders: tolerant(Schema.Array(Text)),
  refundReason: tolerant(Wire.openEnum(refundReasons)),
  refundFee: tolerant(Text),
  refundFeeFormatted: nullable(Text),
  depositType: tolerant(Wire.openEnum(Wire.depositTypes)),
  recipientType: tolerant(Wire.openEnum(Wire.recipientTypes)),
  refundType: tolerant(Wire.openEnum(Wire.depositTypes))
}).annotate({ identifier: "TransactionRecord" })
/** A line of the history as the interface document describes it. */
export type TransactionRecord = typeof TransactionRecord.Type

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

/** A line of the account's history as the interface document describes it. */
export const AccountHistoryItem = Schema.Struct({
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
/** A line of the account's history as the interface document describes it. */
export type AccountHistoryItem = typeof AccountHistoryItem.Type

/** The pages as a client reads them: each line is read separately. */
export const TransactionLines = Schema.Array(Schema.Unknown)

export const TransactionPageLines = Schema.Struct({
  ...TransactionPagesResponse.fields,
  data: TransactionLines,
  totalPages: tolerant(Schema.Finite),
  page: tolerant(Schema.Finite),
  perPage: tolerant(Schema.Finite),
  total: tolerant(Schema.Finite)
})

export const AccountHistoryResponse = Schema.Struct({
  items: Schema.Array(AccountHistoryItem),
  /** Newer items. */
  nextCursor: tolerant(Text),
  /** Older items. */
  prevCursor: tolerant(Text)
}).annotate({ identifier: "AccountHistory" })
export type AccountHistoryResponse = typeof AccountHistoryResponse.Type

export const AccountHistoryLines = Schema.Struct({ ...AccountHistoryResponse.fields, items: TransactionLines })
