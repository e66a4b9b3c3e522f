/** A quote: the request (strict), the response (tolerant), and the echo of the request inside the response. */
import { Clock, Duration, Effect, Predicate, Schema, SchemaGetter } from "effect"
import * as Timestamp from "../../domain/Timestamp.ts"
import * as Wire from "./WireValue.ts"

const { informal, tolerant } = Wire
const Text = Schema.String

const validMillis = Duration.toMillis("1 hour")

const Rebates = Schema.Array(
  Schema.Struct({
    recipient: Wire.Identifier,
    share: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
  })
).check(
  Schema.isMaxLength(3),
  Schema.makeFilter(
    (rebates: ReadonlyArray<{ readonly share: number }>) =>
      rebates.length === 0 || rebates.reduce((sum, { share }) => sum + share, 0) === 100 || "shares must sum to 100"
  )
)

/** A request for a quote, as the interface document describes it. */
export const QuoteRequest = Schema.Struct({
  /** True: a price only, no deposit address. */
  dry: Schema.Boolean,
  swapType: Schema.Literals(Wire.swapTypes),
  /** Basis points. */
  slippageTolerance: Wire.withDefault(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })), 100),
  originAsset: Wire.Identifier,
  depositType: Wire.withDefault(Schema.Literals(Wire.depositTypes), "ORIGIN_CHAIN"),
  destinationAsset: Wire.Identifier,
  /** Smallest units of the origin asset, or of the destination asset for EXACT_OUTPUT. */
  amount: Wire.PositiveAmountText,
  refundTo: Wire.Identifier,
  refundType: Schema.Literals(Wire.depositTypes),
  recipient: Wire.Identifier,
  recipientType: Schema.Literals(Wire.recipientTypes),
  /** The specification's example omits it, like the two above that have a default. */
  deadline: Wire.TimestampText.pipe(
    Schema.withDecodingDefaultTypeKey(Effect.map(Clock.currentTimeMillis, (now) => Timestamp.format(now + validMillis)))
  ),
  depositMode: Wire.withDefault(Schema.Literals(Wire.depositModes), "SIMPLE"),
  connectedWallets: Schema.optionalKey(Schema.Array(Text)),
  sessionId: Schema.optionalKey(Text),
  virtualChainRecipient: Schema.optionalKey(Text),
  virtualChainRefundRecipient: Schema.optionalKey(Text),
  customRecipientMsg: Schema.optionalKey(Text),
  confidentiality: Wire.withDefault(Schema.Literals(Wire.confidentialities), "public"),
  referral: Schema.optionalKey(Text),
  rebates: Schema.optionalKey(Rebates),
  quoteWaitingTimeMs: Wire.withDefault(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)), 0),
  appFees: Schema.optionalKey(Wire.AppFees),
  insured: Wire.withDefault(Schema.Boolean, false)
}).annotate({ identifier: "QuoteRequest" })
/** A request for a quote, as the interface document describes it. */
export type QuoteRequest = typeof QuoteRequest.Type

const QuoteRequestEcho = Schema.Struct({
  dry: tolerant(Schema.Boolean),
  swapType: tolerant(Wire.openEnum(Wire.swapTypes)),
  slippageTolerance: tolerant(Wire.NumberOrText),
  originAsset: tolerant(Text),
  depositType: tolerant(Wire.openEnum(Wire.depositTypes)),
  destinationAsset: tolerant(Text),
  amount: tolerant(Text),
  refundTo: tolerant(Text),
  refundType: tolerant(Wire.openEnum(Wire.depositTypes)),
  recipient: tolerant(Text),
  recipientType: tolerant(Wire.openEnum(Wire.recipientTypes)),
  deadline: tolerant(Text),
  depositMode: tolerant(Wire.openEnum(Wire.depositModes)),
  connectedWallets: informal(Schema.Array(Text)),
  sessionId: informal(Text),
  virtualChainRecipient: informal(Text),
  virtualChainRefundRecipient: informal(Text),
  customRecipientMsg: informal(Text),
  confidentiality: tolerant(Wire.openEnum(Wire.confidentialities)),
  referral: informal(Text),
  rebates: informal(Schema.Array(Schema.Struct({ recipient: Text, share: Schema.Finite }))),
  quoteWaitingTimeMs: informal(Schema.Finite),
  appFees: tolerant(Schema.Array(Wire.ReportedFee)),
  insured: tolerant(Schema.Boolean)
})

export const Quote = Schema.Struct({
  amountIn: Text,
  amountInFormatted: informal(Text),
  amountInUsd: informal(Text),
  minAmountIn: tolerant(Text),
  /** Missing: the venue has no price for this now. */
  amountOut: tolerant(Text),
  amountOutFormatted: informal(Text),
  amountOutUsd: informal(Text),
  minAmountOut: tolerant(Text),
  /** Seconds. */
  timeEstimate: informal(Schema.Finite),
  /** Dry quotes have neither this nor `deadline` and `timeWhenInactive`. */
  depositAddress: tolerant(Text),
  depositMemo: tolerant(Text),
  chainDepositAddresses: tolerant(
    Schema.Array(Schema.Struct({ blockchain: Text, address: Text, memo: tolerant(Text) }))
  ),
  deadline: tolerant(Text),
  timeWhenInactive: informal(Text),
  virtualChainRecipient: informal(Text),
  virtualChainRefundRecipient: informal(Text),
  customRecipientMsg: informal(Text),
  refundFee: tolerant(Text),
  withdrawFee: tolerant(Text)
}).annotate({ identifier: "Quote" })
export type Quote = typeof Quote.Type

const trace = {
  correlationId: informal(Text),
  timestamp: informal(Text),
  /** `ed25519:` and base58; see `QuoteSignature`. */
  signature: tolerant(Text)
}

/** The quote as the status of a swap repeats it. Parts may be missing. */
export const ShownQuote = Schema.Struct({
  ...trace,
  quoteRequest: tolerant(QuoteRequestEcho),
  quote: tolerant(Schema.Struct({ ...Quote.fields, amountIn: tolerant(Text) }))
})
export type ShownQuote = typeof ShownQuote.Type

/** A quote with the request as the venue understood it. */
export const QuoteResponse = Schema.Struct({ ...trace, quoteRequest: QuoteRequestEcho, quote: Quote }).annotate({
  identifier: "QuoteResponse"
})
/** A quote with the request as the venue understood it. */
export type QuoteResponse = typeof QuoteResponse.Type

export interface ReceivedQuote extends QuoteResponse {
  readonly said: unknown
}
const Received: Schema.Codec<ReceivedQuote, unknown> = Schema.Struct({ ...QuoteResponse.fields, said: Schema.Unknown })
/** A quote and, in `said`, the answer as it came, which the venue has signed. */
export const ReceivedQuote = Schema.Unknown.pipe(
  Schema.decodeTo(Received, {
    decode: SchemaGetter.transform((said) => (Predicate.isObject(said) ? { ...said, said } : said)),
    encode: SchemaGetter.passthrough()
  })
)
