/**
 * Grid: n price levels make n-1 cells; cell k buys at level k, sells at level k+1, and again.
 *
 * The first decision anchors the grid at the mid of that moment, `start`. A cell whose buy price is below it begins with
 * the buy. The others begin with the sell, nearest first, as far as the base budget goes; what is left over waits for the
 * price to come up to its buy price and then begins with the buy. From then on the legs carry every cell, so that the
 * decision holds until the price reaches the next waiting cell. With `fundNearest: k` only the k highest buys and the k
 * lowest sells rest at the venue, and fills move that window.
 */
import { type Amount, formatWithSymbol } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { baseQuantity, inputAmount, type Market, mid, type Price } from "../../domain/Market.ts"
import type { Decision, DesiredSlot, Leg, Memory } from "../Decision.ts"
import * as Read from "../Fields.ts"
import type { Budget, Kind, KindContext } from "../Kind.ts"
import { place, type Report, report, type Span } from "../Problem.ts"
import type { View } from "../View.ts"
import type { YamlNode } from "../YamlReader.ts"
import { decimalIn } from "./Memory.ts"
import { between, checkDistinct, checkTick, spacings } from "./PriceLevels.ts"
import { quantityAt, type Size, size } from "./Size.ts"
import { filledLegs } from "./SlotLegs.ts"

const mostLevels = 20_001

interface Cell {
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

interface Grid {
  readonly cells: ReadonlyArray<Cell>
  readonly budget: Budget
  readonly fundNearest: number | undefined
  readonly source: string
  readonly notNearest: Reason
}

export const grid: Kind = {
  name: "grid",
  read: (section, context) => {
    const { market, budget, to } = context
    const shape = readShape(section, context)
    if (shape?.size === undefined || shape.levels === undefined) return undefined
    const cells = makeCells(market, shape.levels, shape.size, shape.profit?.value ?? "quote", to)
    if (cells === undefined || budget === undefined) return undefined
    const fundNearest = shape.fundNearest?.value
    checkBudget(market, cells, budget, fundNearest, section, to)
    const source = place(to.source, section.start)
    const text = `waits: only the ${fundNearest} nearest buys and sells are funded`
    const whole = { cells, budget, fundNearest, source, notNearest: { code: "not-nearest", text, source } }
    return { initialMemory: null, decide: (view, memory) => decide(whole, view, memory) }
  }
}

const common = (market: Market) => ({
  size: Read.required(size(market)),
  profit: Read.optional(Read.oneOf("quote", "base")),
  fundNearest: Read.optional(Read.integer(1, mostLevels))
})

const computedFields = (market: Market) =>
  Read.fields({
    lower: Read.required(Read.price),
    upper: Read.required(Read.price),
    levels: Read.required(Read.integer(2, mostLevels)),
    spacing: Read.optional(Read.oneOf(...spacings)),
    ...common(market)
  })

const superfluous = Read.refuse("the levels are listed already: remove this key")

const listedFields = (market: Market) =>
  Read.fields({
    levels: Read.required(Read.list(Read.price)),
    lower: Read.optional(superfluous),
    upper: Read.optional(superfluous),
    spacing: Read.optional(superfluous),
    ...common(market)
  })

interface Shape {
  /** Strictly rising prices, each with the place that it comes from. */
  readonly levels: ReadonlyArray<Read.Located<Price>> | undefined
  readonly size: Read.Located<Size> | undefined
  readonly profit: Read.Located<"quote" | "base"> | undefined
  readonly fundNearest: Read.Located<number> | undefined
}

const readShape = (section: YamlNode, context: KindContext): Shape | undefined => {
  const { market, to } = context
  const isListed = section.type === "map" && section.entries.get("levels")?.value.type === "list"
  if (isListed) {
    const read = listedFields(market)(section, to)
    return read === undefined ? undefined : { ...read, levels: listedLevels(read, context) }
  }
  const read = computedFields(market)(section, to)
  return read === undefined ? undefined : { ...read, levels: computedLevels(read, context) }
}

const listedLevels = (
  { levels }: NonNullable<ReturnType<ReturnType<typeof listedFields>>>,
  { market, to }: KindContext
): Shape["levels"] => {
  if (levels === undefined) return undefined
  const before = to.problems.length
  if (levels.value.length < 2) report(to, levels, "a grid needs at least two levels")
  levels.value.forEach((price, index) => {
    const previous = levels.value[index - 1]
    checkTick(market, price.value, price, to)
    if (previous === undefined || Decimal.isLess(previous.value, price.value)) return
    report(to, price, `levels must rise: ${Decimal.format(price.value)} after ${Decimal.format(previous.value)}`)
  })
  return to.problems.length === before ? levels.value : undefined
}

const computedLevels = (
  { lower, upper, levels, spacing }: NonNullable<ReturnType<ReturnType<typeof computedFields>>>,
  { market, to }: KindContext
): Shape["levels"] => {
  const isOnTick = [lower, upper].map((end) => end === undefined || checkTick(market, end.value, end, to))
  if (lower === undefined || upper === undefined) return undefined
  if (!Decimal.isLess(lower.value, upper.value)) {
    const numbers = `${Decimal.format(upper.value)} is not above ${Decimal.format(lower.value)}`
    return report(to, upper, `the upper price must be above the lower: ${numbers}`)
  }
  if (levels === undefined || isOnTick.includes(false)) return undefined
  const prices = between(market, lower.value, upper.value, levels.value, spacing?.value ?? "arithmetic")
  if (!checkDistinct(market, prices, levels, "levels", to)) return undefined
  return prices.map((value) => ({ value, start: levels.start, end: levels.end }))
}

const makeCells = (
  market: Market,
  prices: ReadonlyArray<Read.Located<Price>>,
  cellSize: Read.Located<Size>,
  profit: "quote" | "base",
  to: Report
): ReadonlyArray<Cell> | undefined => {
  const width = Math.max(2, String(prices.length - 2).length)
  const cells: Array<Cell> = []
  for (let index = 0; index + 1 < prices.length; index++) {
    const [low, high] = [prices[index], prices[index + 1]]
    if (low === undefined || high === undefined) continue
    const quantity = quantityAt(market, cellSize.value, low.value)
    if (quantity === 0n) {
      const buys = `buys nothing at ${Decimal.format(low.value)}`
      return report(to, cellSize, `this size ${buys}: it is below the smallest unit of ${market.base.symbol}`)
    }
    const slot = `cell-${String(index).padStart(width, "0")}`
    const buy: Leg = { side: "BUY", price: low.value, quantity }
    const cost = inputAmount(market, "BUY", quantity, low.value)
    // With the profit in base, only what pays for the next purchase is sold.
    const sold = profit === "quote" ? quantity : baseQuantity(market, cost, high.value, "up")
    const sell: Leg = { side: "SELL", price: high.value, quantity: sold }
    cells.push(makeCell(market, slot, buy, sell, place(to.source, low.start)))
  }
  return cells
}

const makeCell = (market: Market, slot: string, buy: Leg, sell: Leg, source: string): Cell => {
  const [bought, sold] = [buy, sell].map(({ quantity }) => formatWithSymbol(quantity, market.base))
  const [below, above] = [Decimal.format(buy.price), Decimal.format(sell.price)]
  const because = (code: string, text: string): Reason => ({ code, text, source })
  return {
    slot,
    buy,
    sell,
    cost: inputAmount(market, "BUY", buy.quantity, buy.price),
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
const rolesAt = ({ cells, budget, fundNearest }: Grid, start: Price): ReadonlyArray<Role> => {
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

interface Anchor {
  readonly start: Price
  /** Waiting cells up to here have begun. Only moves up, so that a cell that began is not given up again. */
  readonly reached: Price
}

const anchorOf = (memory: Memory, price: Price): Anchor => {
  const start = decimalIn(memory, "start") ?? price
  return { start, reached: decimalIn(memory, "reached") ?? start }
}

const decide = (whole: Grid, view: View, memory: Memory): Decision => {
  const price = mid(view.price)
  const anchor = anchorOf(memory, price)
  const roles = rolesAt(whole, anchor.start)
  const nextWaiting = (reached: Price): Price | undefined =>
    whole.cells.find((cell, index) => roles[index] === "wait" && Decimal.isGreater(cell.buy.price, reached))?.buy.price
  const first = nextWaiting(anchor.reached)
  const reached = first !== undefined && !Decimal.isLess(price, first) ? price : anchor.reached
  const priceAbove = nextWaiting(reached)

  const working: Array<DesiredSlot> = []
  const absent: Array<Absent> = []
  whole.cells.forEach((cell, index) => {
    const role = roles[index]
    const begins = role === "sell" || role === "buy" || (role === "wait" && !Decimal.isGreater(cell.buy.price, reached))
    if (begins) working.push(role === "sell" ? cell.sellFirst : cell.buyFirst)
    else absent.push({ slot: cell.slot, why: role === "wait" ? cell.waits : cell.notAfforded })
  })
  const { desired, leftOut } = nearestOf(working, view, whole)
  return {
    desired,
    absent: [...absent, ...leftOut],
    memory: { start: Decimal.format(anchor.start), reached: Decimal.format(reached) },
    reasons: [
      {
        code: "grid-anchored",
        text: `anchored at ${Decimal.format(anchor.start)}: ${working.length} of ${whole.cells.length} cells work`,
        source: whole.source
      }
    ],
    until: { onFill: whole.fundNearest !== undefined, ...(priceAbove === undefined ? {} : { priceAbove }) }
  }
}

type Absent = Decision["absent"][number]

/** With `fundNearest`, the highest buys and the lowest sells, by the leg that each cell has to work now. */
const nearestOf = (
  working: ReadonlyArray<DesiredSlot>,
  view: View,
  { fundNearest, notNearest }: Grid
): { readonly desired: ReadonlyArray<DesiredSlot>; readonly leftOut: ReadonlyArray<Absent> } => {
  if (fundNearest === undefined) return { desired: working, leftOut: [] }
  const sideOf = ({ slot, legs }: DesiredSlot) => legs[filledLegs(legs, view, slot) % legs.length]?.side
  const buys = working.filter((cell) => sideOf(cell) === "BUY").slice(-fundNearest)
  const sells = working.filter((cell) => sideOf(cell) === "SELL").slice(0, fundNearest)
  const nearest = new Set([...buys, ...sells])
  const leftOut = working.filter((cell) => !nearest.has(cell)).map(({ slot }) => ({ slot, why: notNearest }))
  return { desired: working.filter((cell) => nearest.has(cell)), leftOut }
}

/**
 * The base budget starts at most so many cells with a sell; all others must be able to rest as buys at once, in the best
 * case the lowest ones. With `fundNearest`, only the window must be, in the worst case the highest ones.
 */
const checkBudget = (
  market: Market,
  cells: ReadonlyArray<Cell>,
  budget: Budget,
  fundNearest: number | undefined,
  section: Span,
  to: Report
): void => {
  let base = budget.base
  let sells = 0
  for (let index = cells.length - 1; index >= 0; index--) {
    base -= cells[index]?.sell.quantity ?? 0n
    if (base < 0n) break
    sells += 1
  }
  const buys = fundNearest === undefined ? cells.slice(0, cells.length - sells) : cells.slice(-fundNearest)
  const needed = buys.reduce((sum, { cost }) => sum + cost, 0n)
  if (needed <= budget.quote) return
  const amounts = `${formatWithSymbol(needed, market.quote)} of quote budget, and it has ${formatWithSymbol(budget.quote, market.quote)}`
  report(
    to,
    { start: section.start, end: section.start + 1 },
    `${buys.length} buys resting at once need ${amounts}`,
    "raise limits.budget.quote, make the size smaller, or fund only the nearest cells with fundNearest"
  )
}
