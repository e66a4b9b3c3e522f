/**
 * All legs that the slots of a decision can work, sorted by the price at which they fill: one ladder of buys, one of
 * sells. A resting order is a bit at its leg's rank, so the nearest buy and the nearest sell are always one look away and
 * a cycling slot only moves bits.
 */
import type { DesiredSlot } from "../../../strategy/Decision.ts"
import { type FillRules, fillsAt, swapping, touching } from "../FillRules.ts"
import { none } from "./OrderTable.ts"
import * as RankSet from "./RankSet.ts"

/** One side, ascending by price. At one price the slot that comes first in the decision is nearest to the market. */
export interface Ladder {
  readonly resting: RankSet.RankSet
  readonly fillsAt: Float64Array
  readonly slots: Int32Array
}

export interface Ladders {
  readonly buys: Ladder
  readonly sells: Ladder
  /** First leg of each slot; the legs of slot s are `firstLeg[s]` up to `firstLeg[s + 1]`. */
  readonly firstLeg: Int32Array
  readonly rankOfLeg: Int32Array
  readonly fillsAtOfLeg: Float64Array
  /** The order last made for a leg: the next one of the same quantity is the same row. */
  readonly rowOfLeg: Int32Array
}

const sideLadder = (
  slots: ReadonlyArray<DesiredSlot | undefined>,
  ladders: Pick<Ladders, "firstLeg" | "rankOfLeg" | "fillsAtOfLeg">,
  side: "BUY" | "SELL"
): Ladder => {
  const legs: Array<{ readonly leg: number; readonly slot: number }> = []
  // Made anew at every requote: plain loops.
  for (let slot = 0; slot < slots.length; slot++) {
    const wanted = slots[slot]?.legs ?? []
    const first = ladders.firstLeg[slot] ?? 0
    for (let index = 0; index < wanted.length; index++)
      if (wanted[index]?.side === side) legs.push({ leg: first + index, slot })
  }
  const priceOf = (leg: number): number => ladders.fillsAtOfLeg[leg] ?? 0
  const nearestLast = side === "BUY" ? 1 : -1
  legs.sort((a, b) => priceOf(a.leg) - priceOf(b.leg) || (b.slot - a.slot) * nearestLast || a.leg - b.leg)
  const [fillsAt, slotOf] = [new Float64Array(legs.length), new Int32Array(legs.length)]
  for (let rank = 0; rank < legs.length; rank++) {
    const { leg = 0, slot = 0 } = legs[rank] ?? {}
    ladders.rankOfLeg[leg] = rank
    fillsAt[rank] = priceOf(leg)
    slotOf[rank] = slot
  }
  return { resting: RankSet.make(legs.length), fillsAt, slots: slotOf }
}

/** Empty ladders for these slots. What `previous` knows of slots that are not in `changed` is kept. */
export const make = (
  slots: ReadonlyArray<DesiredSlot | undefined>,
  rules: FillRules,
  priceScale: number,
  previous: Ladders | undefined,
  changed: ReadonlySet<number>
): Ladders => {
  const firstLeg = new Int32Array(slots.length + 1)
  for (let slot = 0; slot < slots.length; slot++)
    firstLeg[slot + 1] = (firstLeg[slot] ?? 0) + (slots[slot]?.legs.length ?? 0)
  const legs = firstLeg[slots.length] ?? 0
  const fillsAtOfLeg = new Float64Array(legs)
  const rowOfLeg = new Int32Array(legs).fill(none)
  const rankOfLeg = new Int32Array(legs)
  const swaps = swapping(rules)
  for (const [slot, desired] of slots.entries()) {
    const kept = previous !== undefined && !changed.has(slot)
    for (const [index, leg] of (desired?.legs ?? []).entries()) {
      const at = (firstLeg[slot] ?? 0) + index
      const before = kept ? (previous.firstLeg[slot] ?? 0) + index : none
      fillsAtOfLeg[at] =
        previous?.fillsAtOfLeg[before] ?? fillsAt(leg.by === undefined ? rules : swaps, leg.side, leg.price, priceScale)
      rowOfLeg[at] = previous?.rowOfLeg[before] ?? none
    }
  }
  const known = { firstLeg, rankOfLeg, fillsAtOfLeg, rowOfLeg }
  return { ...known, buys: sideLadder(slots, known, "BUY"), sells: sideLadder(slots, known, "SELL") }
}

/** No slots: nothing ever rests on it, so all runs begin with the same one. */
export const empty: Ladders = make([], touching, 0, undefined, new Set())
