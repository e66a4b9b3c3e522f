/** The `deals:` section of a strategy file, checked and computed. */
import { type Amount, floorOf } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { type Market, opposite, type Side } from "../../../domain/Market.ts"
import { countText } from "../../../domain/Text.ts"
import { compile } from "../../expression/Compiler.ts"
import { lately } from "../../expression/Same.ts"
import { type Needs, needCandles, scopeOf } from "../../expression/Scope.ts"
import type { Term } from "../../expression/Term.ts"
import * as Read from "../../Fields.ts"
import type { Section, Whole } from "../../Kind.ts"
import { report, warn } from "../../Problem.ts"
import { givenAway } from "../Execution.ts"
import { checkDearExit, checkFeesOfSizes, checkNeed, checkRatio, checkValues, ratioOf } from "../OrderCheck.ts"
import { behind, checkFall, part } from "../PriceLevels.ts"
import { amountsOf, type Size, scaled, size, targets } from "../Size.ts"
import { floor, reach, type StopExit, stopExit } from "../StopExit.ts"
import { type Distance, distance } from "../Volatility.ts"

export const mostSafetyOrders = 50
export const mostDeals = 1_000_000

const safetyKeys = (market: Market) => ({
  orders: Read.required(Read.integer(1, mostSafetyOrders), "how many"),
  size: Read.required(size(market), "of the first one"),
  distance: Read.required(distance, "of the first one from the base order; by volatility: when the deal begins"),
  sizeScale: Read.withDefault(Read.factor, 1, "size of each, as a multiple of the one before"),
  distanceScale: Read.withDefault(Read.factor, 1, "width of each step, as a multiple of the one before"),
  active: Read.optional(Read.integer(1, mostSafetyOrders), "number of them that are open at once", "all")
})

export const dealsKeys = (market: Market) => ({
  side: Read.withDefault(Read.side, "BUY", "of the base order and the safety orders"),
  size: Read.required(size(market), "of the base order"),
  reach: Read.withDefault(givenAway, Decimal.zero, "the base order may be this much worse than the mid"),
  when: Read.optional(Read.expression, "a deal begins when this is true", "at once"),
  timeframe: Read.usualTimeframe,
  safety: Read.optional(Read.fields(safetyKeys(market)), "further orders below the base order; for sales above it"),
  takeProfit: Read.required(
    targets(Read.ratio),
    "earned after fees: exits this far above the average entry; sales: below; or a list of { at, part }"
  ),
  trail: Read.optional(
    part(Read.ratio),
    "from the first take-profit on, exits this far behind the best price",
    "at once"
  ),
  stop: Read.optional(Read.ratio, "exits when the price is this far below the average entry; sales: above"),
  breakevenAt: Read.optional(
    Read.ratio,
    "from this far above the average entry on, the stop is at least the average entry; sales: below"
  ),
  exitAfter: Read.optional(Read.duration, "exits this long after the deal began, whatever the price"),
  stopReach: reach,
  floor,
  expireAfter: Read.optional(Read.duration, "cancels the base order if nothing has filled by then"),
  cooldown: Read.withDefault(Read.duration, 0, "between two deals", "none"),
  times: Read.optional(Read.integer(1, mostDeals), "total number of deals")
})

export interface Deals extends Omit<Whole<typeof dealsKeys>, "safety" | "timeframe" | "when"> {
  readonly when: Term | undefined
  readonly whenText: string
  readonly steps: ReadonlyArray<{ readonly slot: string; readonly size: Size }>
  readonly spacing: Distance
  readonly distancesFrom: (first: Decimal.Decimal) => ReadonlyArray<Decimal.Decimal>
  readonly active: number
  readonly needs: Needs
  readonly leaving: StopExit
  readonly exits: ReadonlyArray<string>
  /** In quote. A part below it is joined with the next one. */
  readonly minOrder: Amount
}

const stepsOf = (
  { orders, size, sizeScale }: Read.KnownSettings<ReturnType<typeof safetyKeys>>,
  market: Market
): Deals["steps"] =>
  size === undefined
    ? []
    : Array.from({ length: orders ?? 0 }, (_, index) => ({
        slot: `safety-${String(index + 1).padStart(2, "0")}`,
        size: scaled(size, market, sizeScale ** index)
      }))

const distancesBy =
  (count: number, scale: number): Deals["distancesFrom"] =>
  (first) => {
    let below = 0
    return Array.from({ length: count }, (_, index) => {
      below += Decimal.toNumber(first) * scale ** index
      return Decimal.fromNumber(below, 9)
    })
  }

export const dealsOf = (
  { safety: read, when: condition, ...whole }: Whole<typeof dealsKeys>,
  section: Section<ReturnType<typeof dealsKeys>>
): Deals => {
  const { market, side, size } = whole
  const { at, to } = section
  const safety = read && Read.valuesOf(safetyKeys(market), read)
  const steps = safety === undefined ? [] : stepsOf(safety, market)
  const scope = scopeOf(section, whole.timeframe)
  const when = condition && compile(condition, "boolean", "condition", scope)
  const { distance: spacing = none, distanceScale = 1, active = steps.length } = safety ?? {}
  const { follows } = spacing
  if (follows !== undefined) needCandles(scope.needs, follows.series.timeframe, follows.series.warmUp)
  const distancesFrom = lately(distancesBy(steps.length, distanceScale))
  const widest = distancesFrom(spacing.widest)
  const last = widest.at(-1)
  if (side === "BUY" && last !== undefined && !Decimal.isLess(last, Decimal.one))
    report(to, at("safety"), "the last safety order would be at a price of 0 or less: the distances reach 100%")
  // A deal of sales takes its profit lower and stops higher.
  const takeProfit = whole.takeProfit.toSorted((a, b) => Decimal.compare(a.at, b.at))
  const ratios = takeProfit.map((target) => ["takeProfit", target.at] as const)
  const falls =
    side === "BUY" ? [["stop", whole.stop] as const] : [...ratios, ["breakevenAt", whole.breakevenAt] as const]
  for (const [key, ratio] of falls) if (ratio !== undefined) checkFall(ratio, at(key), to)
  // A trail wider than the take-profit may fall to below the average entry.
  const [nearest] = ratios
  if (whole.trail !== undefined && nearest !== undefined && Decimal.isGreater(whole.trail, nearest[1]))
    warn(to, at("trail"), "it may exit at a loss: trail is wider than takeProfit", "take a smaller one")
  const place = at(section.isWritten("safety") ? "safety" : "size")
  const sizes = [size, ...steps.map((step) => step.size)]
  // Sizes in the other asset are left to the limits, because their price is not known.
  const key = side === "BUY" ? "quote" : "base"
  const needed = sizes.reduce((sum, { unit, amount }) => (unit === key ? sum + amount : sum), 0n)
  checkNeed(needed, key, "all orders of a deal", place, section, "make them smaller or fewer")
  // The base order alone is worth least when it leaves at the stop or, after a sale, at the target.
  const fall = side === "BUY" ? (whole.stop ?? Decimal.zero) : (takeProfit[0]?.at ?? Decimal.zero)
  const least = { ...size, amount: floorOf(behind("BUY", Decimal.make(size.amount), fall), 0) }
  const values = [...sizes, least].flatMap(({ unit, amount }) => (unit === "quote" ? [amount] : []))
  checkValues(values, place, section)
  const way = (["stop", "exitAfter"] as const).find((key) => whole[key] !== undefined)
  if (way !== undefined) checkDearExit(side, at(way), section)
  checkFeesOfSizes(sizes, side, place, section)
  const parts = takeProfit.map((target) => target.part)
  for (const [index, amount] of amountsOf(size.amount, parts, market[size.unit]).entries()) {
    const entryAmount = size.unit === "base" ? { bought: amount } : { proceeds: amount }
    const round = { ratio: ratioOf(side, takeProfit[index]?.at ?? Decimal.zero), isNet: true, ...entryAmount }
    checkRatio(round, "its take-profit", at("takeProfit"), section, "make the orders larger")
  }
  const activeText = `active is ${active}, and there are ${countText(steps.length, "safety order")}`
  if (active > steps.length) warn(to, at("safety"), activeText, "lower active")
  const beyond = whole.stop && firstBeyond(Decimal.toNumber(whole.stop), side, sizes, widest.map(Decimal.toNumber))
  if (beyond !== undefined) {
    const text = `safety order ${beyond} of ${steps.length} lies beyond the stop: the deal has ended before its price is reached`
    warn(to, at("stop"), text, "widen the stop, or take fewer or nearer safety orders")
  }
  return {
    ...whole,
    takeProfit,
    exits: takeProfit.length === 1 ? ["exit"] : takeProfit.map((_, index) => `exit-${index + 1}`),
    minOrder: section.limits?.minOrder ?? 0n,
    when,
    whenText: condition?.text ?? "",
    steps,
    spacing,
    distancesFrom,
    active,
    needs: scope.needs,
    leaving: stopExit(market, opposite(side), { ...whole, reach: whole.stopReach }, to)
  }
}

/** The number of the first safety order that the price reaches only after the stop below the average of all orders before it. */
const firstBeyond = (
  stop: number,
  side: Side,
  sizes: ReadonlyArray<Size>,
  distances: ReadonlyArray<number>
): number | undefined => {
  const sign = side === "BUY" ? -1 : 1
  let [base, quote] = [0, 0]
  const firstIndex = sizes.findIndex(({ amount, unit }, index) => {
    const price = 1 + sign * (index === 0 ? 0 : (distances[index - 1] ?? 0))
    const limit = (quote / base) * (1 + sign * stop)
    if (index > 0 && (price - limit) * sign >= 0) return true
    const quantity = unit === "base" ? Number(amount) : Number(amount) / price
    base += quantity
    quote += quantity * price
    return false
  })
  return firstIndex === -1 ? undefined : firstIndex
}

const none: Distance = { widest: Decimal.zero }
