/**
 * Grid: n price levels make n-1 cells; cell k buys at level k, sells at level k+1, and again.
 *
 * The first decision anchors the grid at the mid of that moment. A cell whose buy price is below the mid begins with
 * the buy. The others begin with the sell, nearest first, as far as the base budget goes. The rest wait until the
 * price rises to their buy price, and then begin with the buy. The decision holds until the price reaches the next
 * waiting cell. With `fundNearest: k` only the k highest buys and the k lowest sells rest, and fills move that
 * window.
 *
 * With `step` instead of levels the grid has no ends: its levels lie at that ratio around the anchor. With `trail` its
 * range follows the price (see `TrailingGrid`). With `stop` or `takeProfit` it ends (see `GridEnd`).
 */

import * as Decimal from "../../domain/Decimal.ts"
import type { Market, Price } from "../../domain/Market.ts"
import * as Read from "../Fields.ts"
import { anyMarket, schemaOf } from "../JsonSchema.ts"
import type { Behaviour, Kind, KindContext } from "../Kind.ts"
import { place, type Report, report, type Span } from "../Problem.ts"
import type { Budget } from "../Strategy.ts"
import type { YamlNode } from "../YamlReader.ts"
import { lackText } from "./BudgetCheck.ts"
import { type Cell, type CellShape, type Grid, type Level, levelsOf, makeCells } from "./GridCells.ts"
import { editable } from "./grid/EditedGrid.ts"
import { checkEnds, endFields, endingAt, endOf } from "./grid/GridEnd.ts"
import { setup } from "./grid/Questions.ts"
import { around, between, checkDistinct, checkTick, type Scale, scaleOf, spacings } from "./PriceLevels.ts"
import { size } from "./Size.ts"
import { type Trail, trailing, trails } from "./TrailingGrid.ts"

const mostLevels = 20_001
/** Between the largest cell and the smallest. */
const mostTimes = 1000

export const grid: Kind = {
  name: "grid",
  repeats: true,
  about: "buy low, sell one level higher, again and again",
  setup,
  schema: () => ({
    anyOf: [computedFields, listedFields, endlessFields].map((fields) => schemaOf(fields(anyMarket)))
  }),
  read: (section, context) =>
    section.type === "map" && section.entries.has("step")
      ? readEndless(section, context)
      : readBounded(section, context)
}

const readBounded = (section: YamlNode, context: KindContext): Behaviour | undefined => {
  const { market, budget, to } = context
  const shape = readShape(section, context)
  if (shape?.size === undefined || shape.levels === undefined) return undefined
  const levels = shape.levels.map(({ value, start }): Level => ({ price: value, source: place(to.source, start) }))
  const sizeScale = shape.sizeScale?.value ?? 1
  if (shape.sizeScale !== undefined) checkScale(sizeScale, levels.length - 2, shape.sizeScale, shape.following, to)
  const cellShape: CellShape = {
    size: shape.size.value,
    sizeScale: Math.abs(Math.log(sizeScale)) * (levels.length - 2) > Math.log(mostTimes) ? 1 : sizeScale,
    profit: shape.profit?.value ?? "quote",
    mayLose: shape.allowLoss?.value === true
  }
  const keys = Read.keyPlaces(section, context.root, to)
  const cells = makeCells(market, levels, cellShape, keys)
  const empty = cells.find(({ buy }) => buy.quantity === 0n)
  if (empty !== undefined) {
    const buys = `buys nothing at ${Decimal.format(empty.buy.price)}`
    return report(to, shape.size, `this size ${buys}: it is below the smallest unit of ${market.base.symbol}`)
  }
  if (budget === undefined) return undefined
  const fundNearest = shape.fundNearest?.value
  checkBudget(market, cells, budget, fundNearest, section, to)
  checkEnds(shape, [levels[0]?.price, levels.at(-1)?.price], to)
  const end = endOf(shape, { market, budget, size: cellShape.size, keys })
  if (shape.following !== undefined) {
    const { trail, scale } = shape.following
    const decide = trailing({ market, scale, shape: cellShape, count: cells.length, trail, budget, keys })
    return { initialMemory: null, decide: endingAt(decide, end) }
  }
  const whole = gridOf(market, cells, cellShape, budget, fundNearest, keys)
  return {
    initialMemory: null,
    decide: endingAt(
      editable(() => whole),
      end
    )
  }
}

const gridOf = (
  market: Market,
  cells: ReadonlyArray<Cell>,
  shape: CellShape,
  budget: Budget,
  fundNearest: number | undefined,
  keys: Read.KeyPlaces
): Grid => {
  const text = `not funded: outside the ${fundNearest} nearest buys and sells`
  return {
    market,
    levels: levelsOf(cells),
    cells,
    shape,
    budget,
    fundNearest,
    keys,
    notNearest: { code: "not-nearest", text, source: keys("fundNearest") }
  }
}

/** The levels follow from the anchor, so the cells are made at the first decision, and again after a restart. */
const readEndless = (section: YamlNode, context: KindContext): Behaviour | undefined => {
  const { market, budget, to } = context
  const read = endlessFields(market)(section, to)
  if (read?.step === undefined || read.size === undefined || read.fundNearest === undefined) return undefined
  const [step, fundNearest] = [read.step.value, read.fundNearest.value]
  const shape: CellShape = {
    size: read.size.value,
    sizeScale: 1,
    profit: read.profit?.value ?? "quote",
    mayLose: read.allowLoss?.value === true
  }
  const keys = Read.keyPlaces(section, context.root, to)
  if (budget === undefined) return undefined
  const needed = shape.size.amount * BigInt(fundNearest)
  if (shape.size.unit === "quote" && needed > budget.quote) {
    report(to, read.size, windowTooSmall(fundNearest, needed, budget, market), budgetHint)
  }
  const cellsAt = (start: Price) =>
    makeCells(
      market,
      around(market, start, step).map((price) => ({ price, source: keys("step") })),
      shape,
      keys
    ).filter(({ buy }) => buy.quantity > 0n)
  const levels = `step ${Decimal.format(step)}`
  const gridAt = remembering((start: Price) => ({
    ...gridOf(market, cellsAt(start), shape, budget, fundNearest, keys),
    levels
  }))
  checkEnds(read, [undefined, undefined], to)
  const end = endOf(read, { market, budget, size: shape.size, keys })
  return { initialMemory: null, decide: endingAt(editable(gridAt), end) }
}

/** Keeps the last result, because an anchored grid asks for the same cells every time. */
const remembering = <A>(compute: (price: Price) => A): ((price: Price) => A) => {
  let last: { readonly price: Price; readonly result: A } | undefined
  return (price) => {
    if (last === undefined || !Decimal.equals(last.price, price)) last = { price, result: compute(price) }
    return last.result
  }
}

const endlessFields = (market: Market) =>
  Read.fields({
    step: Read.required(Read.ratio, "ratio from one level to the next, without end in both directions"),
    size: Read.required(size(market), "of each cell"),
    profit: Read.optional(Read.oneOf("quote", "base"), "which asset the profit is kept in; default: quote"),
    fundNearest: Read.required(
      Read.integer(1, mostLevels),
      "keep only so many nearest buys and sells funded; default: all"
    ),
    allowLoss,
    ...endFields,
    levels: Read.optional(endless),
    lower: Read.optional(endless),
    upper: Read.optional(endless),
    spacing: Read.optional(endless),
    sizeScale: Read.optional(endless),
    trail: Read.optional(endless)
  })

const endless = Read.refuse("a grid with a step has no ends: remove this key, or step")

const allowLoss = Read.optional(Read.trueOrFalse, "a cell may sell below what it paid, after an edit; default: never")

const common = (market: Market) => ({
  allowLoss,
  ...endFields,
  size: Read.required(size(market), "of each cell"),
  sizeScale: Read.optional(Read.factor, "each cell is so many times as large as the one above it; default: 1"),
  profit: Read.optional(Read.oneOf("quote", "base"), "which asset the profit is kept in; default: quote"),
  fundNearest: Read.optional(
    Read.integer(1, mostLevels),
    "keep only so many nearest buys and sells funded; default: all"
  )
})

const computedFields = (market: Market) =>
  Read.fields({
    lower: Read.required(Read.price, "lowest level"),
    upper: Read.required(Read.price, "highest level"),
    levels: Read.required(Read.integer(2, mostLevels)),
    spacing: Read.optional(Read.oneOf(...spacings), "equal differences or equal ratios; default: arithmetic"),
    trail: Read.optional(Read.oneOf(...trails), "the range follows the price that way; default: it stays"),
    ...common(market)
  })

const superfluous = Read.refuse("the levels are listed already: remove this key")

const listedFields = (market: Market) =>
  Read.fields({
    levels: Read.required(Read.list(Read.price)),
    lower: Read.optional(superfluous),
    upper: Read.optional(superfluous),
    spacing: Read.optional(superfluous),
    trail: Read.optional(Read.refuse("listed levels cannot move: give lower, upper and a number of levels")),
    ...common(market)
  })

interface Shape extends Read.Fields<typeof endFields> {
  /** Strictly rising prices, each with its place in the file. */
  readonly levels: ReadonlyArray<Read.Located<Price>> | undefined
  readonly size: Read.Located<CellShape["size"]> | undefined
  readonly sizeScale: Read.Located<number> | undefined
  readonly profit: Read.Located<CellShape["profit"]> | undefined
  readonly fundNearest: Read.Located<number> | undefined
  readonly allowLoss: Read.Located<boolean> | undefined
  readonly following?: { readonly trail: Trail; readonly scale: Scale } | undefined
}

const readShape = (section: YamlNode, context: KindContext): Shape | undefined => {
  const { market, to } = context
  const isListed = section.type === "map" && section.entries.get("levels")?.value.type === "list"
  if (isListed) {
    const read = listedFields(market)(section, to)
    return read === undefined ? undefined : { ...read, levels: listedLevels(read, context) }
  }
  const read = computedFields(market)(section, to)
  if (read === undefined) return undefined
  const { lower, upper, levels, spacing, trail, fundNearest } = read
  if (trail !== undefined && fundNearest !== undefined) {
    report(to, fundNearest, "a grid with trail funds all its cells: remove this key, or take step instead of a range")
  }
  const prices = computedLevels(read, context)
  if (trail === undefined || prices === undefined || lower === undefined || upper === undefined)
    return { ...read, levels: prices }
  const scale = scaleOf(market, lower.value, upper.value, levels?.value ?? 2, spacing?.value ?? "arithmetic")
  return { ...read, levels: prices, following: { trail: trail.value, scale } }
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

const checkScale = (scale: number, steps: number, at: Span, following: Shape["following"], to: Report): void => {
  if (following !== undefined) report(to, at, "a grid with trail has no highest cell: remove sizeScale, or trail")
  if (Math.abs(Math.log(scale)) * steps <= Math.log(mostTimes)) return
  const apart = `the largest cell would be more than ${mostTimes} times the smallest`
  report(to, at, apart, `give a number nearer to 1, at most ${(mostTimes ** (1 / steps)).toFixed(4)}`)
}

/**
 * The base budget limits how many cells start with a sell. All others must be able to rest as buys at once; in the
 * best case they are the lowest ones. With `fundNearest` only the window must, wherever it is.
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
  const buys = fundNearest === undefined ? cells.slice(0, cells.length - sells) : dearest(cells, fundNearest)
  const needed = costOf(buys)
  if (needed <= budget.quote) return
  const at = { start: section.start, end: section.start + 1 }
  report(to, at, windowTooSmall(buys.length, needed, budget, market), budgetHint)
}

const costOf = (cells: ReadonlyArray<Cell>): bigint => cells.reduce((sum, { cost }) => sum + cost, 0n)

/** The dearest window: the highest one, or one further down where cells grow downwards. */
const dearest = (cells: ReadonlyArray<Cell>, count: number): ReadonlyArray<Cell> => {
  const costAt = (index: number): bigint => cells[index]?.cost ?? 0n
  let sum = costOf(cells.slice(0, count))
  let [most, start] = [sum, 0]
  for (let from = 1; from + count <= cells.length; from++) {
    sum += costAt(from + count - 1) - costAt(from - 1)
    if (sum >= most) [most, start] = [sum, from]
  }
  return cells.slice(start, start + count)
}

const windowTooSmall = (count: number, needed: bigint, budget: Budget, { quote }: Market): string => {
  return `${count} buys resting at once need ${lackText(needed, budget.quote, quote, "quote")}`
}

const budgetHint = "raise limits.budget.quote, make the size smaller, or fund only the nearest cells with fundNearest"
