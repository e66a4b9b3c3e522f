/**
 * All legs that the slots of a decision can use, sorted by the price at which they fill: one ladder of buys, one of sells. An open order is
 * a bit at its leg's rank. So the nearest buy and the nearest sell are found at once, and a slot that repeats its legs only moves bits. If
 * few legs change, only these move in the ladder; otherwise it is sorted again.
 */
import type { Side } from "../../../../domain/Market.ts"
import type { DesiredSlot, Leg } from "../../../../strategy/Decision.ts"
import { type FillRules, fillsAt, swapping } from "../FillRules.ts"
import { grown, none } from "./OrderTable.ts"
import * as RankSet from "./RankSet.ts"
import type { SlotState } from "./SlotState.ts"

/** Ascending by price. At equal prices the slot that comes first in the decision is nearest to the market. */
export interface Ladder {
  readonly side: Side
  /** Used length of each column; the rest is spare capacity. */
  legs: number
  resting: RankSet.RankSet
  fillsAt: Float64Array
  slots: Int32Array
  legOf: Int32Array
}

interface LaidLeg {
  fillsAt: number
  rank: number
  row: number
}

interface LaidSlot {
  desired: DesiredSlot
  readonly legs: ReadonlyArray<LaidLeg>
}

export interface Ladders {
  readonly rules: FillRules
  readonly priceScale: number
  readonly buys: Ladder
  readonly sells: Ladder
  readonly laid: Array<LaidSlot | undefined>
  /** Last legs of each slot, because a slot usually gets equal legs again. */
  readonly known: Array<LaidSlot | undefined>
}

const emptyLadder = (side: Side): Ladder => ({
  side,
  legs: 0,
  resting: RankSet.make(0),
  fillsAt: new Float64Array(0),
  slots: new Int32Array(0),
  legOf: new Int32Array(0)
})

export const make = (rules: FillRules, priceScale: number): Ladders => ({
  rules,
  priceScale,
  buys: emptyLadder("BUY"),
  sells: emptyLadder("SELL"),
  laid: [],
  known: []
})

export const ladderOf = ({ buys, sells }: Ladders, side: Side): Ladder => (side === "BUY" ? buys : sells)

export const rowOf = ({ laid }: Ladders, slot: number, leg: number): number => laid[slot]?.legs[leg]?.row ?? none

export const setRow = ({ laid }: Ladders, slot: number, leg: number, row: number): void => {
  const laidLeg = laid[slot]?.legs[leg]
  if (laidLeg !== undefined) laidLeg.row = row
}

export const fillsAtOf = ({ laid }: Ladders, slot: number, leg: number): number => laid[slot]?.legs[leg]?.fillsAt ?? 0

export const rankOf = ({ laid }: Ladders, slot: number, leg: number): number => laid[slot]?.legs[leg]?.rank ?? 0

const maxInserted = 8

export const legsOf = ({ laid }: Ladders, slot: number): ReadonlyArray<Pick<LaidLeg, "row">> => laid[slot]?.legs ?? []

/** Assigns new legs to slots, without orders yet. Returns true if the bits of all other orders are kept; otherwise no bit is set. */
export const relay = (ladders: Ladders, changed: ReadonlyArray<SlotState>): boolean => {
  let legs = 0
  for (const { desired } of changed) legs += desired?.legs.length ?? 0
  const isFew = legs <= maxInserted
  // Plain loops, because this runs at every requote.
  for (const { index: slot, desired } of changed) {
    const before = ladders.laid[slot]
    const old = isFew ? (before?.desired.legs ?? []) : []
    const after = desired === undefined ? undefined : laidSlot(ladders, slot, desired)
    const next = isFew ? (desired?.legs ?? []) : []
    for (let leg = 0; leg < old.length; leg++) {
      const [side = "BUY", laidLeg] = [old[leg]?.side, before?.legs[leg]]
      const mayStay = before === after && side === next[leg]?.side
      if (laidLeg !== undefined && !(mayStay && movesWithin(ladders, side, slot, leg))) takeOff(ladders, side, laidLeg)
    }
    ladders.laid[slot] = after
    for (let leg = 0; leg < next.length; leg++)
      if (after?.legs[leg]?.rank === none) insert(ladders, next[leg]?.side ?? "BUY", slot, leg)
  }
  if (!isFew)
    for (const side of ["BUY", "SELL"] as const) {
      sort(ladders, side)
      const ladder = ladderOf(ladders, side)
      ladder.resting = RankSet.cleared(ladder.resting, ladder.legs)
    }
  return isFew
}

/** Reuses the slot's columns, because most requotes only move an order. */
const laidSlot = (ladders: Ladders, slot: number, desired: DesiredSlot): LaidSlot => {
  const layoutBefore = ladders.known[slot]
  const { legs } = desired
  if (layoutBefore === undefined || layoutBefore.legs.length !== legs.length) {
    const newLegs = legs.map((leg) => ({ fillsAt: legFillsAt(ladders, leg), rank: none, row: none }))
    const newLayout = { desired, legs: newLegs }
    ladders.known[slot] = newLayout
    return newLayout
  }
  for (let leg = 0; leg < legs.length; leg++) {
    const [now, laidLeg] = [legs[leg], layoutBefore.legs[leg]]
    if (now === undefined || laidLeg === undefined) continue
    if (layoutBefore.desired !== desired) laidLeg.fillsAt = legFillsAt(ladders, now)
    if (ladders.laid[slot] === undefined) laidLeg.rank = none
    laidLeg.row = none
  }
  layoutBefore.desired = desired
  return layoutBefore
}

const legFillsAt = ({ priceScale, rules }: Ladders, { by, price, side }: Leg): number =>
  fillsAt(by === undefined ? rules : swapping(rules), side, price, priceScale)

const isAfter = ({ fillsAt, legOf, side, slots }: Ladder, rank: number, price: number, slot: number, leg: number) => {
  const other = fillsAt[rank] ?? 0
  if (price !== other) return price > other
  const before = slots[rank] ?? 0
  if (slot !== before) return side === "BUY" ? slot < before : slot > before
  return leg > (legOf[rank] ?? 0)
}

const insert = (ladders: Ladders, side: Side, slot: number, leg: number): void => {
  const ladder = ladderOf(ladders, side)
  const price = fillsAtOf(ladders, slot, leg)
  let [low, high] = [0, ladder.legs]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isAfter(ladder, middle, price, slot, leg)) low = middle + 1
    else high = middle
  }
  makeRoom(ladder, ladder.legs + 1)
  ladder.resting = RankSet.roomy(ladder.resting, ladder.legs + 1)
  RankSet.open(ladder.resting, low)
  shift(ladders, ladder, low, 1)
  ladder.legs += 1
  put(ladders, ladder, low, price, slot, leg)
}

/** Moves a leg to its new price, without its order. Returns false if it does not fit between its neighbours. */
const movesWithin = (ladders: Ladders, side: Side, slot: number, leg: number): boolean => {
  const ladder = ladderOf(ladders, side)
  const [rank, price] = [rankOf(ladders, slot, leg), fillsAtOf(ladders, slot, leg)]
  if (rank > 0 && !isAfter(ladder, rank - 1, price, slot, leg)) return false
  if (rank + 1 < ladder.legs && isAfter(ladder, rank + 1, price, slot, leg)) return false
  RankSet.remove(ladder.resting, rank)
  ladder.fillsAt[rank] = price
  return true
}

const takeOff = (ladders: Ladders, side: Side, leg: LaidLeg): void => {
  const ladder = ladderOf(ladders, side)
  RankSet.shut(ladder.resting, leg.rank)
  shift(ladders, ladder, leg.rank + 1, -1)
  ladder.legs -= 1
  leg.rank = none
}

const shift = ({ laid }: Ladders, { fillsAt, legOf, legs, slots }: Ladder, from: number, by: number): void => {
  if (from >= legs) return
  for (const column of [fillsAt, legOf, slots]) column.copyWithin(from + by, from, legs)
  for (let rank = from + by; rank < legs + by; rank++) {
    const leg = laid[slots[rank] ?? 0]?.legs[legOf[rank] ?? 0]
    if (leg !== undefined) leg.rank = rank
  }
}

const put = ({ laid }: Ladders, ladder: Ladder, rank: number, price: number, slot: number, leg: number): void => {
  ladder.fillsAt[rank] = price
  ladder.slots[rank] = slot
  ladder.legOf[rank] = leg
  const laidLeg = laid[slot]?.legs[leg]
  if (laidLeg !== undefined) laidLeg.rank = rank
}

const sort = (ladders: Ladders, side: Side): void => {
  const ladder = ladderOf(ladders, side)
  const legs: Array<{ readonly slot: number; readonly leg: number; readonly price: number }> = []
  for (const [slot, laid] of ladders.laid.entries())
    for (const [leg, { side: other }] of laid?.desired.legs.entries() ?? [])
      if (other === side) legs.push({ slot, leg, price: laid?.legs[leg]?.fillsAt ?? 0 })
  const nearestLast = side === "BUY" ? 1 : -1
  legs.sort((a, b) => a.price - b.price || (b.slot - a.slot) * nearestLast || a.leg - b.leg)
  makeRoom(ladder, legs.length)
  ladder.legs = legs.length
  for (const [rank, { leg, price, slot }] of legs.entries()) put(ladders, ladder, rank, price, slot, leg)
}

const makeRoom = (ladder: Ladder, legs: number): void => {
  if (legs <= ladder.slots.length) return
  const room = Math.max(16, 2 * legs)
  ladder.fillsAt = grown(ladder.fillsAt, new Float64Array(room))
  ladder.slots = grown(ladder.slots, new Int32Array(room))
  ladder.legOf = grown(ladder.legOf, new Int32Array(room))
}
