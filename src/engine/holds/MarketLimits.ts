/** Checks the time of day and the price of an order when it is planned, created and paid, and its fee directly before payment only. */
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import * as Market from "../../domain/Market.ts"
import type { Limits } from "../../strategy/Strategy.ts"
import type { Placement } from "../state/Placement.ts"

interface Timed {
  readonly now: number
  readonly limits: Limits
}

export interface PricedLimits {
  readonly limits: Limits
  readonly price: Market.BidAsk
}

export const quietness = ({ now, limits: { quietHours } }: Timed): string | undefined => {
  if (quietHours === undefined) return undefined
  const { fromMinute, toMinute } = quietHours
  const minute = Math.floor(now / minuteMillis) % 1440
  const isQuiet =
    fromMinute < toMinute ? minute >= fromMinute && minute < toMinute : minute >= fromMinute || minute < toMinute
  return isQuiet ? `Quiet hours until ${timeOfDay(toMinute)}` : undefined
}

export const timeOfDay = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")} UTC`

/** The worst price that an order may have, as a ratio to the mid. */
export const worstShareOfMid = (side: Market.Side, { maxPriceDeviation }: Limits): Decimal.Decimal =>
  (side === "BUY" ? Decimal.add : Decimal.subtract)(Decimal.one, maxPriceDeviation)

/** Returns a reason if the price of an order is so far on the wrong side of the market that it would give money away. */
export const badDeviation = (
  { side, price: limit }: { readonly side: Market.Side; readonly price: Market.Price },
  { price, limits }: PricedLimits
): string | undefined => {
  const mid = Market.mid(price)
  const worst = Decimal.multiply(mid, worstShareOfMid(side, limits))
  return (side === "BUY" ? Decimal.isGreater : Decimal.isLess)(limit, worst)
    ? `${side} at ${Decimal.format(limit)} is beyond ${Decimal.format(worst)}, the worst allowed at a mid of ${Decimal.format(mid)}`
    : undefined
}

export const dearFee = ({ feeEcho }: Pick<Placement, "feeEcho">, limits: Limits | undefined): string | undefined => {
  const most = limits?.maxFeeBasisPoints
  if (feeEcho === undefined || most === undefined || feeEcho.basisPoints <= most) return undefined
  return `its fee is ${feeEcho.basisPoints} basis points of the input, more than ${most} (limits.maxFeeBasisPoints)`
}

export const staleness = ({
  now,
  price,
  limits
}: Timed & { readonly price: Market.TwoSidedPrice }): string | undefined => {
  const ageMillis = now - price.at
  return Math.abs(ageMillis) > limits.staleAfterMillis
    ? `The price is ${ageMillis} ms old, more than ${limits.staleAfterMillis} ms`
    : undefined
}
