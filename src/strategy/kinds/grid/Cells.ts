/**
 * The cells of a grid, the explanation of each, and the range that a grid spans. A range stays where the file puts it, or follows the price
 * by whole cells. A following range numbers cells from the file's lowest one in both directions. The number names the cell, so a cell that
 * stays in the range keeps its slot, its order and its progress.
 *
 * A range moves up when the price is a whole cell above it, until its highest level is the last one that the price has reached. It moves
 * down when the price is a whole cell below it, until its lowest level is below the price.
 */
import { type Amount, formatWithSymbol } from "../../../domain/Amount.ts"
import type { Reason } from "../../../domain/BotEvent.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { baseQuantity, inputAmount, type Market, type Price } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import type { DesiredSlot, Leg, PriceBounds } from "../../Decision.ts"
import type { Budget } from "../../Strategy.ts"
import type { KeyPlaces } from "../../YamlReader.ts"
import type { Scale } from "../PriceLevels.ts"
import { quantityAt, type Size, scaled } from "../Size.ts"

export interface Cell {
  readonly index: number
  readonly slot: string
  readonly buy: Leg
  readonly sell: Leg
  readonly cost: Amount
  readonly buyFirst: DesiredSlot
  readonly sellFirst: DesiredSlot
  readonly waits: Reason
  readonly notAfforded: Reason
}

export interface CellShape {
  readonly size: Size
  /** Size of each cell divided by the size of the cell above it; the highest cell has `size`. */
  readonly sizeScale: number
  /** The asset in which a cycle takes its profit. With "base", it sells only enough to pay for the next purchase. */
  readonly profit: "quote" | "base"
  readonly mayLose: boolean
}

export interface Level {
  readonly price: Price
  readonly source: string
}

export type GridPlaces = KeyPlaces<"levels" | "fundNearest" | "trail" | "size" | "buyBase">

export const makeCells = (
  market: Market,
  prices: ReadonlyArray<Level>,
  shape: CellShape,
  keys: GridPlaces
): ReadonlyArray<Cell> => {
  const width = Math.max(2, String(prices.length - 2).length)
  const cells: Array<Cell> = []
  for (let index = 0; index + 1 < prices.length; index++) {
    const [low, high] = [prices[index], prices[index + 1]]
    if (low === undefined || high === undefined) continue
    const below = prices.length - 2 - index
    const size = shape.sizeScale === 1 ? shape.size : scaled(shape.size, market, shape.sizeScale ** below)
    const slot = `cell-${String(index).padStart(width, "0")}`
    cells.push(makeCell({ market, keys, shape: { ...shape, size } }, index, slot, low, high.price))
  }
  return cells
}

type Making = Pick<Grid, "keys" | "market" | "shape">

const makeCell = ({ keys, market, shape }: Making, index: number, slot: string, low: Level, high: Price): Cell => {
  const { price, source } = low
  const quantity = quantityAt(market, shape.size, price)
  const buy: Leg = { side: "BUY", price, quantity }
  const cost = inputAmount(market, "BUY", quantity, price)
  const toSell = shape.profit === "quote" ? quantity : baseQuantity(market, cost, high, "up")
  const sell: Leg = { side: "SELL", price: high, quantity: toSell, ...(shape.mayLose ? { mayLose: true } : {}) }
  const [bought, sold] = [buy, sell].map(({ quantity }) => formatWithSymbol(quantity, market.base))
  const [below, above] = [Decimal.format(buy.price), Decimal.format(sell.price)]
  const because = (code: string, text: string, at = source): Reason => ({ code, text, source: at })
  const repeated = (legs: DesiredSlot["legs"], text: string): DesiredSlot => {
    return { slot, legs, cycle: true, why: because("grid-cell", `${text}, and again`) }
  }
  const waits = `waits until the price reaches ${below}: the base budget has no ${sold} to sell at ${above}`
  const notAfforded = `the quote budget has nothing left for a buy of ${bought} at ${below}`
  return {
    index,
    slot,
    buy,
    sell,
    cost,
    buyFirst: repeated([buy, sell], `buys ${bought} at ${below}, sells ${sold} at ${above}`),
    sellFirst: repeated([sell, buy], `sells ${sold} at ${above}, buys ${bought} at ${below}`),
    waits: because("waits-for-price", waits, keys("limits.budget.base")),
    notAfforded: because("budget-used-up", notAfforded, keys("limits.budget.quote"))
  }
}

export const printOf = (cells: ReadonlyArray<Cell>): string => {
  let hash = 0
  for (const { buy, sell } of cells) {
    for (const sign of `${Decimal.format(buy.price)} ${Decimal.format(sell.price)};`)
      hash = (Math.imul(hash, 31) + (sign.codePointAt(0) ?? 0)) | 0
  }
  return `${cells.length} cells ${(hash >>> 0).toString(16)}`
}

export const sizesOf = ({ size, sizeScale, profit }: CellShape): string =>
  `${size.amount} ${size.unit}${sizeScale === 1 ? "" : `, each ${sizeScale} times the one above`}, profit in ${profit}`

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
  readonly print: string
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

interface Following extends Making {
  readonly scale: Scale
  readonly count: number
  readonly trail: Trail
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

const cellOf = (whole: Following, index: number): Cell | undefined => {
  const { count, keys, scale } = whole
  if (index < -furthest || index >= count + furthest) return undefined
  const [low, high] = [scale(index), scale(index + 1)]
  if (!Decimal.isPositive(low) || !Decimal.isLess(low, high)) return undefined
  const cell = makeCell(whole, index, slotOf(index), { price: low, source: keys("levels") }, high)
  return cell.buy.quantity > 0n && cell.sell.quantity > 0n ? cell : undefined
}

export const spannedBy = ({ cell, count }: CellRange, first: number): ReadonlyArray<Cell> =>
  Array.from({ length: count }, (_, offset) => first + offset).flatMap((index) => cell(index) ?? [])
