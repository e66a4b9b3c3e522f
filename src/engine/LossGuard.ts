/**
 * Watches what a strategy's holdings are worth, in its quote asset, against its loss limits. Worth counts every unit wherever
 * it is (wallet, orders, payments under way) at the mid, less fees; a daily loss is counted from midnight UTC, a drawdown
 * from the highest worth so far. A daily pause ends with the day, a drawdown's when the strategy file is changed: somebody
 * has to have looked.
 */
import { type Amount, formatWithSymbol, max } from "../domain/Amount.ts"
import type { BotEvent } from "../domain/BotEvent.ts"
import * as Decimal from "../domain/Decimal.ts"
import * as Ledger from "../domain/Ledger.ts"
import { mid, quoteAmount } from "../domain/Market.ts"
import { marketsOf, type Strategy } from "../strategy/Strategy.ts"
import { priceIn } from "../strategy/View.ts"
import { type BotState, utcDay } from "./BotState.ts"
import type { Moment } from "./Planning.ts"

/** What all of the strategy's assets are worth now, quote smallest units, rounded down. */
export const equity = (state: BotState, strategy: Strategy, { price, elsewhere }: Moment): Amount => {
  const { name, market } = strategy
  const owned = (symbol: string) => Ledger.ownedBy(state.ledger, name, symbol)
  return marketsOf(strategy).reduce((sum, each) => {
    const now = priceIn({ market, price, elsewhere }, each.name)
    return now === undefined ? sum : sum + quoteAmount(each, owned(each.base.symbol), mid(now), "down")
  }, owned(market.quote.symbol))
}

/** Marks of the day, and pauses that begin or end; nothing for a strategy without loss limits. */
export const check = (state: BotState, strategy: Strategy, moment: Moment): ReadonlyArray<BotEvent> => {
  const { maxDailyLoss, maxDrawdown, onLoss = "pause" } = strategy.limits
  if (maxDailyLoss === undefined && maxDrawdown === undefined) return []
  const { name, market } = strategy
  const known = state.strategies.get(name)
  const worth = equity(state, strategy, moment)
  const today = utcDay(moment.now)
  const marked = known?.equity
  const peak = max(worth, marked?.peak ?? worth)
  // A new day is marked; so is a peak that is a thousandth higher, so that a restart remembers it closely enough.
  const isNews = marked === undefined || marked.day !== today || peak - marked.peak > marked.peak / 1000n
  const atStart = marked?.day === today ? marked.atStart : worth
  const mark = {
    _tag: "EquityMarked",
    strategy: name,
    asset: market.quote.symbol,
    day: today,
    equity: atStart,
    peak
  } as const
  const events: Array<BotEvent> = isNews ? [mark] : []

  const { paused } = known ?? {}
  if (paused !== undefined) {
    if (paused.limit === "daily-loss" && paused.day !== today) {
      return [...events, { _tag: "Resumed", strategy: name, reason: "a new day began" }]
    }
    return events
  }
  const shown = (amount: Amount) => formatWithSymbol(amount, market.quote)
  if (maxDailyLoss !== undefined && atStart - worth > maxDailyLoss) {
    const reason = `It lost ${shown(atStart - worth)} since midnight UTC, more than ${shown(maxDailyLoss)}`
    return [...events, { _tag: "Paused", strategy: name, limit: "daily-loss", action: onLoss, reason }]
  }
  const floor = maxDrawdown === undefined ? undefined : lowest(peak, maxDrawdown)
  if (floor !== undefined && worth < floor) {
    const reason = `It is worth ${shown(worth)}, less than ${shown(floor)} after a peak of ${shown(peak)}`
    return [...events, { _tag: "Paused", strategy: name, limit: "drawdown", action: onLoss, reason }]
  }
  return events
}

/** The worth below which a drawdown from the peak is too deep. */
const lowest = (peak: Amount, drawdown: Decimal.Decimal): Amount => {
  const left = Decimal.multiply(Decimal.make(peak), Decimal.subtract(Decimal.one, drawdown))
  return Decimal.divideInteger(left.digits, 10n ** BigInt(left.scale), "down")
}
