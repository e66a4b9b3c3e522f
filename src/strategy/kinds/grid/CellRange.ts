/**
 * The cells that a grid spans, by number. A range stays where the file puts it, or follows the price by whole cells. A following range
 * numbers cells from the file's lowest one in both directions. The number names the cell, so a cell that stays in the range keeps its slot,
 * its order and its progress.
 *
 * A range moves up when the price is a whole cell above it, until its highest level is the last one that the price has reached. It moves
 * down when the price is a whole cell below it, until its lowest level is below the price.
 */

import * as Decimal from "../../../domain/Decimal.ts"
import type { Market, Price } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import type { Leg, PriceBounds } from "../../Decision.ts"
import type { Budget } from "../../Strategy.ts"
import type { Scale } from "../PriceLevels.ts"
import { type Cell, type CellShape, type GridPlaces, makeCell } from "./Cells.ts"

export const trails = ["up", "down", "both"] as const
export type Trail = (typeof trails)[number]

export interface CellRange {
  /** `undefined` if no such cell can exist. */
  readonly cell: (index: number) => Cell | undefined
  readonly count: number
  readonly moving?: {
    readonly follow: (first: number, price: Price) => number
    readonly until: (first: number) => PriceBounds
    readonly spanned: (first: number) => string
  }
}

export interface Grid {
  readonly market: Market
  readonly range: CellRange
  readonly levels: string
  readonly shape: CellShape
  readonly budget: Budget
  readonly fundNearest: number | undefined
  /** The purchase of `buyBase` may give away this much. Missing if the grid buys no base. */
  readonly buyReach: Decimal.Decimal | undefined
  /** Derived from the start (see `withPurchase`). */
  readonly purchase?: Leg
  readonly keys: GridPlaces
}

export const fixed = (cells: ReadonlyArray<Cell>): CellRange => ({ cell: (index) => cells[index], count: cells.length })

/** In cells, from the range's place in the file. */
const furthest = 10_000

export interface Following {
  readonly market: Market
  readonly scale: Scale
  readonly shape: CellShape
  readonly count: number
  readonly trail: Trail
  readonly keys: GridPlaces
}

export const following = (whole: Following): CellRange => {
  const { count, scale, trail } = whole
  const cache = new Map<number, Cell | undefined>()
  const cell = (index: number): Cell | undefined => {
    if (!cache.has(index)) cache.set(index, cellOf(whole, index))
    return cache.get(index)
  }
  const up = (first: number): Price | undefined =>
    trail === "down" || cell(first + count) === undefined ? undefined : scale(first + count + 1)
  const down = (first: number): Price | undefined =>
    trail === "up" || cell(first - 1) === undefined ? undefined : scale(first - 1)
  const follow = (first: number, price: Price): number => {
    let at = first
    for (let next = up(at); next !== undefined && !Decimal.isLess(price, next); next = up(at)) at += 1
    const next = down(at)
    if (next === undefined || Decimal.isGreater(price, next)) return at
    while (cell(at - 1) !== undefined && !Decimal.isGreater(price, scale(at))) at -= 1
    return at
  }
  const until = (first: number) => present({ priceBelow: down(first), priceAbove: up(first) })
  const spanned = (first: number) => [scale(first), scale(first + count)].map(Decimal.format).join(" to ")
  return { cell, count, moving: { follow, until, spanned } }
}

const slotOf = (index: number): string =>
  index >= 0 ? `cell-${String(index).padStart(2, "0")}` : `cell-below-${String(-index).padStart(2, "0")}`

const cellOf = ({ market, scale, shape, count, keys }: Following, index: number): Cell | undefined => {
  if (index < -furthest || index >= count + furthest) return undefined
  const [low, high] = [scale(index), scale(index + 1)]
  if (!Decimal.isPositive(low) || !Decimal.isLess(low, high)) return undefined
  const cell = makeCell(market, slotOf(index), { price: low, source: keys("levels") }, high, shape, keys)
  return cell.buy.quantity > 0n && cell.sell.quantity > 0n ? cell : undefined
}

export const spannedBy = ({ cell, count }: CellRange, first: number) =>
  Array.from({ length: count }, (_, offset) => first + offset).flatMap((index) => {
    const rangeCell = cell(index)
    return rangeCell === undefined ? [] : [{ index, cell: rangeCell }]
  })
