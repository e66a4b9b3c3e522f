/**
 * Checks the equity of a strategy, in its quote asset, against its loss limits. Every unit counts wherever it is (wallet, orders, payments
 * under way), at the mid, less fees. A change of the budget is capital and moves the marks. A daily loss counts from midnight UTC, and its
 * pause ends with the day. A drawdown counts from the highest equity so far, and its pause ends when the operator resumes the strategy or
 * changes its file.
 *
 * One odd price is no loss and no gain: only a loss or a peak that the last two polls both show counts.
 */
import { type Amount, type Asset, formatWithSymbol, max, min } from "../../domain/Amount.ts"
import type { BotEvent } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { utcDay } from "../../domain/Durations.ts"
import * as Ledger from "../../domain/Ledger.ts"
import { mid, quoteAmount } from "../../domain/Market.ts"
import { type Limits, marketsOf, type Strategy } from "../../strategy/Strategy.ts"
import { priceIn } from "../../strategy/View.ts"
import { whyStopped } from "../holds/FundingStop.ts"
import type { BotState } from "../state/BotState.ts"
import type { MarketMoment } from "./DecisionRecord.ts"

/** Value of all the strategy's assets now, in quote smallest units, rounded down. */
export const equity = (state: BotState, strategy: Strategy, moment: MarketMoment): Amount =>
  worthOf(strategy, (symbol) => Ledger.ownedBy(state.ledger, strategy.name, symbol), moment)

const worthOf = (strategy: Strategy, owned: (symbol: string) => Amount, { price, elsewhere }: MarketMoment): Amount => {
  const { market } = strategy
  return marketsOf(strategy).reduce((sum, each) => {
    const now = priceIn({ market, price, elsewhere }, each.name)
    return now === undefined ? sum : sum + quoteAmount(each, owned(each.base.symbol), mid(now), "down")
  }, owned(market.quote.symbol))
}

/** Returns marks of the day, and pauses that begin or end; nothing without loss limits. `before` is the poll before this one, if any. */
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
  const flow = worthOf(strategy, (symbol) => strategyState?.flows.get(symbol) ?? 0n, moment)
  const last = strategyState?.equity
  // Added or removed capital moves the marks; only trading and prices make profit and loss.
  const moved = last === undefined ? undefined : { ...last, atStart: last.atStart + flow, peak: last.peak + flow }
  const { marks, isNews } = marked(moved, worths.reduce(min), moment.now)
  const { day, atStart, peak } = marks
  const asset = market.quote.symbol
  const mark: BotEvent = { _tag: "EquityMarked", strategy: name, asset, day, equity: atStart, peak }
  const events = isNews || flow !== 0n ? [mark] : []
  if (strategyState?.paused !== undefined) {
    return isOver(strategyState.paused, moment.now) && whyStopped(strategyState) === undefined
      ? [...events, { _tag: "Resumed", strategy: name, reason: "a new day began" }]
      : events
  }
  const loss = before === undefined ? undefined : lossOf(strategy.limits, marks, worths.reduce(max), market.quote)
  return loss === undefined ? events : [...events, { _tag: "Paused", strategy: name, ...loss, action: onLoss }]
}

/** Marks from which losses count: the equity at the first poll of a UTC day, and the highest equity. */
export interface LossMarks {
  readonly day: number
  readonly atStart: Amount
  readonly peak: Amount
}

/** `isNews` is true if the marks must be stored: on a new day, and after each thousandth that the peak rises, for a restart. */
export const marked = (before: LossMarks | undefined, worth: Amount, now: number) => {
  const day = utcDay(now)
  const peak = max(worth, before?.peak ?? worth)
  const atStart = before?.day === day ? before.atStart : worth
  const isNews = before === undefined || before.day !== day || peak - before.peak > before.peak / 1000n
  return { marks: { day, atStart, peak }, isNews }
}

export const lossOf = (
  { maxDailyLoss, maxDrawdown }: Pick<Limits, "maxDailyLoss" | "maxDrawdown">,
  { atStart, peak }: LossMarks,
  worth: Amount,
  quote: Asset
): { readonly limit: "daily-loss" | "drawdown"; readonly reason: string } | undefined => {
  const quoteText = (amount: Amount) => formatWithSymbol(amount, quote)
  if (maxDailyLoss !== undefined && atStart - worth > maxDailyLoss) {
    const reason = `Lost ${quoteText(atStart - worth)} since midnight UTC, more than ${quoteText(maxDailyLoss)}`
    return { limit: "daily-loss", reason }
  }
  const floor = maxDrawdown === undefined ? undefined : lowest(peak, maxDrawdown)
  if (floor === undefined || worth >= floor) return undefined
  return {
    limit: "drawdown",
    reason: `Equity is ${quoteText(worth)}, below ${quoteText(floor)} after a peak of ${quoteText(peak)}`
  }
}

const lowest = (peak: Amount, drawdown: Decimal.Decimal): Amount => {
  const exactFloor = Decimal.multiply(Decimal.make(peak), Decimal.subtract(Decimal.one, drawdown))
  return Decimal.divideInteger(exactFloor.digits, Decimal.powerOfTen(exactFloor.scale), "down")
}

export const isOver = (pause: { readonly limit: string; readonly day: number }, now: number): boolean =>
  pause.limit === "daily-loss" && pause.day !== utcDay(now)
