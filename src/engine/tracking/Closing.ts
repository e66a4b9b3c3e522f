/** Follows the money of an ended order out of it, until the amounts add up and its payouts are final. */
import { type Amount, min } from "../../domain/Amount.ts"
import type { BotEvent } from "../../domain/BotEvent.ts"
import type { Order } from "../../domain/Order.ts"
import { about, filledOut, type Placement } from "../state/Placement.ts"
import { isPaidOut, isRefunded, payoutCost, refundCost } from "./amounts/Fees.ts"
import type * as Fills from "./amounts/Fills.ts"
import { receivedBy, unspentOf } from "./Contradictions.ts"

export const close = (
  placement: Placement,
  order: Order,
  disputed: Fills.Disputed,
  isEndUnbelieved: boolean
): ReadonlyArray<BotEvent> => {
  if (order.depositedAmount === 0n) {
    // Only the payload's expiry shows that a signed order gets no deposit. An unsigned order had no money at risk, unless the journal may
    // have lost its signature.
    return placement.state === "created" && placement.mayBePaid !== true
      ? [{ _tag: "Abandoned", ...about(placement), reason: `the venue ended it unfunded (${order.fillStatus})` }]
      : []
  }
  const events: Array<BotEvent> = []
  const unspent = unspentOf(placement, disputed)
  const { inputAsset } = placement
  if (placement.state !== "closing")
    events.push({ _tag: "Closed", ...about(placement), status: order.fillStatus, inputAsset, unspent })
  const payout = payoutEvents(placement, order, disputed)
  const refund = isEndUnbelieved ? notYet : refundEvents(placement, order, unspent, disputed)
  events.push(...payout.events, ...refund.events)
  if (payout.done && refund.done && order.payoutIsFinal) events.push({ _tag: "Settled", ...about(placement) })
  return events
}

interface Outcome {
  readonly events: ReadonlyArray<BotEvent>
  readonly done: boolean
}

const notYet: Outcome = { events: [], done: false }
const nothingLeft: Outcome = { events: [], done: true }

/** The venue names no amounts in payouts, so the arrival is the filled output less the reported cost. */
const payoutEvents = (placement: Placement, order: Order, { received }: Fills.Disputed): Outcome => {
  const asset = placement.outputAsset
  const filled = receivedBy(order)
  if (filled === 0n || placement.payout === "paid") return nothingLeft
  const isComplete = isPaidOut(order)
  // A leg recorded as failed may complete after all.
  if (order.withdrawals.length === 0 || (placement.payout === "failed" && !isComplete)) return notYet
  const events: Array<BotEvent> = []
  // A fill may have grown since.
  const fresh =
    placement.payout === "none" ? filled : placement.payout === "started" ? filled - filledOut(placement) : 0n
  if (fresh > 0n) events.push({ _tag: "PayoutStarted", ...about(placement), asset, amount: fresh })
  const failed = order.withdrawals.find((leg) => leg.status === "FAILED")
  if (failed !== undefined && order.payoutIsFinal) {
    const reason = failed.reason ?? "the venue gave no reason"
    events.push({ _tag: "LegFailed", ...about(placement), leg: "payout", asset, amount: filled, reason })
    return { events, done: false }
  }
  if (!isComplete) return { events, done: false }
  const payoutGross = placement.payout === "failed" ? min(received, filledOut(placement)) : received
  const { claimed, fee } = payoutCost(placement, order, payoutGross)
  const txHashes = order.withdrawals.flatMap((leg) => leg.txHash ?? [])
  events.push({ _tag: "PaidOut", ...about(placement), asset, amount: payoutGross - claimed, fee, txHashes })
  return { events, done: true }
}

const refundEvents = (placement: Placement, order: Order, unspent: Amount, { left: most }: Fills.Disputed): Outcome => {
  const asset = placement.inputAsset
  if (unspent === 0n || placement.refund === "paid") return nothingLeft
  const leg = order.refund
  if (isRefunded(order)) {
    const refundGross = min(unspent, most)
    const { claimed, fee } = refundCost(placement, order, refundGross)
    const txHashes = leg?.txHash === undefined ? [] : [leg.txHash]
    const amount = refundGross - claimed
    return { events: [{ _tag: "Refunded", ...about(placement), asset, amount, fee, txHashes }], done: true }
  }
  if (placement.refund === "failed") return notYet
  if (leg?.status !== "FAILED" && !(leg === undefined && order.payoutIsFinal)) return notYet
  const reason = leg === undefined ? "the order is final without a refund" : (leg.reason ?? "the venue gave no reason")
  const failed = { leg: "refund", asset, amount: unspent, reason } as const
  return { events: [{ _tag: "LegFailed", ...about(placement), ...failed }], done: false }
}
