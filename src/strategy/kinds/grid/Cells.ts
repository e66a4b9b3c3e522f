/**
 * The cells of a grid and what they do at a price. The price of the first decision settles which cells begin with a
 * sale; from then on the legs carry every cell.
 */

import { type Amount, formatWithSymbol } from "../../../domain/Amount.ts"
import type { Reason } from "../../../domain/BotEvent.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { baseQuantity, inputAmount, type Market, mid, type Price } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import type { Decision, DesiredSlot, Leg, Memory } from "../../Decision.ts"
import type { Budget } from "../../Strategy.ts"
import type { View } from "../../View.ts"
import type { KeyPlaces } from "../../YamlReader.ts"
import { decimalIn } from "../Memory.ts"
import { quantityAt, type Size, scaled } from "../Size.ts"
import { nextLeg } from "../SlotLegs.ts"

export interface Cell {
  readonly slot: string
  readonly buy: Leg
  readonly sell: Leg
  /** What the buy deposits. */
  readonly cost: Amount
  readonly buyFirst: DesiredSlot
  readonly sellFirst: DesiredSlot
  readonly waits: Reason
  readonly notAfforded: Reason
}

export interface Grid {
  readonly market: Market
  /** Distinguishes these levels from those that the file had before. */
  readonly levels: string
  readonly cells: ReadonlyArray<Cell>
  readonly shape: CellShape
  readonly budget: Budget
  readonly fundNearest: number | undefined
  readonly keys: GridPlaces
  readonly notNearest: Reason
}

export interface CellShape {
  readonly size: Size
  /** Each cell is so many times as large as the one above it; the highest one has the size. */
  readonly sizeScale: number
  /** How a cycle takes its profit: with "base", it sells only what pays for the next purchase. */
  readonly profit: "quote" | "base"
  /** A cell may sell below what it paid. */
  readonly mayLose: boolean
}

/** A level of the grid, and its place in the file for the reasons of its cell. */
export interface Level {
  readonly price: Price
  readonly source: string
}

/** One cell between each level and the next; at a high price a size may round to nothing. */
/** Where the keys are that a reason of any grid names. */
export type GridPlaces = KeyPlaces<"levels" | "fundNearest" | "trail">

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
    cells.push(makeCell(market, slot, low, high.price, { ...shape, size }, keys))
  }
  return cells
}

/** The cell between a level and the next one, at the price `higher`. */
export const makeCell = (
  market: Market,
  slot: string,
  low: Level,
  higher: Price,
  shape: CellShape,
  keys: GridPlaces
): Cell => {
  const { price, source } = low
  const quantity = quantityAt(market, shape.size, price)
  const buy: Leg = { side: "BUY", price, quantity }
  const cost = inputAmount(market, "BUY", quantity, price)
  const toSell = shape.profit === "quote" ? quantity : baseQuantity(market, cost, higher, "up")
  const sell: Leg = { side: "SELL", price: higher, quantity: toSell, ...(shape.mayLose ? { mayLose: true } : {}) }
  const [bought, sold] = [buy, sell].map(({ quantity }) => formatWithSymbol(quantity, market.base))
  const [below, above] = [Decimal.format(buy.price), Decimal.format(sell.price)]
  const because = (code: string, text: string, at = source): Reason => ({ code, text, source: at })
  return {
    slot,
    buy,
    sell,
    cost,
    buyFirst: {
      slot,
      legs: [buy, sell],
      cycle: true,
      why: because("grid-cell", `buys ${bought} at ${below}, sells ${sold} at ${above}, and again`)
    },
    sellFirst: {
      slot,
      legs: [sell, buy],
      cycle: true,
      why: because("grid-cell", `sells ${sold} at ${above}, buys ${bought} at ${below}, and again`)
    },
    waits: because(
      "waits-for-price",
      `waits until the price reaches ${below}: the base budget has no ${sold} to sell at ${above}`,
      keys("limits.budget.base")
    ),
    notAfforded: because(
      "budget-used-up",
      `the quote budget has nothing left for a buy of ${bought} at ${below}`,
      keys("limits.budget.quote")
    )
  }
}

/** The same cell in another slot. */
export const renamed = (cell: Cell, slot: string): Cell =>
  slot === cell.slot
    ? cell
    : { ...cell, slot, buyFirst: { ...cell.buyFirst, slot }, sellFirst: { ...cell.sellFirst, slot } }

/** The start decides both: the mid of the first decision. */
type Role = "buy" | "sell" | "wait" | "not-afforded"

/** The base budget goes to the lowest sells; the quote budget to the highest buys, then the lowest waiting cells. */
const rolesAt = ({ cells, budget, fundNearest }: Grid, { start }: Anchor): ReadonlyArray<Role> => {
  const roles: Array<Role> = cells.map(() => "not-afforded")
  // With `fundNearest` the money moves with the window, and `checkBudget` made sure that it can pay for the window.
  let quote = fundNearest === undefined ? budget.quote : undefined
  const affords = (cost: Amount): boolean => {
    if (quote === undefined) return true
    quote -= cost
    return quote >= 0n
  }
  const split = cells.findIndex(({ buy }) => !Decimal.isLess(buy.price, start))
  const firstAbove = split < 0 ? cells.length : split
  for (let index = firstAbove - 1; index >= 0 && affords(cells[index]?.cost ?? 0n); index--) roles[index] = "buy"
  let base = budget.base
  for (let index = firstAbove; index < cells.length; index++) {
    const cell = cells[index]
    if (cell === undefined) continue
    base -= cell.sell.quantity
    if (base >= 0n) roles[index] = "sell"
    else if (affords(cell.cost)) roles[index] = "wait"
  }
  return roles
}

export interface Anchor {
  readonly start: Price
  /** Waiting cells up to here have begun. It only moves up, so a cell that began is never given up. */
  readonly reached: Price
}

export const anchorOf = (memory: Memory, price: Price): Anchor => {
  const start = decimalIn(memory, "start") ?? price
  return { start, reached: decimalIn(memory, "reached") ?? start }
}

/** Short, and different for other prices. */
export const levelsOf = (cells: ReadonlyArray<Cell>): string => {
  let hash = 0
  for (const { buy, sell } of cells) {
    for (const sign of `${Decimal.format(buy.price)} ${Decimal.format(sell.price)};`)
      hash = (Math.imul(hash, 31) + (sign.codePointAt(0) ?? 0)) | 0
  }
  return `${cells.length} cells ${(hash >>> 0).toString(16)}`
}

/** Short as well. */
export const sizesOf = ({ size, sizeScale, profit }: CellShape): string =>
  `${size.amount} ${size.unit}${sizeScale === 1 ? "" : `, each ${sizeScale} times the one above`}, profit in ${profit}`

/** What an anchored grid does before anybody looks at its slots: the same until the price reaches the next waiting cell. */
export interface StandingGrid extends Pick<Decision, "reasons" | "until"> {
  readonly whole: Grid
  readonly anchor: Anchor
  readonly working: ReadonlyArray<DesiredSlot>
  readonly absent: ReadonlyArray<Absent>
  readonly memory: Readonly<Record<"start" | "reached" | "levels" | "sizes", string>>
}

export const standingAt = (whole: Grid, anchor: Anchor): StandingGrid => {
  const { start, reached } = anchor
  const roles = rolesAt(whole, anchor)
  const working: Array<DesiredSlot> = []
  const absent: Array<Absent> = []
  let priceAbove: Price | undefined
  whole.cells.forEach((cell, index) => {
    const role = roles[index]
    const waits = role === "wait" && Decimal.isGreater(cell.buy.price, reached)
    if (role === "sell") working.push(cell.sellFirst)
    else if (role === "buy" || (role === "wait" && !waits)) working.push(cell.buyFirst)
    else absent.push({ slot: cell.slot, why: waits ? cell.waits : cell.notAfforded })
    if (waits) priceAbove ??= cell.buy.price
  })
  return {
    whole,
    anchor,
    working,
    absent,
    memory: {
      start: Decimal.format(start),
      reached: Decimal.format(reached),
      levels: whole.levels,
      sizes: sizesOf(whole.shape)
    },
    reasons: [anchored(whole, start, working.length)],
    until: { onFill: whole.fundNearest !== undefined, ...present({ priceAbove }) }
  }
}

/** Where the grid stands at the price of this view. */
export const standingNow = (standing: StandingGrid, view: View): StandingGrid => {
  const { anchor, until, whole } = standing
  if (until.priceAbove === undefined) return standing
  const price = mid(view.price)
  return Decimal.isLess(price, until.priceAbove) ? standing : standingAt(whole, { ...anchor, reached: price })
}

/** Used until the file is edited: what its slots hold decides an edited grid (see `EditedGrid`). */
export const decide = ({ absent, memory, reasons, until, whole, working }: StandingGrid, view: View): Decision => {
  const { desired, leftOut } = nearestOf(working, view, whole)
  return { desired, absent: nearby([...absent, ...leftOut], desired, view, whole), memory, reasons, until }
}

export const anchored = ({ cells, keys }: Grid, start: Price, working: number): Reason => ({
  code: "grid-anchored",
  text: `anchored at ${Decimal.format(start)}: ${working} of ${cells.length} cells work`,
  source: keys("levels")
})

type Absent = Decision["absent"][number]

/**
 * With `fundNearest` most cells are far away and not worth listing: only cells beside the window, or once used, are.
 */
export const nearby = (
  absent: ReadonlyArray<Absent>,
  desired: ReadonlyArray<DesiredSlot>,
  view: View,
  { cells, fundNearest }: Grid
): ReadonlyArray<Absent> => {
  if (fundNearest === undefined) return absent
  const [first, last] = [desired[0]?.slot, desired.at(-1)?.slot]
  const from = cells.findIndex(({ slot }) => slot === first) - fundNearest
  const to = cells.findLastIndex(({ slot }) => slot === last) + fundNearest
  const near = new Set(cells.slice(Math.max(0, from), to + 1).map(({ slot }) => slot))
  return absent.filter(({ slot }) => near.has(slot) || view.slots.has(slot))
}

/** With `fundNearest`: the highest buys and the lowest sells, judged by the leg that each cell works now. */
export const nearestOf = (
  working: ReadonlyArray<DesiredSlot>,
  view: View,
  { fundNearest, notNearest }: Grid
): { readonly desired: ReadonlyArray<DesiredSlot>; readonly leftOut: ReadonlyArray<Absent> } => {
  if (fundNearest === undefined) return { desired: working, leftOut: [] }
  const sides = working.map((cell) => nextLeg(cell, view, cell.slot)?.side)
  let buysBelow = sides.reduce((count, side) => count + (side === "BUY" ? 1 : 0), 0) - fundNearest
  let sellsLeft = fundNearest
  const [desired, leftOut]: [Array<DesiredSlot>, Array<Absent>] = [[], []]
  for (const [index, cell] of working.entries()) {
    const side = sides[index]
    const isNearest = side === "BUY" ? buysBelow-- <= 0 : side === "SELL" && sellsLeft-- > 0
    if (isNearest) desired.push(cell)
    else leftOut.push({ slot: cell.slot, why: notNearest })
  }
  return { desired, leftOut }
}
