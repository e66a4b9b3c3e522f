/**
 * The cells of a grid and what they do at a price. Which cells begin with a sale is decided once, by the price of the
 * first decision; from then on the legs carry every cell.
 */

import { type Amount, formatWithSymbol, max } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { baseQuantity, inputAmount, type Market, mid, type Price } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import type { Decision, DesiredSlot, Leg, Memory } from "../Decision.ts"
import type { Budget } from "../Strategy.ts"
import type { View } from "../View.ts"
import { costOf } from "./CostFloor.ts"
import { decimalIn, textIn } from "./Memory.ts"
import { orderPrice } from "./PriceLevels.ts"
import { quantityAt, type Size } from "./Size.ts"
import { nextLeg } from "./SlotLegs.ts"

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
  /** What tells these levels from those that the file had before. */
  readonly levels: string
  readonly cells: ReadonlyArray<Cell>
  readonly budget: Budget
  readonly fundNearest: number | undefined
  readonly source: string
  readonly notNearest: Reason
}

export interface CellShape {
  readonly size: Size
  /** What a cycle earns: with "base" only what pays for the next purchase is sold. */
  readonly profit: "quote" | "base"
  /** A cell may sell below what it paid. */
  readonly mayLose: boolean
}

/** A level of the grid, and the place in the file that its cell's reasons name. */
export interface Level {
  readonly price: Price
  readonly source: string
}

/** One cell between each level and the next; sizes may come to nothing at a high price. */
export const makeCells = (market: Market, prices: ReadonlyArray<Level>, shape: CellShape): ReadonlyArray<Cell> => {
  const width = Math.max(2, String(prices.length - 2).length)
  const cells: Array<Cell> = []
  for (let index = 0; index + 1 < prices.length; index++) {
    const [low, high] = [prices[index], prices[index + 1]]
    if (low === undefined || high === undefined) continue
    cells.push(makeCell(market, `cell-${String(index).padStart(width, "0")}`, low, high.price, shape))
  }
  return cells
}

/** The cell between a level and the next one, at the price `higher`. */
export const makeCell = (market: Market, slot: string, low: Level, higher: Price, shape: CellShape): Cell => {
  const { price, source } = low
  const quantity = quantityAt(market, shape.size, price)
  const buy: Leg = { side: "BUY", price, quantity }
  const cost = inputAmount(market, "BUY", quantity, price)
  const toSell = shape.profit === "quote" ? quantity : baseQuantity(market, cost, higher, "up")
  const sell: Leg = { side: "SELL", price: higher, quantity: toSell, ...(shape.mayLose ? { mayLose: true } : {}) }
  const [bought, sold] = [buy, sell].map(({ quantity }) => formatWithSymbol(quantity, market.base))
  const [below, above] = [Decimal.format(buy.price), Decimal.format(sell.price)]
  const because = (code: string, text: string): Reason => ({ code, text, source })
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
      `waits until the price reaches ${below}: the base budget has no ${sold} to sell at ${above}`
    ),
    notAfforded: because("budget-used-up", `the quote budget has nothing left for a buy of ${bought} at ${below}`)
  }
}

/** Both are decided by the start: the mid of the first decision. */
type Role = "buy" | "sell" | "wait" | "not-afforded"

/** The base budget goes to the lowest sells, the quote budget to the highest buys and then to the lowest waiting cells. */
const rolesAt = ({ cells, budget, fundNearest }: Grid, { start, base: budgetBase }: Anchor): ReadonlyArray<Role> => {
  const roles: Array<Role> = cells.map(() => "not-afforded")
  // With `fundNearest` the money moves with the window, and `checkBudget` has seen that the window is affordable.
  let quote = fundNearest === undefined ? budget.quote : undefined
  const affords = (cost: Amount): boolean => {
    if (quote === undefined) return true
    quote -= cost
    return quote >= 0n
  }
  const split = cells.findIndex(({ buy }) => !Decimal.isLess(buy.price, start))
  const firstAbove = split < 0 ? cells.length : split
  for (let index = firstAbove - 1; index >= 0 && affords(cells[index]?.cost ?? 0n); index--) roles[index] = "buy"
  let base = budgetBase ?? budget.base
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
  /** Waiting cells up to here have begun. Only moves up, so that a cell that began is not given up again. */
  readonly reached: Price
  /** What of the base is for cells that begin with a sale, where that is not the whole budget. */
  readonly base?: Amount
}

/**
 * A file with other levels is anchored anew, at the present price: so nothing is bought above the market because a level
 * was below the price of long ago. Levels that are not known are of an older version, and the same.
 */
export const anchorOf = (memory: Memory, price: Price, levels: string): Anchor => {
  const known = textIn(memory, "levels")
  if (known !== undefined && known !== levels) return { start: price, reached: price }
  const start = decimalIn(memory, "start") ?? price
  const base = textIn(memory, "base")
  return {
    start,
    reached: decimalIn(memory, "reached") ?? start,
    ...(base === undefined ? {} : { base: BigInt(base) })
  }
}

/** Short, and another one for other prices. */
export const levelsOf = (cells: ReadonlyArray<Cell>): string => {
  let hash = 0
  for (const { buy, sell } of cells) {
    for (const sign of `${Decimal.format(buy.price)} ${Decimal.format(sell.price)};`)
      hash = (Math.imul(hash, 31) + (sign.codePointAt(0) ?? 0)) | 0
  }
  return `${cells.length} cells ${(hash >>> 0).toString(16)}`
}

const isEdited = (memory: Memory, levels: string): boolean => {
  const known = textIn(memory, "levels")
  return known !== undefined && known !== levels
}

/** Base of the budget that no slot holds for a sale of its own. */
const unassigned = ({ budget }: Grid, view: View): Amount => {
  let base = budget.base
  for (const { bought, sold, lastLeg, receivedByLastLeg } of view.slots.values())
    base += bought - sold - (lastLeg?.side === "BUY" ? receivedByLastLeg : 0n)
  return max(0n, base)
}

/**
 * What slots have bought that the file has no cells for any more: sold at the lowest level above its cost, or, above all
 * levels, as far above it as the last cell sells above its purchase.
 */
const leftOvers = ({ market, cells, source }: Grid, view: View): ReadonlyArray<DesiredSlot> => {
  const known = new Set(cells.map(({ slot }) => slot))
  return [...view.slots].flatMap(([slot, progress]): ReadonlyArray<DesiredSlot> => {
    const cost = costOf(market, progress)
    const top = cells.at(-1)
    if (known.has(slot) || !slot.startsWith("cell-") || cost === undefined || top === undefined) return []
    const level = cells.find(({ sell }) => Decimal.isGreater(sell.price, cost))?.sell.price
    const gain = Decimal.divide(top.sell.price, top.buy.price, 18, "down")
    const price = level ?? orderPrice(market, "SELL", Decimal.multiply(cost, gain))
    const quantity = progress.receivedByLastLeg
    const after = { completedLegs: progress.completedLegs, filledInLeg: 0n }
    const amount = formatWithSymbol(quantity, market.base)
    const text = `sells ${amount} at ${Decimal.format(price)}, bought before the levels were changed`
    return [
      { slot, legs: [{ side: "SELL", price, quantity }], cycle: false, after, why: { code: "left-over", text, source } }
    ]
  })
}

/** It holds what it bought. */
const sellsNext = ({ slot }: Cell, view: View): boolean => view.slots.get(slot)?.lastLeg?.side === "BUY"

export const decide = (whole: Grid, view: View, memory: Memory): Decision => {
  const price = mid(view.price)
  const anchored = anchorOf(memory, price, whole.levels)
  const anchor = isEdited(memory, whole.levels) ? { ...anchored, base: unassigned(whole, view) } : anchored
  const roles = rolesAt(whole, anchor)
  const nextWaiting = (reached: Price): Price | undefined =>
    whole.cells.find((cell, index) => roles[index] === "wait" && Decimal.isGreater(cell.buy.price, reached))?.buy.price
  const first = nextWaiting(anchor.reached)
  const reached = first !== undefined && !Decimal.isLess(price, first) ? price : anchor.reached
  const priceAbove = nextWaiting(reached)
  const strays = [...leftOvers(whole, view)]

  const working: Array<DesiredSlot> = []
  const absent: Array<Absent> = []
  whole.cells.forEach((cell, index) => {
    const role = roles[index]
    const begins = role === "sell" || role === "buy" || (role === "wait" && !Decimal.isGreater(cell.buy.price, reached))
    const isStray = !begins && sellsNext(cell, view)
    if (isStray) strays.push(cell.buyFirst)
    else if (begins) working.push(role === "sell" ? cell.sellFirst : cell.buyFirst)
    else absent.push({ slot: cell.slot, why: role === "wait" ? cell.waits : cell.notAfforded })
  })
  const { desired, leftOut } = nearestOf(working, view, whole)
  return {
    desired: [...desired, ...strays],
    absent: nearby([...absent, ...leftOut], desired, view, whole),
    memory: {
      start: Decimal.format(anchor.start),
      reached: Decimal.format(reached),
      levels: whole.levels,
      ...(anchor.base === undefined ? {} : { base: anchor.base.toString() })
    },
    reasons: [
      {
        code: "grid-anchored",
        text: `anchored at ${Decimal.format(anchor.start)}: ${working.length} of ${whole.cells.length} cells work`,
        source: whole.source
      }
    ],
    until: { onFill: whole.fundNearest !== undefined || strays.length > 0, ...present({ priceAbove }) }
  }
}

type Absent = Decision["absent"][number]

/** With `fundNearest` most cells are far away and nothing to speak of: only those beside the window, or ever used, are. */
const nearby = (
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

/** With `fundNearest`, the highest buys and the lowest sells, by the leg that each cell has to work now. */
const nearestOf = (
  working: ReadonlyArray<DesiredSlot>,
  view: View,
  { fundNearest, notNearest }: Grid
): { readonly desired: ReadonlyArray<DesiredSlot>; readonly leftOut: ReadonlyArray<Absent> } => {
  if (fundNearest === undefined) return { desired: working, leftOut: [] }
  const sideOf = (cell: DesiredSlot) => nextLeg(cell, view, cell.slot)?.side
  const buys = working.filter((cell) => sideOf(cell) === "BUY").slice(-fundNearest)
  const sells = working.filter((cell) => sideOf(cell) === "SELL").slice(0, fundNearest)
  const nearest = new Set([...buys, ...sells])
  const leftOut = working.filter((cell) => !nearest.has(cell)).map(({ slot }) => ({ slot, why: notNearest }))
  return { desired: working.filter((cell) => nearest.has(cell)), leftOut }
}
