/**
 * The net purchase and the amount that may still be bought. Open orders could all fill, so together they must fit: a side's orders count
 * from the middle outwards, and orders that no longer fit are full. A cancelled order may still fill until it has ended, so the other
 * orders of its side yield to it (see `DesiredSlot.yieldsTo`). The sizes of orders follow the inventory with `sizeSkew`, and the depth of the
 * market with `maxImpact`.
 */
import { type Amount, max } from "../../../domain/Amount.ts"
import { impactOf } from "../../../domain/Book.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Side } from "../../../domain/Market.ts"
import { lately } from "../../expression/Same.ts"
import { progressOf, type SlotProgress, type View } from "../../View.ts"

interface Level {
  readonly bid: string
  readonly ask: string
  readonly quantity: Amount
}

export interface Inventoried {
  readonly levels: ReadonlyArray<Level>
  readonly maxInventory: Amount
}

export type Stock = Readonly<ReturnType<typeof stockOf>>

/**
 * Returns the same stock while no slot has changed. If sizes change, a smaller order is placed only once the larger one has ended. So a
 * change in the number of open orders also computes the stock again.
 */
export const stocks = (levels: ReadonlyArray<Level>, areSizesFixed: boolean): ((view: View) => Stock) => {
  let last:
    | { readonly openOrders: number | undefined; readonly progress: ReadonlyArray<SlotProgress>; readonly stock: Stock }
    | undefined
  return (view) => {
    const openOrders = areSizesFixed ? undefined : view.own?.openOrders
    if (last === undefined || openOrders !== last.openOrders || !isOf(view.slots, last.progress))
      last = { openOrders, progress: [...view.slots.values()], stock: stockOf(levels, view) }
    return last.stock
  }
}

const isOf = (slots: View["slots"], known: ReadonlyArray<SlotProgress>): boolean => {
  if (slots.size !== known.length) return false
  let index = 0
  for (const progress of slots.values()) if (progress !== known[index++]) return false
  return true
}

/** `net`: bought minus sold so far, to the unit; includes levels that the file no longer has. */
const stockOf = (levels: ReadonlyArray<Level>, view: View) => {
  let net = 0n
  for (const [name, { bought, sold }] of view.slots)
    if (bought !== sold && (name.startsWith("bid-") || name.startsWith("ask-"))) net += bought - sold
  return {
    net,
    slots: { BUY: levels.map(({ bid }) => progressOf(view, bid)), SELL: levels.map(({ ask }) => progressOf(view, ask)) }
  }
}

/** The filled part of the quoted order; nothing once it has filled completely, even if its payout is pending. */
const partOf = (progress: SlotProgress | undefined, quantity: Amount): Amount =>
  progress === undefined || progress.filledInLeg >= quantity ? 0n : progress.filledInLeg

/** Bought minus sold by whole orders: a partial fill counts once its order has filled. */
const byOrders = ({ levels }: Inventoried, { net, slots: { BUY: bids, SELL: asks } }: Stock): Amount =>
  levels.reduce((sum, { quantity }, index) => sum - partOf(bids[index], quantity) + partOf(asks[index], quantity), net)

const fullSlots = (
  { levels, maxInventory }: Inventoried,
  { net, slots }: Stock,
  side: Side,
  sizes: ReadonlyArray<Amount>
): ReadonlyArray<string> => {
  const ofSide = slots[side]
  let room = maxInventory - (side === "BUY" ? net : -net)
  const full: Array<string> = []
  // A plain loop, because this runs after every fill.
  for (let index = 0; index < levels.length; index++) {
    const level = levels[index]
    if (level === undefined) continue
    const { bid, ask, quantity } = level
    const progress = ofSide[index]
    const openQuantity = max(quantity, sizes[index] ?? 0n) - partOf(progress, quantity)
    // A smaller order is placed only once the larger one has ended.
    room -= max(openQuantity, progress?.live?.quantity ?? 0n)
    if (room < 0n) full.push(side === "BUY" ? bid : ask)
  }
  return full
}

interface Sized extends Inventoried {
  readonly quantity: Amount
  readonly sizeSkew: Decimal.Decimal | undefined
  readonly maxImpact: Decimal.Decimal | undefined
}

export const partsOfSize = [8n, 4n, 2n, 1n]
export const wholePart = 8n

/** By whole orders, so that a partial fill moves no quote; to the unit if sizes follow the inventory or the depth. */
export const inventoryOf = (whole: Sized, stock: Stock): Amount =>
  whole.sizeSkew === undefined && whole.maxImpact === undefined ? byOrders(whole, stock) : stock.net

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

export type OrderSizes = Readonly<ReturnType<typeof sizesOn>>

const fixedSizes = lately((levels: ReadonlyArray<Level>) => {
  const sizes = levels.map(({ quantity }) => quantity)
  return [sizes, sizes] as const
})

export const sizesOn = (whole: Sized, stock: Stock, eighths: bigint, inventory: Amount) => {
  const { maxImpact, sizeSkew } = whole
  const share = sizeSkew === undefined ? Decimal.zero : Decimal.multiply(sizeSkew, fullness(whole, inventory))
  const isFixed = sizeSkew === undefined && maxImpact === undefined
  const sizesOf = (side: Side) =>
    whole.levels.map(({ quantity }, index) =>
      sizeOf(quantity, side, eighths, share, stock.slots[side][index]?.filledInLeg ?? 0n)
    )
  const [BUY, SELL] = isFixed ? fixedSizes(whole.levels) : [sizesOf("BUY"), sizesOf("SELL")]
  const full = { BUY: fullSlots(whole, stock, "BUY", BUY), SELL: fullSlots(whole, stock, "SELL", SELL) }
  return { stock, eighths, sizes: { BUY, SELL }, full }
}
