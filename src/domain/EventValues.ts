/**
 * Encodings of values in events. Anyone who has signed bytes can send them, so only the journal writes them; every other encoding hides
 * them.
 */
import { Redacted, Schema, SchemaGetter } from "effect"
import * as Decimal from "./Decimal.ts"

export const amountText = /^-?(0|[1-9]\d*)$/

export const Amount = Schema.String.check(Schema.isPattern(amountText)).pipe(
  Schema.decodeTo(Schema.BigInt, { decode: SchemaGetter.transform(BigInt), encode: SchemaGetter.transform(String) })
)

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

/** Older events do not contain the fees that go to others. */
export const shownFees = {
  estimatedWithdrawFee: Amount,
  estimatedRefundFee: Amount,
  appFeeBasisPoints: Schema.optionalKey(Schema.Finite)
}

export const pause = {
  limit: Schema.String,
  /** The operator who paused it, if a person did (limit `operator`). */
  by: Schema.optionalKey(Schema.String),
  action: Schema.Literals(["pause", "drain"]),
  reason: Schema.String
}

export const WantedExit = Schema.Struct({
  side: Schema.Literals(["BUY", "SELL"]),
  price: Price,
  quantity: Amount,
  asset: Schema.String,
  /** The order is open in the market, but no trader takes it. */
  rests: Schema.optionalKey(Schema.Literal(true))
})

export const QuotedDepth = Schema.Struct({
  /** Base smallest units. */
  quantity: Amount,
  /** Price per unit for selling all of it; absent if no one buys that much. */
  bid: Schema.optionalKey(Price),
  ask: Schema.optionalKey(Price),
  /** Epoch milliseconds of the request. */
  at: Schema.Int
})

export const PlannedLeg = Schema.Struct({
  side: Schema.Literals(["BUY", "SELL"]),
  price: Price,
  /** Base smallest units of the whole leg. */
  quantity: Amount,
  /** A swap executes the leg once its quote is no worse than the price. No order is placed. */
  by: Schema.optionalKey(Schema.Literals(["swap"])),
  /** It may sell below its cost: a stop, or a file that allows it (see `CostFloor`). */
  mayLose: Schema.optionalKey(Schema.Literals([true]))
})

export const SeenConditions = Schema.Struct({
  slot: Schema.String,
  checks: Schema.Array(
    Schema.Struct({
      text: Schema.String,
      values: Schema.String,
      holds: Schema.Boolean,
      /** The answer would change with this comparison alone. */
      decides: Schema.Boolean,
      /** A comparison's present value and the value at which it turns. */
      distance: Schema.optionalKey(Schema.String)
    })
  )
})

const priceBounds = { priceBelow: Schema.optionalKey(Price), priceAbove: Schema.optionalKey(Price) }

/** The answer holds while every market's mid is strictly between `priceBelow` and `priceAbove`, and the time is before `time`. */
export const DecisionBounds = Schema.Struct({
  ...priceBounds,
  elsewhere: Schema.optionalKey(Schema.Array(Schema.Struct({ market: Schema.String, ...priceBounds }))),
  time: Schema.optionalKey(Schema.Int),
  /** Ask again when a candle of this timeframe closes ("1m", "1h"). */
  barClose: Schema.optionalKey(Schema.String),
  depth: Schema.optionalKey(Schema.Literals([true])),
  signals: Schema.optionalKey(Schema.Literals([true])),
  /**
   * Ask again when an order of the strategy filled or was paid out, or its state changed otherwise. False if the legs alone move the slots
   * on.
   */
  onFill: Schema.Boolean
})

/** Terms of an order and its booked amounts. The reader of the events may have dropped the order from its state. */
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
  payoutFee: Amount,
  refundFee: Amount,
  /** Its final status, if it had ended. */
  ended: Schema.optionalKey(Schema.String),
  isPart: Schema.optionalKey(Schema.Literal(true))
}

export type SignedBytes = Schema.Codec<Redacted.Redacted, string>

export const StoredBytes: SignedBytes = Schema.RedactedFromValue(Schema.String)

export const HiddenBytes: SignedBytes = Schema.String.pipe(
  Schema.decodeTo(Schema.Redacted(Schema.String), {
    decode: SchemaGetter.transform((text: string) => Redacted.make(text)),
    encode: SchemaGetter.transform(() => "kept in the journal")
  })
)

/** Contradictions between reports of the venue. Other contradictions have none of these kinds. */
export const ContradictionKind = Schema.Literals([
  "success-without-amounts",
  "success-but-refunded",
  "filled-unpaid",
  "refund-of-filled",
  "amounts-do-not-match",
  "changed-report"
])
export type ContradictionKind = typeof ContradictionKind.Type
