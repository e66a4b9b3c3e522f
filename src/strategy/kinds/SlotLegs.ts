/** How far a slot is, without waiting for the payout of its last fill. */
import { dueLeg, filledOfLeg, type Legs, wholeLeg } from "../Decision.ts"
import { progressOf, type SlotProgress, type View } from "../View.ts"

/** The due leg has filled and waits for its payout. */
const isFilled = (desired: Legs, progress: SlotProgress, due: number): boolean => {
  const filled = filledOfLeg(desired, progress)
  return filled > 0n && filled >= wholeLeg(desired, due, progress)
}

/** Legs that have filled, over all cycles, including one whose payout is under way. */
export const filledLegs = (desired: Legs, view: Pick<View, "slots">, slot: string): number => {
  const progress = progressOf(view, slot)
  return progress.completedLegs + (isFilled(desired, progress, dueLeg(desired, progress)) ? 1 : 0)
}

/** The next leg, once what has filled is paid out. */
export const nextLeg = (desired: Legs, view: Pick<View, "slots">, slot: string): Legs["legs"][number] | undefined => {
  const progress = progressOf(view, slot)
  const working = dueLeg(desired, progress)
  const due = working + (isFilled(desired, progress, working) ? 1 : 0)
  return desired.legs[desired.cycle ? due % desired.legs.length : due]
}
