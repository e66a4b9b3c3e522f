/**
 * Checks the equity of a strategy, in its quote asset, against its loss limits. Every unit counts wherever it is (wallet, orders, payments
 * under way), at the mid, less fees. A change of the budget is capital and moves the marks. A daily loss counts from midnight UTC, a
 * drawdown from the highest equity so far. A daily pause ends with the day. A drawdown pause ends when the strategy file is changed,
 * because then the operator has checked it.
 *
 * One odd price is no loss and no gain: only a loss or a peak that the last two polls both show counts.
 */
import { type Amount, max, min } from "../../domain/Amount.ts"
import type { BotEvent } from "../../domain/BotEvent.ts"
import * as Ledger from "../../domain/Ledger.ts"
import { mid, quoteAmount } from "../../domain/Market.ts"
import { marketsOf, type Strategy } from "../../strategy/Strategy.ts"
import { priceIn } from "../../strategy/View.ts"
import type { BotState } from "../state/BotState.ts"
import type { MarketMoment } from "./DecisionRecord.ts"
import { isOver, lossOf, marked } from "./RiskLimits.ts"

/** Value of all the strategy's assets now, in quote smallest units, rounded down. */
export const equity = (state: BotState, strategy: Strategy, moment: MarketMoment): Amount =>
  worthOf(strategy, (symbol) => Ledger.ownedBy(state.ledger, strategy.name, symbol), moment)

const flowOf = (strategy: Strategy, flows: ReadonlyMap<string, Amount>, moment: MarketMoment): Amount =>
  worthOf(strategy, (symbol) => flows.get(symbol) ?? 0n, moment)

const worthOf = (strategy: Strategy, owned: (symbol: string) => Amount, { price, elsewhere }: MarketMoment): Amount => {
  const { market } = strategy
  return marketsOf(strategy).reduce((sum, each) => {
    const now = priceIn({ market, price, elsewhere }, each.name)
    return now === undefined ? sum : sum + quoteAmount(each, owned(each.base.symbol), mid(now), "down")
  }, owned(market.quote.symbol))
}

/**
 * Returns marks of the day, and pauses that begin or end; nothing for a strategy without loss limits. `before` is the poll before this one;
 * absent for the first.
 */
export const check = (
  state: BotState,
  strategy: Strategy,
  moment: MarketMoment,
  before: MarketMoment | undefined
): ReadonlyArray<BotEvent> => {
  const { maxDailyLoss, maxDrawdown, onLoss = "pause" } = strategy.limits
  if (maxDailyLoss === undefined && maxDrawdown === undefined) return []
  const { name, market } = strategy
  const strategyState = state.strategies.get(name)
  const worths = [before ?? moment, moment].map((each) => equity(state, strategy, each))
  const flow = flowOf(strategy, strategyState?.flows ?? new Map(), moment)
  const last = strategyState?.equity
  // Added or removed capital moves the marks; only trading and prices make profit and loss.
  const moved = last === undefined ? undefined : { ...last, atStart: last.atStart + flow, peak: last.peak + flow }
  const { marks, isNews } = marked(moved, worths.reduce(min), moment.now)
  const { day, atStart, peak } = marks
  const asset = market.quote.symbol
  const mark: BotEvent = { _tag: "EquityMarked", strategy: name, asset, day, equity: atStart, peak }
  const events = isNews || flow !== 0n ? [mark] : []
  if (strategyState?.paused !== undefined) {
    return isOver(strategyState.paused, moment.now)
      ? [...events, { _tag: "Resumed", strategy: name, reason: "a new day began" }]
      : events
  }
  const loss = before === undefined ? undefined : lossOf(strategy.limits, marks, worths.reduce(max), market.quote)
  return loss === undefined ? events : [...events, { _tag: "Paused", strategy: name, ...loss, action: onLoss }]
}
