/** Formats the statistics of a run's profit over the untouched budget as labelled figures. */
import { closeTime, openTime } from "../../../candles/TimeAxis.ts"
import { dayMillis, hourMillis } from "../../../domain/Durations.ts"
import { present } from "../../../domain/Present.ts"
import { countText, fixed, grouped, percent } from "../../../domain/Text.ts"
import * as Page from "../../../report/Page.ts"
import type { Part } from "./BandSide.ts"
import * as BandSide from "./BandSide.ts"
import * as EquityCurve from "./EquityCurve.ts"
import { holdings } from "./EquityCurve.ts"
import * as RoundTrips from "./RoundTrips.ts"
import * as Statistics from "./Statistics.ts"

/**
 * Samples equity by day (by hour below 20 days); the first and last period may be incomplete. Missing candles mean fewer periods a year.
 */
const sampled = ({ parts }: BandSide.BandSide) => {
  const [{ candles }] = parts
  const spanMillis = closeTime(candles.time, candles.bars - 1) - openTime(candles.time, 0)
  const isDaily = spanMillis >= 20 * dayMillis
  const periodMillis = isDaily ? dayMillis : hourMillis
  const curve = BandSide.curve(parts, EquityCurve.sampleBars(candles, periodMillis))
  const [from, to] = [closeTime(candles.time, 0), closeTime(candles.time, candles.bars - 1)]
  const periodCount = Math.ceil(to / periodMillis) - Math.floor(from / periodMillis)
  const periodsPerYear = (((curve.length - 1) / Math.max(1, periodCount)) * yearMillis) / periodMillis
  const years = spanMillis / yearMillis
  return { curve, axis: { periodsPerYear, years, days: spanMillis / dayMillis, period: isDaily ? "day" : "hour" } }
}

const yearMillis = 365 * dayMillis

type Axis = ReturnType<typeof sampled>["axis"]

type Meaningless = Partial<Record<keyof Statistics.Statistics | "deflatedSharpe", string>>

type SideStatistics = ReturnType<typeof ofSide>

/** Returns over less than a year are not extrapolated. A file of a year may lack a few days. */
const leastDaysOfYear = 360

/** Below this number of periods a deviation is not an estimate. */
const leastPeriods = 3

const meaninglessOf = (
  { periods, volatility, maxDrawdown }: Statistics.Statistics,
  returns: ReadonlyArray<number>,
  { days, period }: Axis
): Meaningless => {
  const short = days < leastDaysOfYear ? "less than a year" : undefined
  const few = periods < leastPeriods ? `too few ${period}s` : undefined
  const still = few ?? (volatility > 0 ? undefined : "no movement")
  return present({
    yearlyReturn: short,
    volatility: few,
    sharpe: still,
    sortino: still ?? (returns.some((value) => value < 0) ? undefined : `no losing ${period}`),
    calmar: short ?? (maxDrawdown > 0 ? undefined : "no drawdown"),
    probabilisticSharpe: still,
    deflatedSharpe: still,
    skew: still,
    kurtosis: still
  })
}

/** Returns measure the profit over the untouched budget. The largest drawdown is that of all holdings, at every bar. */
export const ofSide = (side: BandSide.BandSide, trials: number) => {
  const { curve, axis } = sampled(side)
  const samples = EquityCurve.madeOf(curve)
  const returns = Statistics.returnsOf(samples)
  const statistics = Statistics.of(samples, axis)
  const deflatedSharpe = Statistics.deflatedAfter(returns, trials)
  const meaningless = meaninglessOf(statistics, returns, axis)
  return { ...statistics, maxDrawdown: side.outcome.maxDrawdown, deflatedSharpe, meaningless }
}

export const text = (
  found: SideStatistics,
  name: keyof Meaningless,
  write: (value: number) => string = (value) => fixed(value, 3)
): string => found.meaningless[name] ?? write(found[name])

const ratios = (found: SideStatistics, trials: number): Page.Facts => [
  ["yearly return", Page.gain(text(found, "yearlyReturn", percent))],
  ["yearly volatility", text(found, "volatility", percent)],
  ["Calmar", text(found, "calmar")],
  [`deflated Sharpe after ${countText(trials, "trial")}`, text(found, "deflatedSharpe", percent)],
  ["skew of returns", text(found, "skew")],
  ["kurtosis of returns", text(found, "kurtosis")]
]

/** Decimal places of all figures in quote: 2 if the run began with a hundred or more, otherwise up to 8. */
export const quotePlaces = ({ parts }: BandSide.BandSide): number => {
  const [start] = BandSide.curve(parts, [0])
  return Math.min(parts[0].market.quote.decimals, (start?.hold ?? 0) >= 100 ? 2 : 8)
}

const profitOf = (side: BandSide.BandSide): number =>
  Number(BandSide.profitOf(side)) / 10 ** side.parts[0].market.quote.decimals

const gainsIn = ({ outcome, candles }: Part): ReadonlyArray<number> =>
  RoundTrips.trades(outcome, candles).map(({ gained }) => gained)

/** Returns the gain of each trade, and of the position open at the end, in whole units of quote. */
export const gainsOf = (side: BandSide.BandSide): { readonly trades: ReadonlyArray<number>; readonly open: number } => {
  const trades = side.parts.flatMap(gainsIn)
  return { trades, open: trades.reduce((rest, gained) => rest - gained, profitOf(side)) }
}

export const moneyText = (side: BandSide.BandSide, value: number): string =>
  `${grouped(fixed(value, quotePlaces(side)))} ${side.parts[0].market.quote.symbol}`

/** `gridProfit` is the gain of all completed rounds, and `inventory` the rest of the profit, in whole units of quote. */
export const roundsOf = (side: BandSide.BandSide) => {
  const byMarket = side.parts.map((part) => {
    const gains = gainsIn(part)
    const sum = (of: ReadonlyArray<number>): number => of.reduce((total, gained) => total + gained, 0)
    const won = gains.filter((gained) => gained > 0)
    const grossLoss = -sum(gains.filter((gained) => gained <= 0))
    return { rounds: gains.length, won: won.length, grossProfit: sum(won), grossLoss }
  })
  const sum = (name: keyof (typeof byMarket)[number]): number =>
    byMarket.reduce((total, trades) => total + trades[name], 0)
  const gridProfit = byMarket.reduce((total, { grossLoss, grossProfit }) => total + grossProfit - grossLoss, 0)
  const gross = { grossProfit: sum("grossProfit"), grossLoss: sum("grossLoss") }
  return { rounds: sum("rounds"), won: sum("won"), ...gross, gridProfit, inventory: profitOf(side) - gridProfit }
}

export const partFacts = (side: BandSide.BandSide): Page.Facts => {
  const { gridProfit, inventory, rounds, won } = roundsOf(side)
  return [
    ["grid profit, after fees", Page.gain(moneyText(side, gridProfit))],
    ["inventory, still held", Page.gain(moneyText(side, inventory))],
    ["completed rounds", `${rounds}`],
    ["winning rounds", rounds === 0 ? "no rounds" : percent(won / rounds)]
  ]
}

export const facts = (side: BandSide.BandSide, trials: number): Page.Facts => {
  const { counts, openOrders } = side
  const filled = counts.placed - counts.cancelled - openOrders
  const { grossLoss, grossProfit, rounds } = roundsOf(side)
  const factor = rounds === 0 ? "no rounds" : grossLoss === 0 ? "no losing round" : (grossProfit / grossLoss).toFixed(3)
  const exposure = exposureOf(side.parts)
  return [
    ...ratios(ofSide(side, trials), trials),
    ["profit factor", factor],
    ["exposure: equity in base", percent(exposure.meanShare)],
    ["time in market", percent(exposure.timeInMarket)],
    ["fill ratio: orders filled", counts.placed === 0 ? "no orders" : percent(filled / counts.placed)]
  ]
}

/** Averages over the close of every bar. `meanShare` is the share of equity held in base. */
export const exposureOf = (parts: ReadonlyArray<Part>) => {
  const bars = parts[0]?.candles.bars ?? 0
  const all = parts.map((part) => ({
    close: part.candles.close,
    smallest: 1 / 10 ** part.market.base.decimals,
    at: holdings(part.outcome, part)
  }))
  let [shares, held] = [0, 0]
  for (let bar = 0; bar < bars; bar++) {
    let [worth, equity, hasBase] = [0, 0, false]
    for (const { close, smallest, at } of all) {
      const { base, quote } = at(bar)
      hasBase ||= base > smallest / 2
      worth += base * (close[bar] ?? 0)
      equity += quote
    }
    equity += worth
    if (hasBase && worth > equity * 1e-9) held++
    if (equity > 0) shares += worth / equity
  }
  return { meanShare: shares / Math.max(1, bars), timeInMarket: held / Math.max(1, bars) }
}
