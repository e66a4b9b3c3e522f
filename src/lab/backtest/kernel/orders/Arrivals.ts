/** Orders that the last close had reached as they came to rest, and whether one of them gave away more than it may. */

import type { SlotState } from "./SlotState.ts"

export class Arrivals {
  private readonly slots: Array<SlotState> = []
  private deviated = false

  get count(): number {
    return this.slots.length
  }

  /** An order breaks the limit on its price, or is a swap, and nobody looks at limits: the run has to be made once more. */
  get needsGuard(): boolean {
    return this.deviated
  }

  deviates(): void {
    this.deviated = true
  }

  add(slot: SlotState): void {
    this.slots.push(slot)
  }

  /** Each once, in the order of the slots. */
  take(): ReadonlyArray<SlotState> {
    return [...new Set(this.slots.splice(0))].sort((a, b) => a.index - b.index)
  }

  /** Setting a length is slow, even to what it is. */
  clear(): void {
    if (this.slots.length > 0) this.slots.length = 0
  }
}
