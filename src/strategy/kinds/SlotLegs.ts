/** How far a slot is, without waiting for the payout of its last fill. */
import { dueLeg, filledOfLeg, type Legs, wholeLeg } from "../Decision.ts"
import { progressOf, type View } from "../View.ts"

/** The due leg has filled and waits for its payout. */
const isFilled = (desired: Legs, view: View, slot: string): boolean => {
  const progress = progressOf(view, slot)
  const filled = filledOfLeg(desired, progress)
  return filled > 0n && filled >= wholeLeg(desired, dueLeg(desired, progress), progress)
}

/** Legs that have filled, over all cycles, including one whose payout is under way. */
export const filledLegs = (desired: Legs, view: View, slot: string): number =>
  progressOf(view, slot).completedLegs + (isFilled(desired, view, slot) ? 1 : 0)

/** The next leg, once what has filled is paid out. */
export const nextLeg = (desired: Legs, view: View, slot: string): Legs["legs"][number] | undefined => {
  const due = dueLeg(desired, progressOf(view, slot)) + (isFilled(desired, view, slot) ? 1 : 0)
  return desired.legs[desired.cycle ? due % desired.legs.length : due]
}
