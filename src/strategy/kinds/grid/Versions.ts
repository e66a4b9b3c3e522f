/**
 * The versions of a file's levels. An edit keeps slots by price: a slot that works at a price becomes the slot of the new cell that buys or
 * sells there. All other cells get new slots, named by the version (`cell-07-v2`), so no slot is mistaken for one at another price.
 * Holdings of slots without a new cell are sold separately (see `Choice`).
 */
import { type Amount, max } from "../../../domain/Amount.ts"
import { isLeftover } from "../../../domain/CostBasis.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Price } from "../../../domain/Market.ts"
import type { Memory } from "../../Decision.ts"
import { progressOf, type SlotProgress, type View, wholeOf } from "../../View.ts"
import { decimalIn, numberIn, recordIn, textIn } from "../Memory.ts"
import type { Cell } from "./Cells.ts"

export interface Version {
  readonly number: number
  readonly names: ReadonlyMap<number, string>
  readonly sellers: ReadonlySet<number>
}

const slotIn = ({ number, names }: Version, { index, slot }: Cell): string =>
  names.get(index) ?? (number === 1 ? slot : `${slot}-v${number}`)

export const inVersion = (version: Version, cell: Cell): Cell => {
  const slot = slotIn(version, cell)
  if (slot === cell.slot) return cell
  return { ...cell, slot, buyFirst: { ...cell.buyFirst, slot }, sellFirst: { ...cell.sellFirst, slot } }
}

export const usedIn = (version: Version, cell: (index: number) => Cell | undefined, slots: ReadonlyArray<string>) => {
  const indexBySlot = new Map([...version.names].map(([index, slot]) => [slot, index]))
  return slots.flatMap((slot) => {
    const position = indexBySlot.get(slot)
    if (position !== undefined) return [position]
    const [, below, digits] = /^cell-(below-)?(\d{1,6})(?:-v\d+)?$/.exec(slot) ?? []
    const index = below === undefined ? Number(digits) : -Number(digits)
    const own = digits === undefined ? undefined : cell(index)
    return own !== undefined && slotIn(version, own) === slot ? [index] : []
  })
}

export const isCellSlot = (slot: string): boolean => /^cell-(below-)?\d+(-v\d+)?$/.test(slot)

type Print = Readonly<Record<"levels" | "sizes", string>>

/** Without a memory, slots with cell names are from a grid that the file had before it changed to another kind and back. */
export const isEdited = (memory: Memory, print: Print, view: View): boolean => {
  if (decimalIn(memory, "start") === undefined) return [...view.slots.keys()].some(isCellSlot)
  return textIn(memory, "levels") !== print.levels || textIn(memory, "sizes") !== print.sizes
}

export const heldBy = (progress: SlotProgress, { sell }: Cell): Amount => {
  const amount = progress.past?.held ?? 0n
  const whole = progress.filledInLeg > 0n ? sell.quantity : wholeOf(progress, sell.quantity)
  return isLeftover(amount, whole) ? 0n : amount
}

const newest = (view: View): number =>
  Math.max(...[...view.slots.keys()].filter(isCellSlot).map((slot) => Number(/-v(\d+)$/.exec(slot)?.[1] ?? "1")), 1)

export const begin = (cells: ReadonlyArray<Cell>, view: View, price: Price, base: Amount): Version => {
  const names = namesOf(cells, view)
  const version = { number: newest(view) + 1, names }
  return { ...version, sellers: sellersOf(cells, names, view, price, unassigned(view, base)) }
}

/**
 * A slot with an open order, or with something to sell, keeps its cell. Slots that hold something come first: if two share a price, the
 * second gets no cell.
 */
const namesOf = (cells: ReadonlyArray<Cell>, view: View): ReadonlyMap<number, string> => {
  const byBuy = new Map(cells.map(({ buy, index }) => [Decimal.format(buy.price), index]))
  const bySell = new Map(cells.map(({ index, sell }) => [Decimal.format(sell.price), index]))
  const names = new Map<number, string>()
  const cellSlots = [...view.slots].filter(([slot]) => isCellSlot(slot))
  const holders = cellSlots.filter(([, { past }]) => (past?.held ?? 0n) > 0n)
  const resting = cellSlots.filter(([, { live }]) => live !== undefined)
  for (const [slot, { live, past }] of new Set([...holders, ...resting])) {
    const place = live ?? past?.lastOrder
    if (place === undefined) continue
    const index = (place.side === "BUY" ? byBuy : bySell).get(Decimal.format(place.price))
    if (index !== undefined && !names.has(index)) names.set(index, slot)
  }
  return names
}

const unassigned = (view: View, budget: Amount): Amount => {
  let base = budget
  for (const { bought, sold, past } of view.slots.values()) base -= max(0n, sold - bought + (past?.held ?? 0n))
  return max(0n, base)
}

/** Open sales of the budget's base continue. The rest of the base goes to the cells above the price, nearest first. */
const sellersOf = (
  cells: ReadonlyArray<Cell>,
  names: ReadonlyMap<number, string>,
  view: View,
  price: Price,
  unassigned: Amount
): ReadonlySet<number> => {
  const sellers = new Set<number>()
  let base = unassigned
  const progressAt = ({ index }: Cell) => progressOf(view, names.get(index) ?? "")
  for (const each of cells) {
    const { live, lastLeg, filledInLeg, past } = progressAt(each)
    if (live?.side !== "SELL" || live.quantity === 0n || lastLeg !== undefined || (past?.held ?? 0n) > 0n) continue
    base -= max(0n, each.sell.quantity - filledInLeg)
    sellers.add(each.index)
  }
  const others = cells.filter(({ index }) => !names.has(index))
  return new Set([...sellers, ...sellersFrom(others, price, base)])
}

export const sellersFrom = (cells: ReadonlyArray<Cell>, price: Price, base: Amount): ReadonlySet<number> => {
  const sellers = new Set<number>()
  let remaining = base
  for (const { buy, index, sell } of cells) {
    if (Decimal.isLess(buy.price, price)) continue
    remaining -= sell.quantity
    if (remaining < 0n) break
    sellers.add(index)
  }
  return sellers
}

export const versionIn = (memory: Memory): Version => {
  const number = numberIn(memory, "version")
  if (number === undefined) return { number: 1, names: new Map(), sellers: new Set() }
  const names = Object.entries(recordIn(memory, "names") ?? {})
  const sellers = recordIn(memory, "sellers")
  return {
    number,
    names: new Map(
      names.flatMap(([index, slot]) => (typeof slot === "string" ? [[Number(index), slot] as const] : []))
    ),
    sellers: new Set(Array.isArray(sellers) ? sellers.filter((index) => typeof index === "number") : [])
  }
}

/** The first version stores nothing: its names and sales follow from the file. */
export const remember = ({ number, names, sellers }: Version): { readonly [key: string]: Memory } =>
  number === 1 ? {} : { version: number, names: Object.fromEntries(names), sellers: [...sellers] }
