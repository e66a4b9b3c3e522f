/**
 * One strategy over the candles of its market, or of each of its markets, under the rules of one or both sides of the band.
 * The strategy is the very function that runs live, with its own budget and limits.
 */

import { type Candles, closeAt, exactPrice } from "../candles/Candles.ts"
import type * as CrossingIndex from "../candles/CrossingIndex.ts"
import * as Resample from "../candles/Resample.ts"
import { type Amount, format, max } from "../domain/Amount.ts"
import { dayMillis } from "../domain/Durations.ts"
import { type Market, quoteAmount } from "../domain/Market.ts"
import { askedBasisPoints, feesToOthers, type OrderTerms } from "../domain/Order.ts"
import { present } from "../domain/Present.ts"
import { timeframeMillis } from "../domain/Timeframe.ts"
import * as JoinedCandles from "../strategy/expression/series/JoinedCandles.ts"
import { ownMarket } from "../strategy/expression/Term.ts"
import { candlesWanted, marketsSeen, type Strategy } from "../strategy/Strategy.ts"
import type { Conditions } from "./kernel/Conditions.ts"
import { type Costs, type FillMode, rulesOf } from "./kernel/FillPresets.ts"
import type { FillRules } from "./kernel/FillRules.ts"
import * as Kernel from "./kernel/Kernel.ts"
import type { Counts, Outcome } from "./kernel/Outcome.ts"
import * as EquityCurve from "./results/EquityCurve.ts"

export interface Options {
  readonly costs: Costs
  /** Single rules changed by name, on both sides. */
  readonly changes: Partial<FillRules>
  /** What was measured, by side; single rules changed by name come first. */
  readonly measured?: Readonly<Record<FillMode, Partial<FillRules>>>
  /** What the account's configuration asks for with every order whose file asks for nothing else. */
  readonly accountTerms?: OrderTerms
  /** Keep where every order rested: for pictures. */
  readonly keepsOrders?: boolean
}

export const rulesIn = (mode: FillMode, { costs, changes, measured }: Options): FillRules =>
  rulesOf(mode, costs, { ...measured?.[mode], ...changes })

/** Worth and what became of it. */
interface Result {
  readonly rules: FillRules
  readonly outcome: Outcome
  /** How much the worth of everything changed from the first close to the last, start inventory included; quote smallest units. */
  readonly pnlQuote: Amount
  /** Fees in quote; those taken in base at the last close. */
  readonly feesQuote: Amount
  /** What `terms` paid to others out of the inputs, in the same way; it is in the profit already. */
  readonly appFeesQuote: Amount
  /** What the budget alone would have gained. */
  readonly holdPnlQuote: Amount
}

/**
 * What the strategy made: the change of worth without that of its start inventory, which counts at no gain until it trades.
 * The same figure as `total` of the live `profit`.
 */
export const profitOf = ({ pnlQuote, holdPnlQuote }: Pick<Result, "pnlQuote" | "holdPnlQuote">): Amount =>
  pnlQuote - holdPnlQuote

/** What happened in one market. The budget of quote is the first market's, so that all together are the whole. */
export interface Part extends Result {
  readonly market: Market
  readonly candles: Candles
  readonly budget: Conditions["budget"]
}

/** One side of the band. `rules` and `outcome` are those of the only market, or of the first; the gains are of all. */
export interface BandSide extends Result {
  readonly mode: FillMode
  readonly parts: readonly [Part, ...ReadonlyArray<Part>]
  /** Fills of all markets together. */
  readonly fills: number
  readonly quote: Amount
  readonly openOrders: number
  readonly counts: Counts
}

/** What a market is run on; each has its own costs, as they are in amounts of its base. */
export interface MarketInput {
  readonly candles: Candles
  readonly indices: CrossingIndex.Indices
  readonly options: Options
}

/** A timeframe of the strategy is shorter than the candles. */
export const tooFine = (strategy: Strategy, candles: Candles): ReadonlyArray<string> =>
  candlesWanted(strategy)
    .flatMap((wanted) => [...wanted.candles.keys()])
    .filter((timeframe) => (timeframeMillis(timeframe) ?? 0) < candles.time.stepMillis)

export const conditionsOf = (
  strategy: Strategy,
  candles: Candles,
  rules: FillRules,
  market = strategy.market
): Conditions => ({
  market,
  decide: strategy.decide,
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

/** The candles of a market that the strategy looks at. */
const timeframesOf = (strategy: Strategy, market: Market, candles: Candles): Pick<Conditions, "timeframes"> => {
  const wanted =
    market === strategy.market
      ? strategy.candles
      : strategy.watched?.find((other) => other.market.name === market.name)?.candles
  if (wanted === undefined) return {}
  const frames = [...wanted.keys()].map(
    (name) => [name, Resample.of(candles, timeframeMillis(name) ?? 60_000)] as const
  )
  return { timeframes: new Map(frames) }
}

const budgetOf = ({ market: first, limits: { budget } }: Strategy, market: Market): Conditions["budget"] =>
  market === first ? budget : { base: budget.others?.get(market.base.symbol) ?? 0n, quote: 0n }

const inMarket = (
  strategy: Strategy,
  market: Market,
  { candles, indices, options }: MarketInput,
  mode: FillMode
): Kernel.InMarket => {
  const rules = rulesIn(mode, options)
  const { closes, orders } = indices
  return {
    conditions: { ...conditionsOf(strategy, candles, rules, market), keepsOrders: options.keepsOrders === true },
    candles,
    indices: { ...indices, orders: rules.touch === "close" ? closes : orders }
  }
}

/** What others got of all app fees; the rest came back to the account (`self`). A service that takes more than those shares them. */
const paidToOthers = ({ terms = {} }: Strategy, { appFeeBasisPoints: taken }: FillRules, all: Amount): Amount => {
  const total = askedBasisPoints(terms)
  return total === 0 || taken > total ? all : (all * BigInt(feesToOthers(terms))) / BigInt(total)
}

const partOf = (strategy: Strategy, { conditions, candles, outcome }: Kernel.Ran): Part => {
  const { market, budget, rules } = conditions
  /** In quote at the close of a bar, rounded down. */
  const worth = (bar: number, { base, quote }: Conditions["budget"]): Amount =>
    quote + quoteAmount(market, base, exactPrice(closeAt(candles, bar)), "down")
  const last = candles.bars - 1
  const atStart = worth(0, budget)
  return {
    market,
    candles,
    budget,
    rules,
    outcome,
    pnlQuote: worth(last, outcome) - atStart,
    feesQuote: worth(last, outcome.fees),
    appFeesQuote: paidToOthers(strategy, rules, worth(last, outcome.appFees)),
    holdPnlQuote: worth(last, budget) - atStart
  }
}

const sideOf = (strategy: Strategy, mode: FillMode, [first, ...others]: Kernel.AllRan): BandSide => {
  const parts = [partOf(strategy, first), ...others.map((ran) => partOf(strategy, ran))] as const
  const sum = (amountOf: (part: Part) => Amount): Amount => parts.reduce((total, part) => total + amountOf(part), 0n)
  const count = (of: (outcome: Outcome) => number): number =>
    parts.reduce((total, { outcome }) => total + of(outcome), 0)
  return {
    mode,
    parts,
    rules: parts[0].rules,
    outcome: parts[0].outcome,
    pnlQuote: sum(({ pnlQuote }) => pnlQuote),
    feesQuote: sum(({ feesQuote }) => feesQuote),
    appFeesQuote: sum(({ appFeesQuote }) => appFeesQuote),
    holdPnlQuote: sum(({ holdPnlQuote }) => holdPnlQuote),
    fills: count(({ fills }) => fills.count),
    quote: sum(({ outcome }) => outcome.quote),
    openOrders: count(({ openOrders }) => openOrders),
    counts: {
      placed: count(({ counts }) => counts.placed),
      cancelled: count(({ counts }) => counts.cancelled),
      deniedFunds: count(({ counts }) => counts.deniedFunds),
      deniedMinimum: count(({ counts }) => counts.deniedMinimum),
      decisions: count(({ counts }) => counts.decisions)
    }
  }
}

/** The candles of all markets know each other. */
const joined = (markets: Kernel.InMarkets): Kernel.InMarkets => {
  const [first, ...others] = markets
  const name = (each: Kernel.InMarket) => (each === first ? ownMarket : each.conditions.market.name)
  const linked = JoinedCandles.linked(
    new Map(markets.map((each) => [name(each), each.conditions.timeframes ?? new Map()]))
  )
  const of = (each: Kernel.InMarket): Kernel.InMarket => {
    const timeframes = linked.get(name(each))
    return { ...each, conditions: { ...each.conditions, ...present({ timeframes }) } }
  }
  return [of(first), ...others.map(of)]
}

/** Series of the strategy's markets and of those that it watches, in its order (`marketsSeen`). */
export type MarketInputs = readonly [MarketInput, ...ReadonlyArray<MarketInput>]

export const runAll = (file: Strategy, [first, ...others]: MarketInputs, mode: FillMode): BandSide => {
  const strategy = { ...file, terms: { ...first.options.accountTerms, ...file.terms } }
  const one = inMarket(strategy, strategy.market, first, mode)
  const [, ...further] = marketsSeen(strategy)
  const more = further.flatMap((market, index) => {
    const series = others[index]
    return series === undefined ? [] : [inMarket(strategy, market, series, mode)]
  })
  const [ran, ...alsoRan] = Kernel.simulateAll(strategy.watched === undefined ? [one, ...more] : joined([one, ...more]))
  return sideOf(strategy, mode, [ran, ...alsoRan.slice(0, strategy.others?.length ?? 0)])
}

/** Worth of everything at the close of these bars (ascending); `close` and `base` are the first market's. */
export const curve = (
  [first, ...others]: BandSide["parts"],
  bars: ReadonlyArray<number>
): ReadonlyArray<EquityCurve.EquityPoint> => {
  const curveOf = ({ outcome, candles, ...part }: Part) => EquityCurve.at(outcome, candles, part, bars)
  const own = curveOf(first)
  if (others.length === 0) return own
  const all = [own, ...others.map(curveOf)]
  const sum = (index: number, of: (point: EquityCurve.EquityPoint) => number): number =>
    all.reduce((total, { [index]: point }) => total + (point === undefined ? 0 : of(point)), 0)
  return own.map((point, index) => ({
    ...point,
    equity: sum(index, ({ equity }) => equity),
    hold: sum(index, ({ hold }) => hold)
  }))
}

/** Days of one series, found once. */
const daysOf = new WeakMap<Candles, EquityCurve.Samples>()
const days = (candles: Candles): EquityCurve.Samples => {
  const known = daysOf.get(candles) ?? EquityCurve.samples(candles, EquityCurve.sampleBars(candles, dayMillis))
  daysOf.set(candles, known)
  return known
}

/** Worth of everything in the beginning and at the end of each day: what searches need of thousands of runs. */
export const dailyEquity = ({ parts: [first, ...others] }: Pick<BandSide, "parts">): Float64Array => {
  const equityOf = (part: Part) => EquityCurve.equityAt(part.outcome, part, days(part.candles))
  return others
    .map(equityOf)
    .reduce((sum, equity) => sum.map((worth, day) => worth + (equity[day] ?? 0)), equityOf(first))
}

/** A strategy of one market. */
export const run = (
  strategy: Strategy,
  candles: Candles,
  indices: CrossingIndex.Indices,
  mode: FillMode,
  options: Options
): BandSide => runAll(strategy, [{ candles, indices, options }], mode)

/** The sides by what they gained; with one mode both ends are the same. */
export const band = (
  sides: readonly [BandSide, ...ReadonlyArray<BandSide>]
): { readonly low: BandSide; readonly high: BandSide } => {
  const [first] = sides
  return {
    low: sides.reduce((low, side) => (side.pnlQuote < low.pnlQuote ? side : low), first),
    high: sides.reduce((high, side) => (side.pnlQuote > high.pnlQuote ? side : high), first)
  }
}

/** A side as JSON: amounts are exact decimals as text, in units of their asset. `base` is the only market's, or the first's. */
export const toJson = (strategy: Strategy, side: BandSide) => {
  const { base, quote } = strategy.market
  return {
    mode: side.mode,
    ...gainsJson(strategy.market, side),
    maxDrawdown: side.outcome.maxDrawdown,
    fills: side.fills,
    base: format(side.outcome.base, base.decimals),
    quote: format(side.quote, quote.decimals),
    openOrders: side.openOrders,
    ...countsJson(side.counts),
    deniedByLimit: Object.fromEntries(side.outcome.deniedBy),
    stops: side.outcome.stops.map(({ day: _, ...stop }) => stop),
    decisions: side.counts.decisions
  }
}

/** What of it happened in one of several markets. */
export const partToJson = ({ market, outcome, ...gains }: Part) => ({
  ...gainsJson(market, gains),
  fills: outcome.fills.count,
  base: format(outcome.base, market.base.decimals),
  openOrders: outcome.openOrders,
  ...countsJson(outcome.counts)
})

type Gains = Pick<Part, "pnlQuote" | "holdPnlQuote" | "feesQuote" | "appFeesQuote">

const gainsJson = ({ quote }: Market, gains: Gains) => ({
  profitQuote: format(profitOf(gains), quote.decimals),
  pnlQuote: format(gains.pnlQuote, quote.decimals),
  holdPnlQuote: format(gains.holdPnlQuote, quote.decimals),
  feesQuote: format(gains.feesQuote, quote.decimals),
  ...(gains.appFeesQuote === 0n ? {} : { appFeesQuote: format(gains.appFeesQuote, quote.decimals) })
})

const countsJson = ({ placed, cancelled, deniedFunds, deniedMinimum }: Counts) => ({
  orders: placed,
  cancelled,
  deniedFunds,
  deniedMinimum
})
