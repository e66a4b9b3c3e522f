/**
 * Applies a strategy's own limits in one market of a run, by the rules of the engine. An order that only a limit refuses waits and is tried
 * again at every close that may release it. It counts once under that limit. A run whose only such limit is `maxPriceDeviation`, which
 * every strategy has, begins without a guard. It is repeated with one if an order breaks the limit.
 */
import { exactPrice } from "../../../candles/Candles.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { BidAsk, Market } from "../../../domain/Market.ts"
import { badDeviation } from "../../../engine/holds/MarketLimits.ts"
import { type LimitName, refusedBy } from "../../../engine/planning/OrderLimits.ts"
import type { Limits } from "../../../strategy/Strategy.ts"
import type { AskAgain } from "./AskAgain.ts"
import type { Conditions } from "./Conditions.ts"
import { type FillRules, isImmediate, reachOf } from "./FillRules.ts"
import type { OrderRow } from "./orders/OrderTable.ts"
import type { SlotState } from "./orders/SlotState.ts"
import type { LimitAccount } from "./state/LimitAccount.ts"

type Denial = Readonly<ReturnType<typeof denialOf>>

export type LimitGuard = Readonly<ReturnType<typeof make>>

interface NewOrder {
  readonly row: OrderRow
  readonly market: Market
  readonly rules: FillRules
  readonly now: number
  readonly close: number
  readonly fillsAt: number
  readonly priceScale: number
  readonly isSuccessor: boolean
}

const onlyThePrice = (limits: Limits): boolean =>
  limits.maxDailyLoss === undefined &&
  limits.maxDrawdown === undefined &&
  limits.quietHours === undefined &&
  limits.maxNotional === undefined &&
  limits.maxOrdersPerHour === undefined

export const make = (account: Readonly<LimitAccount>) => ({
  account,
  onlyThePrice: onlyThePrice(account.limits),
  deviation: Decimal.toNumber(account.limits.maxPriceDeviation),
  /** Slots whose order only a limit keeps back, in an empty slot or behind an open order. */
  denials: new Map<SlotState, Denial>()
})

/** True if orders fill whole and at once, and no limit but `maxPriceDeviation` is set. A run without a guard is then tried first. */
export const isQuick = ({ rules, limits }: Pick<Conditions, "rules" | "limits">): boolean =>
  isImmediate(rules) && (limits === undefined || (onlyThePrice(limits) && isMarketableFirst(rules, limits)))

/** True if an order that breaks the price limit is always marketable: it lies beyond the close by more than a fill requires. */
const isMarketableFirst = (rules: FillRules, { maxPriceDeviation }: Limits): boolean =>
  rules.touch !== "through" && 1 / reachOf(rules, "BUY") - 1 < Decimal.toNumber(maxPriceDeviation)

/** True if a close may release a waiting order or trigger a loss limit. */
export const isWatching = ({ account, denials }: LimitGuard): boolean => account.watchesLosses || denials.size > 0

/** True if every close must be checked, or the next one because money or orders have changed since the last check. */
export const isWatchingAll = (guard: LimitGuard, changes: number): boolean =>
  guard.denials.size > 0 && (hasChanged(guard, changes) || !guard.onlyThePrice)

export const hasChanged = ({ account }: LimitGuard, changes: number): boolean => changes > account.changesSeen

export const orFreed = (guard: LimitGuard, ask: AskAgain): AskAgain => {
  if (guard.denials.size === 0) return ask
  let { below, above } = ask
  for (const denial of guard.denials.values()) {
    below = Math.max(below, denial.below)
    above = Math.min(above, denial.above)
  }
  return { ...ask, below, above }
}

/** Margin for rounding. Closes within it are checked exactly. */
const hair = 1e-9

/** For limits on the price: closes at or below `below`, or at or above `above`, may release the order. */
const denialOf = ({ side, price }: OrderRow, limit: LimitName, deviation: number, fillsAt: number) => {
  if (limit === "swap-price") {
    // Beyond these closes, the price limit keeps the swap back instead.
    const [above, below] = [(1 - hair) / (1 - deviation), (1 + hair) / (1 + deviation)]
    return {
      limit,
      below: side === "BUY" ? Math.max(fillsAt, Decimal.toNumber(price) * below) : Number.NEGATIVE_INFINITY,
      above: side === "SELL" ? Math.min(fillsAt, Decimal.toNumber(price) * above) : Number.POSITIVE_INFINITY
    }
  }
  const freed = side === "BUY" ? (1 - hair) / (1 + deviation) : (1 + hair) / (1 - deviation)
  const close = Decimal.toNumber(price) * freed
  return {
    limit,
    below: side === "SELL" ? close : Number.NEGATIVE_INFINITY,
    above: side === "BUY" ? close : Number.POSITIVE_INFINITY
  }
}

/** True during a drain: the strategy runs, but its decisions are ignored and all orders are cancelled. */
export const isDrained = (guard: LimitGuard | undefined): boolean => guard?.account.stop?.action === "drain"

const priceOf = (close: number): BidAsk => {
  const price = exactPrice(close)
  return { bid: price, ask: price }
}

/** True if the order's price is too far from the last close, to our loss. */
export const deviates = (row: OrderRow, close: number, limits: Limits): boolean =>
  badDeviation(row, { price: priceOf(close), limits }) !== undefined

/** A cheap test: false only if the order certainly does not deviate, which is the usual case. */
const mayDeviate = ({ row, rules, close, fillsAt, priceScale }: NewOrder, { deviation }: LimitGuard): boolean => {
  const ticks = 2 / 10 ** priceScale
  const reach = reachOf(rules, row.side)
  return row.side === "BUY"
    ? ((fillsAt + ticks) / reach) * (1 + hair) > close * (1 + deviation)
    : ((fillsAt - ticks) / reach) * (1 - hair) < close * (1 - deviation)
}

/** True if no order can be released now, because one limit refuses all waiting orders, as before. */
export const isShut = ({ account, denials }: LimitGuard, now: number): boolean => {
  const shut = account.closedBy(now)
  if (shut === undefined) return false
  for (const { limit } of denials.values()) if (limit !== shut) return false
  return true
}

/** True if a swap must wait because the venue would quote it below its limit. */
const isTooDear = ({ row, fillsAt, close }: NewOrder): boolean =>
  row.by !== undefined && (row.side === "BUY" ? close > fillsAt : close < fillsAt)

const refusal = (order: NewOrder, guard: LimitGuard): LimitName | undefined => {
  const { row, market, now, close, isSuccessor } = order
  const { account, onlyThePrice } = guard
  const { limits } = account
  if (onlyThePrice) {
    if (mayDeviate(order, guard) && deviates(row, close, limits)) return "price-deviation"
    return isTooDear(order) ? "swap-price" : undefined
  }
  const shut = row.isExit === true ? undefined : account.closedBy(now)
  if (shut !== undefined) return shut
  const openNotional = limits.maxNotional === undefined ? 0n : account.openNotional
  const price = priceOf(close)
  const refused = refusedBy(row, { market, limits, price, openNotional, lastHour: account.lastHour(now) }, isSuccessor)
  return refused !== "price-deviation" && isTooDear(order) ? "swap-price" : refused
}

/** Denies the slot this order if a limit refuses it, and returns true if so. */
export const denies = (guard: LimitGuard, slot: SlotState, order: NewOrder): boolean => {
  const limit = refusal(order, guard)
  if (limit === undefined) return false
  const { account, deviation, denials } = guard
  // Counted if another limit, or none, kept it back before.
  if (denials.get(slot)?.limit !== limit) account.deny(limit)
  denials.set(slot, denialOf(order.row, limit, deviation, order.fillsAt))
  return true
}
