/**
 * A swap that the venue ended with success and without any amount; for a confidential swap it may never report more. Nothing is booked
 * until a report shows the amounts, the partner's history names them, or a person states the amount that arrived. Then the whole deposit
 * counts as spent, and that amount as its output.
 */
import type { Amount } from "../../../domain/Amount.ts"
import type { BotEvent } from "../../../domain/BotEvent.ts"
import { beginOf, minuteMillis } from "../../../domain/Durations.ts"
import type { Placement } from "../../state/Placement.ts"

export const isBareSuccess = ({ by, fills, state, status }: Placement): boolean =>
  by === "swap" && state === "open" && status === "SUCCESS" && fills.size === 0

const patienceMillis = 10 * minuteMillis

export const askedSince = (placement: Placement, now: number): number | undefined => {
  const changedAt = beginOf(placement, placement.changedAt, now)
  const since = Math.max(changedAt, Math.min(placement.deadline, changedAt + patienceMillis))
  return isBareSuccess(placement) && now > since ? since : undefined
}

/** Above this multiple of the promise, an amount is a typing error and not a better price. */
const mostOfQuote = { tenths: 11n, of: 10n }
const mostOfLimit = { tenths: 2n, of: 1n }

export const objectionTo = ({ id, outputAmount, swap }: Placement, received: Amount | undefined) => {
  if (received === undefined || received <= 0n)
    return `state the amount that arrived: limitbot resolve ${id} --paid --received AMOUNT`
  const [promised, { of, tenths }] = swap === undefined ? [outputAmount, mostOfLimit] : [swap.amountOut, mostOfQuote]
  return received * of > promised * tenths ? "the amount is too large: its quote promised far less" : undefined
}

export const arrived = (
  { deposited, id, inputAsset, order, outputAsset: asset, price, side, slot, strategy }: Placement,
  { received: amount, text }: { readonly received: Amount; readonly text: string },
  filledAt: number
): ReadonlyArray<BotEvent> => {
  const about = { strategy, slot, placement: id }
  const fill = { fillId: `${order?.id}-swap`, side, price, inputAsset, amountIn: deposited, filledAt }
  return [
    { _tag: "Resolved", ...about, word: "paid", text, received: amount },
    { _tag: "FillSeen", ...about, ...fill, outputAsset: asset, amountOut: amount },
    { _tag: "Closed", ...about, status: "FILLED", inputAsset, unspent: 0n },
    { _tag: "PayoutStarted", ...about, asset, amount },
    { _tag: "PaidOut", ...about, asset, amount, fee: 0n, txHashes: [] },
    { _tag: "Settled", ...about }
  ]
}
