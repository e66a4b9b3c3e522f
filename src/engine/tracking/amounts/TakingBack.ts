/**
 * Takes back the end of an order that the venue had reported as ended, and that lives on. Only its deposit stays booked, and the bot tracks
 * it like any other order, so the books follow the venue's present report. An order that shows all its booked facts is only reopened.
 */
import type { BotEvent, Of } from "../../../domain/BotEvent.ts"
import type { Order } from "../../../domain/Order.ts"
import { present } from "../../../domain/Present.ts"
import { about, type Placement } from "../../state/Placement.ts"
import * as Fills from "./Fills.ts"

export const takenBack = (placement: Placement): ReadonlyArray<Of<"TakenBack">> => {
  const { deadline, deposited, fills, inputAmount, inputAsset, isPart, market, order, outputAmount } = placement
  const { outputAsset, payoutFee = 0n, price, refundFee = 0n, side, state, status } = placement
  if (order === undefined) return []
  const { estimatedRefundFee, estimatedWithdrawFee, id: orderId } = order
  const what = { orderId, market, side, price, deadline, inputAsset, inputAmount, outputAsset, outputAmount }
  return [
    {
      _tag: "TakenBack",
      ...about(placement),
      ...what,
      estimatedWithdrawFee,
      estimatedRefundFee,
      deposited,
      fills: [...fills].map(([fillId, { amountIn, amountOut }]) => ({ fillId, amountIn, amountOut })),
      payoutFee,
      refundFee,
      ...(state !== "open" && status !== undefined ? { ended: status } : {}),
      ...present({ isPart })
    }
  ]
}

/** The order has not ended, and its expected refund has not come: that money is in the order again. */
export const reopening = (placement: Placement, status: string): ReadonlyArray<BotEvent> => {
  const { id, inputAsset: asset, refund, slot, state, strategy, unspent: amount } = placement
  if (state !== "closing" || refund !== "none") return []
  return [{ _tag: "Reopened", strategy, slot, placement: id, status, asset, amount }]
}

/** A fill that a live order no longer shows was not real; the others are read again. */
export const vanished = (placement: Placement, order: Order): ReadonlyArray<BotEvent> =>
  isWhole(placement, order) ? [] : takenBack(placement)

const isWhole = (placement: Placement, { fills }: Order): boolean => Fills.lackIn(placement, fills) === undefined

/** The order has not ended. Amounts that counted as returned are in it again, and a fill that it does not show was not real. */
export const revived = (placement: Placement, order: Order): ReadonlyArray<BotEvent> => {
  const { payout, refund, state } = placement
  if (state !== "closing") return []
  if (refund !== "none" || payout === "paid" || payout === "failed" || !isWhole(placement, order))
    return takenBack(placement)
  return reopening(placement, order.fillStatus)
}
