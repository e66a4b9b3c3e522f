/**
 * A slot never sells what it bought below its cost before fees, even if an edit gives the slot another price. The sale is then as far above
 * the cost as the file now puts a sale above its purchase. Legs that may lose (`mayLose`), such as a stop, are exempt.
 */
import { perUnit } from "../../domain/CostBasis.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market, Price } from "../../domain/Market.ts"
import { armedLeg, type DesiredOrder, type DesiredSlot } from "../Decision.ts"
import type { SlotProgress } from "../View.ts"
import { orderPrice } from "./PriceLevels.ts"

/** Quote per base, before fees; `undefined` if the slot holds nothing or its cost is not recorded. */
export const costOf = (market: Market, { past }: Pick<SlotProgress, "past">): Price | undefined =>
  past === undefined || past.held <= 0n ? undefined : perUnit(past.cost, past.held + (past.fees ?? 0n), market, "up")

/** Moves a sale below cost as far above the cost as the sale would have been above its purchase. */
export const notBelow = (market: Market, cost: Price, sale: Price, purchase: Price): Price => {
  if (!Decimal.isLess(sale, cost)) return sale
  const gain = Decimal.max(Decimal.one, Decimal.divide(sale, purchase, 18, "down"))
  return orderPrice(market, "SELL", Decimal.multiply(cost, gain))
}

export const armedAboveCost = (market: Market, slot: DesiredSlot, progress: SlotProgress): DesiredOrder | undefined => {
  const order = armedLeg(slot, progress)
  const purchase = order === undefined ? undefined : legBefore(slot, order.leg)
  if (order?.side !== "SELL" || order.mayLose === true || purchase?.side !== "BUY") return order
  const cost = costOf(market, progress)
  if (cost === undefined || !Decimal.isLess(order.price, cost)) return order
  const price = notBelow(market, cost, order.price, purchase.price)
  const text = `${order.why.text}; not at ${Decimal.format(order.price)}, as it was bought at ${Decimal.short(cost)}`
  return { ...order, price, why: { ...order.why, text } }
}

/** An entry follows no other leg: a slot does not sell what it bought back before. */
const legBefore = ({ legs, cycle }: DesiredSlot, leg: number) =>
  cycle ? legs[(leg + legs.length - 1) % legs.length] : legs[leg - 1]
