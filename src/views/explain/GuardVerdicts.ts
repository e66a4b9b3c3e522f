/**
 * What every limit says about a wanted order, and the number at which it would say the opposite: for explanations.
 * The verdicts come from `RiskLimits`; this file only words the limits that pass.
 */

import { type Amount, formatWithSymbol } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import * as Market from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import { timeOfDay } from "../../engine/holds/MarketLimits.ts"
import {
  type Circumstances,
  executable,
  guards,
  type LimitName,
  type Sized,
  sized
} from "../../engine/planning/RiskLimits.ts"
import type { DesiredOrder } from "../../strategy/Decision.ts"

export interface GuardVerdict {
  readonly guard: LimitName
  readonly passes: boolean
  /** The verdict with its numbers. */
  readonly text: string
  /** What would reverse it; missing where nothing is set. */
  readonly flips?: string
}

export const verdictsOf = (desired: DesiredOrder, at: Circumstances): ReadonlyArray<GuardVerdict> => {
  const order = sized(desired, at.market)
  return guards.map(([guard, refuses]) => {
    const refusal = refuses(order, at)
    const { now, flips } = measures[guard](order, at, refusal === undefined)
    const passes = refusal === undefined
    return { guard, passes, text: refusal ?? now, ...present({ flips }) }
  })
}

interface Measure {
  /** The state in words, for a limit that passes. */
  readonly now: string
  readonly flips?: string
}

type MeasureOf = (order: Sized, at: Circumstances, passes: boolean) => Measure

const unset: Measure = { now: "not set" }

/** A count that is refused once it reaches `most`. */
const counted = (what: string, count: number, most: number | undefined, passes: boolean): Measure =>
  most === undefined
    ? { now: `${count} ${what}, no limit set` }
    : { now: `${count} of ${most} ${what}`, flips: passes ? `${most} ${what}` : `fewer than ${most} ${what}` }

/** The mid at which an order's price is exactly as far away as allowed. */
const farthestMid = ({ desired: { side, price } }: Sized, { limits }: Circumstances): Decimal.Decimal | undefined => {
  const factor =
    side === "BUY"
      ? Decimal.add(Decimal.one, limits.maxPriceDeviation)
      : Decimal.subtract(Decimal.one, limits.maxPriceDeviation)
  return Decimal.isPositive(factor) ? Decimal.divide(price, factor, 8, side === "BUY" ? "up" : "down") : undefined
}

const measures: Readonly<Record<LimitName, MeasureOf>> = {
  "kill-switch": (_order, _at, passes) => ({
    now: "off",
    flips: passes ? "limitbot kill" : "limitbot release"
  }),
  frozen: (_order, _at, passes) => ({
    now: "not frozen",
    ...(passes ? {} : { flips: "somebody who looks at this slot" })
  }),
  held: (_order, _at, passes) => ({
    now: "not held",
    ...(passes ? {} : { flips: "the end of what holds it" })
  }),
  paused: (_order, _at, passes) => ({
    now: "not paused",
    ...(passes ? {} : { flips: "a new day after a daily loss; a changed strategy file after a drawdown" })
  }),
  "quiet-hours": (_order, { limits: { quietHours } }, passes) =>
    quietHours === undefined
      ? unset
      : {
          now: `from ${timeOfDay(quietHours.fromMinute)} to ${timeOfDay(quietHours.toMinute)}`,
          flips: `the time ${timeOfDay(passes ? quietHours.fromMinute : quietHours.toMinute)}`
        },
  "stale-price": (_order, { now, price, limits }, passes) => ({
    now: `the price was ${now - price.at} ms old`,
    flips: `a price ${passes ? "older" : "younger"} than ${limits.staleAfterMillis} ms`
  }),
  "price-deviation": (order, at, passes) => {
    const mid = farthestMid(order, at)
    const isBuy = order.desired.side === "BUY"
    const now = `${order.desired.side} at ${Decimal.format(order.desired.price)} with a mid of ${Decimal.short(Market.mid(at.price))}`
    if (mid === undefined) return { now }
    return { now, flips: `a mid ${isBuy === passes ? "below" : "above"} ${Decimal.short(mid)}` }
  },
  "swap-price": ({ desired: { by, price, side } }, at, passes) => {
    if (by !== "swap") return { now: "not by a swap" }
    const isBuy = side === "BUY"
    const now = `a swap at ${Decimal.short(executable(side, at.price))}, at worst ${Decimal.format(price)}`
    const word = isBuy === passes ? "above" : "below"
    return { now, flips: `${isBuy ? "an ask" : "a bid"} ${word} ${Decimal.format(price)}` }
  },
  "leaving-orders": (_order, { leaving, market }, passes) => ({
    now: `${formatWithSymbol(leaving, market.base)} in orders that it must not rest beside`,
    ...(passes ? {} : { flips: "the end of those orders" })
  }),
  "open-orders": (_order, { openOrders, limits }, passes) =>
    counted("open orders", openOrders, limits.maxOpenOrders, passes),
  tiny: ({ desired, inputAmount }, { market }) => ({
    now: `deposits ${formatWithSymbol(inputAmount, Market.inputAsset(market, desired.side))}`
  }),
  "min-order": ({ value }, { limits: { minOrder }, market }, passes) => {
    if (minOrder === undefined) return unset
    const least = formatWithSymbol(minOrder, market.quote)
    const flips = passes ? `a value below ${least}` : `a value of ${least} or more`
    return { now: `worth ${formatWithSymbol(value, market.quote)}, at least ${least}`, flips }
  },
  notional: ({ value }, { limits: { maxNotional }, market, openNotional }, passes) => {
    if (maxNotional === undefined) return unset
    const quote = (amount: Amount) => formatWithSymbol(amount, market.quote)
    const rest = maxNotional - value
    const flips = `open orders worth ${passes ? "more than" : "at most"} ${quote(rest < 0n ? 0n : rest)} before it`
    return { now: `${quote(openNotional + value)} of ${quote(maxNotional)} with it`, flips }
  },
  "orders-per-hour": (_order, { lastHour, limits: { maxOrdersPerHour } }, passes) =>
    counted("orders in the last hour", lastHour, maxOrdersPerHour, passes),
  "all-open-orders": (_order, { overall: { openOrders, maxOpenOrders } }, passes) =>
    counted("open orders of all strategies", openOrders, maxOpenOrders, passes),
  "all-orders-per-hour": (_order, { overall: { lastHour, maxOrdersPerHour } }, passes) =>
    counted("orders of all strategies in the last hour", lastHour, maxOrdersPerHour, passes),
  "all-exposure": ({ desired, inputAmount }, { overall: { exposure, maxExposure }, market }) => {
    if (maxExposure === undefined) return unset
    const asset = Market.inputAsset(market, desired.side)
    const now = `${formatWithSymbol(exposure + inputAmount, asset)} of ${formatWithSymbol(maxExposure, asset)} with it`
    return { now, flips: `${formatWithSymbol(maxExposure - inputAmount, asset)} outside before it` }
  },
  budget: ({ desired, inputAmount }, { free, market }, passes) => {
    const asset = Market.inputAsset(market, desired.side)
    const needs = formatWithSymbol(inputAmount, asset)
    return {
      now: `needs ${needs}, ${formatWithSymbol(free, asset)} free`,
      flips: passes ? `less than ${needs} free` : `${needs} free`
    }
  }
}
