/**
 * How values are written in events: amounts and prices as decimal text, kinds by their names, and signed bytes in two ways. Whoever has signed bytes
 * can send them, so only the journal writes them; every other encoding of an event says where they are instead.
 */
import { Redacted, Schema, SchemaGetter } from "effect"
import * as Decimal from "./Decimal.ts"

/** Canonical decimal text in JSON, whole numbers everywhere else. */
export const amountText = /^-?(0|[1-9]\d*)$/

export const Amount = Schema.String.check(Schema.isPattern(amountText)).pipe(
  Schema.decodeTo(Schema.BigInt, { decode: SchemaGetter.transform(BigInt), encode: SchemaGetter.transform(String) })
)

/** No price of a market needs more. */
export const mostDigits = 10n ** 90n
export const mostPlaces = 60

const NormalDecimal = Schema.Struct({
  digits: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -mostDigits, maximum: mostDigits })),
  scale: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: mostPlaces }))
}).check(
  Schema.makeFilter(
    (value: Decimal.Decimal) => Decimal.equals(Decimal.make(value.digits, value.scale), value) || "a normalised decimal"
  )
)

export const Price = Schema.String.check(
  Schema.makeFilter((text: string) => Decimal.parse(text) !== undefined || "a plain decimal number")
).pipe(
  Schema.decodeTo(NormalDecimal, {
    decode: SchemaGetter.transform((text: string) => Decimal.parse(text) ?? Decimal.zero),
    encode: SchemaGetter.transform(Decimal.format)
  })
)

/** What an order is said to cost when it is made; older events do not say what it gives to others. */
export const shownFees = {
  estimatedWithdrawFee: Amount,
  estimatedRefundFee: Amount,
  appFeeBasisPoints: Schema.optionalKey(Schema.Finite)
}

/** What a strategy is paused by, and why. */
export const pause = {
  limit: Schema.String,
  /** Whoever said it, where somebody did (limit `operator`). */
  by: Schema.optionalKey(Schema.String),
  action: Schema.Literals(["pause", "drain"]),
  reason: Schema.String
}

/** What leaves a position, as it was wanted; `asset` is what the quantity is of. */
export const WantedExit = Schema.Struct({
  side: Schema.Literals(["BUY", "SELL"]),
  price: Price,
  quantity: Amount,
  asset: Schema.String,
  /** It is in the market, where nobody takes it. */
  rests: Schema.optionalKey(Schema.Literal(true))
})

/** What a market was quoted to take of a larger quantity. */
export const QuotedDepth = Schema.Struct({
  quantity: Amount,
  bid: Schema.optionalKey(Price),
  ask: Schema.optionalKey(Price),
  at: Schema.Int
})

/** What the conditions of a slot saw. */
export const SeenConditions = Schema.Struct({
  slot: Schema.String,
  checks: Schema.Array(
    Schema.Struct({ text: Schema.String, values: Schema.String, holds: Schema.Boolean, decides: Schema.Boolean })
  )
})

const priceBounds = { priceBelow: Schema.optionalKey(Price), priceAbove: Schema.optionalKey(Price) }

/** Within which a decision holds. */
export const DecisionBounds = Schema.Struct({
  ...priceBounds,
  elsewhere: Schema.optionalKey(Schema.Array(Schema.Struct({ market: Schema.String, ...priceBounds }))),
  time: Schema.optionalKey(Schema.Int),
  barClose: Schema.optionalKey(Schema.String),
  depth: Schema.optionalKey(Schema.Literals([true])),
  signals: Schema.optionalKey(Schema.Literals([true])),
  onFill: Schema.Boolean
})

/** What an order is, because whoever folds may have forgotten it, and what was booked of it. */
export const bookedOrder = {
  orderId: Schema.String,
  market: Schema.String,
  side: Schema.Literals(["BUY", "SELL"]),
  price: Price,
  deadline: Schema.Int,
  inputAsset: Schema.String,
  inputAmount: Amount,
  outputAsset: Schema.String,
  outputAmount: Amount,
  estimatedWithdrawFee: Amount,
  estimatedRefundFee: Amount,
  deposited: Amount,
  fills: Schema.Array(Schema.Struct({ fillId: Schema.String, amountIn: Amount, amountOut: Amount })),
  /** What its payout and its refund counted as fees. */
  payoutFee: Amount,
  refundFee: Amount,
  /** How it had ended, if it had. */
  ended: Schema.optionalKey(Schema.String)
}

export type SignedBytes = Schema.Codec<Redacted.Redacted, string>

/** For the journal alone. */
export const StoredBytes: SignedBytes = Schema.RedactedFromValue(Schema.String)

/** For everything else. */
export const HiddenBytes: SignedBytes = Schema.String.pipe(
  Schema.decodeTo(Schema.Redacted(Schema.String), {
    decode: SchemaGetter.transform((text: string) => Redacted.make(text)),
    encode: SchemaGetter.transform(() => "kept in the journal")
  })
)

/** What a venue can say against itself. Other contradictions have none of these kinds. */
export const ContradictionKind = Schema.Literals([
  "success-without-amounts",
  "success-but-refunded",
  "filled-unpaid",
  "refund-of-filled",
  "amounts-do-not-match",
  "changed-report"
])
export type ContradictionKind = typeof ContradictionKind.Type
