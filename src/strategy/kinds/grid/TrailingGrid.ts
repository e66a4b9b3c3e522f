/**
 * A grid whose range follows the price by whole cells. Cells are numbered from the file's lowest one, in both
 * directions. The number names the cell, so a cell that stays in the range keeps its slot, its order and its
 * progress.
 *
 * The range moves up when the price is a whole cell above it, until its highest level is the last one that the price
 * has reached. It moves down when the price is a whole cell below it, until its lowest level is below the price. A
 * cell that holds base keeps its sale, inside or outside the range: nothing is ever sold below what it was bought
 * for.
 */

import * as Decimal from "../../../domain/Decimal.ts"
import { type Market, mid, type Price } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import type { Bounds, Decision, Memory } from "../../Decision.ts"
import type { Budget, Decide } from "../../Strategy.ts"
import type { View } from "../../View.ts"
import { decimalIn, numberIn } from "../Memory.ts"
import type { Scale } from "../PriceLevels.ts"
import { type Cell, type CellShape, type GridPlaces, levelsOf, makeCell, renamed, sizesOf } from "./Cells.ts"
import { type Candidate, choose, nextWaiting } from "./Choice.ts"
import { begin, isEdited, type Print, remember, sellersFrom, slotIn, type Version, versionIn } from "./Versions.ts"

export const trails = ["up", "down", "both"] as const
export type Trail = (typeof trails)[number]

/** How many cells a range may move from where the file puts it. */
const furthest = 10_000

export interface TrailingGrid {
  readonly market: Market
  readonly scale: Scale
  readonly shape: CellShape
  /** Cells of the range. */
  readonly count: number
  readonly trail: Trail
  readonly budget: Budget
  readonly keys: GridPlaces
}

/** A cell by its number; `undefined` where there can be none. */
type Cells = (index: number) => Cell | undefined

export const trailing = (whole: TrailingGrid): Decide => {
  const made = new Map<number, Cell | undefined>()
  const cells: Cells = (index) => {
    if (!made.has(index)) made.set(index, cellOf(whole, index))
    return made.get(index)
  }
  const range = Array.from({ length: whole.count }, (_, index) => cells(index) ?? [])
  const print = { levels: levelsOf(range.flat()), sizes: sizesOf(whole.shape) }
  return (view, memory) => decide(whole, cells, print, view, memory)
}

const slotOf = (index: number): string =>
  index >= 0 ? `cell-${String(index).padStart(2, "0")}` : `cell-below-${String(-index).padStart(2, "0")}`

/** Numbers of the cells whose slots were ever used. */
const usedIn = (version: Version, view: View): ReadonlyArray<number> => {
  const carried = new Map([...version.names].map(([index, slot]) => [slot, index]))
  return [...view.slots.keys()].flatMap((slot) => {
    const known = carried.get(slot)
    if (known !== undefined) return [known]
    const [, below, digits] = /^cell-(below-)?(\d{1,6})(?:-v\d+)?$/.exec(slot) ?? []
    const index = below === undefined ? Number(digits) : -Number(digits)
    return digits !== undefined && slotIn(version, index, slotOf(index)) === slot ? [index] : []
  })
}

const cellOf = ({ market, scale, shape, count, keys }: TrailingGrid, index: number): Cell | undefined => {
  if (index < -furthest || index >= count + furthest) return undefined
  const [low, high] = [scale(index), scale(index + 1)]
  if (!Decimal.isPositive(low) || !Decimal.isLess(low, high)) return undefined
  const cell = makeCell(market, slotOf(index), { price: low, source: keys("levels") }, high, shape, keys)
  return cell.buy.quantity > 0n && cell.sell.quantity > 0n ? cell : undefined
}

/** Number of the range's lowest cell once the range has followed the price. */
const follow = ({ scale, count, trail }: TrailingGrid, cells: Cells, first: number, price: Price): number => {
  let at = first
  if (trail !== "down") {
    while (cells(at + count) !== undefined && !Decimal.isLess(price, scale(at + count + 1))) at += 1
  }
  if (trail !== "up" && cells(at - 1) !== undefined && !Decimal.isGreater(price, scale(at - 1))) {
    while (cells(at - 1) !== undefined && !Decimal.isGreater(price, scale(at))) at -= 1
  }
  return at
}

interface Range {
  /** Number of the range's lowest cell. */
  readonly first: number
  /** Cells that buy at or below this have begun; the others wait for the price to rise to them. */
  readonly reached: Price
  /** Numbers of the cells that began with a sale, paid from the base budget. */
  readonly sellers: ReadonlySet<number>
  readonly version: Version
}

const inRange = ({ count }: TrailingGrid, cells: Cells, first: number): ReadonlyArray<Candidate> =>
  Array.from({ length: count }, (_, offset) => first + offset).flatMap((index) => {
    const cell = cells(index)
    return cell === undefined ? [] : [{ index, cell, isInRange: true }]
  })

const rangeAt = (whole: TrailingGrid, cells: Cells, start: Price, price: Price, memory: Memory): Range => {
  const version = versionIn(memory)
  const initial = follow(whole, cells, 0, start)
  const before = numberIn(memory, "first") ?? initial
  const first = follow(whole, cells, before, price)
  const known = decimalIn(memory, "reached")
  const reached = known === undefined || first !== before ? price : known
  const sellers =
    version.number === 1 ? sellersFrom(inRange(whole, cells, initial), start, whole.budget.base) : version.sellers
  const waiting = nextWaiting(inRange(whole, cells, first), sellers, reached)
  const hasCome = waiting !== undefined && !Decimal.isLess(price, waiting)
  return { first, reached: hasCome ? price : reached, sellers, version }
}

/** The file was edited: the range begins again at the present price. */
const begun = (whole: TrailingGrid, cells: Cells, view: View): Range => {
  const price = mid(view.price)
  const first = follow(whole, cells, 0, price)
  const version = begin(inRange(whole, cells, first), view, price, whole.budget.base)
  return { first, reached: price, sellers: version.sellers, version }
}

const decide = (whole: TrailingGrid, cells: Cells, print: Print, view: View, memory: Memory): Decision => {
  const price = mid(view.price)
  const isNew = isEdited(memory, print, view)
  const start = (isNew ? undefined : decimalIn(memory, "start")) ?? price
  const range = isNew ? begun(whole, cells, view) : rangeAt(whole, cells, start, price, memory)
  const { first, reached, sellers, version } = range
  const { market, shape, budget, keys } = whole
  const span = [whole.scale(first), whole.scale(first + whole.count)].map(Decimal.format).join(" to ")
  const leftBehind = `the grid has moved on: it spans ${span} now`
  const choosing = { market, shape, version, sellers, reached, quote: budget.quote, keys, leftBehind }
  const { working, leftOver, absent } = choose(candidatesOf(whole, cells, range, view), choosing, view)
  return {
    desired: [...working, ...leftOver],
    absent,
    memory: {
      start: Decimal.format(start),
      reached: Decimal.format(reached),
      first,
      ...print,
      ...remember(version)
    },
    reasons: [
      { code: "grid-range", text: `spans ${span}; started at ${Decimal.format(start)}`, source: keys("trail") }
    ],
    until: boundsOf(whole, cells, range)
  }
}

/** Cells of the range, and cells outside it that were used or may sell. */
const candidatesOf = (
  whole: TrailingGrid,
  cells: Cells,
  { first, sellers, version }: Range,
  view: View
): ReadonlyArray<Candidate> => {
  const spanned = Array.from({ length: whole.count }, (_, offset) => first + offset)
  const indices = [...new Set([...spanned, ...sellers, ...usedIn(version, view)])].sort((a, b) => a - b)
  return indices.flatMap((index) => {
    const cell = cells(index)
    const isInRange = index >= first && index < first + whole.count
    return cell === undefined ? [] : [{ index, cell: renamed(cell, slotIn(version, index, cell.slot)), isInRange }]
  })
}

const boundsOf = (whole: TrailingGrid, cells: Cells, { first, sellers, reached }: Range): Bounds => {
  const { scale, count, trail } = whole
  const up = trail !== "down" && cells(first + count) !== undefined ? scale(first + count + 1) : undefined
  const down = trail !== "up" && cells(first - 1) !== undefined ? scale(first - 1) : undefined
  // A waiting cell is in the range, so it is always nearer than the range's move.
  const above = nextWaiting(inRange(whole, cells, first), sellers, reached) ?? up
  return {
    ...present({ priceBelow: down, priceAbove: above }),
    onFill: true
  }
}
