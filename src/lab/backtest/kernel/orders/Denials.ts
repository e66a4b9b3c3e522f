/** Lists slots whose order only a limit keeps back, in an empty slot or behind an open order, and the closes that may release it. */
import type { LimitName } from "../../../../engine/planning/OrderLimits.ts"
import type { SlotState } from "./SlotState.ts"

export interface Denial {
  readonly limit: LimitName
  /** For limits on the price: closes at or below `below`, or at or above `above`, may release the order. */
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

  get slots(): ReadonlyArray<SlotState> {
    return [...this.bySlot.keys()].toSorted((a, b) => a.index - b.index)
  }

  /** Returns true if another limit, or none, kept the slot's order back before. */
  add(slot: SlotState, denial: Denial): boolean {
    const isNew = this.bySlot.get(slot)?.limit !== denial.limit
    this.bySlot.set(slot, denial)
    return isNew
  }

  remove(slot: SlotState): boolean {
    return this.bySlot.delete(slot)
  }
}
