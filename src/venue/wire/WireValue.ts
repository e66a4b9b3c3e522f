/**
 * The scalars of the wire format: strict in what is sent, tolerant in what is accepted. Values stay text on the wire. `parse…` turns them
 * into exact values and returns `undefined` for anything that is not in canonical form (`""`, `" 12 "`, `"0x10"`, 30 February).
 */
import { Effect, Option, Result, Schema, SchemaGetter, SchemaTransformation } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import * as Timestamp from "../../domain/Timestamp.ts"

/** The longest amount: 2^256 has 78 digits. Longer text is an attack or a mistake. */
const maxAmountDigits = 78
const maxTextLength = 300
const maxNameLength = 300
const canonicalAmount = /^(?:0|[1-9]\d*)$/

/** Cuts text and removes control characters, so that it is safe in logs, terminals and pages. */
export const clean = (text: string): string =>
  text
    .slice(0, maxTextLength)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")

export const parseName = (text: string): string | undefined =>
  text.length <= maxNameLength && text === clean(text) ? text : undefined

/** Whole smallest units as the venue writes them: no sign, no leading zero, no spaces. */
export const parseAmount = (text: string): Amount | undefined =>
  text.length <= maxAmountDigits && canonicalAmount.test(text) ? BigInt(text) : undefined

export const parsePrice = (text: string): Decimal.Decimal | undefined => {
  const price = /^[\d.]/.test(text) ? Decimal.parse(text) : undefined
  return price !== undefined && Decimal.isPositive(price) ? price : undefined
}

export type Exact<A> = Result.Result<A, string>

export const wrong = (field: string, value: string | undefined): Exact<never> =>
  Result.fail(
    value === undefined || value === ""
      ? `${field} is missing`
      : `${field} is impossible: ${JSON.stringify(value.slice(0, 80))}`
  )

export const required = <A>(
  field: string,
  value: string | undefined,
  parse: (text: string) => A | undefined
): Exact<A> => {
  const parsed = value === undefined || value === "" ? undefined : parse(value)
  return parsed === undefined ? wrong(field, value) : Result.succeed(parsed)
}

/** A missing or empty value is allowed; a malformed one is not. */
export const optionally = <A>(
  field: string,
  value: string | undefined,
  parse: (text: string) => A | undefined
): Exact<A | undefined> =>
  value === undefined || value === "" ? Result.succeed(undefined) : required(field, value, parse)

/** Accepts documented values and others, because the service may invent new ones at any time. */
export const openEnum = <const Known extends ReadonlyArray<string>>(known: Known) =>
  Schema.Union([Schema.Literals(known), Schema.String as Schema.Codec<string & {}>])

/** A missing key for null. */
const withoutNull = <S extends Schema.Codec<unknown, unknown>, N extends Schema.Codec<S["Type"] | null, unknown>>(
  schema: S,
  orNull: N,
  encode: SchemaGetter.Getter<S["Type"] | null, S["Type"]> = SchemaGetter.passthrough()
) =>
  Schema.optionalKey(orNull).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional(Option.filter((value): value is S["Type"] => value !== null)),
      encode
    })
  )

/** A response field that may be missing or null; both decode to a missing key. */
export const tolerant = <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  withoutNull(schema, Schema.NullOr(schema))

/** Like `tolerant`, for a field that the interface document promises: a server writes null for a missing value. */
export const nullable = <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  withoutNull(schema, Schema.NullOr(schema), SchemaGetter.transformOptional(Option.orElseSome(() => null)))

/** A field that only informs. In another form it counts as missing, so that the rest of the answer is still read. */
export const informal = <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  withoutNull(schema, Schema.NullOr(schema).pipe(Schema.catchDecoding(() => Effect.succeedSome(null))))

const ChainTxHash = Schema.Union([
  Schema.String,
  Schema.Struct({ hash: Schema.String, explorerUrl: informal(Schema.String) })
])
export const ChainTxHashes = Schema.Array(ChainTxHash)
const hashIn = (said: typeof ChainTxHash.Type): string => (typeof said === "string" ? said : said.hash)
export const hashesIn = (said: typeof ChainTxHashes.Type = []): ReadonlyArray<string> => said.map(hashIn)
export const PlainTxHashes = Schema.Array(
  ChainTxHash.pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform<string, typeof ChainTxHash.Type>({ decode: hashIn, encode: (hash) => hash })
    )
  )
)

export const withDefault = <S extends Schema.Codec<unknown, unknown>>(schema: S, value: S["Type"]) =>
  schema.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(value)))

const text = (maxLength: number) => Schema.String.check(Schema.isBetweenLength(1, maxLength))

export const Identifier = text(512)

/** An identifier that becomes a path segment: `.` and `..` would be resolved away. */
export const PathSegment = Schema.String.check(Schema.isPattern(/^(?!\.{1,2}$)[\x21-\x7e]{1,200}$/))
export const isPathSegment = Schema.is(PathSegment)

export const LongText = text(16_384)

export const PositiveAmountText = Schema.String.check(
  Schema.makeFilter(
    (value: string) => (parseAmount(value) ?? 0n) > 0n || "must be a positive whole number of smallest units"
  )
)

/** Requests must have digits on both sides of the point. Answers may also have ".5" and "5.". */
const wholeDecimal = /^\d+(?:\.\d+)?$/

export const PriceText = Schema.String.check(
  Schema.makeFilter(
    (value: string) =>
      (wholeDecimal.test(value) && parsePrice(value) !== undefined) || "must be a positive decimal string"
  )
)

export const TimestampText = Schema.String.check(
  Schema.makeFilter(
    (value: string) => Timestamp.parse(value) !== undefined || "must be an ISO 8601 date-time with a time zone"
  )
)

/** A number in a query: plain decimal, because JavaScript would also read "", " 5 " and "0x10". */
export const NumberText = Schema.String.check(Schema.isPattern(/^-?\d{1,20}(?:\.\d{1,20})?$/)).pipe(
  Schema.decodeTo(Schema.Finite, SchemaTransformation.numberFromString)
)

/** A whole number in a query, from 1. */
export const wholeText = (maximum: number) =>
  NumberText.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum }))

/** A number of an answer. Some services write it as text. */
export const NumberOrText = Schema.Union([Schema.Finite, NumberText])

const mostFeeBasisPoints = 500

/** Basis points of the input. */
const AppFee = Schema.Struct({
  recipient: Identifier,
  fee: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: mostFeeBasisPoints }))
})

/** Swaps and orders have equal caps: on each fee, and on the sum. */
export const AppFees = Schema.Array(AppFee).check(
  Schema.makeFilter(
    (fees: ReadonlyArray<{ readonly fee: number }>) =>
      fees.reduce((sum, { fee }) => sum + fee, 0) <= mostFeeBasisPoints ||
      `must not exceed ${mostFeeBasisPoints} basis points together`
  )
)

export const ReportedFee = Schema.Struct({ recipient: Schema.String, fee: Schema.Finite })

export const depositTypes = ["ORIGIN_CHAIN", "INTENTS", "CONFIDENTIAL_INTENTS"] as const
export const recipientTypes = ["DESTINATION_CHAIN", "INTENTS", "CONFIDENTIAL_INTENTS"] as const
export const swapTypes = ["EXACT_INPUT", "EXACT_OUTPUT", "FLEX_INPUT", "ANY_INPUT"] as const
export const depositModes = ["SIMPLE", "MEMO"] as const
export const confidentialities = ["public", "basic", "advanced"] as const

/** The spelling of the home ledger in field names, chain identifiers and the verifier's account. */
export const ledgers = ["native", "near"] as const
export type LedgerName = (typeof ledgers)[number]

/** One deployment spells the key `native…`, another `near…`; both are read. */
export const ledgerTxHashes = {
  nativeTxHashes: tolerant(Schema.Array(Schema.String)),
  nearTxHashes: tolerant(Schema.Array(Schema.String))
}

interface LedgerTxHashes {
  readonly nativeTxHashes?: ReadonlyArray<string>
  readonly nearTxHashes?: ReadonlyArray<string>
}

export const readLedgerTxHashes = (from: LedgerTxHashes): ReadonlyArray<string> =>
  from.nativeTxHashes ?? from.nearTxHashes ?? []

export const writeLedgerTxHashes = (ledger: LedgerName, hashes: ReadonlyArray<string>): LedgerTxHashes =>
  ledger === "near" ? { nearTxHashes: hashes } : { nativeTxHashes: hashes }
