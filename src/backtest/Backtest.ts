/**
 * One strategy over one series of candles, under the rules of one or both sides of the band. The strategy is the very
 * function that runs live, with its own budget and limits.
 */
import { type Amount, format, max } from "../domain/Amount.ts"
import { quoteAmount } from "../domain/Market.ts"
import type { Strategy } from "../strategy/Strategy.ts"
import { type Candles, exactPrice } from "./Candles.ts"
import { timeframeMillis } from "./Decisions.ts"
import { type Costs, type FillMode, rulesOf } from "./FillModel.ts"
import type { FillRules } from "./FillRules.ts"
import * as Kernel from "./Kernel.ts"
import * as Resample from "./Resample.ts"
import type { Conditions } from "./Run.ts"

export interface Options {
  readonly costs: Costs
  /** Single rules changed by name, on both sides. */
  readonly changes: Partial<FillRules>
  /** What was measured, by side; single rules changed by name come first. */
  readonly measured?: Readonly<Record<FillMode, Partial<FillRules>>>
  /** Keep where every order rested: for pictures. */
  readonly keepsOrders?: boolean
}

export const rulesIn = (mode: FillMode, { costs, changes, measured }: Options): FillRules =>
  rulesOf(mode, costs, { ...measured?.[mode], ...changes })

/** One side of the band. */
export interface Side {
  readonly mode: FillMode
  readonly rules: FillRules
  readonly outcome: Kernel.Outcome
  /** Worth of everything at the last close less worth at the first, quote smallest units. */
  readonly pnlQuote: Amount
  /** Fees in quote; those taken in base at the last close. */
  readonly feesQuote: Amount
  /** What the budget alone would have gained. */
  readonly holdPnlQuote: Amount
}

/** A timeframe of the strategy is shorter than the candles. */
export const tooFine = (strategy: Strategy, candles: Candles): ReadonlyArray<string> =>
  [...(strategy.candles?.keys() ?? [])].filter(
    (timeframe) => (timeframeMillis(timeframe) ?? 0) < candles.time.stepMillis
  )

export const conditionsOf = (strategy: Strategy, candles: Candles, rules: FillRules): Conditions => ({
  market: strategy.market,
  decide: strategy.decide,
  initialMemory: strategy.initialMemory,
  rules: { ...rules, minimumQuote: max(rules.minimumQuote, strategy.limits.minOrder ?? 0n) },
  budget: strategy.limits.budget,
  maxOpenOrders: strategy.limits.maxOpenOrders,
  ...(strategy.candles === undefined
    ? {}
    : {
        timeframes: new Map(
          [...strategy.candles.keys()].map((name) => [name, Resample.of(candles, timeframeMillis(name) ?? 60_000)])
        )
      })
})

/** What amounts are worth in quote at the close of a bar, rounded down. */
const worth = (strategy: Strategy, candles: Candles, bar: number, base: Amount, quote: Amount): Amount =>
  quote + quoteAmount(strategy.market, base, exactPrice(candles.close[bar] ?? 0), "down")

export const run = (
  strategy: Strategy,
  candles: Candles,
  indices: Kernel.Indices,
  mode: FillMode,
  options: Options
): Side => {
  const rules = rulesIn(mode, options)
  const { closes, orders } = indices
  const outcome = Kernel.simulate(
    { ...conditionsOf(strategy, candles, rules), keepsOrders: options.keepsOrders === true },
    candles,
    {
      closes,
      orders: rules.touch === "close" ? closes : orders
    }
  )
  const last = candles.bars - 1
  const { base, quote } = strategy.limits.budget
  const atStart = worth(strategy, candles, 0, base, quote)
  return {
    mode,
    rules,
    outcome,
    pnlQuote: worth(strategy, candles, last, outcome.base, outcome.quote) - atStart,
    feesQuote: worth(strategy, candles, last, outcome.fees.base, outcome.fees.quote),
    holdPnlQuote: worth(strategy, candles, last, base, quote) - atStart
  }
}

/** The sides by what they gained; with one mode both ends are the same. */
export const band = (sides: readonly [Side, ...ReadonlyArray<Side>]): { readonly low: Side; readonly high: Side } => {
  const [first] = sides
  return {
    low: sides.reduce((low, side) => (side.pnlQuote < low.pnlQuote ? side : low), first),
    high: sides.reduce((high, side) => (side.pnlQuote > high.pnlQuote ? side : high), first)
  }
}

/** A side as JSON: amounts are exact decimals as text, in units of their asset. */
export const toJson = (strategy: Strategy, side: Side) => {
  const { base, quote } = strategy.market
  const { counts, maxDrawdown, fills, openOrders } = side.outcome
  return {
    mode: side.mode,
    pnlQuote: format(side.pnlQuote, quote.decimals),
    holdPnlQuote: format(side.holdPnlQuote, quote.decimals),
    feesQuote: format(side.feesQuote, quote.decimals),
    maxDrawdown,
    fills: fills.count,
    base: format(side.outcome.base, base.decimals),
    quote: format(side.outcome.quote, quote.decimals),
    openOrders,
    orders: counts.placed,
    cancelled: counts.cancelled,
    deniedFunds: counts.deniedFunds,
    deniedMinimum: counts.deniedMinimum,
    decisions: counts.decisions
  }
}
