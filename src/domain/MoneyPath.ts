/**
 * The path of an order's money: its source, its recipient and its refund account. The configuration determines it in one function. The
 * create, its journal entry, its request and the check of its echo use this one record.
 */
import { Schema } from "effect"

/** Assets are the venue's asset ids. */
export const MoneyPath = Schema.Struct({
  originAsset: Schema.String,
  destinationAsset: Schema.String,
  recipient: Schema.String,
  recipientType: Schema.String,
  refundTo: Schema.String,
  refundType: Schema.String
})
export type MoneyPath = typeof MoneyPath.Type

export type DepositType = "ORIGIN_CHAIN" | "INTENTS" | "CONFIDENTIAL_INTENTS"

/** A path that the bot can ask for. An order found at the venue may have other terms. */
export interface AskedPath extends MoneyPath {
  readonly recipientType: Exclude<DepositType, "ORIGIN_CHAIN"> | "DESTINATION_CHAIN"
  readonly refundType: DepositType
}

export interface MoneyPlaces {
  /** The account that signs, lowercase. */
  readonly signerId: string
  readonly depositType: DepositType
  /** On other chains every asset has its own addresses, by the venue's asset ids. */
  readonly addresses?: {
    readonly recipients: ReadonlyMap<string, string>
    readonly refundTo: ReadonlyMap<string, string>
  }
  /** Assets whose money is elsewhere than `depositType` says, by the venue's asset ids. */
  readonly depositTypes?: ReadonlyMap<string, DepositType>
}

/** Place of an asset's money: the bot pays from it, and refunds and payouts go there. */
export const depositTypeOf = <D>(
  { depositType, depositTypes }: { readonly depositType: D; readonly depositTypes?: ReadonlyMap<string, D> },
  { id }: { readonly id: string }
): D => depositTypes?.get(id) ?? depositType

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
