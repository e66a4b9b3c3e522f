/**
 * What a slot bought is not sold below its cost, also when the file has changed since and gives the slot another price: it
 * is sold as far above its cost as the file now puts a sale above its purchase. Legs that may lose say so (a stop does).
 */
import * as Decimal from "../../domain/Decimal.ts"
import type { Market, Price } from "../../domain/Market.ts"
import { armedLeg, type DesiredOrder, type DesiredSlot } from "../Decision.ts"
import type { SlotProgress } from "../View.ts"
import { orderPrice } from "./PriceLevels.ts"

const places = 18

/** Quote per base that the last purchase of a slot cost; `undefined` where that is not known, or not what was last. */
export const costOf = ({ base, quote }: Market, { lastLeg }: SlotProgress): Price | undefined => {
  if (lastLeg?.side !== "BUY" || lastLeg.made === undefined || lastLeg.made.base <= 0n) return undefined
  const spent = Decimal.make(lastLeg.made.quote, quote.decimals)
  return Decimal.divide(spent, Decimal.make(lastLeg.made.base, base.decimals), places, "up")
}

/** The order that a slot has to work now, never below the cost of what it sells. */
export const armedAboveCost = (
  market: Market,
  desired: DesiredSlot,
  progress: SlotProgress
): DesiredOrder | undefined => {
  const order = armedLeg(desired, progress)
  const purchase = desired.legs.find(({ side }) => side === "BUY")
  if (order?.side !== "SELL" || order.mayLose === true || purchase === undefined) return order
  const cost = costOf(market, progress)
  if (cost === undefined || !Decimal.isLess(order.price, cost)) return order
  const gain = Decimal.max(Decimal.one, Decimal.divide(order.price, purchase.price, places, "down"))
  const price = orderPrice(market, "SELL", Decimal.multiply(cost, gain))
  const text = `${order.why.text}; not at ${Decimal.format(order.price)}, as it was bought at ${said(cost)}`
  return { ...order, price, why: { ...order.why, text } }
}

const said = (cost: Price): string => Decimal.format(Decimal.fromNumber(Decimal.toNumber(cost), 8))
