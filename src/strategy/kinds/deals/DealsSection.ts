/** The `deals:` section of a strategy file: sizes and distances of the orders, and when a deal begins and ends. */

import * as Decimal from "../../../domain/Decimal.ts"
import type { Market, Side } from "../../../domain/Market.ts"
import { compile } from "../../expression/Compiler.ts"
import { type Needs, needCandles } from "../../expression/Needs.ts"
import { scopeOf } from "../../expression/Scope.ts"
import type { Term } from "../../expression/Term.ts"
import * as Read from "../../Fields.ts"
import type { KindContext } from "../../Kind.ts"
import { report } from "../../Problem.ts"
import { timeframe } from "../../Timeframe.ts"
import type { YamlNode } from "../../YamlReader.ts"
import { lackText } from "../BudgetCheck.ts"
import { type Size, scaled, size } from "../Size.ts"
import { type Distance, distance } from "../Volatility.ts"

const mostSafetyOrders = 50
const mostDeals = 1_000_000
const defaultStopReach = Decimal.make(5n, 3)

/** An order below the base order. */
interface Step {
  readonly slot: string
  readonly size: Size
}

export interface Deals {
  readonly market: Market
  readonly side: Side
  readonly size: Size
  readonly reach: Decimal.Decimal
  readonly when: Term | undefined
  readonly whenText: string
  readonly steps: ReadonlyArray<Step>
  /** How far the first one is from the base order; each step is so many times as wide as the one before. */
  readonly spacing: Distance
  readonly distanceScale: number
  /** How many of them rest at once. */
  readonly active: number
  readonly takeProfit: Decimal.Decimal
  /** From the take-profit on it leaves so far behind the best price. */
  readonly trail: Decimal.Decimal | undefined
  readonly stop: Decimal.Decimal | undefined
  readonly stopReach: Decimal.Decimal
  readonly expireMillis: number | undefined
  readonly cooldownMillis: number
  readonly times: number
  readonly needs: Needs
  readonly keys: Read.KeyPlaces
}

const safetyFields = (market: Market) =>
  Read.fields({
    orders: Read.required(Read.integer(1, mostSafetyOrders), "how many"),
    size: Read.required(size(market), "of the first one"),
    distance: Read.required(distance, "of the first one from the base order; by volatility: when the deal begins"),
    sizeScale: Read.optional(Read.factor, "each is so many times as large as the one before; default: 1"),
    distanceScale: Read.optional(Read.factor, "each step is so many times as wide as the one before; default: 1"),
    active: Read.optional(Read.integer(1, mostSafetyOrders), "how many of them rest at once; default: all")
  })

export const dealsFields = (market: Market) =>
  Read.fields({
    side: Read.optional(Read.oneOf("buy", "sell"), "of the base order and the safety orders; default: buy"),
    size: Read.required(size(market), "of the base order"),
    reach: Read.optional(Read.ratioOrZero, "the base order may be this much worse than the mid; default: nothing"),
    when: Read.optional(Read.expression, "a deal begins when this is true; default: at once"),
    timeframe: Read.optional(timeframe, "of candles whose timeframe is not written; default: 1h"),
    safety: Read.optional(safetyFields(market), "further orders below the base order; for sales above it"),
    takeProfit: Read.required(Read.ratio, "leaves so far above the average entry; sales: below"),
    trail: Read.optional(Read.ratio, "from the take-profit on, leaves so far behind the best price; default: at once"),
    stop: Read.optional(Read.ratio, "leaves when the price is so far below the average entry; sales: above"),
    stopReach: Read.optional(Read.ratioOrZero, "at the stop the exit may give away this much; default: 0.5%"),
    expireAfter: Read.optional(Read.duration, "withdraws the base order when nothing of it has filled until then"),
    cooldown: Read.optional(Read.duration, "between two deals; default: none"),
    times: Read.optional(Read.integer(1, mostDeals), "how many deals in all")
  })

type Safety = NonNullable<NonNullable<ReturnType<ReturnType<typeof safetyFields>>>>

const stepsOf = (read: Safety, market: Market): ReadonlyArray<Step> => {
  const { orders, size: first, sizeScale } = read
  if (orders === undefined || first === undefined) return []
  const bySize = sizeScale?.value ?? 1
  return Array.from({ length: orders.value }, (_, index) => ({
    slot: `safety-${String(index + 1).padStart(2, "0")}`,
    size: scaled(first.value, market, bySize ** index)
  }))
}

/** How far each safety order is below the base order, as ratios, if the first one is so far. */
export const distancesOf = (
  { steps, distanceScale }: Pick<Deals, "steps" | "distanceScale">,
  first: Decimal.Decimal
): ReadonlyArray<Decimal.Decimal> => {
  let below = 0
  return steps.map((_, index) => {
    below += Decimal.toNumber(first) * distanceScale ** index
    return Decimal.fromNumber(below, 9)
  })
}

export const readDeals = (section: YamlNode, context: KindContext): Deals | undefined => {
  const { market, to } = context
  const before = to.problems.length
  const read = dealsFields(market)(section, to)
  if (read?.size === undefined || read.takeProfit === undefined) return undefined
  const steps = read.safety === undefined ? [] : stepsOf(read.safety.value, market)
  const scope = scopeOf(context, read.timeframe?.value)
  const when = read.when === undefined ? undefined : compile(read.when.value, "boolean", "condition", scope)
  const side: Side = read.side?.value === "sell" ? "SELL" : "BUY"
  const spacing = read.safety?.value.distance?.value ?? { widest: Decimal.zero }
  const distanceScale = read.safety?.value.distanceScale?.value ?? 1
  const { follows } = spacing
  if (follows !== undefined) needCandles(scope.needs, follows.series.timeframe, follows.series.warmUp)
  const last = distancesOf({ steps, distanceScale }, spacing.widest).at(-1)
  if (side === "BUY" && read.safety !== undefined && last !== undefined && !Decimal.isLess(last, Decimal.one)) {
    report(to, read.safety, "the last safety order would be at no price at all: their distances add up to 100%")
  }
  checkBudget([read.size.value, ...steps.map(({ size }) => size)], side, read.safety ?? read.size, context)
  if (to.problems.length > before) return undefined
  return {
    market,
    side,
    size: read.size.value,
    reach: read.reach?.value ?? Decimal.zero,
    when,
    whenText: read.when?.value.text ?? "",
    steps,
    spacing,
    distanceScale,
    active: read.safety?.value.active?.value ?? steps.length,
    takeProfit: read.takeProfit.value,
    trail: read.trail?.value,
    stop: read.stop?.value,
    stopReach: read.stopReach?.value ?? defaultStopReach,
    expireMillis: read.expireAfter?.value,
    cooldownMillis: read.cooldown?.value ?? 0,
    times: read.times?.value ?? mostDeals,
    needs: scope.needs,
    keys: Read.keyPlaces(section, context.root, to)
  }
}

/**
 * A deal whose price goes all the way needs all its orders. Sizes in the other asset are left to the limits, because
 * their price is not known.
 */
const checkBudget = (
  sizes: ReadonlyArray<Size>,
  side: Side,
  at: { start: number; end: number },
  { market, budget, to }: KindContext
) => {
  const key = side === "BUY" ? "quote" : "base"
  const needed = sizes.reduce((sum, { unit, amount }) => (unit === key ? sum + amount : sum), 0n)
  if (budget === undefined || needed <= budget[key]) return
  const hint = `raise limits.budget.${key}, or make them smaller or fewer`
  report(to, at, `all orders of a deal need ${lackText(needed, budget[key], market[key], key)}`, hint)
}
