/**
 * Money that the operator wrote off and that arrives after all. It is a deposit of a payment that counted as never made, or a payout or
 * refund whose leg had failed. `Found` first takes back the loss; then the money is booked as usual. Nothing else is booked for an order
 * that was given up.
 */
import { type Amount, min } from "../../../domain/Amount.ts"
import type { BotEvent } from "../../../domain/BotEvent.ts"
import { filledOut, type Placement } from "../../state/Placement.ts"

export const asClosing = (placement: Placement): Placement =>
  placement.state === "given up" ? { ...placement, state: "closing" } : placement

const none: ReadonlyMap<string, Amount> = new Map()

export const recoveryEvents = ({ id, lost = none, market, slot, strategy }: Placement): ReadonlyArray<BotEvent> =>
  [...lost].map(([asset, amount]) => ({ _tag: "Found", strategy, slot, placement: id, market, asset, amount }))

/** Payouts and refunds that a person confirmed. Their fees are not reported, so each costs at most its estimate at payment. */
export const byWord = (placement: Placement, came: ReadonlyMap<string, Amount>): ReadonlyArray<BotEvent> => {
  const { id, inputAsset, order, outputAsset, payout, refund, slot, strategy } = placement
  const { estimatedRefundFee = 0n, estimatedWithdrawFee = 0n } = order ?? {}
  const isPayoutDue = payout !== "paid" && filledOut(placement) > 0n
  const isRefundDue = refund !== "paid" && !(isPayoutDue && inputAsset === outputAsset)
  const legs = [
    ["PaidOut", outputAsset, estimatedWithdrawFee, isPayoutDue],
    ["Refunded", inputAsset, estimatedRefundFee, isRefundDue]
  ] as const
  return legs.flatMap(([_tag, asset, estimate, isDue]): ReadonlyArray<BotEvent> => {
    const gross = came.get(asset) ?? 0n
    if (!isDue || gross <= 0n) return []
    const fee = min(gross, estimate)
    return [{ _tag, strategy, slot, placement: id, asset, amount: gross - fee, fee, txHashes: [] }]
  })
}

export const late = (placement: Placement, events: ReadonlyArray<BotEvent>): ReadonlyArray<BotEvent> => {
  const { lost = none, state } = placement
  if (state === "given up" && events.some(({ _tag }) => _tag === "FillSeen" || _tag === "Reopened")) return []
  const booked = state === "given up" ? events.filter(({ _tag }) => ofLegs.has(_tag)) : events
  const arrived = new Set(
    booked.flatMap((event) => (arrivals.has(event._tag) && "asset" in event ? [event.asset] : []))
  )
  const back = recoveryEvents({ ...placement, lost: new Map([...lost].filter(([asset]) => arrived.has(asset))) })
  return [...back, ...booked]
}

const ofLegs: ReadonlySet<BotEvent["_tag"]> = new Set(["PaidOut", "Refunded", "Settled"])
const arrivals: ReadonlySet<BotEvent["_tag"]> = new Set(["DepositSeen", "PaidOut", "Refunded"])
