/** Lists orders that the last close had reached when they opened. */
import type { SlotState } from "./SlotState.ts"

export class Arrivals {
  private readonly slots: Array<SlotState> = []
  /** True if an order breaks the price limit or is a swap while the run has no guard. The run is then repeated with one. */
  needsGuard = false

  get count(): number {
    return this.slots.length
  }

  deviates(): void {
    this.needsGuard = true
  }

  add(slot: SlotState): void {
    this.slots.push(slot)
  }

  take(): ReadonlyArray<SlotState> {
    return [...new Set(this.slots.splice(0))].sort((a, b) => a.index - b.index)
  }

  /** Checks first, because setting an array's length is slow even if it does not change. */
  clear(): void {
    if (this.slots.length > 0) this.slots.length = 0
  }
}
