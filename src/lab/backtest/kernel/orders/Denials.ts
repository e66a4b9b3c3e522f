/** Slots whose order only a limit keeps back, in an empty slot or from the place of what rests there, and which closes may set it free. */

import type { LimitName } from "../../../../engine/planning/OrderLimits.ts"
import type { SlotState } from "./SlotState.ts"

export interface Denial {
  readonly limit: LimitName
  /** Where the price is the reason: closes that may set the order free are at or below this, or at or above that. */
  readonly below: number
  readonly above: number
}

export class Denials {
  private readonly bySlot = new Map<SlotState, Denial>()

  get size(): number {
    return this.bySlot.size
  }

  get all(): Iterable<Denial> {
    return this.bySlot.values()
  }

  some(is: (slot: SlotState) => boolean): boolean {
    for (const slot of this.bySlot.keys()) if (is(slot)) return true
    return false
  }

  /** In the order of the slots. */
  get slots(): ReadonlyArray<SlotState> {
    return [...this.bySlot.keys()].toSorted((a, b) => a.index - b.index)
  }

  /** Says whether another limit, or none, kept the slot's order back before. */
  add(slot: SlotState, denial: Denial): boolean {
    const isNew = this.bySlot.get(slot)?.limit !== denial.limit
    this.bySlot.set(slot, denial)
    return isNew
  }

  /** Says whether a limit did keep the slot's order back. */
  remove(slot: SlotState): boolean {
    return this.bySlot.delete(slot)
  }
}
