/**
 * Watches what a strategy's holdings are worth, in its quote asset, against its loss limits. Worth counts every unit wherever
 * it is (wallet, orders, payments under way) at the mid, less fees; a daily loss is counted from midnight UTC, a drawdown
 * from the highest worth so far. A daily pause ends with the day, a drawdown's when the strategy file is changed: somebody
 * has to have looked.
 */
import type { Amount } from "../../domain/Amount.ts"
import type { BotEvent } from "../../domain/BotEvent.ts"
import * as Ledger from "../../domain/Ledger.ts"
import { mid, quoteAmount } from "../../domain/Market.ts"
import { marketsOf, type Strategy } from "../../strategy/Strategy.ts"
import { priceIn } from "../../strategy/View.ts"
import type { BotState } from "../state/BotState.ts"
import type { Moment } from "./Planning.ts"
import { isOver, lossOf, marked } from "./RiskLimits.ts"

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
  const { marks, isNews } = marked(known?.equity, worth, moment.now)
  const { day, atStart, peak } = marks
  const asset = market.quote.symbol
  const mark: BotEvent = { _tag: "EquityMarked", strategy: name, asset, day, equity: atStart, peak }
  const events = isNews ? [mark] : []
  if (known?.paused !== undefined) {
    return isOver(known.paused, moment.now)
      ? [...events, { _tag: "Resumed", strategy: name, reason: "a new day began" }]
      : events
  }
  const loss = lossOf(strategy.limits, marks, worth, market.quote)
  return loss === undefined ? events : [...events, { _tag: "Paused", strategy: name, ...loss, action: onLoss }]
}
