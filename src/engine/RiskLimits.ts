/**
 * What our own limits say about a desired order. Only `Approved` can be placed, and only this file can make one, so an
 * unchecked order cannot be sent. `Denied` means we refused; the venue never saw it.
 */
import type { Amount } from "../domain/Amount.ts"
import { formatWithSymbol } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import * as Market from "../domain/Market.ts"
import type { DesiredOrder } from "../strategy/Decision.ts"
import type { Limits } from "../strategy/Strategy.ts"

declare const approved: unique symbol

export interface Approved {
  readonly [approved]: true
  readonly desired: DesiredOrder
  readonly inputAmount: Amount
  readonly outputAmount: Amount
}

export type LimitName =
  | "kill-switch"
  | "paused"
  | "quiet-hours"
  | "stale-price"
  | "price-deviation"
  | "open-orders"
  | "orders-per-hour"
  | "min-order"
  | "notional"
  | "budget"
  | "all-open-orders"
  | "all-orders-per-hour"
  | "all-exposure"
  | "frozen"
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
  /** Input asset that the strategy may still spend, reserves taken off. */
  readonly free: Amount
  readonly killed?: string
  readonly frozen?: string
  readonly paused?: string
  /** Value of the strategy's unfinished placements at their prices, quote. */
  readonly openNotional: Amount
  /** Placements planned in the last hour by the strategy. */
  readonly lastHour: number
  readonly overall: Overall
}

/** Limits over all strategies together, and what they use of them. */
export interface Overall {
  readonly maxOpenOrders?: number
  readonly openOrders: number
  readonly maxOrdersPerHour?: number
  readonly lastHour: number
  /** Most of the input asset that may be outside the wallet, and what is. */
  readonly maxExposure?: Amount
  readonly exposure: Amount
}

export type Verdict = { readonly approved: Approved } | { readonly denied: Denied }

const denied = (limit: LimitName, reason: string): Verdict => ({ denied: { limit, reason } })

export const check = (desired: DesiredOrder, at: Circumstances): Verdict => {
  const { market, limits } = at
  if (at.killed !== undefined) return denied("kill-switch", `The kill switch is on: ${at.killed}`)
  if (at.frozen !== undefined) return denied("frozen", `The slot is frozen until somebody looks: ${at.frozen}`)
  if (at.paused !== undefined) return denied("paused", at.paused)
  const quiet = quietness(at)
  if (quiet !== undefined) return denied("quiet-hours", quiet)
  const stale = staleness(at)
  if (stale !== undefined) return denied("stale-price", stale)
  const deviation = badDeviation(desired, at)
  if (deviation !== undefined) return denied("price-deviation", deviation)
  if (at.openOrders >= limits.maxOpenOrders) {
    return denied("open-orders", `${at.openOrders} orders are open, the most allowed is ${limits.maxOpenOrders}`)
  }
  const inputAmount = Market.inputAmount(market, desired.side, desired.quantity, desired.price)
  const outputAmount = Market.outputAmount(market, desired.side, desired.quantity, desired.price)
  if (inputAmount <= 0n || outputAmount <= 0n) return denied("tiny", "The order rounds to nothing")
  const refused =
    checkSize(at, Market.quoteAmount(market, desired.quantity, desired.price, "up")) ?? checkOverall(at, inputAmount)
  if (refused !== undefined) return refused
  if (inputAmount > at.free) {
    const asset = Market.inputAsset(market, desired.side)
    return denied(
      "budget",
      `It needs ${formatWithSymbol(inputAmount, asset)}, the strategy has ${formatWithSymbol(at.free, asset)} free`
    )
  }
  // The only place where the brand is given.
  return { approved: { desired, inputAmount, outputAmount } as Approved }
}

const checkSize = ({ limits, market, openNotional, lastHour }: Circumstances, value: Amount): Verdict | undefined => {
  const shown = (amount: Amount) => formatWithSymbol(amount, market.quote)
  if (limits.minOrder !== undefined && value < limits.minOrder) {
    return denied("min-order", `Its value of ${shown(value)} is below the least of ${shown(limits.minOrder)}`)
  }
  if (limits.maxNotional !== undefined && openNotional + value > limits.maxNotional) {
    const total = shown(openNotional + value)
    return denied("notional", `Open orders would be worth ${total}, the most allowed is ${shown(limits.maxNotional)}`)
  }
  if (limits.maxOrdersPerHour !== undefined && lastHour >= limits.maxOrdersPerHour) {
    return denied("orders-per-hour", `${lastHour} orders were placed in the last hour, the most allowed`)
  }
  return undefined
}

const checkOverall = ({ overall }: Circumstances, inputAmount: Amount): Verdict | undefined => {
  if (overall.maxOpenOrders !== undefined && overall.openOrders >= overall.maxOpenOrders) {
    return denied("all-open-orders", `${overall.openOrders} orders of all strategies are open, the most allowed`)
  }
  if (overall.maxOrdersPerHour !== undefined && overall.lastHour >= overall.maxOrdersPerHour) {
    return denied(
      "all-orders-per-hour",
      `All strategies placed ${overall.lastHour} orders in the last hour, the most allowed`
    )
  }
  if (overall.maxExposure !== undefined && overall.exposure + inputAmount > overall.maxExposure) {
    const [would, most] = [overall.exposure + inputAmount, overall.maxExposure]
    return denied("all-exposure", `All strategies would have ${would} smallest units out, the most allowed is ${most}`)
  }
  return undefined
}

/** The strategy keeps quiet at this time of the day: in words. */
const quietness = ({ now, limits: { quietHours } }: Circumstances): string | undefined => {
  if (quietHours === undefined) return undefined
  const { fromMinute, toMinute } = quietHours
  const minute = Math.floor(now / 60_000) % 1440
  const isQuiet =
    fromMinute < toMinute ? minute >= fromMinute && minute < toMinute : minute >= fromMinute || minute < toMinute
  return isQuiet ? `Quiet hours until ${clock(toMinute)} UTC` : undefined
}

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`

/** An order so far on the wrong side of the market that it would give money away: what is wrong with it, in words. */
export const badDeviation = (
  { side, price: limit }: Pick<DesiredOrder, "side" | "price">,
  { price, limits }: Pick<Circumstances, "price" | "limits">
): string | undefined => {
  const mid = Market.mid(price)
  const factor =
    side === "BUY"
      ? Decimal.add(Decimal.one, limits.maxPriceDeviation)
      : Decimal.subtract(Decimal.one, limits.maxPriceDeviation)
  const worst = Decimal.multiply(mid, factor)
  const gives = side === "BUY" ? Decimal.isGreater(limit, worst) : Decimal.isLess(limit, worst)
  return gives
    ? `${side} at ${Decimal.format(limit)} is beyond ${Decimal.format(worst)}, the worst allowed at a mid of ${Decimal.format(mid)}`
    : undefined
}

/** A price that is too old, or from the future, to decide on: in words. */
export const staleness = ({
  now,
  price,
  limits
}: Pick<Circumstances, "now" | "price" | "limits">): string | undefined => {
  const ageMillis = now - price.at
  return Math.abs(ageMillis) > limits.staleAfterMillis
    ? `The price is ${ageMillis} ms old, more than ${limits.staleAfterMillis} ms`
    : undefined
}
