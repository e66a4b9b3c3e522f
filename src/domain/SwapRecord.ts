/**
 * A swap in the journal: the terms that the operator approved if it is made by hand, and the venue's reports of any swap. Amounts are
 * smallest units (text in JSON), times epoch milliseconds. An absent amount was not reported; it is never taken for zero.
 */
import { Schema } from "effect"
import { Amount } from "./EventValues.ts"

const Text = Schema.String
const Texts = Schema.Array(Text)
const optional = Schema.optionalKey

/** Shape of a configured asset, stored because the configuration may change. */
const Asset = Schema.Struct({ symbol: Text, id: Text, decimals: Schema.Int })

export const AgreedSwap = Schema.Struct({
  venue: Text,
  account: Text,
  swapType: Text,
  origin: Asset,
  destination: Asset,
  depositType: Text,
  depositAddress: Text,
  depositMemo: optional(Text),
  amountIn: Amount,
  minAmountIn: optional(Amount),
  amountOut: Amount,
  minAmountOut: optional(Amount),
  refundFee: optional(Amount),
  recipient: Text,
  recipientType: Text,
  refundTo: Text,
  refundType: Text,
  deadline: Schema.Int,
  /** The whole answer of the venue as JSON, with its signature: evidence in a dispute. */
  quote: Text,
  isSignatureVerified: Schema.Boolean,
  correlationId: optional(Text)
})
export type AgreedSwap = typeof AgreedSwap.Type

export const swapReport = {
  status: Text,
  deposited: optional(Amount),
  amountIn: optional(Amount),
  amountOut: optional(Amount),
  refunded: optional(Amount),
  withdrawFee: optional(Amount),
  refundReason: optional(Text),
  /** For people only, and may change later: values in USD as the venue writes them, and the loss against its quote, in percent. */
  figures: optional(
    Schema.Struct({
      slippagePercent: optional(Schema.Finite),
      depositedUsd: optional(Text),
      amountInUsd: optional(Text),
      amountOutUsd: optional(Text),
      refundedUsd: optional(Text)
    })
  ),
  intentHashes: Texts,
  ledgerTxHashes: Texts,
  originTxHashes: Texts,
  destinationTxHashes: Texts
}
export type SwapReport = Schema.Struct.Type<typeof swapReport>
