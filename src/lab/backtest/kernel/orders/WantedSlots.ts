/**
 * Tracks the desired slots of the last decision in one market, and those that the next one may change. These have other legs, or their
 * order or legs are ending. A decision mostly begins with the same slots as the one before, and these need no separate check.
 */
import type { DesiredSlot } from "../../../../strategy/Decision.ts"
import * as SlotState from "./SlotState.ts"

export class WantedSlots {
  private wanted: ReadonlyArray<DesiredSlot> = []
  slots: ReadonlyArray<SlotState.SlotState> = []
  private readonly leaving = new Set<SlotState.SlotState>()
  private dueSlots: Array<SlotState.SlotState> = []
  private isAscending = true
  firstDue = 0

  /** Slots that the decision may change, in their order. The caller clears their marks. */
  get due(): ReadonlyArray<SlotState.SlotState> {
    return this.dueSlots
  }

  get isSettled(): boolean {
    return this.leaving.size === 0
  }

  take(wanted: ReadonlyArray<DesiredSlot>, slotNamed: (name: string) => SlotState.SlotState): void {
    const { leaving, slots: before } = this
    const prefixLength = sameBeginning(this.wanted, wanted)
    const names = before.slice(0, prefixLength)
    this.firstDue = leaving.size > 0 ? 0 : prefixLength
    this.dueSlots = []
    this.isAscending = true
    for (const slot of leaving) this.fallDue(slot)
    leaving.clear()
    for (let place = prefixLength; place < before.length; place++) this.ask(before[place], undefined)
    for (let place = prefixLength; place < wanted.length; place++) {
      const desired = wanted[place]
      const mostly = before[place]
      const slot = desired === undefined || mostly?.name === desired.slot ? mostly : slotNamed(desired.slot)
      this.ask(slot, desired)
      if (slot !== undefined) names.push(slot)
    }
    this.wanted = wanted
    this.slots = names
    if (!this.isAscending) this.dueSlots.sort((a, b) => a.index - b.index)
  }

  leaves(slot: SlotState.SlotState): void {
    this.leaving.add(slot)
  }

  private ask(slot: SlotState.SlotState | undefined, desired: DesiredSlot | undefined): void {
    if (slot === undefined) return
    SlotState.ask(slot, desired)
    this.fallDue(slot)
  }

  private fallDue(slot: SlotState.SlotState): void {
    if (slot.isDue) return
    SlotState.mark(slot, true)
    this.isAscending &&= (this.dueSlots.at(-1)?.index ?? -1) < slot.index
    this.dueSlots.push(slot)
  }
}

const sameBeginning = <A>(a: ReadonlyArray<A>, b: ReadonlyArray<A>): number => {
  const most = Math.min(a.length, b.length)
  let place = 0
  while (place < most && a[place] === b[place]) place++
  return place
}
