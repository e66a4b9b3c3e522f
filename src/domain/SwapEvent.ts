/**
 * What can happen to a swap that the operator makes by hand, as people and programs read it. Such a swap is a placement,
 * and its steps are made from the placement's events (see `journal/swapSteps`). Older journals have these steps themselves
 * (`SwapStep`). A tag is never reused with another meaning.
 *
 * Amounts are smallest units (text in JSON), times epoch milliseconds. An amount that is absent is one that the venue did not
 * say; it is never taken for zero.
 */
import { Schema } from "effect"
import { Amount, HiddenBytes, type SignedBytes, StoredBytes } from "./EventValues.ts"

const Text = Schema.String
const Time = Schema.Int
const Texts = Schema.Array(Text)
const optional = Schema.optionalKey
const correlation = { correlationId: optional(Text) }
/** The same shape as a configured asset, kept because the configuration may change. */
const Asset = Schema.Struct({ symbol: Text, id: Text, decimals: Schema.Int })

/** The terms of a swap by hand, from the venue's quote. */
const agreed = {
  venue: Text,
  account: Text,
  swapType: Text,
  origin: Asset,
  destination: Asset,
  depositType: Text,
  depositAddress: Text,
  depositMemo: optional(Text),
  /** What is to be deposited. */
  amountIn: Amount,
  minAmountIn: optional(Amount),
  amountOut: Amount,
  minAmountOut: optional(Amount),
  refundFee: optional(Amount),
  recipient: Text,
  recipientType: Text,
  refundTo: Text,
  refundType: Text,
  deadline: Time,
  /** The whole answer of the venue as JSON, with its signature: evidence in a dispute. */
  quote: Text,
  isSignatureVerified: Schema.Boolean,
  ...correlation
}
export const AgreedSwap = Schema.Struct(agreed)
export type AgreedSwap = typeof AgreedSwap.Type

const fundingWith = (signed: SignedBytes) => ({
  /** The quote that the operator agreed to. Nothing is paid yet, and an address that nobody pays is inert. */
  SwapAgreed: agreed,
  /** Given up before anything was signed or asked of a wallet. */
  SwapDropped: { reason: Text },
  /** The signed bytes, durable before they are first sent; a retry sends these and nothing else. */
  IntentSigned: { amount: Amount, signed, intentHash: Text, validUntil: Time, ...correlation },
  IntentSent: { attempt: Schema.Int },
  IntentAcknowledged: { intentHash: Text, ...correlation },
  /** An answer that is not success. The payload may still execute until `validUntil`. */
  IntentAnswered: { code: Text, text: Text, ...correlation },
  /** The payload has expired, and provably was never executed. */
  IntentDead: { reason: Text },
  /** The payload was sent and has expired, nobody acknowledged it, and no deposit shows: it may have been paid. */
  SwapInDoubt: { reason: Text },
  /** A wallet is about to be asked to pay. Never asked a second time unless the operator said so. */
  WalletAsked: { attempt: Schema.Int, wallet: Schema.Literals(["manual", "command"]), amount: Amount },
  WalletPaid: { txHash: Text, sender: optional(Text) },
  /** The wallet says that nothing was sent. */
  WalletRefused: { text: Text },
  /** The wallet gave no usable answer: it may or may not have paid. */
  WalletUnclear: { text: Text },
  /** The operator's word that an unclear payment was not made and may be made again. */
  WalletReleased: { reason: Text },
  /** The venue knows the transaction. */
  DepositReported: { txHash: Text, ...correlation }
})

/** What the venue says of a swap. */
export const swapReport = {
  status: Text,
  deposited: optional(Amount),
  amountIn: optional(Amount),
  amountOut: optional(Amount),
  refunded: optional(Amount),
  withdrawFee: optional(Amount),
  refundReason: optional(Text),
  intentHashes: Texts,
  ledgerTxHashes: Texts,
  originTxHashes: Texts,
  destinationTxHashes: Texts
}
const Report = Schema.Struct(swapReport)
export type SwapReport = typeof Report.Type

const tracking = {
  /** The venue's report, recorded when it differs from the one before. */
  SwapSeen: { ...swapReport, ...correlation },
  /** What the venue says cannot be true together with what it said, or with what we did. */
  SwapContradicted: { what: Text, evidence: Text, ...correlation },
  /** The operator's word on what only somebody who looked can know (`limitbot resolve`). */
  SwapResolved: {
    word: Schema.Literals(["paid", "not-paid", "adopt", "forget"]),
    text: Text,
    received: Schema.optionalKey(Amount)
  },
  /** Over. `paid` and `refunded` are what amounts prove; `unproven` is an end that the venue claims without proof. */
  SwapEnded: { outcome: Schema.Literals(["paid", "refunded", "failed", "unproven", "unfunded"]), text: Text }
}

/** As every surface encodes it: signed bytes are hidden. */
export const SwapEvent = Schema.TaggedUnion({ ...fundingWith(HiddenBytes), ...tracking })
/** As the journal stores it, with the signed bytes. */
export const StoredSwapEvent = Schema.TaggedUnion({ ...fundingWith(StoredBytes), ...tracking })
export type SwapEvent = typeof SwapEvent.Type
export type SwapTag = SwapEvent["_tag"]
export type SwapEventOf<T extends SwapTag> = Extract<SwapEvent, { readonly _tag: T }>

/** An event with its place: the steps of one swap are numbered from one without a gap. */
export interface RecordedStep {
  readonly swap: string
  readonly step: number
  readonly at: number
  readonly event: SwapEvent
}
