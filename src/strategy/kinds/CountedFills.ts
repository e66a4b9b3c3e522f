/**
 * How much of a slot's leg has filled, for strategies that move their legs while they fill. A completely filled leg
 * is over before its payout: from then on the next leg is wanted.
 */
import { type Amount, type Asset, format } from "../../domain/Amount.ts"
import type { Leg, Memory } from "../Decision.ts"
import type { SlotProgress } from "../View.ts"
import { amountIn, numberIn, recordIn } from "./Memory.ts"

/** The leg that the slot works, and how much of it has filled. */
export interface Counted {
  readonly quantity: Amount
  readonly legs: number
  readonly inLeg: Amount
}

export const count = (known: Counted, progress: SlotProgress): Counted => {
  const passed = progress.completedLegs - known.legs
  if (passed < 0) return { ...known, inLeg: 0n }
  const isFilled = passed === 0 && known.quantity > 0n && progress.filledInLeg >= known.quantity
  const legs = progress.completedLegs + (isFilled ? 1 : 0)
  return { ...known, legs, inLeg: isFilled ? 0n : progress.filledInLeg }
}

/** The leg that fills next: that of the order that rests there, whatever is wanted now; otherwise the wanted one. */
export const remember = (
  { decimals }: Asset,
  counted: Counted,
  asked: Leg | undefined,
  { live, filledInLeg }: SlotProgress
): Memory => {
  const resting = live === undefined ? undefined : { quantity: live.quantity + filledInLeg }
  const { quantity } = resting ?? asked ?? counted
  return { quantity: format(quantity, decimals), legs: counted.legs, inLeg: format(counted.inLeg, decimals) }
}

export const countedIn = (asset: Asset, memory: Memory, slot: string): Counted => {
  const known = recordIn(memory, slot)
  return {
    quantity: amountIn(asset, known, "quantity"),
    legs: numberIn(known, "legs") ?? 0,
    inLeg: amountIn(asset, known, "inLeg")
  }
}
