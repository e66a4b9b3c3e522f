/**
 * What takes the end of an order back: the venue had said that it was filled, or cancelled and paid back, and it lives on. Then
 * nothing of what was booked of it counts but its deposit, and it is read and followed like any other order; so the books are
 * what the venue shows by now, whatever it said in between. An order that shows all that is booked of it is only reopened.
 */
import type { BotEvent, Of } from "../../../domain/BotEvent.ts"
import type { Order } from "../../../domain/Order.ts"
import type { Placement } from "../../state/Placement.ts"
import * as Fills from "./Fills.ts"

export const takenBack = (placement: Placement): ReadonlyArray<Of<"TakenBack">> => {
  const { deadline, deposited, fills, id, inputAmount, inputAsset, market, order, outputAmount, outputAsset } =
    placement
  const { payoutFee = 0n, price, refundFee = 0n, side, slot, state, status, strategy } = placement
  if (order === undefined) return []
  const { estimatedRefundFee, estimatedWithdrawFee, id: orderId } = order
  const what = { orderId, market, side, price, deadline, inputAsset, inputAmount, outputAsset, outputAmount }
  return [
    {
      _tag: "TakenBack",
      ...{ strategy, slot, placement: id },
      ...what,
      estimatedWithdrawFee,
      estimatedRefundFee,
      deposited,
      fills: [...fills].map(([fillId, { amountIn, amountOut }]) => ({ fillId, amountIn, amountOut })),
      payoutFee,
      refundFee,
      ...(state !== "open" && status !== undefined ? { ended: status } : {})
    }
  ]
}

/** The order is not over, and what was to come back has not: it is in the order again. */
export const reopening = (placement: Placement, status: string): ReadonlyArray<BotEvent> => {
  const { id, inputAsset: asset, refund, slot, state, strategy, unspent: amount } = placement
  if (state !== "closing" || refund !== "none") return []
  return [{ _tag: "Reopened", strategy, slot, placement: id, status, asset, amount }]
}

/** A fill that a living order shows no more never was; the others are read anew. */
export const vanished = (placement: Placement, order: Order): ReadonlyArray<BotEvent> =>
  isWhole(placement, order) ? [] : takenBack(placement)

const isWhole = (placement: Placement, { fills }: Order): boolean => Fills.lackIn(placement, fills) === undefined

/** The order is not over. What of it had counted as back is in it again; and a fill that it does not show never was. */
export const revived = (placement: Placement, order: Order): ReadonlyArray<BotEvent> => {
  const { payout, refund, state } = placement
  if (state !== "closing") return []
  if (refund !== "none" || payout === "paid" || payout === "failed" || !isWhole(placement, order))
    return takenBack(placement)
  return reopening(placement, order.fillStatus)
}
