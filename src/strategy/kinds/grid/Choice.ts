/**
 * Chooses the cells of a grid that work, by the progress of their slots. The quote budget pays for the highest purchases first. The cost of
 * a purchase is spent until its base is sold again. A cell that began with a sale pays for its purchase with the proceeds. A cell that
 * holds base keeps its sale, inside or outside the range.
 *
 * After an edit, a slot that holds base sells exactly that, at its cell's upper level. If the file no longer has a cell for it, it sells at
 * the lowest level above its cost. A cell sells nothing below its cost unless the file allows it; the grid's `stop` sells all.
 */
import { type Amount, formatWithSymbol, min } from "../../../domain/Amount.ts"
import type { Reason } from "../../../domain/BotEvent.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { baseQuantity, type Price } from "../../../domain/Market.ts"
import { type AbsentSlot, type DesiredSlot, filledLegs, type Leg, nextLeg } from "../../Decision.ts"
import { progressOf, type SlotProgress, type View } from "../../View.ts"
import { costOf, notBelow } from "../CostFloor.ts"
import type { Cell, CellShape, Grid } from "./Cells.ts"
import { heldBy, inVersion, isCellSlot, usedIn, type Version } from "./Versions.ts"

interface Choosing extends Pick<Grid, "keys" | "market" | "range" | "shape"> {
  readonly version: Version
  readonly cells: ReadonlyArray<Cell>
  readonly sellers: ReadonlySet<number>
  /** Cells that buy at or below this price have begun; the others wait for the price to rise to them. */
  readonly reached: Price
  readonly quote: Amount
  /** Set if the order of every cell follows from its legs. Then all begun cells are funded, except those in `unfunded`. */
  readonly carried: { readonly unfunded: ReadonlySet<number> } | undefined
  readonly leftBehind: string
}

export interface Chosen {
  readonly working: ReadonlyArray<DesiredSlot>
  readonly leftOver: ReadonlyArray<DesiredSlot>
  readonly absent: ReadonlyArray<AbsentSlot>
}

type Candidate = Readonly<ReturnType<typeof candidateOf>>

interface Holding {
  readonly progress: SlotProgress
  readonly sale: DesiredSlot | undefined
  readonly isBusy: boolean
}

export type SlotsSeen = Pick<View, "slots">

/** Keeps the candidates until a slot begins or ends, and each cell's holding until its slot changes. */
export const choosing = (whole: Choosing): ((view: SlotsSeen) => Chosen) => {
  const { carried, keys } = whole
  let names: ReadonlyArray<string> | undefined
  let candidates: ReadonlyArray<Candidate> = []
  let holdings: Array<Holding> = []
  let unnamed: ReadonlyArray<string> = []
  const know = (view: SlotsSeen): void => {
    let at = 0
    for (const slot of view.slots.keys()) if (slot === names?.[at]) at++
    if (at === names?.length && at === view.slots.size) return
    names = [...view.slots.keys()]
    candidates = candidatesOf(whole, names)
    holdings = []
    const candidateSlots = new Set(candidates.map(({ cell }) => cell.slot))
    unnamed = names.filter((slot) => !candidateSlots.has(slot) && isCellSlot(slot))
  }
  const holdingAt = (at: number, { cell, isSeller, slot }: Candidate, view: SlotsSeen): Holding => {
    const progress = progressOf(view, cell.slot)
    if (carried !== undefined) return { progress, sale: undefined, isBusy: isSeller }
    const cachedHolding = holdings[at]
    if (cachedHolding?.progress === progress) return cachedHolding
    const sale = saleOfHeld(cell, whole, progress)
    const holding = { progress, sale, isBusy: sale !== undefined || isHolding(slot, view) }
    holdings[at] = holding
    return holding
  }
  return (view) => {
    know(view)
    const leftOver = unnamed.flatMap((slot) => leftOverOf(whole, candidates, slot, view))
    const works: Array<DesiredSlot | undefined> = []
    const absent: Array<AbsentSlot> = []
    const buying: Array<number> = []
    let { quote } = whole
    for (const { slot } of leftOver) quote -= spentIn(progressOf(view, slot))
    for (let at = 0; at < candidates.length; at++) {
      const candidate = candidates[at]
      if (candidate === undefined) continue
      const { cell, isSeller, slot, waits } = candidate
      const { isBusy, progress, sale } = holdingAt(at, candidate, view)
      if (isBusy && !isSeller) quote -= sale === undefined ? cell.cost : spentIn(progress)
      if (!isBusy && isSeller) quote += cell.cost
      works.push(isBusy ? (sale ?? slot) : undefined)
      if (isBusy) continue
      if (waits === undefined) buying.push(at)
      else absent.push(waits)
    }
    for (const at of buying.reverse()) {
      const { cell, slot } = candidates[at] ?? {}
      if (cell === undefined) continue
      quote -= cell.cost
      if (carried !== undefined || quote >= 0n) works[at] = slot
      else absent.push({ slot: cell.slot, why: cell.notAfforded })
    }
    const sold = new Set(leftOver.map(({ slot }) => slot))
    const text = "the file has no level at this price any more"
    const why = { code: "left-behind", text, source: keys("levels") }
    for (const slot of unnamed) if (progressOf(view, slot).live && !sold.has(slot)) absent.push({ slot, why })
    return { working: works.filter((slot) => slot !== undefined), leftOver, absent }
  }
}

/** Sells at the lowest level above its cost. Without one, sells as far above the cost as the last cell sells above its purchase. */
const leftOverOf = (
  { market, shape, version, keys }: Choosing,
  candidates: ReadonlyArray<Candidate>,
  slot: string,
  view: SlotsSeen
): ReadonlyArray<DesiredSlot> => {
  const progress = progressOf(view, slot)
  const cost = costOf(market, progress)
  const top = candidates.at(-1)?.cell
  if (version.number === 1 || top === undefined || cost === undefined) return []
  const level = candidates.find(({ cell: { sell } }) => Decimal.isGreater(sell.price, cost))?.cell
  const amount = heldBy(progress, level ?? top)
  if (amount === 0n || isUnfinished(shape, progress)) return []
  const price = level?.sell.price ?? notBelow(market, cost, top.sell.price, top.buy.price)
  const paysBack = baseQuantity(market, spentIn(progress), price, "up")
  const quantity = shape.profit === "base" ? min(amount, paysBack) : amount
  const text = `sells ${formatWithSymbol(quantity, market.base)} at ${Decimal.format(price)}, bought before the file was changed`
  const why = { code: "left-over", text, source: keys("levels") }
  return [sale(slot, { side: "SELL", price, quantity }, progress, why)]
}

const spentIn = ({ past }: SlotProgress): Amount => past?.cost ?? 0n

const candidatesOf = (choosing: Choosing, names: ReadonlyArray<string>): ReadonlyArray<Candidate> => {
  const { cells, range, sellers, version } = choosing
  const inside = cells.map((cell) => candidateOf(choosing, cell, true))
  if (range.moving === undefined) return inside
  const numbers = new Set(cells.map(({ index }) => index))
  const outside = [...sellers, ...usedIn(version, range.cell, names)].filter((index) => !numbers.has(index))
  const others = [...new Set(outside)]
    .flatMap((index) => range.cell(index) ?? [])
    .map((cell) => candidateOf(choosing, inVersion(version, cell), false))
  return [...inside, ...others].sort((a, b) => a.cell.index - b.cell.index)
}

/** `waits`: the reason why it has no order while it holds nothing. `undefined` if it buys. */
const candidateOf = (choosing: Choosing, cell: Cell, isInRange: boolean) => {
  const isSeller = choosing.sellers.has(cell.index)
  const why = reasonToWait(choosing, cell, isInRange)
  const waits = why && { slot: cell.slot, why }
  return { cell, isSeller, slot: isSeller ? cell.sellFirst : cell.buyFirst, waits }
}

const reasonToWait = (
  { carried, keys, leftBehind, reached, sellers }: Choosing,
  { buy, index, notAfforded, waits }: Cell,
  isInRange: boolean
): Reason | undefined => {
  if (!isInRange) return { code: "left-behind", text: leftBehind, source: keys("trail") }
  if (carried?.unfunded.has(index)) return notAfforded
  if (sellers.has(index) || !Decimal.isGreater(buy.price, reached)) return undefined
  if (carried !== undefined) return waits
  const text = `waits until the price has come up to ${Decimal.format(buy.price)}`
  return { code: "waits-for-price", text, source: keys("levels") }
}

const isHolding = (desired: DesiredSlot, view: SlotsSeen): boolean => {
  const { completedLegs, filledInLeg } = progressOf(view, desired.slot)
  const isPartly = filledInLeg > 0n && filledLegs(desired, view, desired.slot) === completedLegs
  return isPartly || nextLeg(desired, view, desired.slot)?.side === "SELL"
}

const isUnfinished = ({ profit }: CellShape, { lastLeg, live }: SlotProgress): boolean =>
  live?.side === "BUY" || (profit === "base" && lastLeg?.side === "SELL")

/** Its price already covers its cost. An only leg that may lose is an exit, like the second leg of a cell. */
const sale = (slot: string, leg: Leg, { completedLegs, filledInLeg }: SlotProgress, why: Reason): DesiredSlot => {
  return { slot, legs: [{ ...leg, mayLose: true }], cycle: false, after: { completedLegs, filledInLeg }, why }
}

const saleOfHeld = (cell: Cell, { market, shape, version }: Choosing, progress: SlotProgress) => {
  if (version.number === 1) return undefined
  const cost = costOf(market, progress)
  const baseAmount = heldBy(progress, cell)
  if (cost === undefined || baseAmount === 0n || isUnfinished(shape, progress)) return undefined
  const { buy, sell } = cell
  const price = shape.mayLose ? sell.price : notBelow(market, cost, sell.price, buy.price)
  const quantity = shape.profit === "base" ? min(baseAmount, sell.quantity) : baseAmount
  return sale(cell.slot, { ...sell, price, quantity }, progress, cell.buyFirst.why)
}
