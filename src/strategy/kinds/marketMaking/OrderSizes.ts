/**
 * The sizes of orders, and the orders for which there is no room: with `sizeSkew` by the inventory, with `maxImpact` by the depth of the
 * market.
 */
import { type Amount, max } from "../../../domain/Amount.ts"
import { impactOf } from "../../../domain/Book.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Side } from "../../../domain/Market.ts"
import type { View } from "../../View.ts"
import * as Inventory from "./Inventory.ts"
import type { QuoteInputs } from "./Quotes.ts"

interface Sized extends Inventory.Inventoried {
  readonly quantity: Amount
  readonly sizeSkew: Decimal.Decimal | undefined
  readonly maxImpact: Decimal.Decimal | undefined
}

export const partsOfSize = [8n, 4n, 2n, 1n]
export const wholePart = 8n

/** By whole orders, so that a partial fill moves no quote; to the unit if sizes follow the inventory or the depth. */
export const inventoryOf = (whole: Sized, stock: Inventory.Stock): Amount =>
  whole.sizeSkew === undefined && whole.maxImpact === undefined ? Inventory.byOrders(whole, stock) : stock.net

/** 1 if the maximum was bought, -1 if the maximum was sold. */
export const fullness = ({ maxInventory }: Sized, inventory: Amount): Decimal.Decimal =>
  Decimal.divide(Decimal.make(inventory), Decimal.make(maxInventory), 6, "down")

/** Smaller or larger by `share`. A partly filled leg stays larger than its filled part, so that it can end. */
const sizeOf = (quantity: Amount, side: Side, eighths: bigint, share: Decimal.Decimal, filled: Amount): Amount => {
  const factor = side === "BUY" ? Decimal.subtract(Decimal.one, share) : Decimal.add(Decimal.one, share)
  const exact = Decimal.multiply(Decimal.make((quantity * eighths) / wholePart), factor)
  const least = filled === 0n ? 1n : filled + quantity / wholePart
  return max(exact.digits / Decimal.powerOfTen(exact.scale), least)
}

/** The largest part of the sizes, in eighths, that moves the market by at most `maxImpact`; the smallest if none does. */
export const eighthsNow = ({ maxImpact, quantity }: Sized, { depth }: View): bigint | undefined => {
  if (maxImpact === undefined) return wholePart
  if (depth === undefined) return undefined
  const fits = (eighths: bigint) => {
    const impact = impactOf(depth, (quantity * eighths) / wholePart)
    return impact !== undefined && !Decimal.isGreater(impact, maxImpact)
  }
  return partsOfSize.find(fits) ?? 1n
}

export interface OrderSizes {
  readonly stock: Inventory.Stock
  readonly eighths: bigint
  readonly sizes: QuoteInputs["sizes"]
  readonly full: QuoteInputs["full"]
}

export const sizesOn = (whole: Sized, stock: Inventory.Stock, eighths: bigint, inventory: Amount): OrderSizes => {
  const { maxImpact, sizeSkew } = whole
  const share = sizeSkew === undefined ? Decimal.zero : Decimal.multiply(sizeSkew, fullness(whole, inventory))
  const isFixed = sizeSkew === undefined && maxImpact === undefined
  const sizeFor = (side: Side) => (index: number, size: Amount) =>
    isFixed ? size : sizeOf(size, side, eighths, share, stock.slots[side][index]?.filledInLeg ?? 0n)
  const sizesOf = (side: Side) => whole.levels.map(({ quantity }, index) => sizeFor(side)(index, quantity))
  const fullOf = (side: Side) => Inventory.fullSlots(whole, stock, side, sizeFor(side))
  return {
    stock,
    eighths,
    sizes: { BUY: sizesOf("BUY"), SELL: sizesOf("SELL") },
    full: { BUY: fullOf("BUY"), SELL: fullOf("SELL") }
  }
}
