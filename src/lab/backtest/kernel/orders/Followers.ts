/** Slots whose next order comes to rest, or is to be placed, after the fills of a bar, or once the strategy was asked. */

import type { SlotState } from "./SlotState.ts"

export class Followers {
  private readonly arriving: Array<SlotState> = []
  private readonly first: Array<SlotState> = []
  private readonly later: Array<SlotState> = []
  private readonly held = new Set<SlotState>()

  /** Its order rests after the fills. */
  rests(slot: SlotState): void {
    this.arriving.push(slot)
  }

  /** An order is placed after the fills: first what pays for itself. */
  places(slot: SlotState, paysForItself: boolean): void {
    const due = paysForItself ? this.first : this.later
    due.push(slot)
  }

  /** Its next order waits for the strategy to be asked. */
  holds(slot: SlotState): void {
    this.held.add(slot)
  }

  /** How many orders are to be placed after the fills. */
  get toPlace(): number {
    return this.first.length + this.later.length
  }

  get isHolding(): boolean {
    return this.held.size > 0
  }

  isHeld(slot: SlotState): boolean {
    return this.held.has(slot)
  }

  release(): void {
    this.held.clear()
  }

  /** The last one first. */
  takeResting(): SlotState | undefined {
    return this.arriving.pop()
  }

  /** What pays for itself, and then all others. */
  takeFirst(): ReadonlyArray<SlotState> {
    return this.first.splice(0)
  }

  takeLater(): ReadonlyArray<SlotState> {
    return this.later.splice(0)
  }
}
