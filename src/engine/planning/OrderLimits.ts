/**
 * Our own limits for one order, one row each: the reason of a refusal, the present state, and the change that would reverse the verdict.
 * Runs, explanations and backtests share them.
 *
 * Limits of hours, counts and totals prevent new positions. Exits count towards them and are never refused by them, because a limit that
 * prevents a stop limits no loss. Of the limits on amounts only `tiny`, `min-order` and `budget` can refuse an exit.
 */
import { Result } from "effect"
import { type Amount, formatWithSymbol, max } from "../../domain/Amount.ts"
import type { HeldPosition } from "../../domain/CostBasis.ts"
import * as Decimal from "../../domain/Decimal.ts"
import * as Market from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import { countText, percent } from "../../domain/Text.ts"
import type { DesiredOrder } from "../../strategy/Decision.ts"
import { stoppedValue } from "../../strategy/kinds/StopExit.ts"
import type { Limits } from "../../strategy/Strategy.ts"
import { type Hold, isFor, liftedBy } from "../holds/Holds.ts"
import * as MarketLimits from "../holds/MarketLimits.ts"

/** Holds that events and explanations report as limits of their own name; all others are `held`. */
const holdsOfTheirOwn = ["kill-switch", "frozen", "paused"] as const

export type LimitName =
  | (typeof holdsOfTheirOwn)[number]
  | "held"
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
  | "leaving-orders"
  | "tiny"

export interface LimitInputs {
  readonly now: number
  readonly market: Market.Market
  readonly limits: Limits
  readonly price: Market.TwoSidedPrice
  readonly openOrders: number
  /** Input asset that the strategy may still spend, less reserves. */
  readonly free: Amount
  readonly held: ReadonlyArray<Hold>
  readonly position: HeldPosition
  /** Base that orders which must leave first may still fill. */
  readonly leavingBase: Amount
  /** Value of the strategy's unfinished placements at their prices, quote. */
  readonly openNotional: Amount
  readonly lastHour: number
  readonly overall: {
    readonly maxOpenOrders?: number
    readonly openOrders: number
    readonly maxOrdersPerHour?: number
    readonly lastHour: number
    readonly maxExposure?: Amount
    readonly exposure: Amount
  }
}

export interface Priced extends Pick<DesiredOrder, "side" | "price" | "quantity"> {
  readonly isExit?: true | undefined
}

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

export interface LimitRow<Order = Sized, At = LimitInputs> {
  readonly name: LimitName
  /** Also checked for the successor of an open order. The open order then keeps its slot. `exits`: only if the successor is an exit. */
  readonly forSuccessors?: true | "exits"
  readonly refuses: (order: Order, at: At) => string | undefined
  readonly stateText: (order: Order, at: At) => string
  /** `undefined` if no limit is set, or nothing reverses it. */
  readonly flips: (order: Order, at: At, passes: boolean) => string | undefined
}

const unset = "not set"

const byHold = (
  name: LimitName,
  idleText: string,
  isOfIt: (code: string) => boolean = (code) => code === name,
  begins?: string
): LimitRow => {
  const holdOf = ({ desired }: Sized, { held }: LimitInputs) =>
    held.find((hold) => isOfIt(hold.code) && isFor(hold, desired))
  return {
    name,
    forSuccessors: true,
    refuses: (order, at) => holdOf(order, at)?.text,
    stateText: () => idleText,
    flips: (order, at) => {
      const hold = holdOf(order, at)
      return hold === undefined ? begins : (liftedBy(hold) ?? "the end of this hold")
    }
  }
}

const ofEntries = <Order extends { readonly desired: Priced }, At>(row: LimitRow<Order, At>): LimitRow<Order, At> => {
  const isSpared = ({ desired }: Order) => desired.isExit === true
  return {
    ...row,
    refuses: (order, at) => (isSpared(order) ? undefined : row.refuses(order, at)),
    stateText: (order, at) => `${row.stateText(order, at)}${isSpared(order) ? ", which does not apply to exits" : ""}`,
    flips: (order, at, passes) => (isSpared(order) ? undefined : row.flips(order, at, passes))
  }
}

const byCount = <At>(
  name: LimitName,
  [noun, where]: readonly [noun: string, where: string],
  figures: (at: At) => { readonly count: number; readonly most: number | undefined },
  forSuccessors?: true
): LimitRow<Pick<Sized<Priced>, "desired">, At> => {
  const many = (count: number) => `${countText(count, noun)}${where}`
  return ofEntries({
    name,
    ...present({ forSuccessors }),
    refuses: (_, at) => {
      const { count, most } = figures(at)
      return most === undefined || count < most ? undefined : `${many(count)}, the maximum is ${most}`
    },
    stateText: (_, at) => {
      const { count, most } = figures(at)
      return `${many(count)}, ${most === undefined ? "no limit set" : `at most ${most}`}`
    },
    flips: (_, at, passes) => {
      const { most } = figures(at)
      return most === undefined ? undefined : passes ? many(most) : `fewer than ${many(most)}`
    }
  })
}

const quietHours = ofEntries<Pick<Sized<Priced>, "desired">, Pick<LimitInputs, "limits" | "now">>({
  name: "quiet-hours",
  forSuccessors: true,
  refuses: (_, at) => MarketLimits.quietness(at),
  stateText: (_, { limits: { quietHours } }) => {
    if (quietHours === undefined) return unset
    const { fromMinute, toMinute } = quietHours
    return `from ${MarketLimits.timeOfDay(fromMinute)} to ${MarketLimits.timeOfDay(toMinute)}`
  },
  flips: (_, { limits: { quietHours } }, passes) =>
    quietHours && `the time ${MarketLimits.timeOfDay(passes ? quietHours.fromMinute : quietHours.toMinute)}`
})

const stalePrice: LimitRow = {
  name: "stale-price",
  forSuccessors: true,
  refuses: (_, at) => MarketLimits.staleness(at),
  stateText: (_, { now, price }) => `the price was ${now - price.at} ms old`,
  flips: (_, { limits }, passes) => `a price ${passes ? "older" : "younger"} than ${limits.staleAfterMillis} ms`
}

const farthestMid = ({ side, price }: Priced, limits: Limits): Decimal.Decimal | undefined => {
  const factor = MarketLimits.worstShareOfMid(side, limits)
  return Decimal.isPositive(factor) ? Decimal.divide(price, factor, 8, side === "BUY" ? "up" : "down") : undefined
}

const priceDeviation: LimitRow<Pick<Sized<Priced>, "desired">, MarketLimits.PricedLimits> = {
  name: "price-deviation",
  forSuccessors: true,
  refuses: (order, at) => {
    const reason = MarketLimits.badDeviation(order.desired, at)
    if (reason === undefined) return undefined
    return `${reason}; it waits for ${priceDeviation.flips(order, at, false)}, or raise limits.maxPriceDeviation`
  },
  stateText: ({ desired: { price, side } }, at) =>
    `${side} at ${Decimal.format(price)}, mid ${Decimal.short(Market.mid(at.price))}`,
  flips: ({ desired }, { limits }, passes) => {
    const mid = farthestMid(desired, limits)
    const isBuy = desired.side === "BUY"
    return mid && `a mid ${isBuy === passes ? "below" : "above"} ${Decimal.short(mid)}`
  }
}

export const executable = (side: Market.Side, { bid, ask }: Market.BidAsk): Market.Price => (side === "BUY" ? ask : bid)

const swapPrice: LimitRow = {
  name: "swap-price",
  forSuccessors: true,
  refuses: ({ desired: { by, price: limit, side } }, { price }) => {
    if (by !== "swap") return undefined
    const now = executable(side, price)
    const [dear, cheap] = side === "BUY" ? [now, limit] : [limit, now]
    if (!Decimal.isGreater(dear, cheap)) return undefined
    const missing = Decimal.divide(Decimal.subtract(dear, cheap), limit, 4, "up")
    return `A swap would return ${percent(Decimal.toNumber(missing))} less than allowed: at ${Decimal.format(now)}, the limit is ${Decimal.format(limit)}`
  },
  stateText: ({ desired: { by, price, side } }, at) =>
    by === "swap"
      ? `a swap at ${Decimal.short(executable(side, at.price))}, at worst ${Decimal.format(price)}`
      : "not by a swap",
  flips: ({ desired: { by, price, side } }, _, passes) => {
    if (by !== "swap") return undefined
    const isBuy = side === "BUY"
    return `${isBuy ? "an ask" : "a bid"} ${isBuy === passes ? "above" : "below"} ${Decimal.format(price)}`
  }
}

const leavingOrders: LimitRow = {
  name: "leaving-orders",
  refuses: (_, { leavingBase, market }) =>
    leavingBase === 0n
      ? undefined
      : `It waits for conflicting orders to end: they may still fill ${formatWithSymbol(leavingBase, market.base)}`,
  stateText: (_, { leavingBase, market }) => `${formatWithSymbol(leavingBase, market.base)} in conflicting orders`,
  flips: (_order, _at, passes) => (passes ? undefined : "the end of those orders")
}

const inputText = (market: Market.Market, { side }: Priced, amount: Amount): string =>
  formatWithSymbol(amount, Market.inputAsset(market, side))

const tiny: LimitRow = {
  name: "tiny",
  refuses: ({ inputAmount, outputAmount }) =>
    inputAmount > 0n && outputAmount > 0n ? undefined : "The order rounds to nothing",
  stateText: ({ desired, inputAmount }, { market }) => `deposits ${inputText(market, desired, inputAmount)}`,
  flips: () => undefined
}

/** Judges an exit after a stop by the whole position, so that it may be any part of a position that is worth the minimum. */
const minimum = ({ desired, value }: Sized, { limits: { minOrder: least }, market, position }: LimitInputs) => {
  const whole = stoppedValue(market, desired, position)
  const [noun, worth] = whole > value ? (["whole position", whole] as const) : (["value", value] as const)
  const text = (amount: Amount) => formatWithSymbol(amount, market.quote)
  return least === undefined ? undefined : { noun, isBelow: worth < least, worth: text(worth), least: text(least) }
}

const minOrder: LimitRow = {
  name: "min-order",
  refuses: (order, at) => {
    const its = minimum(order, at)
    return its?.isBelow === true ? `Its ${its.noun} of ${its.worth} is below the minimum of ${its.least}` : undefined
  },
  stateText: (order, at) => {
    const its = minimum(order, at)
    return its === undefined ? unset : `${its.noun} ${its.worth}, at least ${its.least}`
  },
  flips: (order, at, passes) => {
    const its = minimum(order, at)
    return its && (passes ? `a ${its.noun} below ${its.least}` : `a ${its.noun} of ${its.least} or more`)
  }
}

const notional = ofEntries<
  Pick<Sized<Priced>, "desired" | "value">,
  Pick<LimitInputs, "limits" | "market" | "openNotional">
>({
  name: "notional",
  refuses: ({ value }, { limits: { maxNotional }, market, openNotional }) =>
    maxNotional === undefined || openNotional + value <= maxNotional
      ? undefined
      : `Open orders would total ${formatWithSymbol(openNotional + value, market.quote)}, the maximum is ${formatWithSymbol(maxNotional, market.quote)}`,
  stateText: ({ value }, { limits: { maxNotional }, market, openNotional }) =>
    maxNotional === undefined
      ? unset
      : `${formatWithSymbol(openNotional + value, market.quote)} of ${formatWithSymbol(maxNotional, market.quote)} with it`,
  flips: ({ value }, { limits: { maxNotional }, market }, passes) => {
    if (maxNotional === undefined) return undefined
    const rest = formatWithSymbol(max(0n, maxNotional - value), market.quote)
    return `other open orders of ${passes ? "more than" : "at most"} ${rest}`
  }
})

const ordersPerHour = byCount<Pick<LimitInputs, "limits" | "lastHour">>(
  "orders-per-hour",
  ["order", " in the last hour"],
  ({ lastHour, limits }) => ({ count: lastHour, most: limits.maxOrdersPerHour }),
  true
)

const allExposure: LimitRow = ofEntries({
  name: "all-exposure",
  refuses: ({ desired, inputAmount }, { market, overall: { exposure, maxExposure } }) => {
    if (maxExposure === undefined || exposure + inputAmount <= maxExposure) return undefined
    const sum = inputText(market, desired, exposure + inputAmount)
    return `All strategies would have ${sum} in orders, the maximum is ${inputText(market, desired, maxExposure)}`
  },
  stateText: ({ desired, inputAmount }, { market, overall: { exposure, maxExposure } }) =>
    maxExposure === undefined
      ? unset
      : `${inputText(market, desired, exposure + inputAmount)} of ${inputText(market, desired, maxExposure)} with it`,
  flips: ({ desired, inputAmount }, { market, overall: { maxExposure } }) =>
    maxExposure === undefined ? undefined : `${inputText(market, desired, maxExposure - inputAmount)} outside before it`
})

const budget: LimitRow = {
  name: "budget",
  forSuccessors: "exits",
  refuses: ({ desired, inputAmount }, { free, market }) =>
    inputAmount <= free
      ? undefined
      : `It needs ${inputText(market, desired, inputAmount)}, the strategy has ${inputText(market, desired, free)} free`,
  stateText: ({ desired, inputAmount }, { free, market }) =>
    `needs ${inputText(market, desired, inputAmount)}, ${inputText(market, desired, free)} free`,
  flips: ({ desired, inputAmount }, { market }, passes) =>
    `${passes ? "less than " : ""}${inputText(market, desired, inputAmount)} free`
}

/** Checked in this order: the first refusal is reported. */
export const orderLimits: ReadonlyArray<LimitRow> = [
  byHold("kill-switch", "off", undefined, "limitbot kill"),
  byHold("frozen", "not frozen"),
  byHold("paused", "not paused"),
  byHold("held", "not held", (code) => !holdsOfTheirOwn.some((own) => own === code)),
  quietHours,
  stalePrice,
  priceDeviation,
  swapPrice,
  leavingOrders,
  byCount<LimitInputs>("open-orders", ["open order", ""], ({ limits, openOrders }) => ({
    count: openOrders,
    most: limits.maxOpenOrders
  })),
  tiny,
  minOrder,
  notional,
  ordersPerHour,
  byCount<LimitInputs>(
    "all-open-orders",
    ["open order", " of all strategies"],
    ({ overall: { maxOpenOrders, openOrders } }) => ({ count: openOrders, most: maxOpenOrders })
  ),
  byCount<LimitInputs>(
    "all-orders-per-hour",
    ["order", " of all strategies in the last hour"],
    ({ overall: { lastHour, maxOrdersPerHour } }) => ({ count: lastHour, most: maxOrdersPerHour }),
    true
  ),
  allExposure,
  budget
]

declare const approved: unique symbol

/** An order that the limits let pass. Only `check` makes it, so no order of a strategy is sent unchecked. */
export interface Approved extends Sized {
  readonly [approved]: true
}

export interface Denied {
  readonly limit: LimitName
  readonly reason: string
}

const refusalBy = (limits: typeof orderLimits, order: Sized, at: LimitInputs): Denied | undefined => {
  for (const { name: limit, refuses } of limits) {
    const reason = refuses(order, at)
    if (reason !== undefined) return { limit, reason }
  }
  return undefined
}

export const check = (desired: DesiredOrder, at: LimitInputs): Result.Result<Approved, Denied> => {
  const order = sized(desired, at.market)
  const denied = refusalBy(orderLimits, order, at)
  return denied === undefined ? Result.succeed(order as Approved) : Result.fail(denied)
}

/** Reason why the order could not be placed now if its slot were empty. `at` includes the money of the open order there. */
export const refusalOfSuccessor = (desired: DesiredOrder, at: LimitInputs): Denied | undefined => {
  const rowsForSuccessors = orderLimits.filter(
    ({ forSuccessors }) => forSuccessors === true || (forSuccessors === "exits" && desired.isExit === true)
  )
  return refusalBy(rowsForSuccessors, sized(desired, at.market), at)
}

/** The first limit that refuses every order except exits now: for backtests, which keep their own accounts. */
export const shutBy = ({
  lost,
  ...at
}: Pick<LimitInputs, "now" | "limits"> & { readonly lost: string | undefined }): LimitName | undefined =>
  lost !== undefined ? "paused" : MarketLimits.quietness(at) === undefined ? undefined : "quiet-hours"

const thatRunsCanBreak = [priceDeviation, notional, ordersPerHour]

export const refusedBy = (
  desired: Priced,
  at: MarketLimits.PricedLimits & Pick<LimitInputs, "market" | "openNotional" | "lastHour">,
  isSuccessor: boolean
): LimitName | undefined => {
  const order = sized(desired, at.market)
  return thatRunsCanBreak.find(
    ({ forSuccessors, refuses }) => (!isSuccessor || forSuccessors === true) && refuses(order, at) !== undefined
  )?.name
}
