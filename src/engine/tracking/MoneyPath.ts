/**
 * The journal keeps the path of each create, and every report must repeat it, so a later edit of the configuration changes no old order.
 */
import { inputAsset, type Market, outputAsset, type Side } from "../../domain/Market.ts"
import { type AskedPath, type MoneyPath, type MoneyPlaces, pathBetween } from "../../domain/MoneyPath.ts"
import { isSaid, type Order } from "../../domain/Order.ts"

export const askedFor = (side: Side, market: Market, places: MoneyPlaces): AskedPath =>
  pathBetween(places, inputAsset(market, side).id, outputAsset(market, side).id)

export const shownBy = (order: MoneyPath): MoneyPath => {
  const { destinationAsset, originAsset, recipient, recipientType, refundTo, refundType } = order
  return { originAsset, destinationAsset, recipient, recipientType, refundTo, refundType }
}

export interface Course extends MoneyPath {
  readonly side: Side
}

const parts = [
  ["side", "side"],
  ["asset to deposit", "originAsset"],
  ["asset to receive", "destinationAsset"],
  ["recipient", "recipient"],
  ["recipient type", "recipientType"],
  ["refund account", "refundTo"],
  ["refund type", "refundType"]
] as const satisfies ReadonlyArray<readonly [string, keyof Course]>

/** The order is right, but the configured path was edited since its create. */
export const editedSince = (side: Side, asked: MoneyPath, market: Market, places: MoneyPlaces): string | undefined => {
  const edited = pathMismatch({ side, ...askedFor(side, market, places) }, { side, ...asked })
  return edited === undefined ? undefined : `the configuration was edited since it was made: ${edited}`
}

export const pathMismatch = (asked: Course, shown: Course & Pick<Order, "unsaid">): string | undefined => {
  const changes = parts.filter(([, part]) => isSaid(shown, part) && asked[part] !== shown[part])
  if (changes.length === 0) return undefined
  return changes.map(([name, part]) => `its ${name} is ${shown[part]} instead of ${asked[part]}`).join(", ")
}
