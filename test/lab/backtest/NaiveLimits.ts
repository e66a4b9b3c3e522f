/** A strategy's limits written down once more, for the plain loop: what an order is held against, and what worth is. */
import { type Amount, max } from "../../../src/domain/Amount.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Price, Side } from "../../../src/domain/Market.ts"
import type { LimitName } from "../../../src/engine/planning/OrderLimits.ts"
import type { Limits } from "../../../src/strategy/Strategy.ts"

interface Asked {
  readonly now: number
  readonly side: Side
  readonly price: Price
  readonly close: Price
  /** A swap whose price is worse than its limit. */
  readonly isDear: boolean
  readonly isExit: boolean
  /** It can take the place of another order only once that is gone. */
  readonly isSuccessor: boolean
  /** Orders that are on their way out for a better one. */
  readonly moving: number
  /** Of the order, and of all that are open. */
  readonly value: Amount
  readonly open: Amount
}

const dayMillis = 86_400_000

export const naiveLimits = (limits: Limits | undefined) => {
  const placedAt: Array<number> = []
  const denied = new Map<LimitName, number>()
  const stops: Array<{ from: number; until?: number; limit: string }> = []
  let marks: { day: number; atStart: Amount; peak: Amount } | undefined

  const stopped = () => stops.find(({ until }) => until === undefined)
  const gives = ({ side, price, close }: Asked, deviation: Decimal.Decimal): boolean => {
    const given = side === "BUY" ? Decimal.subtract(price, close) : Decimal.subtract(close, price)
    return Decimal.compare(given, Decimal.multiply(close, deviation)) > 0
  }
  const isQuiet = (now: number, { fromMinute, toMinute }: { fromMinute: number; toMinute: number }): boolean => {
    const minute = Math.floor((now % dayMillis) / 60_000)
    const after = (from: number) => (minute - from + 1440) % 1440
    return after(fromMinute) < (toMinute - fromMinute + 1440) % 1440
  }
  const heldBy = (now: number): LimitName | undefined => {
    if (stopped() !== undefined) return "paused"
    return limits?.quietHours !== undefined && isQuiet(now, limits.quietHours) ? "quiet-hours" : undefined
  }
  const refusal = (asked: Asked): LimitName | undefined => {
    if (limits === undefined) return undefined
    const { maxPriceDeviation, maxNotional, maxOrdersPerHour } = limits
    const held = asked.isExit ? undefined : heldBy(asked.now)
    if (held !== undefined) return held
    if (gives(asked, maxPriceDeviation)) return "price-deviation"
    if (asked.isDear) return "swap-price"
    if (asked.isExit) return undefined
    const isFull = maxNotional !== undefined && asked.open + asked.value > maxNotional
    if (isFull && !asked.isSuccessor) return "notional"
    const lastHour = placedAt.filter((time) => asked.now - time < 3_600_000).length + asked.moving
    return maxOrdersPerHour !== undefined && lastHour >= maxOrdersPerHour ? "orders-per-hour" : undefined
  }
  /** Says whether orders are to be withdrawn from now on, or no longer. */
  const look = (now: number, worth: Amount): boolean => {
    if (limits?.maxDailyLoss === undefined && limits?.maxDrawdown === undefined) return false
    const day = Math.floor(now / dayMillis)
    const peak = max(marks?.peak ?? worth, worth)
    const atStart = marks?.day === day ? marks.atStart : worth
    // A peak is kept when it is a thousandth higher.
    if (marks?.day !== day || peak - marks.peak > marks.peak / 1000n) marks = { day, atStart, peak }
    const drains = limits.onLoss === "drain"
    const stop = stopped()
    if (stop !== undefined) {
      const isOver = stop.limit === "daily-loss" && Math.floor(stop.from / dayMillis) !== day
      if (isOver) stop.until = now
      return isOver && drains
    }
    const share = Decimal.subtract(Decimal.one, limits.maxDrawdown ?? Decimal.one)
    const floor = Decimal.roundToStep(Decimal.multiply(Decimal.make(peak), share), Decimal.one, "down")
    const lost = limits.maxDailyLoss !== undefined && atStart - worth > limits.maxDailyLoss
    const fell = limits.maxDrawdown !== undefined && Decimal.compare(Decimal.make(worth), floor) < 0
    if (!lost && !fell) return false
    stops.push({ from: now, limit: lost ? "daily-loss" : "drawdown" })
    return drains
  }
  return {
    heldBy,
    refusal,
    look,
    placed: (now: number) => placedAt.push(now),
    deny: (limit: LimitName) => denied.set(limit, (denied.get(limit) ?? 0) + 1),
    isDrained: () => stopped() !== undefined && limits?.onLoss === "drain",
    denied,
    stops
  }
}
