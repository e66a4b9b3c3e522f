/**
 * With `fundNearest`, only the highest buys and the lowest sells are placed, by each cell's next leg. This is computed after every fill, so
 * of thousands of cells it checks only those whose slots have changed.
 */
import type { Reason } from "../../../domain/BotEvent.ts"
import { type DesiredSlot, nextLeg } from "../../Decision.ts"
import type { SlotProgress } from "../../View.ts"
import type { Absent, Chosen, SlotsSeen } from "./Choice.ts"

export class Window {
  declare private readonly chosen: Chosen
  declare private readonly cells: ReadonlyArray<string>
  declare private readonly count: number
  declare private readonly why: Reason
  declare private readonly buys: Uint8Array
  declare private readonly sells: Uint8Array
  private readonly placeOf = new Map<string, number>()
  private readonly seen = new Map<string, SlotProgress>()

  constructor(cells: ReadonlyArray<string>, chosen: Chosen, count: number, why: Reason) {
    this.cells = cells
    this.chosen = chosen
    this.count = count
    this.why = why
    this.buys = new Uint8Array(chosen.working.length)
    this.sells = new Uint8Array(chosen.working.length)
    const untouched = { slots: new Map<string, SlotProgress>() }
    for (const [place, { slot }] of chosen.working.entries()) {
      this.placeOf.set(slot, place)
      this.look(slot, untouched)
    }
  }

  in(view: SlotsSeen): ReadonlyArray<DesiredSlot> {
    this.see(view)
    const { buys, chosen, count, sells } = this
    const places: Array<number> = []
    let at = buys.lastIndexOf(1)
    for (; at >= 0 && places.length < count; at = at === 0 ? -1 : buys.lastIndexOf(1, at - 1)) places.push(at)
    places.reverse()
    const [bought, highest] = [places.length, places.at(-1) ?? -1]
    at = sells.indexOf(1)
    const areMixed = at >= 0 && at < highest
    for (; at >= 0 && places.length < bought + count; at = sells.indexOf(1, at + 1)) places.push(at)
    if (areMixed) places.sort((a, b) => a - b)
    const inside: Array<DesiredSlot> = []
    for (const place of places) {
      const desired = chosen.working[place]
      if (desired !== undefined) inside.push(desired)
    }
    return inside
  }

  beside(desired: ReadonlyArray<DesiredSlot>, { slots }: SlotsSeen): ReadonlyArray<Absent> {
    const { cells, chosen, count, why } = this
    const inside = new Set(desired.map(({ slot }) => slot))
    const from = cells.indexOf(desired[0]?.slot ?? "") - count
    const to = cells.lastIndexOf(desired.at(-1)?.slot ?? "") + count
    const near = new Set(cells.slice(Math.max(0, from), to + 1))
    const leftOut = chosen.working.filter(({ slot }) => !inside.has(slot)).map(({ slot }) => ({ slot, why }))
    return [...chosen.absent, ...leftOut].filter(({ slot }) => near.has(slot) || slots.has(slot))
  }

  private look(slot: string, view: SlotsSeen): void {
    const place = this.placeOf.get(slot)
    const desired = place === undefined ? undefined : this.chosen.working[place]
    if (place === undefined || desired === undefined) return
    const side = nextLeg(desired, view, slot)?.side
    this.buys[place] = side === "BUY" ? 1 : 0
    this.sells[place] = side === "SELL" ? 1 : 0
  }

  private see(view: SlotsSeen): void {
    const { seen } = this
    for (const [slot, progress] of view.slots) {
      if (seen.get(slot) === progress) continue
      seen.set(slot, progress)
      this.look(slot, view)
    }
    if (seen.size === view.slots.size) return
    for (const slot of seen.keys()) if (!view.slots.has(slot) && seen.delete(slot)) this.look(slot, view)
  }
}
