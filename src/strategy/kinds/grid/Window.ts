/**
 * With `fundNearest`, only the highest buys and the lowest sells are placed, by each cell's next leg. This is computed after every fill, so
 * of thousands of cells it checks only those whose slots have changed.
 */
import { type AbsentSlot, type DesiredSlot, nextLeg } from "../../Decision.ts"
import type { SlotProgress } from "../../View.ts"
import type { Grid } from "./CellRange.ts"
import type { Chosen, SlotsSeen } from "./Choice.ts"
import type { Numbered } from "./Versions.ts"

export interface Window {
  readonly in: (view: SlotsSeen) => ReadonlyArray<DesiredSlot>
  readonly beside: (desired: ReadonlyArray<DesiredSlot>, view: SlotsSeen) => ReadonlyArray<AbsentSlot>
}

export const windowOn = (
  { fundNearest: count, keys }: Grid,
  cells: ReadonlyArray<Numbered>,
  { absent, working }: Chosen
): Window | undefined => {
  if (count === undefined) return undefined
  const text = `not funded: outside the ${count} nearest buys and sells`
  const why = { code: "not-nearest", text, source: keys("fundNearest") }
  const names = cells.map(({ cell }) => cell.slot)
  const placeOf = new Map(working.map(({ slot }, place) => [slot, place]))
  const [buys, sells] = [new Uint8Array(working.length), new Uint8Array(working.length)]
  const seen = new Map<string, SlotProgress>()
  const look = (slot: string, view: SlotsSeen): void => {
    const place = placeOf.get(slot)
    const desired = place === undefined ? undefined : working[place]
    if (place === undefined || desired === undefined) return
    const side = nextLeg(desired, view, slot)?.side
    buys[place] = side === "BUY" ? 1 : 0
    sells[place] = side === "SELL" ? 1 : 0
  }
  const untouched = { slots: new Map() }
  for (const { slot } of working) look(slot, untouched)
  const see = (view: SlotsSeen): void => {
    for (const [slot, progress] of view.slots) {
      if (seen.get(slot) === progress) continue
      seen.set(slot, progress)
      look(slot, view)
    }
    if (seen.size === view.slots.size) return
    for (const slot of seen.keys()) if (!view.slots.has(slot) && seen.delete(slot)) look(slot, view)
  }
  return {
    in: (view) => {
      see(view)
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
        const desired = working[place]
        if (desired !== undefined) inside.push(desired)
      }
      return inside
    },
    beside: (desired, { slots }) => {
      const inside = new Set(desired.map(({ slot }) => slot))
      const from = names.indexOf(desired[0]?.slot ?? "") - count
      const to = names.lastIndexOf(desired.at(-1)?.slot ?? "") + count
      const near = new Set(names.slice(Math.max(0, from), to + 1))
      const leftOut = working.filter(({ slot }) => !inside.has(slot)).map(({ slot }) => ({ slot, why }))
      return [...absent, ...leftOut].filter(({ slot }) => near.has(slot) || slots.has(slot))
    }
  }
}
