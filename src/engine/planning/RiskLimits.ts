/**
 * Checks a planned order against our own limits. Only `Approved` can be placed, and only this file can make one, so no order of a strategy
 * is sent unchecked. `Denied` means that we refused; the venue never saw the order.
 */

import { Result } from "effect"
import { type Amount, type Asset, formatWithSymbol, max } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { utcDay } from "../../domain/Durations.ts"
import type { DesiredOrder } from "../../strategy/Decision.ts"
import type { Limits } from "../../strategy/Strategy.ts"
import { type PricedLimits, quietness } from "../holds/MarketLimits.ts"
import {
  type LimitInputs,
  type LimitName,
  notional,
  orderLimits,
  ordersPerHour,
  type Priced,
  priceDeviation,
  type Sized,
  sized
} from "./OrderLimits.ts"

declare const approved: unique symbol

export interface Approved {
  readonly [approved]: true
  readonly desired: DesiredOrder
  readonly inputAmount: Amount
  readonly outputAmount: Amount
}

export interface Denied {
  readonly limit: LimitName
  readonly reason: string
}

export type Verdict = Result.Result<Approved, Denied>

const refusalBy = (limits: typeof orderLimits, order: Sized, at: LimitInputs): Denied | undefined => {
  for (const { name: limit, refuses } of limits) {
    const reason = refuses(order, at)
    if (reason !== undefined) return { limit, reason }
  }
  return undefined
}

export const check = (desired: DesiredOrder, at: LimitInputs): Verdict => {
  const order = sized(desired, at.market)
  const denied = refusalBy(orderLimits, order, at)
  if (denied !== undefined) return Result.fail(denied)
  const { inputAmount, outputAmount } = order
  // The only place that makes an `Approved`.
  return Result.succeed({ desired, inputAmount, outputAmount } as Approved)
}

/** Reason why the order could not be placed now if its slot were empty. `at` includes the money of the open order there. */
export const refusalOfSuccessor = (desired: DesiredOrder, at: LimitInputs): Denied | undefined => {
  const lasting = orderLimits.filter(({ lasts }) => lasts === true || (lasts === "exits" && desired.isExit === true))
  return refusalBy(lasting, sized(desired, at.market), at)
}

/** The first limit that refuses every order except exits now: for backtests, which keep their own accounts. */
export const shutBy = ({
  lost,
  ...at
}: Pick<LimitInputs, "now" | "limits"> & { readonly lost: string | undefined }): LimitName | undefined =>
  lost !== undefined ? "paused" : quietness(at) === undefined ? undefined : "quiet-hours"

const thatRunsCanBreak = [priceDeviation, notional, ordersPerHour]

export const refusedBy = (
  desired: Priced,
  at: PricedLimits & Pick<LimitInputs, "market" | "openNotional" | "lastHour">,
  isSuccessor: boolean
): LimitName | undefined => {
  const order = sized(desired, at.market)
  return thatRunsCanBreak.find(
    ({ lasts, refuses }) => (!isSuccessor || lasts === true) && refuses(order, at) !== undefined
  )?.name
}

/** Marks from which losses count: the equity at the first poll of a UTC day, and the highest equity. */
export interface LossMarks {
  readonly day: number
  readonly atStart: Amount
  readonly peak: Amount
}

/**
 * The marks at this equity. `isNews` is true if they must be stored: on a new day, and when the peak has risen by a thousandth, so that a
 * restart knows it closely enough.
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

export const lossOf = (
  { maxDailyLoss, maxDrawdown }: Pick<Limits, "maxDailyLoss" | "maxDrawdown">,
  { atStart, peak }: LossMarks,
  worth: Amount,
  quote: Asset
): Loss | undefined => {
  const quoteText = (amount: Amount) => formatWithSymbol(amount, quote)
  if (maxDailyLoss !== undefined && atStart - worth > maxDailyLoss) {
    const reason = `Lost ${quoteText(atStart - worth)} since midnight UTC, more than ${quoteText(maxDailyLoss)}`
    return { limit: "daily-loss", reason }
  }
  const floor = maxDrawdown === undefined ? undefined : lowest(peak, maxDrawdown)
  if (floor === undefined || worth >= floor) return undefined
  return {
    limit: "drawdown",
    reason: `Equity is ${quoteText(worth)}, below ${quoteText(floor)} after a peak of ${quoteText(peak)}`
  }
}

const lowest = (peak: Amount, drawdown: Decimal.Decimal): Amount => {
  const exactFloor = Decimal.multiply(Decimal.make(peak), Decimal.subtract(Decimal.one, drawdown))
  return Decimal.divideInteger(exactFloor.digits, Decimal.powerOfTen(exactFloor.scale), "down")
}

/** A daily-loss pause ends with its day; a drawdown pause ends when the operator resumes it or the strategy file changes. */
export const isOver = (pause: { readonly limit: string; readonly day: number }, now: number): boolean =>
  pause.limit === "daily-loss" && pause.day !== utcDay(now)
