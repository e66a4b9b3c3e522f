/**
 * The end of a grid: once the price reaches its stop or its take-profit, every order is withdrawn and all base that
 * the budget holds is sold near the price of that moment. A grid that has ended stays ended. Its cells still count on
 * what was sold, so another grid takes another name.
 */
import { formatWithSymbol } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { type Market, mid, type Price } from "../../../domain/Market.ts"
import { type Decision, type DesiredSlot, type Memory, narrowed } from "../../Decision.ts"
import { positionIn } from "../../expression/Judge.ts"
import * as Read from "../../Fields.ts"
import type { Section } from "../../Kind.ts"
import { report } from "../../Problem.ts"
import type { Budget, Decide } from "../../Strategy.ts"
import { legsDone, progressOf, type View } from "../../View.ts"
import type { KeyPlaces } from "../../YamlReader.ts"
import { givenAway } from "../Execution.ts"
import { beside, decimalIn, textIn } from "../Memory.ts"
import { away, negate, orderPrice } from "../PriceLevels.ts"
import { quantityAt, type Size } from "../Size.ts"

const exit = "exit"
/** Anything below this part of a cell is a leftover of rounding and fees. */
const dustParts = 100n

export const endKeys = {
  stop: Read.optional(Read.price, "at this price all orders are withdrawn and all base is sold, for good"),
  takeProfit: Read.optional(Read.price, "the same at this price, above the grid"),
  reach: Read.withDefault(givenAway, Decimal.make(5n, 3), "that sale may give away this much")
}

type Ends = Read.SettingsOf<typeof endKeys>

export interface GridEnd extends Ends {
  readonly market: Market
  readonly budget: Budget
  /** The size of one cell. */
  readonly size: Size
  readonly keys: KeyPlaces<"stop" | "takeProfit">
}

/** Reports an end that lies within the grid. `levels`: the lowest and the highest, where there are any. */
export const checkEnds = (
  { stop, takeProfit }: Ends,
  [lowest, highest]: readonly [Price | undefined, Price | undefined],
  { at, isWritten, to }: Pick<Section<typeof endKeys>, "at" | "isWritten" | "to">
): void => {
  if (stop !== undefined && lowest !== undefined && !Decimal.isLess(stop, lowest)) {
    report(to, at("stop"), `the stop must be below the lowest level ${Decimal.format(lowest)}`)
  }
  if (takeProfit !== undefined && highest !== undefined && !Decimal.isGreater(takeProfit, highest)) {
    report(to, at("takeProfit"), `the take-profit must be above the highest level ${Decimal.format(highest)}`)
  }
  if (stop !== undefined && takeProfit !== undefined && !Decimal.isLess(stop, takeProfit)) {
    report(to, at("stop"), `the stop must be below the take-profit ${Decimal.format(takeProfit)}`)
  }
  if (isWritten("reach") && stop === undefined && takeProfit === undefined) {
    const hint = "give one of them, or remove this key"
    report(to, at("reach"), "reach without stop or takeProfit does nothing", hint)
  }
}

/** The grid until one of its ends is reached. */
export const endingAt = (decide: Decide, end: GridEnd): Decide =>
  end.stop === undefined && end.takeProfit === undefined
    ? decide
    : (view, memory) => {
        const grid = decide(view, memory)
        const leaves = decimalIn(memory, "leaves")
        if (leaves !== undefined) return ended(end, grid, view, leaves, reasonIn(memory))
        const reached = reachedIn(end, mid(view.price))
        if (reached === undefined) return { ...grid, until: narrowed(grid.until, [end.stop], [end.takeProfit]) }
        const worst = orderPrice(end.market, "SELL", away(mid(view.price), negate(end.reach)))
        return ended(end, grid, view, worst, reached)
      }

/** Which end was reached, as its key in the file and in words. */
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

const ended = (end: GridEnd, grid: Decision, view: View, leaves: Price, because: Reached): Decision => {
  const why = { code: "grid-ended", text: `${because.text}: the grid has ended`, source: end.keys(because.key) }
  const slots = [...grid.desired, ...grid.absent].map(({ slot }) => slot)
  return {
    desired: saleOf(end, view, leaves, because),
    absent: slots.map((slot) => ({ slot, why })),
    memory: beside(grid.memory, { leaves: Decimal.format(leaves), ended: because.text, endedBy: because.key }),
    reasons: [],
    until: { onFill: true }
  }
}

/** Sells what is there now. Base on its way back from a withdrawn order joins the sale on arrival. */
const saleOf = (end: GridEnd, view: View, price: Price, because: Reached): ReadonlyArray<DesiredSlot> => {
  const { market, budget, size, keys } = end
  const { live } = progressOf(view, exit)
  const resting = live?.side === "SELL" ? live.quantity : 0n
  const quantity = view.own === undefined ? budget.base + positionIn(view) : view.own.freeBase + resting
  if (quantity <= 0n || quantity * dustParts < quantityAt(market, size, price)) return []
  const text = `sells all it holds, ${formatWithSymbol(quantity, market.base)}, at ${Decimal.format(price)}: ${because.text}`
  const after = legsDone(view, exit)
  const legs = [{ side: "SELL", price, quantity, mayLose: true }] as const
  return [{ slot: exit, legs, cycle: false, after, why: { code: "grid-exit", text, source: keys(because.key) } }]
}
