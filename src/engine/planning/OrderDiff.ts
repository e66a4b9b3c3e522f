/**
 * Compares planned with own orders, slot by slot, and gives a reason for each change. Pure.
 *
 * A slot holds at most one live order: while one of its placements is unfinished, nothing new is placed there. An order is replaced only if
 * the better price gains more than replacing costs, so a wobbling price does not burn fees. An open order whose fill would be no worse than
 * its successor's may stay until the successor may be placed.
 */
import { formatWithSymbol } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { gainOfMoving, type Market, tradesNoWorse } from "../../domain/Market.ts"
import { isFinished } from "../../domain/Placement.ts"
import { present } from "../../domain/Present.ts"
import { type DesiredOrder, exitsFirst } from "../../strategy/Decision.ts"
import { isAfterStop } from "../../strategy/kinds/StopExit.ts"
import type { Placement } from "../state/Placement.ts"
import type { ReplacementCost } from "./ReplacementCost.ts"

/** An order in its slot. `quantity` is the part that is still open. */
export interface SlotOrder extends Pick<Placement, "by" | "market" | "price" | "quantity" | "side" | "slot" | "state"> {
  readonly cancelRequested: boolean
  /** Its payment was sent, and no answer says whether it was made. */
  readonly isPaymentOpen?: boolean
  readonly replacement: ReplacementCost
}

export type Change =
  | { readonly _tag: "Keep"; readonly slot: string }
  | { readonly _tag: "Place"; readonly desired: DesiredOrder }
  /** `successor`: the open order may stay until this one may be placed, because its trades would be no worse. */
  | { readonly _tag: "Cancel"; readonly slot: string; readonly why: Reason; readonly successor?: DesiredOrder }
  | { readonly _tag: "Wait"; readonly slot: string; readonly why: string }

/** Planned orders by slot; `whyNot` has the reason of each slot that may end up empty. */
export interface OrderPlan {
  readonly desired: ReadonlyMap<string, DesiredOrder>
  readonly whyNot: ReadonlyMap<string, Reason>
}

/** `market` is the market of planned orders that name none. */
export const diff = (market: Market, plan: OrderPlan, own: ReadonlyArray<SlotOrder>): ReadonlyArray<Change> => {
  const live = new Map(own.filter((order) => !isFinished(order.state)).map((order) => [order.slot, order]))
  const desiredOrders = exitsFirst([...plan.desired.values()], ({ isExit }) => isExit === true)
  const placed = desiredOrders.map((desired): Change => {
    const order = live.get(desired.slot)
    return order === undefined ? { _tag: "Place", desired } : changeOf(desired.market ?? market, order, desired)
  })
  const unwanted = [...live.values()]
    .filter((order) => !plan.desired.has(order.slot))
    .map((order) => cancelOrWait(order, plan.whyNot.get(order.slot) ?? notWanted))
  return [...unwanted, ...placed]
}

const notWanted: Reason = { code: "not-wanted", text: "The strategy no longer plans this slot" }

const cancelOrWait = (order: SlotOrder, why: Reason, successor?: DesiredOrder): Change => {
  if (order.quantity === 0n) return { _tag: "Wait", slot: order.slot, why: "Filled, payout pending" }
  if (order.state === "closing") return { _tag: "Wait", slot: order.slot, why: "Its money is on the way back" }
  return order.cancelRequested
    ? { _tag: "Wait", slot: order.slot, why: "Its cancel is under way" }
    : { _tag: "Cancel", slot: order.slot, why, ...present({ successor }) }
}

const changeOf = (market: Market, order: SlotOrder, desired: DesiredOrder): Change => {
  if (order.state === "closing" || order.cancelRequested) return cancelOrWait(order, desired.why)
  // A cancel would end the order, but not the doubt. A payment that is sent again is in most cases made, and the order can then be moved.
  if (order.state === "in doubt") return { _tag: "Wait", slot: order.slot, why: "Unclear whether it was paid" }
  if (order.isPaymentOpen === true) return { _tag: "Wait", slot: order.slot, why: "Its payment has no answer yet" }
  const because = (code: string, text: string): Reason => ({ ...desired.why, code, text })
  if (order.market !== market.name) return cancelOrWait(order, because("other-market", `Switched to ${market.name}`))
  if (order.side !== desired.side)
    return cancelOrWait(order, because("other-side", `Switched to its ${desired.side.toLowerCase()} side`))
  const successor = order.by === undefined && tradesNoWorse(desired, order) ? desired : undefined
  if (order.by !== desired.by) {
    const how = desired.by === undefined ? "a resting order" : "a swap"
    return cancelOrWait(order, { code: "other-way", text: `Switched to ${how}` }, successor)
  }
  const { fees, outOfMarketBasisPoints, text: costs } = order.replacement
  const gain = gainOfMoving(market, order, desired, outOfMarketBasisPoints)
  const isTooMuch = desired.neverMore === true && order.quantity > desired.quantity
  const isElsewhere = desired.isExact === true && Decimal.compare(order.price, desired.price) !== 0
  if (gain <= fees && !isTooMuch && !isElsewhere) return { _tag: "Keep", slot: order.slot }
  const gainText = formatWithSymbol(gain, market.quote)
  const what = `Moving from ${orderText(market, order)} to ${orderText(market, desired)}`
  const cause = isTooMuch
    ? "the old order is too large"
    : isElsewhere
      ? "its price was edited"
      : isAfterStop(desired)
        ? desired.why.text
        : `gains ${gainText}, more than replacing costs (${costs})`
  return cancelOrWait(order, because("requote", `${what}: ${cause}`), successor)
}

const orderText = ({ base }: Market, { quantity, price }: Pick<SlotOrder, "quantity" | "price">): string =>
  `${formatWithSymbol(quantity, base)} at ${Decimal.format(price)}`
