/** What every limit says about a wanted order, and the number at which it would say the opposite: for explanations. */
import { present } from "../../domain/Present.ts"
import { type LimitInputs, type LimitName, orderLimits, sized } from "../../engine/planning/OrderLimits.ts"
import type { DesiredOrder } from "../../strategy/Decision.ts"

export interface GuardVerdict {
  readonly guard: LimitName
  readonly passes: boolean
  /** The verdict with its numbers. */
  readonly text: string
  /** What would reverse it; missing where nothing is set. */
  readonly flips?: string
}

export const verdictsOf = (desired: DesiredOrder, at: LimitInputs): ReadonlyArray<GuardVerdict> => {
  const order = sized(desired, at.market)
  return orderLimits.map(({ flips, name: guard, now, refuses }) => {
    const refusal = refuses(order, at)
    const passes = refusal === undefined
    return { guard, passes, text: refusal ?? now(order, at), ...present({ flips: flips(order, at, passes) }) }
  })
}
