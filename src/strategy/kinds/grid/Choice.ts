/**
 * Which cells of a grid work, judged by what their slots have done: for grids whose range moves, and for grids whose
 * file was edited while they ran. The quote budget pays for the highest purchases first. What a cell has bought is
 * spent until it is sold again. A cell that began with a sale pays for its purchase with the proceeds.
 *
 * After an edit, a slot that holds base sells exactly that, at its cell's upper level. If the file no longer has a
 * cell for it, it sells at the lowest level above its cost. It never sells below its cost unless the file allows it.
 */
import { type Amount, formatWithSymbol, min } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { baseQuantity, type Market, type Price } from "../../../domain/Market.ts"
import type { Decision, DesiredSlot, Leg } from "../../Decision.ts"
import { progressOf, type SlotProgress, type View } from "../../View.ts"
import { costOf, notBelow } from "../CostFloor.ts"
import { filledLegs, nextLeg } from "../SlotLegs.ts"
import type { Cell, CellShape, GridPlaces } from "./Cells.ts"
import { heldBy, isCellSlot, type Version } from "./Versions.ts"

type Absent = Decision["absent"][number]

/** A cell by its number. */
export interface Candidate {
  readonly index: number
  readonly cell: Cell
  /** Inside the present range of the grid. */
  readonly isInRange: boolean
}

export interface Choosing {
  readonly market: Market
  readonly shape: CellShape
  readonly version: Version
  /** Cells that began with a sale, by number. */
  readonly sellers: ReadonlySet<number>
  /** Cells that buy at or below this have begun; the others wait for the price to rise to them. */
  readonly reached: Price
  readonly quote: Amount
  readonly keys: GridPlaces
  /** Says why a cell outside the range rests. */
  readonly leftBehind: string
}

export interface Chosen {
  /** From the lowest cell to the highest. */
  readonly working: ReadonlyArray<DesiredSlot>
  /** What slots without a cell in the file still sell. */
  readonly leftOver: ReadonlyArray<DesiredSlot>
  readonly absent: ReadonlyArray<Absent>
}

export const choose = (all: ReadonlyArray<Candidate>, choosing: Choosing, view: View): Chosen => {
  const { sellers, reached, keys } = choosing
  const because = (slot: string, code: string, text: string, key: "levels" | "trail" = "levels"): Absent => ({
    slot,
    why: { code, text, source: keys(key) }
  })
  const leftOver = leftOvers(all, choosing, view)
  const working: Array<readonly [Candidate, DesiredSlot]> = []
  const absent: Array<Absent> = []
  const buying: Array<readonly [Candidate, DesiredSlot]> = []
  let quote = choosing.quote
  for (const { slot } of leftOver) quote -= progressOf(view, slot).past?.cost ?? 0n
  for (const each of all) {
    const { cell, index, isInRange } = each
    const isSeller = sellers.has(index)
    const slot = isSeller ? cell.sellFirst : cell.buyFirst
    const sale = saleOfHeld(cell, choosing, view)
    const isBusy = sale !== undefined || isHolding(slot, view)
    if (isBusy && !isSeller) quote -= sale === undefined ? cell.cost : (progressOf(view, cell.slot).past?.cost ?? 0n)
    if (!isBusy && isSeller) quote += cell.cost
    if (isBusy) working.push([each, sale ?? slot])
    else if (!isInRange) absent.push(because(cell.slot, "left-behind", choosing.leftBehind, "trail"))
    else if (!isSeller && Decimal.isGreater(cell.buy.price, reached)) {
      const text = `waits until the price has come up to ${Decimal.format(cell.buy.price)}`
      absent.push(because(cell.slot, "waits-for-price", text))
    } else buying.push([each, slot])
  }
  for (const [each, slot] of buying.toReversed()) {
    quote -= each.cell.cost
    if (quote >= 0n) working.push([each, slot])
    else absent.push({ slot: each.cell.slot, why: each.cell.notAfforded })
  }
  const known = new Set([...all.map(({ cell }) => cell.slot), ...leftOver.map(({ slot }) => slot)])
  for (const [slot, { live }] of view.slots) {
    if (live === undefined || known.has(slot) || !isCellSlot(slot)) continue
    absent.push(because(slot, "left-behind", "the file has no level at this price any more"))
  }
  const inOrder = working.sort(([a], [b]) => a.index - b.index)
  return { working: inOrder.map(([, slot]) => slot), leftOver, absent }
}

/** The lowest cell of the range that waits for the price to rise to it. */
export const nextWaiting = (
  cells: ReadonlyArray<Candidate>,
  sellers: ReadonlySet<number>,
  reached: Price
): Price | undefined =>
  cells.find(({ cell, index }) => !sellers.has(index) && Decimal.isGreater(cell.buy.price, reached))?.cell.buy.price

/** Whether a cell has something to sell, or a partly filled purchase. */
const isHolding = (desired: DesiredSlot, view: View): boolean => {
  const { completedLegs, filledInLeg } = progressOf(view, desired.slot)
  const isPartly = filledInLeg > 0n && filledLegs(desired, view, desired.slot) === completedLegs
  return isPartly || nextLeg(desired, view, desired.slot)?.side === "SELL"
}

/** One sale of all that the slot holds, beginning now. */
const sale = (slot: string, leg: Leg, { completedLegs, filledInLeg }: SlotProgress, why: DesiredSlot["why"]) =>
  ({ slot, legs: [leg], cycle: false, after: { completedLegs, filledInLeg }, why }) satisfies DesiredSlot

/** Only after an edit; before one, the legs carry the cell by themselves. An unfinished purchase comes first. */
const saleOfHeld = (cell: Cell, { market, shape, version }: Choosing, view: View): DesiredSlot | undefined => {
  const progress = progressOf(view, cell.slot)
  const cost = costOf(market, progress)
  const held = heldBy(progress, cell)
  if (version.number === 1 || cost === undefined || held === 0n || progress.live?.side === "BUY") return undefined
  if (shape.profit === "base" && progress.lastLeg?.side === "SELL") return undefined
  const { buy, sell } = cell
  const price = shape.mayLose ? sell.price : notBelow(market, cost, sell.price, buy.price)
  const quantity = shape.profit === "base" ? min(held, sell.quantity) : held
  return sale(cell.slot, { ...sell, price, quantity }, progress, cell.buyFirst.why)
}

/** At the lowest level above its cost; without one, as far above the cost as the last cell sells above its buy. */
const leftOvers = (
  all: ReadonlyArray<Candidate>,
  { market, shape, version, keys }: Choosing,
  view: View
): ReadonlyArray<DesiredSlot> => {
  const cells = all.map(({ cell }) => cell)
  const top = cells.at(-1)
  if (version.number === 1 || top === undefined) return []
  const known = new Set(cells.map(({ slot }) => slot))
  return [...view.slots].flatMap(([slot, progress]): ReadonlyArray<DesiredSlot> => {
    const cost = costOf(market, progress)
    if (known.has(slot) || !isCellSlot(slot) || cost === undefined) return []
    const level = cells.find(({ sell }) => Decimal.isGreater(sell.price, cost))
    const held = heldBy(progress, level ?? top)
    if (held === 0n || progress.live?.side === "BUY" || (shape.profit === "base" && progress.lastLeg?.side === "SELL"))
      return []
    const price = level?.sell.price ?? notBelow(market, cost, top.sell.price, top.buy.price)
    const paysBack = baseQuantity(market, progress.past?.cost ?? 0n, price, "up")
    const quantity = shape.profit === "base" ? min(held, paysBack) : held
    const text = `sells ${formatWithSymbol(quantity, market.base)} at ${Decimal.format(price)}, bought before the file was changed`
    return [
      sale(slot, { side: "SELL", price, quantity }, progress, { code: "left-over", text, source: keys("levels") })
    ]
  })
}
