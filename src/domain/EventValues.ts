/**
 * How values are written in events: amounts and prices as decimal text, and signed bytes in two ways. Whoever has signed bytes
 * can send them, so only the journal writes them; every other encoding of an event says where they are instead.
 */
import { Redacted, Schema, SchemaGetter } from "effect"
import * as Decimal from "./Decimal.ts"

/** Canonical decimal text in JSON, whole numbers everywhere else. */
export const Amount = Schema.String.check(Schema.isPattern(/^-?(0|[1-9]\d*)$/)).pipe(
  Schema.decodeTo(Schema.BigInt, { decode: SchemaGetter.transform(BigInt), encode: SchemaGetter.transform(String) })
)

const NormalDecimal = Schema.Struct({
  digits: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -(10n ** 90n), maximum: 10n ** 90n })),
  scale: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))
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

/** What leaves a position, as it was wanted; `asset` is what the quantity is of. */
export const WantedExit = Schema.Struct({
  side: Schema.Literals(["BUY", "SELL"]),
  price: Price,
  quantity: Amount,
  asset: Schema.String
})

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
