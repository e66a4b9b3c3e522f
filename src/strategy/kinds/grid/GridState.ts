/**
 * The state of a grid: the price at which it began, the prices that its waiting cells and its range have followed since, and the version of
 * its levels. Only the price changes it, so everything that does not depend on the slots is computed once for each state. The memory
 * restores it after any interruption.
 *
 * While a range stays and its file is not edited, the order of each cell follows from its legs and the start alone. After an edit, and
 * if the range moves, the holdings of the slots decide (see `Choice`). A grid that is edited, or that begins after a wait, restarts at the
 * price of that time: otherwise a level below some earlier price could make it buy above the market. Its slots keep their holdings by price
 * (see `Versions`).
 */
import { type Amount, formatWithSymbol, fromDecimal, max, toDecimal } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { ratioOf } from "../../../domain/fees/RoundCost.ts"
import { inputAmount, mid, type Price } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import { type Decision, type DesiredSlot, isBeyond, type Leg, type Memory, nextLeg } from "../../Decision.ts"
import type { Decide } from "../../Strategy.ts"
import { progressOf, type SlotProgress, type View } from "../../View.ts"
import { decimalIn, numberIn, parsedOf } from "../Memory.ts"
import { away, orderPrice } from "../PriceLevels.ts"
import { type Cell, type Grid, sizesOf, spannedBy } from "./Cells.ts"
import { type Chosen, choosing, type SlotsSeen } from "./Choice.ts"
import { begin, inVersion, isEdited, remember, sellersFrom, type Version, versionIn } from "./Versions.ts"

interface Anchor {
  readonly start: Price
  /** Waiting cells up to this price have begun. It only rises while the range stays, so a cell that has begun is never given up. */
  readonly reached: Price
  readonly first: number
  readonly version: Version
}

type Standing = Readonly<ReturnType<typeof standAt>>

/** Returns the grid for a start; only an endless grid depends on it. */
export const standing = (gridAt: (start: Price) => Grid): Decide => {
  const standings = new WeakMap<object, Standing>()
  return (view, memory) => {
    const before = parsedOf(standings, memory)
    const isKept = before !== undefined && view.begins !== true
    const now = isKept ? moved(before, view) : readStanding(gridAt, view, memory)
    if (now !== before) standings.set(now.memory, now)
    return decide(now, view)
  }
}

/** Passes on only the slots, because a backtest's view holds the whole run. */
const decide = ({ answer, grid, memory, until }: Standing, view: View): Decision => {
  const { slots } = view
  const { absent, leftOver, reasons, window, working } = answer({ slots })
  const desired = window?.in({ slots }) ?? working
  const decision: Decision = {
    desired: leftOver.length === 0 ? desired : [...desired, ...leftOver],
    // Computed on demand: only people read it, and a backtest asks thousands of times.
    get absent() {
      return window?.beside(desired, { slots }) ?? absent
    },
    memory,
    reasons,
    until: view.mayBegin === false ? { onFill: until.onFill } : until
  }
  return grid.purchase === undefined ? decision : buyingFirst(decision, grid, view)
}

const readStanding = (fileGridAt: (start: Price) => Grid, view: View, memory: Memory): Standing => {
  const gridAt = (start: Price, isEdited: boolean): Grid => {
    const grid: Grid = { ...fileGridAt(start), ...present({ budget: view.means }) }
    return withPurchase(grid, start, spannedBy(grid.range, firstAt(grid, start)), view, isEdited)
  }
  const price = mid(view.price)
  const start = decimalIn(memory, "start") ?? price
  const grid = gridAt(start, (numberIn(memory, "version") ?? 1) > 1)
  if (view.begins !== true && !isEdited(memory, { levels: grid.print, sizes: sizesOf(grid.shape) }, view)) {
    const first = numberIn(memory, "first") ?? firstAt(grid, start)
    const reached = decimalIn(memory, "reached") ?? start
    // At the price up to which its cells have begun, nothing new begins.
    const at = view.mayBegin === false ? reached : price
    return standAt(grid, { start, reached, first, version: versionIn(memory) }, at)
  }
  const whole = gridAt(price, true)
  const first = firstAt(whole, price)
  const version = begin(spannedBy(whole.range, first), view, price, whole.budget.base)
  return standAt(whole, { start: price, reached: price, first, version }, price)
}

const firstAt = ({ range: { moving } }: Grid, price: Price): number => moving?.follow(0, price) ?? 0

const moved = (before: Standing, view: View): Standing =>
  view.mayBegin !== false && isBeyond(before.until, view.price)
    ? standAt(before.grid, before.anchor, mid(view.price))
    : before

const standAt = (grid: Grid, before: Anchor, price: Price) => {
  const { budget, fundNearest, keys, range, shape } = grid
  const { start, version } = before
  const { moving } = range
  const first = moving?.follow(before.first, price) ?? 0
  const cells = spannedBy(range, first).map((cell) => inVersion(version, cell))
  const origin = moving === undefined ? cells : spannedBy(range, firstAt(grid, start))
  const sellers = version.number === 1 ? sellersFrom(origin, start, budget.base) : version.sellers
  const buyers = cells.filter(({ index }) => !sellers.has(index))
  const isCarried = moving === undefined && version.number === 1
  // With `fundNearest` the money moves with the window, and the check of the file ensures that it can pay for the window.
  const unfunded =
    isCarried && fundNearest === undefined ? beyondBudget(buyers, start, budget.quote) : new Set<number>()
  const waitsAbove = (reached: Price): Price | undefined =>
    buyers.find(({ buy, index }) => !unfunded.has(index) && Decimal.isGreater(buy.price, reached))?.buy.price
  const come = first === before.first ? before.reached : price
  const next = waitsAbove(come)
  const reached = next !== undefined && !Decimal.isLess(price, next) ? price : come
  const span = moving?.spanned(first)
  const chosenIn = choosing({
    ...grid,
    version,
    cells,
    sellers,
    reached,
    quote: budget.quote,
    carried: isCarried ? { unfunded } : undefined,
    leftBehind: `the grid has moved on: it spans ${span} now`
  })
  const from = Decimal.format(start)
  const answer = (view: SlotsSeen) => {
    const chosen = chosenIn(view)
    const works = `${chosen.working.length} of ${cells.length} cells work`
    const where =
      span === undefined
        ? { code: "grid-anchored", text: `anchored at ${from}: ${works}`, source: keys("levels") }
        : { code: "grid-range", text: `spans ${span}; started at ${from}`, source: keys("trail") }
    return { ...chosen, window: windowOn(grid, cells, chosen), reasons: [where] }
  }
  const settled = isCarried ? answer(untouched) : undefined
  const bounds = moving?.until(first) ?? {}
  // A waiting cell is in the range, so its price always comes before the price at which the range moves.
  const above = waitsAbove(reached) ?? bounds.priceAbove
  return {
    grid,
    anchor: { start, reached, first, version },
    // If legs carry the cells, the answer does not depend on the slots.
    answer: settled === undefined ? answer : () => settled,
    until: { ...bounds, ...present({ priceAbove: above }), onFill: !isCarried || fundNearest !== undefined },
    memory: {
      start: from,
      reached: Decimal.format(reached),
      ...(moving === undefined ? {} : { first }),
      levels: grid.print,
      sizes: sizesOf(shape),
      ...remember(version)
    }
  }
}

const untouched = { slots: new Map<string, SlotProgress>() }

/**
 * The quote budget pays for the highest buys below the start, then for the lowest waiting cells. Returns the cells that it cannot pay for.
 */
const beyondBudget = (buyers: ReadonlyArray<Cell>, start: Price, budget: Amount): ReadonlySet<number> => {
  const isBelow = ({ buy }: Cell): boolean => Decimal.isLess(buy.price, start)
  const inTurn = [...buyers.filter(isBelow).reverse(), ...buyers.filter((each) => !isBelow(each))]
  let quote = budget
  const unaffordableBuyers = inTurn.filter(({ cost }) => {
    quote -= cost
    return quote < 0n
  })
  return new Set(unaffordableBuyers.map(({ index }) => index))
}

const purchaseSlot = "start"

/**
 * `buyBase`: one purchase at the start brings the base that the cells above the price sell, the nearest first. It spends only the quote
 * that the purchases below do not need. The cells above begin once it has filled. A later edit buys nothing again.
 */
const withPurchase = (grid: Grid, start: Price, cells: ReadonlyArray<Cell>, view: View, isEdited: boolean): Grid => {
  const { budget, buyReach, fundNearest = cells.length, market } = grid
  if (buyReach === undefined) return grid
  const { completedLegs, paid, receivedByLastLeg } = progressOf(view, purchaseSlot)
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

const buyingFirst = (decision: Decision, { keys, market, purchase }: Grid, view: View): Decision => {
  if (purchase === undefined || progressOf(view, purchaseSlot).completedLegs > 0) return decision
  const amount = `${formatWithSymbol(purchase.quantity, market.base)} at ${Decimal.format(purchase.price)}`
  const because = (code: string, text: string) => ({ code, text, source: keys("buyBase") })
  const waits = because("waits-for-base", `waits for the purchase of ${amount}`)
  const isSale = ({ cycle, legs: [first] }: DesiredSlot): boolean => cycle && first.side === "SELL"
  const why = because("grid-base", `buys ${amount}, for the cells above the price to sell`)
  return {
    ...decision,
    desired: [
      { slot: purchaseSlot, legs: [purchase], cycle: false, why },
      ...decision.desired.filter((each) => !isSale(each))
    ],
    absent: [...decision.absent, ...decision.desired.filter(isSale).map((each) => ({ slot: each.slot, why: waits }))],
    until: { ...decision.until, onFill: true }
  }
}

/**
 * With `fundNearest`, only the highest buys and the lowest sells are placed, by each cell's next leg. This is computed after every fill, so
 * of thousands of cells it checks only those whose slots have changed.
 */
const windowOn = ({ fundNearest: count, keys }: Grid, cells: ReadonlyArray<Cell>, { absent, working }: Chosen) => {
  if (count === undefined) return undefined
  const text = `not funded: outside the ${count} nearest buys and sells`
  const why = { code: "not-nearest", text, source: keys("fundNearest") }
  const names = cells.map(({ slot }) => slot)
  const placeOf = new Map(working.map(({ slot }, place) => [slot, place]))
  const [buys, sells] = [new Uint8Array(working.length), new Uint8Array(working.length)]
  const progressBySlot = new Map<string, SlotProgress>()
  const look = (slot: string, view: SlotsSeen): void => {
    const place = placeOf.get(slot)
    const desired = place === undefined ? undefined : working[place]
    if (place === undefined || desired === undefined) return
    const side = nextLeg(desired, view, slot)?.side
    buys[place] = side === "BUY" ? 1 : 0
    sells[place] = side === "SELL" ? 1 : 0
  }
  for (const { slot } of working) look(slot, untouched)
  const see = (view: SlotsSeen): void => {
    for (const [slot, progress] of view.slots) {
      if (progressBySlot.get(slot) === progress) continue
      progressBySlot.set(slot, progress)
      look(slot, view)
    }
    if (progressBySlot.size === view.slots.size) return
    for (const slot of progressBySlot.keys()) if (!view.slots.has(slot) && progressBySlot.delete(slot)) look(slot, view)
  }
  return {
    in: (view: SlotsSeen): ReadonlyArray<DesiredSlot> => {
      see(view)
      const places: Array<number> = []
      let at = buys.lastIndexOf(1)
      for (; at >= 0 && places.length < count; at = at === 0 ? -1 : buys.lastIndexOf(1, at - 1)) places.push(at)
      places.reverse()
      const [bought, highest] = [places.length, places.at(-1) ?? -1]
      at = sells.indexOf(1)
      const areMixed = at >= 0 && at < highest
      for (; at >= 0 && places.length < bought + count; at = sells.indexOf(1, at + 1)) places.push(at)
      if (areMixed) places.sort((a, b) => a - b)
      const inside: Array<DesiredSlot> = []
      for (const place of places) {
        const desired = working[place]
        if (desired !== undefined) inside.push(desired)
      }
      return inside
    },
    beside: (desired: ReadonlyArray<DesiredSlot>, { slots }: SlotsSeen): Decision["absent"] => {
      const inside = new Set(desired.map(({ slot }) => slot))
      const from = names.indexOf(desired[0]?.slot ?? "") - count
      const to = names.lastIndexOf(desired.at(-1)?.slot ?? "") + count
      const near = new Set(names.slice(Math.max(0, from), to + 1))
      const leftOut = working.filter(({ slot }) => !inside.has(slot)).map(({ slot }) => ({ slot, why }))
      return [...absent, ...leftOut].filter(({ slot }) => near.has(slot) || slots.has(slot))
    }
  }
}
