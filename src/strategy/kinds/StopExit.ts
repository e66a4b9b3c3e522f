/**
 * The one rule for every exit after a stop, in all kinds. Once a stop has fired, a sale is open at mid × (1 − reach) of the present market,
 * a purchase at mid × (1 + reach). The exit follows the market in steps until it has filled; a recovery does not undo the stop. With
 * `floor` it is a stop-limit: it never exits beyond that price, and stays open there while the market is beyond it.
 */
import type { Amount } from "../../domain/Amount.ts"
import type { HeldPosition } from "../../domain/CostBasis.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, opposite, type Price, quoteAmount, type Side } from "../../domain/Market.ts"
import { type DesiredOrder, type DesiredSlot, type Memory, narrowed, type PriceBounds } from "../Decision.ts"
import { notePrice } from "../expression/Crossing.ts"
import type { Moment } from "../expression/Term.ts"
import * as Read from "../Fields.ts"
import { type Report, report, type Span } from "../Problem.ts"
import { givenAway } from "./Execution.ts"
import { decimalIn } from "./Memory.ts"
import { away, isWithin, negate, orderPrice, part } from "./PriceLevels.ts"

type Floor = { readonly price: Price } | { readonly ratio: Decimal.Decimal }

export const reach = Read.withDefault(givenAway, Decimal.make(5n, 3), "an exit after a stop may give away this much")
const floorRatio = Read.mapped(part(Read.ratio), (ratio) => ({ ratio }))
const floorPrice = Read.mapped(Read.price, (price) => ({ price }))
export const floor = Read.optional(
  Read.either<Floor, Floor>(floorPrice, floorRatio, (node) => node.type === "scalar" && /[%a-z]/.test(node.text)),
  "a price, or a ratio of the stop: an exit after a stop is never beyond it",
  "at any price"
)

/** The last three are reasons to cancel other orders. */
const codes: ReadonlySet<string> = new Set(
  "stop trail rule-left grid-exit period-exit period-sells deal-ends grid-ended".split(" ")
)
export const isAfterStop = ({ why }: Pick<DesiredSlot, "why">): boolean => codes.has(why.code)

type Stopped = Pick<DesiredOrder, "price" | "side" | "why"> & { readonly isExit?: true | undefined }

/**
 * Value in quote of the whole position that an exit after a stop reduces, with what its other exits have already closed of it; zero for
 * other orders.
 */
export const stoppedValue = (market: Market, order: Stopped, { basis, peak }: HeldPosition): Amount => {
  const isReduced = order.side === "SELL" ? basis.position > 0n : basis.position < 0n
  return order.isExit === true && isAfterStop(order) && isReduced ? quoteAmount(market, peak, order.price, "up") : 0n
}

const endCodes: ReadonlySet<string> = new Set(["period-exit", "period-sale", "period-sells", "grid-exit"])
/** True while an end sells all in the exit slot, or waits for base that it will sell. */
export const isOfEnd = ({ why }: Pick<DesiredSlot, "why">): boolean => endCodes.has(why.code)

export interface Left {
  readonly mid: Price
  readonly from: Price
}

export type StopExit = ReturnType<typeof stopExit>

export const stopsOf = (side: Side, stops: ReadonlyArray<Price>): PriceBounds =>
  side === "BUY" ? narrowed({}, stops, []) : narrowed({}, [], stops)

/** Best prices and exits follow the market in steps, so that not every tick changes the decision. */
export const followStep = Decimal.make(1n, 3)
const widestStep = Decimal.make(25n, 4)

interface Terms {
  readonly reach: Decimal.Decimal
  readonly floor: Floor | undefined
}

/**
 * `side` is the exit's. A step is half of `reach`, so that an exit stays marketable until it is moved. It never makes the exit give away
 * more than `maxPriceDeviation`.
 */
export const stopExit = (
  market: Market,
  side: Side,
  { floor, reach }: Terms,
  { maxPriceDeviation = Decimal.one }: Pick<Report, "maxPriceDeviation">
) => {
  const isSale = side === "SELL"
  const [better, sign] = isSale ? [Decimal.max, negate] : [Decimal.min, (ratio: Decimal.Decimal) => ratio]
  const factor = Decimal.add(Decimal.one, sign(reach))
  const room = Decimal.max(Decimal.zero, Decimal.subtract(maxPriceDeviation, reach))
  const half = Decimal.max(followStep, Decimal.multiply(reach, Decimal.half))
  const step = Decimal.min(room, Decimal.min(widestStep, half))
  const worst = ({ from }: Pick<Left, "from">): Price | undefined =>
    floor && ("price" in floor ? floor.price : away(from, sign(floor.ratio)))
  const worstMid = (left: Pick<Left, "from">): Price | undefined => {
    const price = worst(left)
    return price && Decimal.divide(price, factor, price.scale + 9, isSale ? "down" : "up")
  }
  return {
    left: (mid: Price, from: Price, before?: Left): Left => {
      const state = before ?? { from }
      const followed = better(mid, worstMid(state) ?? mid)
      return before !== undefined && isWithin(before.mid, step, followed) ? before : { mid: followed, from: state.from }
    },
    price: (left: Left): Price => {
      const price = Decimal.multiply(left.mid, factor)
      const limit = worst(left)
      const rounded = orderPrice(market, side, better(price, limit ?? price))
      // A wide price step would round it away from the market, where it does not fill. It never goes beyond a floor.
      const halfway = Decimal.multiply(left.mid, Decimal.add(Decimal.one, sign(Decimal.multiply(reach, Decimal.half))))
      const isBeyond = isSale ? Decimal.isGreater(rounded, halfway) : Decimal.isLess(rounded, halfway)
      const reached = isBeyond ? orderPrice(market, opposite(side), price) : rounded
      const isPast = limit !== undefined && (isSale ? Decimal.isLess : Decimal.isGreater)(reached, limit)
      return isPast || !Decimal.isPositive(reached) ? rounded : reached
    },
    until: (left: Left): PriceBounds => {
      const [priceBelow, priceAbove] = [away(left.mid, negate(step)), away(left.mid, step)]
      const end = worstMid(left)
      if (end === undefined) return { priceBelow, priceAbove }
      if (isSale) return Decimal.isLess(priceBelow, end) ? { priceAbove } : { priceBelow, priceAbove }
      return Decimal.isGreater(priceAbove, end) ? { priceBelow } : { priceBelow, priceAbove }
    }
  }
}

/** Follows the mid, and notes the prices at which the exit moves next. */
export const leave = ({ left, until }: StopExit, moment: Moment, mid: Price, from: Price, before?: Left): Left => {
  const now = left(mid, from, before)
  const { priceAbove, priceBelow } = until(now)
  for (const price of [priceBelow, priceAbove]) if (price !== undefined) notePrice(moment, Decimal.toNumber(price))
  return now
}

export const rememberLeft = (left: Left | undefined): { readonly [key: string]: Memory } =>
  left === undefined ? {} : { leaves: Decimal.format(left.mid), leavesFrom: Decimal.format(left.from) }

/** Older versions stored the price of the exit in `leaves`. It is close enough to continue from. */
export const leftIn = (memory: Memory): Left | undefined => {
  const mid = decimalIn(memory, "leaves")
  return mid && { mid, from: decimalIn(memory, "leavesFrom") ?? mid }
}

/** An exit at a floor that is no worse than the stop would wait for a recovery. */
export const checkFloor = (side: Side, { floor }: Pick<Terms, "floor">, stop: Price, at: Span, to: Report): void => {
  if (floor === undefined || "ratio" in floor) return
  const [isWorse, where] = side === "SELL" ? [Decimal.isLess, "below"] : [Decimal.isGreater, "above"]
  if (!isWorse(floor.price, stop)) report(to, at, `the floor must be ${where} the stop ${Decimal.format(stop)}`)
}
