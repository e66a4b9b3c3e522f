/** How far a slot has come, without waiting for the payout of its last fill. */
import { min } from "../../domain/Amount.ts"
import type { Leg } from "../Decision.ts"
import { progressOf, type View } from "../View.ts"

/** Legs that have filled, over all cycles: the one whose payout is still under way counts. */
export const filledLegs = (legs: ReadonlyArray<Leg>, view: View, slot: string): number => {
  const progress = progressOf(view, slot)
  const index = progress.completedLegs % legs.length
  const leg = legs[index]
  const previous = progress.completedLegs === 0 ? undefined : legs[(index + legs.length - 1) % legs.length]
  if (leg === undefined || progress.filledInLeg === 0n) return progress.completedLegs
  // Like `armedLeg`: a sale after a purchase is of no more than that brought in.
  const isCapped = leg.side === "SELL" && previous?.side === "BUY"
  const whole = isCapped ? min(leg.quantity, progress.receivedByLastLeg) : leg.quantity
  return progress.completedLegs + (progress.filledInLeg >= whole ? 1 : 0)
}
