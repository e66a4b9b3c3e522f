/** Computes one side of the band, in each of its markets and in all of them together. */
import { Array as Arr, Record } from "effect"
import { type Candles, closeAt, exactPrice } from "../../../candles/Candles.ts"
import { closeTime } from "../../../candles/TimeAxis.ts"
import { type Amount, format } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { dayMillis } from "../../../domain/Durations.ts"
import { type Market, quoteAmount } from "../../../domain/Market.ts"
import { askedBasisPoints, feesToOthers } from "../../../domain/Order.ts"
import type { Strategy } from "../../../strategy/Strategy.ts"
import type { Conditions } from "../kernel/Conditions.ts"
import type { FillMode } from "../kernel/FillPresets.ts"
import type { FillRules } from "../kernel/FillRules.ts"
import type * as Kernel from "../kernel/Kernel.ts"
import type { Outcome } from "../kernel/Outcome.ts"
import * as EquityCurve from "./EquityCurve.ts"
import * as Statistics from "./Statistics.ts"

/** Result in one market. Only the first market has a quote budget, so that the sum over the markets is the whole. */
export type Part = Readonly<ReturnType<typeof partOf>>

/** `rules` and `outcome` belong to the first market; the gains cover all markets. */
export type BandSide = Readonly<ReturnType<typeof of>>

/**
 * Returns the app fees that others received, without the share of `self`, which returned to the account. If the service takes more than the
 * terms ask, all of it counts as paid to others.
 */
const paidToOthers = ({ terms = {} }: Strategy, { appFeeBasisPoints: taken }: FillRules, all: Amount): Amount => {
  const total = askedBasisPoints(terms)
  return total === 0 || taken > total ? all : (all * BigInt(feesToOthers(terms))) / BigInt(total)
}

const partOf = (strategy: Strategy, { conditions, candles, outcome }: Kernel.Ran) => {
  const { market, budget, rules } = conditions
  /** Value in quote at the close of a bar, rounded down. */
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
    /** Change of total equity from the first close to the last, start inventory included; quote smallest units. */
    pnlQuote: worth(last, outcome) - atStart,
    /** Fees taken in base are valued at the last close. */
    feesQuote: worth(last, outcome.fees),
    /** Their fees are part of `feesQuote`. */
    payouts: { count: outcome.payouts.count, feesQuote: worth(last, outcome.payouts) },
    refunds: { count: outcome.refunds.count, feesQuote: worth(last, outcome.refunds) },
    /** App fees that others received from the inputs, valued like `feesQuote`. The profit already excludes them. */
    appFeesQuote: paidToOthers(strategy, rules, worth(last, outcome.appFees)),
    holdPnlQuote: worth(last, budget) - atStart
  }
}

export const of = (strategy: Strategy, mode: FillMode, all: Kernel.AllRan) => {
  const parts: readonly [Part, ...ReadonlyArray<Part>] = Arr.map(all, (ran) => partOf(strategy, ran))
  const sum = (amountOf: (part: Part) => Amount): Amount => parts.reduce((total, part) => total + amountOf(part), 0n)
  const payments = (of: "payouts" | "refunds") => ({
    count: count(({ [of]: { count } }) => count),
    feesQuote: sum(({ [of]: { feesQuote } }) => feesQuote)
  })
  const count = (of: (outcome: Outcome) => number): number =>
    parts.reduce((total, { outcome }) => total + of(outcome), 0)
  return {
    mode,
    parts,
    rules: parts[0].rules,
    outcome: parts[0].outcome,
    pnlQuote: sum(({ pnlQuote }) => pnlQuote),
    feesQuote: sum(({ feesQuote }) => feesQuote),
    payouts: payments("payouts"),
    refunds: payments("refunds"),
    appFeesQuote: sum(({ appFeesQuote }) => appFeesQuote),
    holdPnlQuote: sum(({ holdPnlQuote }) => holdPnlQuote),
    fills: count(({ fills }) => fills.count),
    quote: sum(({ outcome }) => outcome.quote),
    openOrders: count(({ openOrders }) => openOrders),
    counts: Record.map(parts[0].outcome.counts, (_, name) => count(({ counts }) => counts[name]))
  }
}

/** Change of equity without that of the start inventory, which gains nothing until it trades. Equals `total` of the live `profit`. */
export const profitOf = ({ pnlQuote, holdPnlQuote }: Pick<Part, "pnlQuote" | "holdPnlQuote">): Amount =>
  pnlQuote - holdPnlQuote

const pointsAt = (parts: BandSide["parts"], samplesOf: (candles: Candles) => EquityCurve.Samples) => {
  const all = parts.map((part) => EquityCurve.equityAt(part.outcome, part, samplesOf(part.candles)))
  const sum = (of: "equity" | "hold", index: number) => all.reduce((total, worth) => total + (worth[of][index] ?? 0), 0)
  return Array.from(all[0]?.equity ?? [], (_, index) => ({ equity: sum("equity", index), hold: sum("hold", index) }))
}

/** Equity at the close of these bars (ascending), after all fees. */
export const curve = (parts: BandSide["parts"], bars: ReadonlyArray<number>) =>
  pointsAt(parts, (candles) => EquityCurve.samples(candles, bars)).map((point, index) => ({
    ...point,
    time: closeTime(parts[0].candles.time, bars[index] ?? 0)
  }))

/** Kept, because a search needs the days of thousands of runs over the same candles. */
const daysOf = new WeakMap<Candles, EquityCurve.Samples>()
const days = (candles: Candles): EquityCurve.Samples => {
  const samples = daysOf.get(candles) ?? EquityCurve.samples(candles, EquityCurve.sampleBars(candles, dayMillis))
  daysOf.set(candles, samples)
  return samples
}

/** Begins with the untouched budget, because the first bar may have traded already. */
export const dailyEquity = ({ parts }: Pick<BandSide, "parts">): ReadonlyArray<number> =>
  pointsAt(parts, days).map(({ equity, hold }, day) => (day === 0 ? hold : equity))

export const dailyMade = ({ parts }: Pick<BandSide, "parts">): ReadonlyArray<number> =>
  EquityCurve.madeOf(pointsAt(parts, days))

export const dailySharpe = (side: Pick<BandSide, "parts">): number =>
  Statistics.sharpeOf(Statistics.returnsOf(dailyMade(side)))

/** With this many more decimals, a comparison of prices loses no visible digit. */
const precisePlaces = 18

/**
 * Returns the gain of buy and hold: all in base from the first close on, in quote smallest units, without fees. The untouched budget is
 * another comparison, because it keeps its quote. `undefined` for several markets, which have no such single purchase.
 */
export const allInGain = ({ parts }: Pick<BandSide, "parts">): Amount | undefined => {
  const [{ market, candles, budget }, ...others] = parts
  if (others.length > 0) return undefined
  const precise = Decimal.powerOfTen(market.base.decimals + precisePlaces)
  const worth = (bar: number, base: Amount): Amount =>
    quoteAmount(market, base, exactPrice(closeAt(candles, bar)), "down")
  const [first, last] = [worth(0, precise), worth(candles.bars - 1, precise)]
  if (first === 0n) return undefined
  const atStart = budget.quote + worth(0, budget.base)
  return Decimal.divideInteger(atStart * last, first, "down") - atStart
}

/** Returns the sides by their gain. A run of one side has it at both ends. */
export const band = (
  sides: readonly [BandSide, ...ReadonlyArray<BandSide>]
): { readonly low: BandSide; readonly high: BandSide } => {
  const [first] = sides
  return {
    low: sides.reduce((low, side) => (side.pnlQuote < low.pnlQuote ? side : low), first),
    high: sides.reduce((high, side) => (side.pnlQuote > high.pnlQuote ? side : high), first)
  }
}

/** Amounts are exact decimals as text, in units of their asset. `base` is the first market's. */
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

export const partToJson = ({ market, outcome, ...gains }: Part) => ({
  ...gainsJson(market, gains),
  fills: outcome.fills.count,
  base: format(outcome.base, market.base.decimals),
  openOrders: outcome.openOrders,
  ...countsJson(outcome.counts)
})

type Gains = Pick<Part, "pnlQuote" | "holdPnlQuote" | "feesQuote" | "payouts" | "refunds" | "appFeesQuote">

const gainsJson = ({ quote }: Market, gains: Gains) => ({
  profitQuote: format(profitOf(gains), quote.decimals),
  pnlQuote: format(gains.pnlQuote, quote.decimals),
  holdPnlQuote: format(gains.holdPnlQuote, quote.decimals),
  feesQuote: format(gains.feesQuote, quote.decimals),
  payouts: { count: gains.payouts.count, feesQuote: format(gains.payouts.feesQuote, quote.decimals) },
  refunds: { count: gains.refunds.count, feesQuote: format(gains.refunds.feesQuote, quote.decimals) },
  ...(gains.appFeesQuote === 0n ? {} : { appFeesQuote: format(gains.appFeesQuote, quote.decimals) })
})

const countsJson = ({ placed, decisions: _, ...others }: Outcome["counts"]) => ({ orders: placed, ...others })
