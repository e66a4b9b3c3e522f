/** Lists slots whose next order opens, or is placed, after the fills of a bar or after the strategy has run. */
import type { SlotState } from "./SlotState.ts"

export class Followers {
  private readonly arriving: Array<SlotState> = []
  private readonly first: Array<SlotState> = []
  private readonly later: Array<SlotState> = []
  private readonly held = new Set<SlotState>()

  rests(slot: SlotState): void {
    this.arriving.push(slot)
  }

  places(slot: SlotState, paysForItself: boolean): void {
    const due = paysForItself ? this.first : this.later
    due.push(slot)
  }

  holds(slot: SlotState): void {
    this.held.add(slot)
  }

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

  takeResting(): SlotState | undefined {
    return this.arriving.pop()
  }

  takeFirst(): ReadonlyArray<SlotState> {
    return this.first.splice(0)
  }

  takeLater(): ReadonlyArray<SlotState> {
    return this.later.splice(0)
  }
}
