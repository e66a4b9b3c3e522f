/**
 * `buyBase` of a grid: one purchase at the start brings the base that the cells above the price sell, the nearest first. It spends only the
 * quote that the purchases below do not need. Those cells begin once it has filled. A later edit buys nothing again.
 */
import { type Amount, formatWithSymbol, fromDecimal, max, toDecimal } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { ratioOf } from "../../../domain/fees/RoundCost.ts"
import { inputAmount, type Price } from "../../../domain/Market.ts"
import type { Decision, DesiredSlot, Leg } from "../../Decision.ts"
import { progressOf, type View } from "../../View.ts"
import { away, orderPrice } from "../PriceLevels.ts"
import type { Grid } from "./CellRange.ts"
import type { Cell } from "./Cells.ts"

const slot = "start"

export const withPurchase = (
  grid: Grid,
  start: Price,
  cells: ReadonlyArray<Cell>,
  view: View,
  isEdited: boolean
): Grid => {
  const { budget, buyReach, fundNearest = cells.length, market } = grid
  if (buyReach === undefined) return grid
  const { completedLegs, paid, receivedByLastLeg } = progressOf(view, slot)
  if (isEdited && completedLegs > 0)
    return { ...grid, budget: { base: budget.base + receivedByLastLeg, quote: max(0n, budget.quote - paid) } }
  const price = orderPrice(market, "BUY", away(start, buyReach))
  const { fillBasisPoints = view.fillBasisPoints ?? 0, payouts } = market.costs ?? {}
  const rest = Decimal.subtract(Decimal.one, ratioOf(fillBasisPoints))
  const { decimals, symbol } = market.base
  const gross = (net: Amount): Amount => {
    const whole = toDecimal(net + (payouts?.get(symbol) ?? 0n), decimals)
    return net <= 0n ? 0n : (fromDecimal(Decimal.divide(whole, rest, decimals, "up"), decimals) ?? net)
  }
  const cost = (sold: Amount): Amount => inputAmount(market, "BUY", gross(sold - budget.base), price)
  const isBelow = ({ buy }: Cell): boolean => Decimal.isLess(buy.price, start)
  const below = cells.filter(isBelow).slice(-fundNearest)
  const quote = below.reduce((left, each) => left - each.cost, budget.quote)
  let sold = 0n
  for (const { sell } of cells.slice(cells.findLastIndex(isBelow) + 1).slice(0, fundNearest)) {
    if (cost(sold + sell.quantity) > quote) break
    sold += sell.quantity
  }
  if (sold <= budget.base) return grid
  const purchase: Leg = { side: "BUY", price, quantity: gross(sold - budget.base) }
  return { ...grid, budget: { base: sold, quote: budget.quote - cost(sold) }, purchase }
}

export const buyingFirst = (decision: Decision, { keys, market, purchase }: Grid, view: View): Decision => {
  if (purchase === undefined || progressOf(view, slot).completedLegs > 0) return decision
  const amount = `${formatWithSymbol(purchase.quantity, market.base)} at ${Decimal.format(purchase.price)}`
  const because = (code: string, text: string) => ({ code, text, source: keys("buyBase") })
  const waits = because("waits-for-base", `waits for the purchase of ${amount}`)
  const isSale = ({ cycle, legs: [first] }: DesiredSlot): boolean => cycle && first.side === "SELL"
  const why = because("grid-base", `buys ${amount}, for the cells above the price to sell`)
  return {
    ...decision,
    desired: [{ slot, legs: [purchase], cycle: false, why }, ...decision.desired.filter((each) => !isSale(each))],
    absent: [...decision.absent, ...decision.desired.filter(isSale).map((each) => ({ slot: each.slot, why: waits }))],
    until: { ...decision.until, onFill: true }
  }
}
