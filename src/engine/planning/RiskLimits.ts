/**
 * What our own limits say about a wanted order. Only `Approved` can be placed, and only this file can make one, so an
 * unchecked order cannot be sent. `Denied` means that we refused; the venue never saw the order.
 */

import { Result } from "effect"
import { type Amount, type Asset, formatWithSymbol, max } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { utcDay } from "../../domain/Durations.ts"
import * as Market from "../../domain/Market.ts"
import { percent } from "../../domain/Text.ts"
import type { DesiredOrder } from "../../strategy/Decision.ts"
import type { Limits } from "../../strategy/Strategy.ts"
import { badDeviation, type PricedLimits, quietness, staleness } from "../holds/MarketLimits.ts"

declare const approved: unique symbol

export interface Approved {
  readonly [approved]: true
  readonly desired: DesiredOrder
  readonly inputAmount: Amount
  readonly outputAmount: Amount
}

export type LimitName =
  | "kill-switch"
  | "held"
  | "paused"
  | "quiet-hours"
  | "stale-price"
  | "price-deviation"
  | "swap-price"
  | "open-orders"
  | "orders-per-hour"
  | "min-order"
  | "notional"
  | "budget"
  | "all-open-orders"
  | "all-orders-per-hour"
  | "all-exposure"
  | "frozen"
  | "leaving-orders"
  | "tiny"

export interface Denied {
  readonly limit: LimitName
  readonly reason: string
}

export interface Circumstances {
  readonly now: number
  readonly market: Market.Market
  readonly limits: Limits
  readonly price: Market.TwoSidedPrice
  /** Unfinished placements of the strategy. */
  readonly openOrders: number
  /** Input asset that the strategy may still spend, less reserves. */
  readonly free: Amount
  /** Why nothing may be placed in its slot, by code (`engine/holds`). */
  readonly held: ReadonlyMap<string, string>
  /** What orders that the wanted one yields to may still fill, base. */
  readonly leaving: Amount
  /** Value of the strategy's unfinished placements at their prices, quote. */
  readonly openNotional: Amount
  /** Placements planned in the last hour by the strategy. */
  readonly lastHour: number
  readonly overall: Overall
}

/** Limits over all strategies together, and how much of them is used. */
export interface Overall {
  readonly maxOpenOrders?: number
  readonly openOrders: number
  readonly maxOrdersPerHour?: number
  readonly lastHour: number
  /** The most of the input asset that may be outside the wallet, and how much is. */
  readonly maxExposure?: Amount
  readonly exposure: Amount
}

export type Verdict = Result.Result<Approved, Denied>

/** What a limit needs to know of an order, and the figures it is checked against. */
type Priced = Pick<DesiredOrder, "side" | "price" | "quantity">
type Notional = Pick<Circumstances, "limits" | "market" | "openNotional">
type Hourly = Pick<Circumstances, "limits" | "lastHour">

/** An order with what it deposits, what it receives, and what it is worth in quote. */
export interface Sized<Order extends Priced = DesiredOrder> {
  readonly desired: Order
  readonly inputAmount: Amount
  readonly outputAmount: Amount
  readonly value: Amount
}

export const sized = <Order extends Priced>(desired: Order, market: Market.Market): Sized<Order> => ({
  desired,
  inputAmount: Market.inputAmount(market, desired.side, desired.quantity, desired.price),
  outputAmount: Market.outputAmount(market, desired.side, desired.quantity, desired.price),
  value: Market.quoteAmount(market, desired.quantity, desired.price, "up")
})

/** Why a limit refuses an order, in words with the numbers; `undefined` when it does not. */
type Refuses = (order: Sized, at: Circumstances) => string | undefined

/** Holds that events and explanations have always named as limits; all others are `held`. */
const holdsOfTheirOwn = ["kill-switch", "frozen", "paused"] as const

/** In the order in which they are checked: the first refusal is reported. */
export const guards: ReadonlyArray<readonly [LimitName, Refuses]> = [
  ...holdsOfTheirOwn.map((code): readonly [LimitName, Refuses] => [code, (_, { held }) => held.get(code)]),
  ["held", (_, { held }) => [...held].find(([code]) => !holdsOfTheirOwn.some((own) => own === code))?.[1]],
  ["quiet-hours", (_, at) => quietness(at)],
  ["stale-price", (_, at) => staleness(at)],
  ["price-deviation", ({ desired }, at) => badDeviation(desired, at)],
  ["swap-price", ({ desired }, at) => badSwap(desired, at)],
  ["leaving-orders", (_, { leaving, market }) => (leaving === 0n ? undefined : stillFilling(leaving, market))],
  [
    "open-orders",
    (_, { openOrders, limits }) =>
      openOrders < limits.maxOpenOrders
        ? undefined
        : `${openOrders} orders are open, the most allowed is ${limits.maxOpenOrders}`
  ],
  [
    "tiny",
    ({ inputAmount, outputAmount }) =>
      inputAmount > 0n && outputAmount > 0n ? undefined : "The order rounds to nothing"
  ],
  ["min-order", (order, at) => tooSmall(order, at)],
  ["notional", (order, at) => tooMuchOpen(order, at)],
  ["orders-per-hour", (_, at) => tooOften(at)],
  [
    "all-open-orders",
    (_, { overall: { maxOpenOrders, openOrders } }) =>
      maxOpenOrders === undefined || openOrders < maxOpenOrders
        ? undefined
        : `${openOrders} orders of all strategies are open, the most allowed`
  ],
  [
    "all-orders-per-hour",
    (_, { overall: { maxOrdersPerHour, lastHour } }) =>
      maxOrdersPerHour === undefined || lastHour < maxOrdersPerHour
        ? undefined
        : `All strategies placed ${lastHour} orders in the last hour, the most allowed`
  ],
  ["all-exposure", (order, at) => tooExposed(order, at)],
  ["budget", (order, at) => tooDear(order, at)]
]

export const check = (desired: DesiredOrder, at: Circumstances): Verdict => {
  const order = sized(desired, at.market)
  for (const [limit, refuses] of guards) {
    const reason = refuses(order, at)
    if (reason !== undefined) return Result.fail({ limit, reason })
  }
  const { inputAmount, outputAmount } = order
  // The only place that makes the brand.
  return Result.succeed({ desired, inputAmount, outputAmount } as Approved)
}

/** The first limit that refuses every order now, whatever it is: for backtests, which keep accounts of their own. */
export const shutBy = ({
  paused,
  ...at
}: Pick<Circumstances, "now" | "limits"> & { readonly paused: string | undefined }): LimitName | undefined =>
  paused !== undefined ? "paused" : quietness(at) === undefined ? undefined : "quiet-hours"

/** The first limit that refuses this one order, in the order of `guards`: for backtests. */
export const refusedBy = (
  desired: Priced,
  at: PricedLimits & Notional & Hourly & Pick<Circumstances, "market">
): LimitName | undefined => {
  if (badDeviation(desired, at) !== undefined) return "price-deviation"
  if (tooMuchOpen(sized(desired, at.market), at) !== undefined) return "notional"
  return tooOften(at) === undefined ? undefined : "orders-per-hour"
}

/** What losses count from: the worth at the first look of a UTC day, and the highest worth. */
export interface LossMarks {
  readonly day: number
  readonly atStart: Amount
  readonly peak: Amount
}

/**
 * The marks at this worth. `isNews` says that they must be stored: on a new day, and when the peak rises by a
 * thousandth, so a restart remembers it closely enough.
 */
export const marked = (
  before: LossMarks | undefined,
  worth: Amount,
  now: number
): { readonly marks: LossMarks; readonly isNews: boolean } => {
  const day = utcDay(now)
  const peak = max(worth, before?.peak ?? worth)
  const atStart = before?.day === day ? before.atStart : worth
  const isNews = before === undefined || before.day !== day || peak - before.peak > before.peak / 1000n
  return { marks: { day, atStart, peak }, isNews }
}

export interface Loss {
  readonly limit: "daily-loss" | "drawdown"
  readonly reason: string
}

/** The loss limit that this worth breaks, if any. */
export const lossOf = (
  { maxDailyLoss, maxDrawdown }: Pick<Limits, "maxDailyLoss" | "maxDrawdown">,
  { atStart, peak }: LossMarks,
  worth: Amount,
  quote: Asset
): Loss | undefined => {
  const shown = (amount: Amount) => formatWithSymbol(amount, quote)
  if (maxDailyLoss !== undefined && atStart - worth > maxDailyLoss) {
    const reason = `It lost ${shown(atStart - worth)} since midnight UTC, more than ${shown(maxDailyLoss)}`
    return { limit: "daily-loss", reason }
  }
  const floor = maxDrawdown === undefined ? undefined : lowest(peak, maxDrawdown)
  if (floor === undefined || worth >= floor) return undefined
  return {
    limit: "drawdown",
    reason: `It is worth ${shown(worth)}, less than ${shown(floor)} after a peak of ${shown(peak)}`
  }
}

/** The worth below which the drawdown from the peak is too deep. */
const lowest = (peak: Amount, drawdown: Decimal.Decimal): Amount => {
  const left = Decimal.multiply(Decimal.make(peak), Decimal.subtract(Decimal.one, drawdown))
  return Decimal.divideInteger(left.digits, Decimal.powerOfTen(left.scale), "down")
}

/** A daily-loss pause ends with its day; a drawdown pause ends when somebody has looked. */
export const isOver = (pause: { readonly limit: string; readonly day: number }, now: number): boolean =>
  pause.limit === "daily-loss" && pause.day !== utcDay(now)

const stillFilling = (leaving: Amount, { base }: Market.Market): string =>
  `It waits until the orders that it must not rest beside are gone: they may still fill ${formatWithSymbol(leaving, base)}`

const tooSmall: Refuses = ({ value }, { limits: { minOrder }, market }) =>
  minOrder === undefined || value >= minOrder
    ? undefined
    : `Its value of ${formatWithSymbol(value, market.quote)} is below the least of ${formatWithSymbol(minOrder, market.quote)}`

const tooOften = ({ lastHour, limits: { maxOrdersPerHour } }: Hourly): string | undefined =>
  maxOrdersPerHour === undefined || lastHour < maxOrdersPerHour
    ? undefined
    : `${lastHour} orders were placed in the last hour, the most allowed`

const tooMuchOpen = (
  { value }: Pick<Sized, "value">,
  { limits: { maxNotional }, market, openNotional }: Notional
): string | undefined =>
  maxNotional === undefined || openNotional + value <= maxNotional
    ? undefined
    : `Open orders would be worth ${formatWithSymbol(openNotional + value, market.quote)}, the most allowed is ${formatWithSymbol(maxNotional, market.quote)}`

const tooExposed: Refuses = ({ desired, inputAmount }, { market, overall: { maxExposure, exposure } }) => {
  if (maxExposure === undefined || exposure + inputAmount <= maxExposure) return undefined
  const asset = Market.inputAsset(market, desired.side)
  return `All strategies would have ${formatWithSymbol(exposure + inputAmount, asset)} out, the most allowed is ${formatWithSymbol(maxExposure, asset)}`
}

const tooDear: Refuses = ({ desired, inputAmount }, { free, market }) => {
  if (inputAmount <= free) return undefined
  const asset = Market.inputAsset(market, desired.side)
  return `It needs ${formatWithSymbol(inputAmount, asset)}, the strategy has ${formatWithSymbol(free, asset)} free`
}

/** The price at which a swap would be executed now. */
export const executable = (side: Market.Side, { bid, ask }: Market.TwoSidedPrice): Market.Price =>
  side === "BUY" ? ask : bid

/** A swap waits while the venue would quote it below its limit: why, in words. */
const badSwap = ({ by, side, price: limit }: DesiredOrder, { price }: Circumstances): string | undefined => {
  if (by !== "swap") return undefined
  const now = executable(side, price)
  const [dear, cheap] = side === "BUY" ? [now, limit] : [limit, now]
  if (!Decimal.isGreater(dear, cheap)) return undefined
  const missing = Decimal.divide(Decimal.subtract(dear, cheap), limit, 4, "up")
  return `A swap would bring ${percent(Decimal.toNumber(missing))} less than allowed: at ${Decimal.format(now)}, and ${Decimal.format(limit)} is the worst`
}
