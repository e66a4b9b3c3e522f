/**
 * Grid: n price levels make n-1 cells; cell k buys at level k, sells at level k+1, and again.
 *
 * The first decision anchors the grid at the present mid. A cell whose buy price is below the mid begins with the buy. The others begin
 * with the sell, nearest first, as far as the base budget goes. The rest wait until the price rises to their buy price, and then begin with
 * the buy. The decision holds until the price reaches the next waiting cell. With `fundNearest: k` only the k highest buys and the k lowest
 * sells are placed, and fills move that window.
 *
 * With `step` instead of levels the grid has no ends: its levels are at that ratio around the anchor. With `trail` its range follows the
 * price (see `CellRange`). With `stop` or `takeProfit` it ends (see `GridEnd`).
 */

import * as Decimal from "../../../domain/Decimal.ts"
import type { Market, Price } from "../../../domain/Market.ts"
import { countText } from "../../../domain/Text.ts"
import * as Read from "../../Fields.ts"
import { eitherForm, type Form, form, formOf, type Kind, type Section, type Whole } from "../../Kind.ts"
import { place, type Report, report, type Span } from "../../Problem.ts"
import * as Ask from "../../Setup.ts"
import type { Behaviour, Budget, Decide } from "../../Strategy.ts"
import type { YamlNode } from "../../YamlReader.ts"
import { checkValues, lackText, valueOf } from "../BudgetCheck.ts"
import { checkRatio, checkRounds } from "../checks/RoundCheck.ts"
import {
  around,
  between,
  checkDistinct,
  checkTick,
  isOnTick,
  mostStep,
  type Scale,
  scaleOf,
  spacings,
  tickPrice
} from "../PriceLevels.ts"
import { fixed, following, type Grid, type Trail, trails } from "./CellRange.ts"
import { type Cell, type CellShape, type GridPlaces, type Level, levelsOf, makeCells } from "./Cells.ts"
import { type CellSize, cellSize, compounding, firstSize } from "./Compounding.ts"
import { cellsOf, earns, earnsIn } from "./Earnings.ts"
import { checkEnds, endingAt, endKeys } from "./GridEnd.ts"
import { standing } from "./Standing.ts"

const maxLevels = 20_001
const mostTimes = 1000

const nearest = "fund only this number of nearest buys and of nearest sells"
const superfluous = Read.refuse("the levels are listed already: remove this key")
const endless = Read.refuse("a grid with a step has no ends: remove this key, or step")

const common = (market: Market) => ({
  allowLoss: Read.withDefault(Read.trueOrFalse, false, "a cell may sell below what it paid, after an edit", "never"),
  ...endKeys,
  size: Read.required(cellSize(market), "of each cell"),
  sizeScale: Read.withDefault(Read.factor, 1, "size of each cell, as a multiple of the one above it"),
  profit: Read.withDefault(Read.oneOf("quote", "base"), "quote", "which asset the profit is kept in"),
  buyBase: Read.withDefault(Read.trueOrFalse, false, "buys at the start what the cells above the price sell", "no"),
  fundNearest: Read.optional(Read.integer(1, maxLevels), nearest, "all")
})

const computedKeys = (market: Market) => ({
  lower: Read.required(tickPrice(market), "lowest level"),
  upper: Read.required(tickPrice(market), "highest level"),
  levels: Read.required(Read.integer(2, maxLevels), "how many"),
  spacing: Read.withDefault(Read.oneOf(...spacings), "arithmetic", "equal differences or equal ratios"),
  trail: Read.optional(Read.oneOf(...trails), "the range follows the price that way", "it stays"),
  ...common(market)
})

const listedKeys = (market: Market) => ({
  levels: Read.required(Read.list(Read.price), "the prices themselves"),
  lower: Read.optional(superfluous),
  upper: Read.optional(superfluous),
  spacing: Read.optional(superfluous),
  trail: Read.optional(Read.refuse("listed levels cannot move: give lower, upper and a number of levels")),
  ...common(market)
})

const endlessKeys = (market: Market) => ({
  ...common(market),
  step: Read.required(Read.ratio, "ratio from one level to the next, without end in both directions"),
  fundNearest: Read.required(Read.integer(1, maxLevels), nearest),
  levels: Read.optional(endless),
  lower: Read.optional(endless),
  upper: Read.optional(endless),
  spacing: Read.optional(endless),
  sizeScale: Read.optional(endless),
  trail: Read.optional(endless)
})

type Computed = ReturnType<typeof computedKeys>
type Listed = ReturnType<typeof listedKeys>

interface Levels {
  readonly levels: ReadonlyArray<Level>
  readonly following?: { readonly trail: Trail; readonly scale: Scale } | undefined
}

const listedLevels = (
  { levels }: Read.KnownSettings<Listed>,
  { market, at, to }: Section<Listed>
): Levels | undefined => {
  if (levels === undefined) return undefined
  const before = to.problems.length
  if (levels.length < 2) report(to, at("levels"), "a grid needs at least two levels")
  levels.forEach((price, index) => {
    const previous = levels[index - 1]
    checkTick(market, price.value, price, to)
    if (previous === undefined || Decimal.isLess(previous.value, price.value)) return
    report(to, price, `levels must rise: ${Decimal.format(price.value)} after ${Decimal.format(previous.value)}`)
  })
  if (to.problems.length > before) return undefined
  return { levels: levels.map(({ value, start }) => ({ price: value, source: place(to.source, start) })) }
}

const computedLevels = (
  { lower, upper, levels, spacing, trail, fundNearest }: Read.KnownSettings<Computed>,
  { market, at, to }: Section<Computed>
): Levels | undefined => {
  if (trail !== undefined && fundNearest !== undefined) {
    const hint = "a grid with trail funds all its cells: remove this key, or take step instead of a range"
    report(to, at("fundNearest"), hint)
  }
  if (lower === undefined || upper === undefined) return undefined
  if (!Decimal.isLess(lower, upper)) {
    const numbers = `${Decimal.format(upper)} is not above ${Decimal.format(lower)}`
    return report(to, at("upper"), `the upper price must be above the lower: ${numbers}`)
  }
  if (levels === undefined || ![lower, upper].every((end) => isOnTick(market, end))) return undefined
  const prices = between(market, lower, upper, levels, spacing)
  if (!checkDistinct(market, prices, at("levels"), "levels", to)) return undefined
  const source = place(to.source, at("levels").start)
  const scale = scaleOf(market, lower, upper, levels, spacing)
  return { levels: prices.map((price) => ({ price, source })), following: trail && { trail, scale } }
}

const bounded = (
  whole: Whole<typeof common> & { readonly keys: GridPlaces },
  section: Section<ReturnType<typeof common>>,
  { levels, following: follows }: Levels
): Behaviour | undefined => {
  const { market, keys, fundNearest, profit } = whole
  const { at, budget, isWritten, to } = section
  const steps = levels.length - 2
  if (isWritten("sizeScale")) checkScale(whole.sizeScale, steps, at("sizeScale"), follows, to)
  const isTooSteep = Math.abs(Math.log(whole.sizeScale)) * steps > Math.log(mostTimes)
  const sizeScale = isTooSteep ? 1 : whole.sizeScale
  const size = firstSize(whole.size, budget, market)
  const shape: CellShape = { size, sizeScale, profit, mayLose: whole.allowLoss }
  const cells = makeCells(market, levels, shape, keys)
  const empty = cells.find(({ buy }) => buy.quantity === 0n)
  if (empty !== undefined && (budget !== undefined || "unit" in whole.size)) {
    const buys = `buys nothing at ${Decimal.format(empty.buy.price)}`
    return report(to, at("size"), `this size ${buys}: it is below the smallest unit of ${market.base.symbol}`)
  }
  if (budget === undefined) return undefined
  checkBudget(market, cells, budget, fundNearest, section.section, to)
  const values = cells.flatMap(({ buy, sell }) => [buy, sell]).map((order) => valueOf(market, order))
  checkValues(values, at("size"), section)
  checkRounds(cells, "cell", at("size"), section, fewer)
  checkEnds(whole, [levels[0]?.price, levels.at(-1)?.price], section)
  const range = follows ? following({ market, ...follows, shape, count: cells.length, keys }) : fixed(cells)
  const buyReach = whole.buyBase ? whole.reach : undefined
  const grid: Grid = { market, range, levels: levelsOf(cells), shape, budget, fundNearest, buyReach, keys }
  const decide = standing(() => grid)
  const behaviour = endingAt(growing(decide, grid, whole.size), { ...whole, budget, size }, section.to)
  return { ...behaviour, earns: earnsIn(market, cells) }
}

const growing = (decide: Decide, { budget, keys }: Grid, size: CellSize): Decide =>
  "unit" in size ? decide : compounding(decide, budget, size.equity, keys("size"))

const fewer = "take fewer levels, a wider range or larger orders"

/** The levels follow from the anchor, so the cells are made at the first decision, and again after a restart. */
const unbounded = (
  whole: Whole<typeof endlessKeys>,
  section: Section<ReturnType<typeof endlessKeys>>
): Behaviour | undefined => {
  const { market, keys, step, fundNearest, profit } = whole
  const { at, budget, to } = section
  if (Decimal.isGreater(step, mostStep)) {
    report(to, at("step"), `no level would be reached: at most ${Decimal.percent(mostStep)} is possible`)
  }
  if (budget === undefined) return undefined
  const size = firstSize(whole.size, budget, market)
  const shape: CellShape = { size, sizeScale: 1, profit, mayLose: whole.allowLoss }
  const needed = size.amount * BigInt(fundNearest)
  if (size.unit === "quote" && needed > budget.quote) {
    report(to, at("size"), windowTooSmall(fundNearest, needed, budget, market), budgetHint)
  }
  if (size.unit === "quote") checkValues([size.amount], at("size"), section)
  const traded = size.unit === "quote" ? { proceeds: size.amount } : { bought: size.amount }
  checkRatio({ ratio: Decimal.add(Decimal.one, step), ...traded }, "a cell", at("step"), section, fewer)
  const cellsAt = (start: Price) => {
    const prices = around(market, start, step).map((price) => ({ price, source: keys("step") }))
    return makeCells(market, prices, shape, keys).filter(({ buy }) => buy.quantity > 0n)
  }
  const levels = `step ${Decimal.format(step)}`
  const terms = { market, levels, shape, budget, fundNearest, keys, buyReach: whole.buyBase ? whole.reach : undefined }
  const gridAt = remembering((start: Price): Grid => ({ ...terms, range: fixed(cellsAt(start)) }))
  checkEnds(whole, [undefined, undefined], section)
  const decide = growing(standing(gridAt), { ...terms, range: fixed([]) }, whole.size)
  return endingAt(decide, { ...whole, budget, size }, to)
}

/** An anchored grid asks for the same cells every time. */
const remembering = <A>(compute: (price: Price) => A): ((price: Price) => A) => {
  let last: { readonly price: Price; readonly result: A } | undefined
  return (price) => {
    if (last === undefined || !Decimal.equals(last.price, price)) last = { price, result: compute(price) }
    return last.result
  }
}

const computed = formOf(computedKeys, computedLevels, bounded)
const listed = formOf(listedKeys, listedLevels, bounded)
const endlessGrid = form(endlessKeys, unbounded)

const formIn = (section: YamlNode): Form => {
  if (section.type !== "map") return computed
  if (section.entries.has("step")) return endlessGrid
  return section.entries.get("levels")?.value.type === "list" ? listed : computed
}

const checkScale = (scale: number, steps: number, at: Span, following: Levels["following"], to: Report): void => {
  if (following !== undefined) report(to, at, "a grid with trail has no highest cell: remove sizeScale, or trail")
  if (Math.abs(Math.log(scale)) * steps <= Math.log(mostTimes)) return
  const apart = `the largest cell would be more than ${mostTimes} times the smallest`
  report(to, at, apart, `give a number nearer to 1, at most ${(mostTimes ** (1 / steps)).toFixed(4)}`)
}

/**
 * The base budget limits how many cells begin with a sell. At best these are the highest cells. All others must be able to be open as buys
 * at once. With `fundNearest` only the window must, wherever it is.
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

const windowTooSmall = (count: number, needed: bigint, budget: Budget, { quote }: Market): string =>
  `${countText(count, "buy")} resting at once need${count === 1 ? "s" : ""} ${lackText(needed, budget.quote, quote, "quote")}`

const budgetHint = "raise limits.budget.quote, make the size smaller, or fund only the nearest cells with fundNearest"

export const grid: Kind = {
  name: "grid",
  takesTurns: true,
  namesEverySlot: true,
  restsAtWrittenPrices: true,
  repeats: true,
  about: "buy low, sell one level higher, again and again",
  setup: ({ base, quote, ...market }) =>
    Ask.setupOf(computedKeys({ base, quote, ...market }), {
      asks: [
        Ask.total(quote, "that it may use in all"),
        "lower",
        "upper",
        "levels",
        "size",
        Ask.amount("base", base, "that it may sell from the start", "0")
      ],
      budget: (answer) => ({ base: answer("base"), quote: Ask.totalOf(quote, answer, cellsOf(answer)) }),
      earns: earns({ base, quote, ...market }),
      lines: {
        lower: { ask: Ask.price(`Lowest price, ${Ask.per({ base, quote })}`, () => 0.9) },
        upper: {
          ask: Ask.priceBeyond(
            "Highest price",
            "lower",
            () => "above",
            () => 1.1
          )
        },
        levels: {
          ask: Ask.text("How many price levels", "21"),
          note: (answer) => `${cellsOf(answer)} cells: each buys at one level and sells at the next`
        },
        spacing: { is: "geometric", note: "equal ratios; arithmetic: equal differences" },
        size: {
          ask: Ask.share(quote, "for each purchase", cellsOf),
          is: Ask.quoteSize,
          note: `${quote.symbol} per cell; or { base: … } in ${base.symbol}`
        },
        sizeScale: { hint: "1.05" },
        buyBase: { hint: "true" },
        fundNearest: { hint: "5" },
        trail: { hint: "up", note: "or down, both: the range follows the price that way" }
      }
    }),
  ...eitherForm([computed, listed, endlessGrid], formIn)
}
