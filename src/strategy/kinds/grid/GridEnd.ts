/**
 * The end of a grid: when the price reaches its stop or its take-profit, every order is cancelled and all base that the budget holds is
 * sold (see `StopExit`). A grid that has ended stays ended. The slots of its cells still show that base, so a new grid needs another name, or
 * `restart`.
 */
import { type Amount, formatWithSymbol, max } from "../../../domain/Amount.ts"
import { isLeftover } from "../../../domain/CostBasis.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { type Market, mid, type Price } from "../../../domain/Market.ts"
import { exitSlot } from "../../../domain/Placement.ts"
import { present } from "../../../domain/Present.ts"
import { type Decision, type DesiredSlot, type Memory, narrowed, slotsIn } from "../../Decision.ts"
import { positionIn } from "../../expression/Judge.ts"
import * as Read from "../../Fields.ts"
import type { Section } from "../../Kind.ts"
import { type Report, report } from "../../Problem.ts"
import type { Behaviour, Budget, Decide, PositionsLeft } from "../../Strategy.ts"
import { legsDone, progressOf, type View, wholeOf } from "../../View.ts"
import type { KeyPlaces } from "../../YamlReader.ts"
import { beside, textIn } from "../Memory.ts"
import { quantityAt, type Size } from "../Size.ts"
import { checkFloor, floor, type Left, leftIn, reach, rememberLeft, stopExit } from "../StopExit.ts"
import { positionsOf } from "../Total.ts"
import { isCellSlot } from "./Versions.ts"

export const endKeys = {
  stop: Read.optional(Read.price, "at this price all orders are cancelled, all base is sold, and the grid ends"),
  takeProfit: Read.optional(Read.price, "the grid also ends at this price, above its levels"),
  reach,
  floor
}

type EndSettings = Read.SettingsOf<typeof endKeys>

export interface GridEnd extends EndSettings {
  readonly market: Market
  readonly budget: Budget
  readonly size: Size
  readonly keys: KeyPlaces<"stop" | "takeProfit">
}

export const checkEnds = (
  { buyBase, floor, stop, takeProfit }: EndSettings & { readonly buyBase: boolean },
  [lowest, highest]: readonly [Price | undefined, Price | undefined],
  { at, isWritten, to }: Pick<Section<typeof endKeys>, "at" | "isWritten" | "to">
): void => {
  if (stop !== undefined && lowest !== undefined && !Decimal.isLess(stop, lowest))
    report(to, at("stop"), `the stop must be below the lowest level ${Decimal.format(lowest)}`)
  if (takeProfit !== undefined && highest !== undefined && !Decimal.isGreater(takeProfit, highest))
    report(to, at("takeProfit"), `the take-profit must be above the highest level ${Decimal.format(highest)}`)
  if (stop !== undefined && takeProfit !== undefined && !Decimal.isLess(stop, takeProfit))
    report(to, at("stop"), `the stop must be below the take-profit ${Decimal.format(takeProfit)}`)
  for (const key of ["reach", "floor"] as const) {
    if (!isWritten(key) || stop !== undefined || takeProfit !== undefined || (key === "reach" && buyBase)) continue
    report(to, at(key), `${key} without stop or takeProfit does nothing`, "give one of them, or remove this key")
  }
  const end = stop ?? takeProfit
  if (end !== undefined) checkFloor("SELL", { floor }, end, at("floor"), to)
}

export const endingAt = (decide: Decide, given: GridEnd, to: Report): Behaviour => {
  const end = { ...given, leaving: stopExit(given.market, "SELL", given, to) }
  if (end.stop === undefined && end.takeProfit === undefined) return { decide, positions }
  return {
    positions,
    mayEnd: true,
    decide: (view, memory) => {
      const grid = decide(view, memory)
      const before = leftIn(memory)
      const reached = before === undefined ? reachedIn(end, mid(view.price)) : reasonIn(memory)
      if (reached !== undefined) return ended(end, grid, view, before, reached)
      const until = narrowed(grid.until, [end.stop], [end.takeProfit])
      return { ...grid, until, stops: narrowed({}, [end.stop], []) }
    }
  }
}

/** Purchases that have filled in part. A grid that has ended sells all cells in its exit. */
const positions: PositionsLeft = (slots, memory) => {
  const isPartly = (slot: string) => isCellSlot(slot) && progressOf({ slots }, slot).filledInLeg > 0n
  const cells = textIn(memory, "ended") === undefined ? [...slots.keys()].filter(isPartly) : []
  const entries = cells.map((slot) => ({ slot, side: "BUY" }) as const)
  return positionsOf(entries, slots)
}

interface Reached {
  readonly key: "stop" | "takeProfit"
  readonly text: string
}

const reachedIn = ({ stop, takeProfit }: GridEnd, price: Price): Reached | undefined => {
  if (stop !== undefined && !Decimal.isGreater(price, stop))
    return { key: "stop", text: `the price reached the stop ${Decimal.format(stop)}` }
  if (takeProfit === undefined || Decimal.isLess(price, takeProfit)) return undefined
  return { key: "takeProfit", text: `the price reached the take-profit ${Decimal.format(takeProfit)}` }
}

const reasonIn = (memory: Memory): Reached => ({
  key: textIn(memory, "endedBy") === "takeProfit" ? "takeProfit" : "stop",
  text: textIn(memory, "ended") ?? ""
})

const ended = (
  end: GridEnd & { readonly leaving: ReturnType<typeof stopExit> },
  grid: Decision,
  view: View,
  before: Left | undefined,
  because: Reached
): Decision => {
  const { leaving } = end
  const price = mid(view.price)
  const exitStart = leaving.left(price, end[because.key] ?? price, before)
  const why = { code: "grid-ended", text: `${because.text}: the grid has ended`, source: end.keys(because.key) }
  const exitPrice = leaving.price(exitStart)
  const desired = saleOf(end, view, exitPrice, because)
  // Base of a cancelled sale may still be on its way back.
  const isSold = isDust(end, view, end.budget.base + positionIn(view), exitPrice)
  return {
    ...present({ isOver: (desired.length === 0 && isSold) || undefined }),
    desired,
    absent: slotsIn(grid).map((slot) => ({ slot, why })),
    memory: beside(grid.memory, { ...rememberLeft(exitStart), ended: because.text, endedBy: because.key }),
    reasons: [],
    until: { ...(desired.length === 0 ? {} : leaving.until(exitStart)), onFill: true }
  }
}

/** True for a leftover of a cell, or of the largest that has traded. */
const isDust = ({ market, size }: GridEnd, { slots }: View, base: Amount, price: Price): boolean => {
  const planned = quantityAt(market, size, price)
  const traded = [...slots.values()].filter(({ bought, sold }) => bought + sold > 0n)
  const whole = traded.length === 0 ? planned : traded.map((progress) => wholeOf(progress, planned)).reduce(max)
  return base <= 0n || isLeftover(base, whole)
}

const saleOf = (end: GridEnd, view: View, price: Price, because: Reached): ReadonlyArray<DesiredSlot> => {
  const { market, budget, keys } = end
  const { live } = progressOf(view, exitSlot)
  const resting = live?.side === "SELL" ? live.quantity : 0n
  const quantity = view.own === undefined ? budget.base + positionIn(view) : view.own.freeBase + resting
  if (isDust(end, view, quantity, price)) return []
  const text = `sells all it holds, ${formatWithSymbol(quantity, market.base)}, at ${Decimal.format(price)}: ${because.text}`
  const after = legsDone(view, exitSlot)
  const legs = [{ side: "SELL", price, quantity, mayLose: true }] as const
  return [{ slot: exitSlot, legs, cycle: false, after, why: { code: "grid-exit", text, source: keys(because.key) } }]
}
