/** The verdict of every limit on a planned order, with the number at which it would reverse. Used for explanations. */
import { present } from "../../domain/Present.ts"
import { type LimitInputs, type LimitName, orderLimits, sized } from "../../engine/planning/OrderLimits.ts"
import type { DesiredOrder } from "../../strategy/Decision.ts"

export interface GuardVerdict {
  readonly guard: LimitName
  readonly passes: boolean
  readonly text: string
  /** The number that would reverse it; missing if no limit is set. */
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
