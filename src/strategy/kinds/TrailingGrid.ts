/**
 * A grid whose range follows the price by whole cells. Cells are numbered from the lowest one of the file, in both
 * directions, and named by that number, so a cell that stays in the range keeps its slot, its order and its progress.
 *
 * The range moves up when the price is a whole cell above it, so far that its highest level is the last one that the price
 * has reached; it moves down when the price is a whole cell below it, so far that its lowest level is below the price. A
 * cell that holds base keeps its sale, in the range or not: nothing is ever sold below what it was bought for.
 */

import type { Reason } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid, type Price } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import type { Bounds, Decision, DesiredSlot, Memory } from "../Decision.ts"
import type { Budget, Decide } from "../Strategy.ts"
import { progressOf, type View } from "../View.ts"
import { type Cell, type CellShape, makeCell } from "./GridCells.ts"
import { decimalIn, numberIn } from "./Memory.ts"
import type { Scale } from "./PriceLevels.ts"
import { filledLegs, nextLeg } from "./SlotLegs.ts"

export const trails = ["up", "down", "both"] as const
export type Trail = (typeof trails)[number]

/** Cells that a range may move from where the file puts it. */
const furthest = 10_000

export interface TrailingGrid {
  readonly market: Market
  readonly scale: Scale
  readonly shape: CellShape
  /** Cells of the range. */
  readonly count: number
  readonly trail: Trail
  readonly budget: Budget
  readonly source: string
}

/** A cell by its number; `undefined` where there can be none. */
type Cells = (index: number) => Cell | undefined

export const trailing = (whole: TrailingGrid): Decide => {
  const made = new Map<number, Cell | undefined>()
  const cells: Cells = (index) => {
    if (!made.has(index)) made.set(index, cellOf(whole, index))
    return made.get(index)
  }
  return (view, memory) => decide(whole, cells, view, memory)
}

const slotOf = (index: number): string =>
  index >= 0 ? `cell-${String(index).padStart(2, "0")}` : `cell-below-${String(-index).padStart(2, "0")}`

const indexOf = (slot: string): number | undefined => {
  const [, below, digits] = /^cell-(below-)?(\d{1,6})$/.exec(slot) ?? []
  return digits === undefined ? undefined : below === undefined ? Number(digits) : -Number(digits)
}

const cellOf = ({ market, scale, shape, count, source }: TrailingGrid, index: number): Cell | undefined => {
  if (index < -furthest || index >= count + furthest) return undefined
  const [low, high] = [scale(index), scale(index + 1)]
  if (!Decimal.isPositive(low) || !Decimal.isLess(low, high)) return undefined
  const cell = makeCell(market, slotOf(index), { price: low, source }, high, shape)
  return cell.buy.quantity > 0n && cell.sell.quantity > 0n ? cell : undefined
}

/** Number of the lowest cell of the range once it has followed the price. */
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
  /** Number of its lowest cell. */
  readonly first: number
  /** Cells that buy at or below this have begun; the others wait for the price to come up. */
  readonly reached: Price
  /** Cells that began with a sale, out of the base budget. */
  readonly sellers: ReadonlySet<number>
}

/** Out of the base budget, the cells at and above the first price begin with a sale, nearest first. */
const sellersAt = ({ count, budget }: TrailingGrid, cells: Cells, first: number, start: Price): Set<number> => {
  const sellers = new Set<number>()
  let base = budget.base
  for (let index = first; index < first + count; index++) {
    const cell = cells(index)
    if (cell === undefined || Decimal.isLess(cell.buy.price, start)) continue
    base -= cell.sell.quantity
    if (base < 0n) break
    sellers.add(index)
  }
  return sellers
}

const nextWaiting = ({ count }: TrailingGrid, cells: Cells, { first, reached, sellers }: Range): Price | undefined => {
  for (let index = first; index < first + count; index++) {
    const buy = cells(index)?.buy.price
    if (buy !== undefined && !sellers.has(index) && Decimal.isGreater(buy, reached)) return buy
  }
  return undefined
}

const rangeAt = (whole: TrailingGrid, cells: Cells, start: Price, price: Price, memory: Memory): Range => {
  const initial = follow(whole, cells, 0, start)
  const before = numberIn(memory, "first") ?? initial
  const first = follow(whole, cells, before, price)
  const known = decimalIn(memory, "reached")
  const reached = known === undefined || first !== before ? price : known
  const range = { first, reached, sellers: sellersAt(whole, cells, initial, start) }
  const waiting = nextWaiting(whole, cells, range)
  return waiting !== undefined && !Decimal.isLess(price, waiting) ? { ...range, reached: price } : range
}

const decide = (whole: TrailingGrid, cells: Cells, view: View, memory: Memory): Decision => {
  const price = mid(view.price)
  const start = decimalIn(memory, "start") ?? price
  const range = rangeAt(whole, cells, start, price, memory)
  const { first, reached } = range
  const span = [whole.scale(first), whole.scale(first + whole.count)].map(Decimal.format).join(" to ")
  return {
    ...choose(whole, cells, view, range, span),
    memory: { start: Decimal.format(start), reached: Decimal.format(reached), first },
    reasons: [{ code: "grid-range", text: `spans ${span}; started at ${Decimal.format(start)}`, source: whole.source }],
    until: boundsOf(whole, cells, range)
  }
}

const boundsOf = (whole: TrailingGrid, cells: Cells, range: Range): Bounds => {
  const { scale, count, trail } = whole
  const { first } = range
  const up = trail !== "down" && cells(first + count) !== undefined ? scale(first + count + 1) : undefined
  const down = trail !== "up" && cells(first - 1) !== undefined ? scale(first - 1) : undefined
  // A waiting cell is in the range, so it is always nearer than the range's move.
  const above = nextWaiting(whole, cells, range) ?? up
  return {
    ...present({ priceBelow: down, priceAbove: above }),
    onFill: true
  }
}

/** Whether a cell has something to sell, or a purchase that has filled in part. */
const isHolding = (cell: DesiredSlot, view: View): boolean => {
  const { completedLegs, filledInLeg } = progressOf(view, cell.slot)
  const isPartly = filledInLeg > 0n && filledLegs(cell, view, cell.slot) === completedLegs
  return isPartly || nextLeg(cell, view, cell.slot)?.side === "SELL"
}

/**
 * The quote budget pays for the highest purchases first. What a cell has bought is spent until it is sold again; a cell
 * that began with a sale pays for its purchase with what that brought in.
 */
const choose = (
  whole: TrailingGrid,
  cells: Cells,
  view: View,
  { first, reached, sellers }: Range,
  span: string
): Pick<Decision, "desired" | "absent"> => {
  const inRange = Array.from({ length: whole.count }, (_, offset) => first + offset)
  const used = [...view.slots.keys()].map(indexOf).filter((index) => index !== undefined)
  const indices = [...new Set([...inRange, ...sellers, ...used])].sort((a, b) => a - b)
  const desired: Array<DesiredSlot> = []
  const absent: Array<Decision["absent"][number]> = []
  const buying: Array<readonly [Cell, DesiredSlot]> = []
  const because = (slot: string, code: string, text: string): { readonly slot: string; readonly why: Reason } => ({
    slot,
    why: { code, text, source: whole.source }
  })
  let quote = whole.budget.quote
  for (const index of indices) {
    const cell = cells(index)
    if (cell === undefined) continue
    const slot = sellers.has(index) ? cell.sellFirst : cell.buyFirst
    const holds = isHolding(slot, view)
    if (holds && !sellers.has(index)) quote -= cell.cost
    if (!holds && sellers.has(index)) quote += cell.cost
    if (holds) desired.push(slot)
    else if (index < first || index >= first + whole.count) {
      absent.push(because(cell.slot, "left-behind", `the grid has moved on: it spans ${span} now`))
    } else if (!sellers.has(index) && Decimal.isGreater(cell.buy.price, reached)) {
      const text = `waits until the price has come up to ${Decimal.format(cell.buy.price)}`
      absent.push(because(cell.slot, "waits-for-price", text))
    } else buying.push([cell, slot])
  }
  for (const [cell, slot] of buying.toReversed()) {
    quote -= cell.cost
    if (quote >= 0n) desired.push(slot)
    else absent.push({ slot: cell.slot, why: cell.notAfforded })
  }
  const order = new Map(indices.map((index, position) => [slotOf(index), position]))
  return { desired: desired.sort((a, b) => (order.get(a.slot) ?? 0) - (order.get(b.slot) ?? 0)), absent }
}
