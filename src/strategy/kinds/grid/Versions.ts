/**
 * The versions of a file's levels, one after the other. An edit keeps slots by price: a slot that works at a price
 * becomes the slot of the new cell that buys or sells there. All other cells get new slots, named by the version
 * (`cell-07-v2`), so no slot is mistaken for one at another price. What the slots without a new cell hold is sold
 * separately (see `Choice`).
 */
import { type Amount, max } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Price, Side } from "../../../domain/Market.ts"
import type { Memory } from "../../Decision.ts"
import { progressOf, type SlotProgress, type View } from "../../View.ts"
import { decimalIn, numberIn, recordIn, textIn } from "../Memory.ts"
import type { Cell } from "./Cells.ts"

export interface Version {
  /** The first version is 1. */
  readonly number: number
  /** Slots from before, by the number of the cell that has them now. */
  readonly names: ReadonlyMap<number, string>
  /** Numbers of the cells that begin with a sale; the first version knows them from its start and the budget. */
  readonly sellers: ReadonlySet<number>
}

const firstVersion: Version = { number: 1, names: new Map(), sellers: new Set() }

/** `byNumber`: the name of the cell in the first version. */
export const slotIn = ({ number, names }: Version, index: number, byNumber: string): string =>
  names.get(index) ?? (number === 1 ? byNumber : `${byNumber}-v${number}`)

/** Numbers of the cells whose slots these are. */
export const usedIn = (version: Version, cell: (index: number) => Cell | undefined, slots: ReadonlyArray<string>) => {
  const carried = new Map([...version.names].map(([index, slot]) => [slot, index]))
  return slots.flatMap((slot) => {
    const known = carried.get(slot)
    if (known !== undefined) return [known]
    const [, below, digits] = /^cell-(below-)?(\d{1,6})(?:-v\d+)?$/.exec(slot) ?? []
    const index = below === undefined ? Number(digits) : -Number(digits)
    const own = digits === undefined ? undefined : cell(index)?.slot
    return own !== undefined && slotIn(version, index, own) === slot ? [index] : []
  })
}

export const isCellSlot = (slot: string): boolean => /^cell-(below-)?\d+(-v\d+)?$/.test(slot)

/** Distinguishes a grid from the one that the file described before. */
export interface Print {
  readonly levels: string
  readonly sizes: string
}

/** Without any memory, existing slots with cell names belong to a grid that the file described before something else. */
export const isEdited = (memory: Memory, print: Print, view: View): boolean => {
  if (decimalIn(memory, "start") === undefined) return [...view.slots.keys()].some(isCellSlot)
  return textIn(memory, "levels") !== print.levels || textIn(memory, "sizes") !== print.sizes
}

/** Less than this part of a cell is not worth an order: it is what rounding and fees leave. */
const dustParts = 100n

/** Base that the slot bought and can sell now. */
export const heldBy = ({ past }: SlotProgress, { sell }: Cell): Amount => {
  const held = past?.held ?? 0n
  return held * dustParts < sell.quantity ? 0n : held
}

const placeOf = ({ live, past }: SlotProgress): { readonly side: Side; readonly price: Price } | undefined =>
  live ?? past?.lastOrder

/** A slot that rests, or has something to sell, keeps its cell; the rest is history. */
const isBusy = ({ live, past }: SlotProgress): boolean => live !== undefined || (past?.held ?? 0n) > 0n

const newest = (view: View): number =>
  Math.max(...[...view.slots.keys()].filter(isCellSlot).map((slot) => Number(/-v(\d+)$/.exec(slot)?.[1] ?? "1")), 1)

export interface Numbered {
  readonly index: number
  readonly cell: Cell
}

/** The version that begins now, with these cells from the lowest to the highest. `base`: base of the budget. */
export const begin = (cells: ReadonlyArray<Numbered>, view: View, price: Price, base: Amount): Version => {
  const names = namesOf(cells, view)
  const version = { number: newest(view) + 1, names }
  return { ...version, sellers: sellersOf(cells, names, view, price, unassigned(view, base)) }
}

/** Slots that hold something come first: if two share a price, the second gets no cell. */
const namesOf = (cells: ReadonlyArray<Numbered>, view: View): ReadonlyMap<number, string> => {
  const byBuy = new Map(cells.map(({ index, cell }) => [Decimal.format(cell.buy.price), index]))
  const bySell = new Map(cells.map(({ index, cell }) => [Decimal.format(cell.sell.price), index]))
  const names = new Map<number, string>()
  const busy = [...view.slots].filter(([slot, progress]) => isCellSlot(slot) && isBusy(progress))
  const holders = busy.filter(([, { past }]) => (past?.held ?? 0n) > 0n)
  for (const [slot, progress] of new Set([...holders, ...busy])) {
    const place = placeOf(progress)
    if (place === undefined) continue
    const index = (place.side === "BUY" ? byBuy : bySell).get(Decimal.format(place.price))
    if (index !== undefined && !names.has(index)) names.set(index, slot)
  }
  return names
}

/** Base of the budget that no slot has sold or holds for a sale of its own. */
const unassigned = (view: View, budget: Amount): Amount => {
  let base = budget
  for (const { bought, sold, past } of view.slots.values()) base -= max(0n, sold - bought + (past?.held ?? 0n))
  return max(0n, base)
}

/** Resting sales of the budget's base go on; the rest of it goes to the cells above the price, nearest first. */
const sellersOf = (
  cells: ReadonlyArray<Numbered>,
  names: ReadonlyMap<number, string>,
  view: View,
  price: Price,
  unassigned: Amount
): ReadonlySet<number> => {
  const sellers = new Set<number>()
  let base = unassigned
  const begun = ({ index }: Numbered) => progressOf(view, names.get(index) ?? "")
  for (const each of cells) {
    const { live, lastLeg, filledInLeg, past } = begun(each)
    if (live?.side !== "SELL" || live.quantity === 0n || lastLeg !== undefined || (past?.held ?? 0n) > 0n) continue
    base -= max(0n, each.cell.sell.quantity - filledInLeg)
    sellers.add(each.index)
  }
  const others = cells.filter(({ index }) => !names.has(index))
  return new Set([...sellers, ...sellersFrom(others, price, base)])
}

/** The cells at and above a price that this base lets begin with a sale, nearest first. */
export const sellersFrom = (cells: ReadonlyArray<Numbered>, price: Price, base: Amount): ReadonlySet<number> => {
  const sellers = new Set<number>()
  let left = base
  for (const { index, cell } of cells) {
    if (Decimal.isLess(cell.buy.price, price)) continue
    left -= cell.sell.quantity
    if (left < 0n) break
    sellers.add(index)
  }
  return sellers
}

export const versionIn = (memory: Memory): Version => {
  const number = numberIn(memory, "version")
  if (number === undefined) return firstVersion
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
