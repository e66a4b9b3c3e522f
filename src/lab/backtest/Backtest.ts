/** Runs one strategy, the function that also runs live, over candles, under the rules of one side of the band. */
import { Array as Arr } from "effect"
import type { Candles } from "../../candles/Candles.ts"
import type * as CrossingIndex from "../../candles/CrossingIndex.ts"
import * as Resample from "../../candles/Resample.ts"
import { max } from "../../domain/Amount.ts"
import type { Market } from "../../domain/Market.ts"
import { askedBasisPoints, type OrderTerms } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import type { SignalHistory } from "../../domain/Signal.ts"
import { timeframeMillis } from "../../domain/Timeframe.ts"
import * as JoinedCandles from "../../strategy/expression/series/JoinedCandles.ts"
import { ownMarket } from "../../strategy/expression/Term.ts"
import { marketsSeen, type Strategy } from "../../strategy/Strategy.ts"
import type { Conditions } from "./kernel/Conditions.ts"
import { type Costs, type FillMode, fillPresets } from "./kernel/FillPresets.ts"
import type { FillRules } from "./kernel/FillRules.ts"
import * as Kernel from "./kernel/Kernel.ts"
import * as BandSide from "./results/BandSide.ts"

export interface Options {
  readonly costs: Costs
  readonly changes: Partial<FillRules>
  /** Measured rules of each side. `changes` take precedence. */
  readonly measured?: { readonly [Mode in FillMode]: Partial<FillRules> }
  /** Terms of the account's configuration, for orders whose strategy file sets none. */
  readonly accountTerms?: OrderTerms
  readonly signals?: SignalHistory
  readonly keepsOrders?: boolean
}

export const rulesIn = (mode: FillMode, { costs, changes, measured }: Options): FillRules => ({
  ...fillPresets[mode],
  ...costs,
  ...measured?.[mode],
  ...changes
})

export interface MarketInput {
  readonly candles: Candles
  readonly indices: CrossingIndex.Indices
  readonly options: Options
}

export const conditionsOf = (
  strategy: Strategy,
  candles: Candles,
  rules: FillRules,
  market = strategy.market
): Conditions => ({
  market,
  decide: strategy.decide,
  mayHang: strategy.proof !== undefined,
  ...present({ stands: strategy.stands, mayLackOrders: strategy.mayLackOrders }),
  initialMemory: strategy.initialMemory,
  rules: {
    ...rules,
    minimumQuote: max(rules.minimumQuote, strategy.limits.minOrder ?? 0n),
    appFeeBasisPoints: Math.max(rules.appFeeBasisPoints, askedBasisPoints(strategy.terms ?? {}))
  },
  budget: budgetOf(strategy, market),
  maxOpenOrders: strategy.limits.maxOpenOrders,
  limits: strategy.limits,
  ...timeframesOf(strategy, market, candles)
})

const timeframesOf = (strategy: Strategy, market: Market, candles: Candles): Pick<Conditions, "timeframes"> => {
  const neededTimeframes =
    market === strategy.market
      ? strategy.candles
      : strategy.watched?.find((other) => other.market.name === market.name)?.candles
  if (neededTimeframes === undefined) return {}
  const frames = [...neededTimeframes.keys()].map(
    (name) => [name, Resample.of(candles, timeframeMillis(name) ?? 60_000)] as const
  )
  return { timeframes: new Map(frames) }
}

const budgetOf = ({ market: first, limits: { budget } }: Strategy, market: Market): Conditions["budget"] =>
  market === first ? budget : { base: budget.others?.get(market.base.symbol) ?? 0n, quote: 0n }

const inMarket = (strategy: Strategy, market: Market, { candles, indices, options }: MarketInput, mode: FillMode) => ({
  conditions: {
    ...conditionsOf(strategy, candles, rulesIn(mode, options), market),
    ...present({ signals: options.signals }),
    keepsOrders: options.keepsOrders === true
  },
  candles,
  indices
})

const joined = (markets: Kernel.InMarkets): Kernel.InMarkets => {
  const name = (each: Kernel.InMarket) => (each === markets[0] ? ownMarket : each.conditions.market.name)
  const linked = JoinedCandles.linked(
    new Map(markets.map((each) => [name(each), each.conditions.timeframes ?? new Map()]))
  )
  return Arr.map(markets, (each) => ({
    ...each,
    conditions: { ...each.conditions, ...present({ timeframes: linked.get(name(each)) }) }
  }))
}

export type MarketInputs = readonly [MarketInput, ...ReadonlyArray<MarketInput>]

export const runAll = (file: Strategy, [first, ...others]: MarketInputs, mode: FillMode): BandSide.BandSide => {
  const strategy = { ...file, terms: { ...first.options.accountTerms, ...file.terms } }
  const one = inMarket(strategy, strategy.market, first, mode)
  const [, ...further] = marketsSeen(strategy)
  const more = further.flatMap((market, index) => {
    const series = others[index]
    return series === undefined ? [] : [inMarket(strategy, market, series, mode)]
  })
  const [ran, ...alsoRan] = Kernel.simulateAll(strategy.watched === undefined ? [one, ...more] : joined([one, ...more]))
  return BandSide.of(strategy, mode, [ran, ...alsoRan.slice(0, strategy.others?.length ?? 0)])
}
