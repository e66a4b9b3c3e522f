/**
 * Which way the money of an order goes: where it comes from, where it is paid out to and refunded to. There is one function
 * from what is configured to that way. What a create asks for, what the journal records of it, what its request says and what
 * its echo is held against are the same record.
 */
import { Schema } from "effect"

/** What an order takes and gives, by the venue's asset ids, and who gets that. */
export const MoneyPath = Schema.Struct({
  originAsset: Schema.String,
  destinationAsset: Schema.String,
  recipient: Schema.String,
  recipientType: Schema.String,
  refundTo: Schema.String,
  refundType: Schema.String
})
export type MoneyPath = typeof MoneyPath.Type

const depositTypes = ["ORIGIN_CHAIN", "INTENTS", "CONFIDENTIAL_INTENTS"] as const
export type DepositType = (typeof depositTypes)[number]

/** One that we ask for, in words that the venue knows. */
const AskedPath = Schema.Struct({
  ...MoneyPath.fields,
  recipientType: Schema.Literals(["DESTINATION_CHAIN", "INTENTS", "CONFIDENTIAL_INTENTS"]),
  refundType: Schema.Literals(depositTypes)
})
export type AskedPath = typeof AskedPath.Type

/** Whether a recorded way has only words that can be asked for; what a found order was shown with may have others. */
export const isAsked = Schema.is(AskedPath)

/** Where our money is. */
export interface MoneyPlaces {
  /** The account that signs, lowercase. */
  readonly signerId: string
  readonly depositType: DepositType
  /** On other chains every asset has its own addresses, by the venue's asset ids. */
  readonly addresses?: {
    readonly recipients: ReadonlyMap<string, string>
    readonly refundTo: ReadonlyMap<string, string>
  }
  /** Assets whose money is not where `depositType` says, by the venue's asset ids: paid from there, refunded and paid out to there. */
  readonly depositTypes?: ReadonlyMap<string, DepositType>
}

/** Where the money of an asset is: paid from there, refunded and paid out to there. */
export const depositTypeOf = <D>(
  { depositType, depositTypes }: { readonly depositType: D; readonly depositTypes?: ReadonlyMap<string, D> },
  { id }: { readonly id: string }
): D => depositTypes?.get(id) ?? depositType

/** From this asset to that one, by what is configured now. */
export const pathBetween = (places: MoneyPlaces, originAsset: string, destinationAsset: string): AskedPath => {
  const { addresses, signerId } = places
  const refundType = depositTypeOf(places, { id: originAsset })
  const paidTo = depositTypeOf(places, { id: destinationAsset })
  return {
    originAsset,
    destinationAsset,
    recipient: paidTo === "ORIGIN_CHAIN" ? (addresses?.recipients.get(destinationAsset) ?? "") : signerId,
    recipientType: paidTo === "ORIGIN_CHAIN" ? "DESTINATION_CHAIN" : paidTo,
    refundTo: refundType === "ORIGIN_CHAIN" ? (addresses?.refundTo.get(originAsset) ?? "") : signerId,
    refundType
  }
}
