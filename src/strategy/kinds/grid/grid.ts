/**
 * Grid: n price levels make n-1 cells; cell k buys at level k, sells at level k+1, and again.
 *
 * The first decision anchors the grid at the present mid. A cell whose buy price is below the mid begins with the buy. The others begin
 * with the sell, nearest first, as far as the base budget goes. The rest wait until the price rises to their buy price, and then begin with
 * the buy. The decision holds until the price reaches the next waiting cell. With `fundNearest: k` only the k highest buys and the k lowest
 * sells are placed, and fills move that window.
 *
 * With `step` instead of levels the grid has no ends: its levels are at that ratio around the anchor. With `trail` its range follows the
 * price (see `Cells`). With `stop` or `takeProfit` it ends (see `GridEnd`).
 */
import { formatWithSymbol, fromDecimal, max, min, toDecimal } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { gainOf, roundOf } from "../../../domain/fees/RoundCost.ts"
import { baseQuantity, inputAmount, type Market, type Price, type TradeCosts } from "../../../domain/Market.ts"
import { countText, percent } from "../../../domain/Text.ts"
import { type DesiredSlot, dueLeg, filledOfLeg, type Leg } from "../../Decision.ts"
import { lately } from "../../expression/Same.ts"
import * as Read from "../../Fields.ts"
import { eitherForm, type Form, form, formOf, type Kind, type Section, type Whole } from "../../Kind.ts"
import { place, type Report, report, type Span } from "../../Problem.ts"
import * as Ask from "../../Setup.ts"
import type { Behaviour, Budget, Decide } from "../../Strategy.ts"
import { progressOf } from "../../View.ts"
import { valueIn, type YamlNode } from "../../YamlReader.ts"
import { orderText } from "../Execution.ts"
import { checkRatio, checkRounds, checkValues, lackText, valueOf } from "../OrderCheck.ts"
import * as Levels from "../PriceLevels.ts"
import { partOf, type Size, size } from "../Size.ts"
import * as Cells from "./Cells.ts"
import { checkEnds, endingAt, endKeys } from "./GridEnd.ts"
import { standing } from "./GridState.ts"

type CellSize = Size | { readonly equity: Decimal.Decimal }

const ofEquity = Read.section({
  equity: Read.required(Levels.share(Read.ratio), "a share of the quote budget and of what the grid has earned")
})

const cellSize = (market: Market): Read.Reader<CellSize> =>
  Read.either(size(market), ofEquity, (node) => valueIn(node, "equity") !== undefined)

/** The size of cells before the grid has earned anything. */
const firstSize = (size: CellSize, budget: Budget | undefined, { quote }: Market): Size =>
  "unit" in size ? size : { unit: "quote", amount: partOf(budget?.quote ?? 0n, size.equity, quote) }

const maxLevels = 20_001
const mostTimes = 1000

const nearest = "fund only this number of nearest buys and of nearest sells"
const superfluous = Read.refuse("the levels are listed already: remove this key")
const endless = Read.refuse("a grid with a step has no ends: remove this key, or step")

const common = (market: Market) => ({
  allowLoss: Read.withDefault(Read.trueOrFalse, false, "a cell may sell below what it paid, after an edit"),
  ...endKeys,
  size: Read.required(cellSize(market), "of each cell"),
  sizeScale: Read.withDefault(Read.factor, 1, "size of each cell, as a multiple of the one above it"),
  profit: Read.withDefault(Read.oneOf("quote", "base"), "quote", "which asset the profit is kept in"),
  buyBase: Read.withDefault(Read.trueOrFalse, false, "buys at the start what the cells above the price sell"),
  fundNearest: Read.optional(Read.integer(1, maxLevels), nearest, "all")
})

const computedKeys = (market: Market) => ({
  lower: Read.required(Levels.tickPrice(market), "lowest level"),
  upper: Read.required(Levels.tickPrice(market), "highest level"),
  levels: Read.required(Read.integer(2, maxLevels), "how many"),
  spacing: Read.withDefault(Read.oneOf(...Levels.spacings), "arithmetic", "equal differences or equal ratios"),
  trail: Read.optional(Read.oneOf(...Cells.trails), "the range follows the price that way", "it stays"),
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

interface GridLevels {
  readonly levels: ReadonlyArray<Cells.Level>
  readonly following?: { readonly trail: Cells.Trail; readonly scale: Levels.Scale } | undefined
}

const listedLevels = (
  { levels }: Read.KnownSettings<Listed>,
  { market, at, to }: Section<Listed>
): GridLevels | undefined => {
  if (levels === undefined) return undefined
  const before = to.problems.length
  if (levels.length < 2) report(to, at("levels"), "a grid needs at least two levels")
  levels.forEach((price, index) => {
    const previous = levels[index - 1]
    Levels.checkTick(market, price.value, price, to)
    if (previous === undefined || Decimal.isLess(previous.value, price.value)) return
    report(to, price, `levels must rise: ${Decimal.format(price.value)} after ${Decimal.format(previous.value)}`)
  })
  if (to.problems.length > before) return undefined
  return { levels: levels.map(({ value, start }) => ({ price: value, source: place(to.source, start) })) }
}

const computedLevels = (
  { lower, upper, levels, spacing, trail, fundNearest }: Read.KnownSettings<Computed>,
  { market, at, to }: Section<Computed>
): GridLevels | undefined => {
  if (trail !== undefined && fundNearest !== undefined) {
    const hint = "a grid with trail funds all its cells: remove this key, or take step instead of a range"
    report(to, at("fundNearest"), hint)
  }
  if (lower === undefined || upper === undefined) return undefined
  if (!Decimal.isLess(lower, upper)) {
    const numbers = `${Decimal.format(upper)} is not above ${Decimal.format(lower)}`
    return report(to, at("upper"), `the upper price must be above the lower: ${numbers}`)
  }
  if (levels === undefined || ![lower, upper].every((end) => Levels.isOnTick(market, end))) return undefined
  const prices = Levels.between(market, lower, upper, levels, spacing)
  if (!Levels.checkDistinct(market, prices, at("levels"), "levels", to)) return undefined
  const source = place(to.source, at("levels").start)
  const scale = Levels.scaleOf(market, lower, upper, levels, spacing)
  return { levels: prices.map((price) => ({ price, source })), following: trail && { trail, scale } }
}

const bounded = (
  whole: Whole<typeof common> & { readonly keys: Cells.GridPlaces },
  section: Section<ReturnType<typeof common>>,
  { levels, following: follows }: GridLevels
): Behaviour | undefined => {
  const { market, keys, fundNearest, profit } = whole
  const { at, budget, isWritten, to } = section
  const sizeScale = isWritten("sizeScale")
    ? scaleIn(whole.sizeScale, levels.length - 2, at("sizeScale"), follows, to)
    : whole.sizeScale
  const size = firstSize(whole.size, budget, market)
  const shape: Cells.CellShape = { size, sizeScale, profit, mayLose: whole.allowLoss }
  const cells = Cells.makeCells(market, levels, shape, keys)
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
  const range = follows ? Cells.following({ market, ...follows, shape, count: cells.length, keys }) : Cells.fixed(cells)
  const buyReach = whole.buyBase ? whole.reach : undefined
  const grid: Cells.Grid = { market, range, print: Cells.printOf(cells), shape, budget, fundNearest, buyReach, keys }
  const decide = standing(() => grid)
  const behaviour = endingAt(growing(decide, grid, whole.size), { ...whole, budget, size }, section.to)
  return { ...behaviour, earns: earnsIn(market, cells) }
}

const fewer = "take fewer levels, a wider range or larger orders"

/** The levels follow from the anchor, so the cells are made at the first decision, and again after a restart. */
const unbounded = (
  whole: Whole<typeof endlessKeys>,
  section: Section<ReturnType<typeof endlessKeys>>
): Behaviour | undefined => {
  const { market, keys, step, fundNearest, profit } = whole
  const { at, budget, to } = section
  if (Decimal.isGreater(step, Levels.mostStep))
    report(to, at("step"), `no level would be reached: at most ${Decimal.percent(Levels.mostStep)} is possible`)
  if (budget === undefined) return undefined
  const size = firstSize(whole.size, budget, market)
  const shape: Cells.CellShape = { size, sizeScale: 1, profit, mayLose: whole.allowLoss }
  const needed = size.amount * BigInt(fundNearest)
  if (size.unit === "quote" && needed > budget.quote)
    report(to, at("size"), windowTooSmall(fundNearest, needed, budget, market), budgetHint)
  if (size.unit === "quote") checkValues([size.amount], at("size"), section)
  const traded = size.unit === "quote" ? { proceeds: size.amount } : { bought: size.amount }
  checkRatio({ ratio: Decimal.add(Decimal.one, step), ...traded }, "a cell", at("step"), section, fewer)
  const rangeAt = (start: Price): Cells.CellRange => {
    const prices = Levels.around(market, start, step).map((price) => ({ price, source: keys("step") }))
    return Cells.fixed(Cells.makeCells(market, prices, shape, keys).filter(({ buy }) => buy.quantity > 0n))
  }
  const print = `step ${Decimal.format(step)}`
  const terms = { market, print, shape, budget, fundNearest, keys, buyReach: whole.buyBase ? whole.reach : undefined }
  // An anchored grid asks for the same cells every time.
  const gridAt = lately((start: Price): Cells.Grid => ({ ...terms, range: rangeAt(start) }), Decimal.equals)
  checkEnds(whole, [undefined, undefined], section)
  const decide = growing(standing(gridAt), terms, whole.size)
  return endingAt(decide, { ...whole, budget, size }, to)
}

const computed = formOf(computedKeys, computedLevels, bounded)
const listed = formOf(listedKeys, listedLevels, bounded)
const endlessGrid = form(endlessKeys, unbounded)

const formIn = (section: YamlNode): Form => {
  if (section.type !== "map") return computed
  if (section.entries.has("step")) return endlessGrid
  return section.entries.get("levels")?.value.type === "list" ? listed : computed
}

/** Reports a scale that makes cells too different, and continues with equal ones. */
const scaleIn = (scale: number, steps: number, at: Span, following: GridLevels["following"], to: Report): number => {
  if (following !== undefined) report(to, at, "a grid with trail has no highest cell: remove sizeScale, or trail")
  if (Math.abs(Math.log(scale)) * steps <= Math.log(mostTimes)) return scale
  const apart = `the largest cell would be more than ${mostTimes} times the smallest`
  report(to, at, apart, `give a number nearer to 1, at most ${(mostTimes ** (1 / steps)).toFixed(4)}`)
  return 1
}

/**
 * The base budget limits how many cells begin with a sell. At best these are the highest cells. All others must be able to be open as buys
 * at once. With `fundNearest` only the window must, wherever it is.
 */
const checkBudget = (
  market: Market,
  cells: ReadonlyArray<Cells.Cell>,
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

const costOf = (cells: ReadonlyArray<Cells.Cell>): bigint => cells.reduce((sum, { cost }) => sum + cost, 0n)

const dearest = (cells: ReadonlyArray<Cells.Cell>, count: number): ReadonlyArray<Cells.Cell> => {
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

/**
 * `size: { equity: 5% }`: each purchase is this share of the quote budget and of what the grid has earned since, after fees. An open order
 * keeps its size, and a cell sells what it bought, so only the next purchases grow or shrink.
 */
const growing = (decide: Decide, { budget, keys }: Pick<Cells.Grid, "budget" | "keys">, size: CellSize): Decide => {
  if ("unit" in size) return decide
  const source = keys("size")
  return (view, memory) => {
    const { market, own } = view
    const whole = max(0n, budget.quote + (own?.realisedProfit ?? 0n))
    const grown = (desired: DesiredSlot): DesiredSlot => {
      const progress = progressOf(view, desired.slot)
      const due = desired.legs[dueLeg(desired, progress)]
      const { lastLeg, live, receivedByLastLeg } = progress
      const isFirstSale = due?.side === "SELL" && lastLeg === undefined
      if (due === undefined || !desired.cycle || isFirstSale) return desired
      const before = desired.legs.find(({ side }) => side === "BUY") ?? due
      const quantity =
        live?.side === due.side
          ? live.quantity + filledOfLeg(desired, progress)
          : due.side === "SELL"
            ? (due.quantity * receivedByLastLeg) / before.quantity
            : (due.quantity * whole) / budget.quote
      // The strategy decides again when the next leg is due, and sizes it then.
      const sized = (leg: Leg): Leg => ({ ...leg, quantity: (leg.quantity * quantity) / due.quantity })
      const [first, ...others] = desired.legs
      const text = `${orderText({ ...due, quantity }, market)}, and so on`
      return { ...desired, legs: [sized(first), ...others.map(sized)], why: { ...desired.why, text } }
    }
    const decision = decide(view, memory)
    const text = `sizes are ${Decimal.percent(size.equity)} of ${formatWithSymbol(whole, market.quote)}: the quote budget and what it has earned`
    return {
      ...decision,
      desired: decision.desired.map(grown),
      reasons: [...decision.reasons, { code: "grid-size", text, source }],
      until: { ...decision.until, onFill: true }
    }
  }
}

const cellsOf = (answer: Ask.AnswerOf): number => Number(answer("levels")) - 1

/** The earnings of one round of the cells, after all fees. */
const earnsIn = (market: Market, cells: ReadonlyArray<Pick<Cells.Cell, "buy" | "sell">>): string => {
  const { costs = { fillBasisPoints: 0, payouts: new Map() }, quote } = market
  const rounds = cells.map(({ buy, sell }) => roundOf(market, buy, sell, costs))
  const [first = 0n, ...others] = rounds.map(({ fees, gain }) => gain - fees)
  const [least, most] = [others.reduce(min, first), others.reduce(max, first)].map((each) =>
    Decimal.short(toDecimal(each, quote.decimals), gainDigits)
  )
  const amount = least === most ? least : `${least} to ${most}`
  return `each of its ${cells.length} cells earns ${amount} ${quote.symbol} a round, ${market.costs ? "after" : "before"} fees`
}

/** All cells have the same ratio. The highest cell buys least, so a payout in base costs it the largest share. */
const earns =
  (market: Market) =>
  (answer: Ask.AnswerOf, price?: Price): string => {
    const { costs = { fillBasisPoints: 0, payouts: new Map() } } = market
    const ratio = (Number(answer("upper")) / Number(answer("lower"))) ** (1 / cellsOf(answer))
    const [size, highest] = [answer("size"), answer("upper")].map((text) => Decimal.parse(text) ?? Decimal.zero)
    const proceeds = size && fromDecimal(size, market.quote.decimals)
    const bought = proceeds && highest && baseQuantity(market, proceeds, highest, "down")
    const gain = gainOf(market, { ratio, bought, proceeds }, costs)
    const amount = Decimal.format(Decimal.fromNumber(Math.abs(gain) * Number(answer("size")), gainDigits))
    const round = `${amount} ${market.quote.symbol} a round (${percent(gain)}), after fees of ${feesText(market, costs)}`
    return gain > 0
      ? `Each of its ${cellsOf(answer)} cells earns ${round}.${price === undefined ? "" : worksAt(market, answer, price)}`
      : `Each of its ${cellsOf(answer)} cells loses ${round}: take fewer levels, larger orders or a wider range.`
  }

const worksAt = (market: Market, answer: Ask.AnswerOf, price: Price): string => {
  const { base, quote } = market
  const [lower, upper] = [answer("lower"), answer("upper")].map((text) => Decimal.parse(text))
  const levels = Levels.between(market, lower ?? price, upper ?? price, cellsOf(answer) + 1, "geometric")
  const above = levels.slice(0, -1).filter((level) => !Decimal.isLess(level, price))
  const quantities = above.map((level) => baseQuantity(market, Ask.unitsOf(quote, answer("size")), level, "down"))
  let own = Ask.unitsOf(base, answer("base"))
  const idle = quantities.filter((quantity) => {
    own -= quantity
    return own < 0n
  })
  if (idle.length === 0) return ""
  const [needed, at] = [idle.reduce((sum, quantity) => sum + quantity, 0n), Decimal.short(price)]
  const cost = Decimal.short(toDecimal(inputAmount(market, "BUY", needed, price), quote.decimals), gainDigits)
  return ` At ${at}, ${cellsOf(answer) - idle.length} of them work from the start; with buyBase: true all do, for ${formatWithSymbol(needed, base)}, about ${cost} ${quote.symbol}.`
}

const feesText = ({ base, quote }: Market, { fillBasisPoints, payouts }: TradeCosts): string => {
  const flat = [base, quote].flatMap((asset) => {
    const fee = payouts.get(asset.symbol)
    return fee === undefined ? [] : [formatWithSymbol(fee, asset)]
  })
  const share = fillBasisPoints === 0 && flat.length > 0 ? [] : [`${percent(fillBasisPoints / 10_000)} of every fill`]
  return [...share, ...(flat.length === 0 ? [] : [`${flat.join(" and ")} of payouts`])].join(", ")
}

const gainDigits = 3

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
