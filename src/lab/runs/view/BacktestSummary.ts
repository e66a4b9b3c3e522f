/** Formats the figures of a backtest with labels, in sentences, and as JSON. */
import { closeTime, gaps, openTime } from "../../../candles/TimeAxis.ts"
import { format } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { dayMillis } from "../../../domain/Durations.ts"
import { countText, fixed, percent, utc } from "../../../domain/Text.ts"
import * as Page from "../../../report/Page.ts"
import * as Figures from "../../../report/text/Figures.ts"
import { marketNames } from "../../../strategy/Strategy.ts"
import * as Band from "../../backtest/Band.ts"
import { describe, sideNames } from "../../backtest/kernel/FillPresets.ts"
import * as BacktestStatistics from "../../backtest/results/BacktestStatistics.ts"
import * as BandSide from "../../backtest/results/BandSide.ts"
import * as EquityCurve from "../../backtest/results/EquityCurve.ts"
import * as FillRows from "../../backtest/results/FillRows.ts"
import * as WarmUp from "../../backtest/WarmUp.ts"
import type { BacktestResult } from "../BacktestRun.ts"
import type { Source } from "../RunCandles.ts"
import * as BandSummary from "./BandSummary.ts"

/** Equity of both sides over time, in units of the quote, as doubles for display. */
const curveJson = ({ band, candles }: BacktestResult, points: number) => {
  const bars = EquityCurve.spread(candles, points)
  const [low, high] = [BandSide.curve(band.low.parts, bars), BandSide.curve(band.high.parts, bars)]
  const time = low.map(({ time }) => Math.floor(time / 1000))
  const equityOf = (curve: typeof low) => curve.map(({ equity }) => equity)
  return { time, low: equityOf(low), high: equityOf(high), hold: low.map(({ hold }) => hold) }
}

export const json = (result: BacktestResult, curvePoints = 0) => {
  const { strategy, candles, fees, shown } = result
  const side = (of: BandSide.BandSide) => {
    const { gridProfit, inventory } = BacktestStatistics.roundsOf(of)
    return {
      ...BandSide.toJson(strategy, of),
      gridProfit,
      inventory,
      markout: FillRows.markoutsIn(of.parts),
      allInQuote: allInText(strategy, of),
      statistics: BacktestStatistics.ofSide(of, result.trials)
    }
  }
  const [first, ...others] = result.sources
  const detail = result.detail && { detail: dataJson(result.detail) }
  return {
    strategy: strategy.name,
    kind: strategy.kind,
    market: marketNames(strategy),
    hash: strategy.hash,
    data: { ...(others.length === 0 ? dataJson(first) : {}), ...detail, warnings: result.warnings },
    from: openTime(candles.time, 0),
    to: closeTime(candles.time, candles.bars - 1),
    bars: candles.bars,
    ...(strategy.candles === undefined ? {} : { warmUp: WarmUp.of(strategy, result.series) }),
    ...(result.calibrated.length === 0 ? {} : { calibrated: result.calibrated }),
    fees: { basisPoints: fees.basisPoints, inputBasisPoints: fees.ofInput, from: fees.from, none: fees.isFree },
    fills: shown.fills,
    wallMillis: result.wallMillis,
    kernelMillis: result.kernelMillis,
    sides: Object.fromEntries(result.sides.map((each) => [each.mode, side(each)])),
    ...(result.simulated === undefined ? {} : { band: BandSummary.json(simulatedOf(result, result.simulated)) }),
    ...(others.length === 0 ? {} : { markets: marketsJson(result) }),
    ...(curvePoints === 0 ? {} : { curve: curveJson(result, curvePoints) })
  }
}

/** `null` for several markets, which have no single purchase. */
const allInText = ({ market }: BacktestResult["strategy"], side: BandSide.BandSide): string | null => {
  const gain = BandSide.allInGain(side)
  return gain === undefined ? null : format(gain, market.quote.decimals)
}

const dataJson = ({ data, sha256, source, candles, columns, repaired }: Source) => {
  return { file: data, columns, sha256, source, gaps: gaps(candles.time), repaired }
}

const marketsJson = ({ sides, sources }: BacktestResult) => {
  const partIn = ({ parts }: BandSide.BandSide, name: string) =>
    parts.filter(({ market }) => market.name === name).map(BandSide.partToJson)[0]
  return Object.fromEntries(
    sources.map((source) => {
      const { name } = source.market
      const parts = Object.fromEntries(sides.map((side) => [side.mode, partIn(side, name)]))
      return [name, { data: dataJson(source), ...parts }]
    })
  )
}

/** Returns both named sides, the lower gain first, or the only side. */
export const endsOf = ({ low, high }: BacktestResult["band"]) =>
  (low === high ? [low] : [low, high]).map((side) => ({ name: sideNames[side.mode], side }))

export const ruleSentences = ({ band }: BacktestResult): ReadonlyArray<string> =>
  endsOf(band).flatMap(({ name, side }) => describe(side.rules).map((rule) => `${name}: ${rule}`))

const maxStops = 5

const stopSentence = ({ from, until, action, reason }: BandSide.BandSide["outcome"]["stops"][number]): string => {
  const cancelText = action === "drain" ? " Its orders were cancelled." : ""
  const resumeText = until === undefined ? "It did not resume." : `It resumed at ${utc(until)}.`
  return `stopped at ${utc(from)}: ${reason}.${cancelText} ${resumeText}`
}

/** Says what the strategy's own limits did: the orders that they kept back, and the loss stops. */
export const limitSentences = ({ band }: BacktestResult): ReadonlyArray<string> =>
  endsOf(band).flatMap(({ name, side: { outcome } }) => {
    const denied = [...outcome.deniedBy].map(([limit, count]) => `${limit} ${count}`)
    const more = outcome.stops.length - maxStops
    return [
      ...(denied.length === 0 ? [] : [`orders stopped only by a limit: ${denied.join(", ")}`]),
      ...outcome.stops.slice(0, maxStops).map(stopSentence),
      ...(more > 0 ? [`stopped ${more === 1 ? "once" : `${more} times`} more`] : [])
    ].map((sentence) => `${name}: ${sentence}`)
  })

const amountText = (amount: bigint, decimals: number, places: number): string =>
  Figures.fixed(Decimal.make(amount, decimals), places).replace("−", "-")

export const quoteText = (result: BacktestResult, amount: bigint): string => {
  const { quote } = result.strategy.market
  return `${amountText(amount, quote.decimals, BacktestStatistics.quotePlaces(result.band.low))} ${quote.symbol}`
}

export const returnText = ({ band }: BacktestResult, gain: bigint | undefined): string => {
  const worth = Band.worthAtStart(band.high)
  return gain === undefined || worth <= 0 ? "–" : percent(Number(gain) / worth)
}

/** Gain of buy and hold over the untouched budget; `undefined` for several markets. */
export const allInProfit = ({ band: { high } }: BacktestResult): bigint | undefined => {
  const gain = BandSide.allInGain(high)
  return gain === undefined ? undefined : gain - high.holdPnlQuote
}

export const comparedColumns = (result: BacktestResult): ReadonlyArray<readonly [name: string, facts: Page.Facts]> => {
  const { high } = result.band
  const column = (profit: bigint, change: bigint): Page.Facts => [
    ["profit and loss", Page.gain(quoteText(result, profit))],
    ["return", Page.gain(returnText(result, profit))],
    ["change in equity", Page.gain(quoteText(result, change))],
    ["fees", quoteText(result, 0n)]
  ]
  const allIn = BandSide.allInGain(high)
  return [
    ["untouched budget", column(0n, high.holdPnlQuote)],
    ...(allIn === undefined ? [] : [["buy and hold", column(allIn - high.holdPnlQuote, allIn)] as const])
  ]
}

export const resultFacts = (result: BacktestResult, side: BandSide.BandSide): Page.Facts => [
  ["profit and loss", Page.gain(quoteText(result, BandSide.profitOf(side)))],
  ["return", Page.gain(returnText(result, BandSide.profitOf(side)))],
  ["change in equity", Page.gain(quoteText(result, side.pnlQuote))],
  ...BacktestStatistics.partFacts(side),
  ["fees", quoteText(result, side.feesQuote)],
  ["largest drawdown", percent(-side.outcome.maxDrawdown)],
  ["fills", `${side.fills}`],
  ["orders placed", `${side.counts.placed}`],
  ...ratioFacts(result, side)
]

export const technicalFacts = (result: BacktestResult, side: BandSide.BandSide, isFile: boolean): Page.Facts => {
  const { parts } = side
  const [, ...others] = parts
  return [
    ["payouts", `${side.payouts.count}: ${quoteText(result, side.payouts.feesQuote)}`],
    ["refunds", `${side.refunds.count}: ${quoteText(result, side.refunds.feesQuote)}`],
    ...(side.rules.appFeeBasisPoints === 0 ? [] : [["fees on inputs", quoteText(result, side.appFeesQuote)] as const]),
    ...(others.length === 0
      ? []
      : parts.map((part) => [`fills in ${part.market.name}`, `${part.outcome.fills.count}`] as const)),
    ["orders cancelled", `${side.counts.cancelled}`],
    ["skipped: insufficient funds", `${side.counts.deniedFunds}`],
    ["skipped: too small", `${side.counts.deniedMinimum}`],
    ["skipped: limits", `${[...side.outcome.deniedBy.values()].reduce((sum, count) => sum + count, 0)}`],
    ...side.outcome.unordered.map(({ code, slot, text, times }) => {
      const label = code === "no-order" ? "held, no order" : "undecided"
      return [`${slot}: ${label}`, `${countText(times, "time")}: ${text}`] as const
    }),
    ...parts.map(({ market: { base }, outcome }) => {
      const label = others.length === 0 ? "base" : base.symbol
      const amount = amountText(outcome.base, base.decimals, Math.min(base.decimals, 8))
      return [`${label} at the end`, `${amount} ${base.symbol}`] as const
    }),
    ["quote at the end", quoteText(result, side.quote)],
    ...Object.entries(FillRows.markoutsIn(parts)).map(
      ([after, ratio]) => [`mark-out after ${after}`, ratio === null ? "not known" : percent(ratio)] as const
    ),
    ...(isFile ? BacktestStatistics.facts(side, result.trials) : [])
  ]
}

const ratioFacts = ({ trials }: BacktestResult, side: BandSide.BandSide): Page.Facts => {
  const figures = BacktestStatistics.ofSide(side, trials)
  return [
    ["Sharpe", BacktestStatistics.text(figures, "sharpe", fixed)],
    ["Sortino", BacktestStatistics.text(figures, "sortino", fixed)],
    ["probability that Sharpe > 0", BacktestStatistics.text(figures, "probabilisticSharpe", percent)]
  ]
}

export const simulatedOf = (result: BacktestResult, simulated: Band.Simulated) => ({
  simulated,
  sides: result.sides,
  text: (amount: bigint) => quoteText(result, amount)
})

export const quantified = ({ simulated }: BacktestResult): Band.Simulated | undefined =>
  simulated !== undefined && BandSummary.hasQuantiles(simulated) ? simulated : undefined

/** Returns p5 and p95 of the simulated runs; without them, the two named sides. */
export const profitEnds = (result: BacktestResult): { readonly low: bigint; readonly high: bigint } => {
  const { band } = result
  const simulated = quantified(result)
  if (simulated === undefined) return { low: BandSide.profitOf(band.low), high: BandSide.profitOf(band.high) }
  const { p5, p95 } = Band.quantilesOf(simulated, BandSide.profitOf)
  return { low: p5, high: p95 }
}

/** Joins two ordered figures and writes their unit once. */
export const span = (low: string, high: string): string => {
  const unit = / \S+$/.exec(high)?.[0] ?? ""
  return low === high ? high : `${low.endsWith(unit) ? low.slice(0, low.length - unit.length) : low} to ${high}`
}

const daysOfYear = 365

export const headline = (result: BacktestResult): Page.Page["headline"] => {
  const { band, candles } = result
  const { low, high } = profitEnds(result)
  const days = (closeTime(candles.time, candles.bars - 1) - openTime(candles.time, 0)) / dayMillis
  const worth = Band.worthAtStart(band.high)
  const spanOf = <Value>(written: (value: Value) => string, from: Value, to: Value): string =>
    span(written(from), written(to))
  const yearly = (gain: bigint): string => percent((Number(gain) / worth) * (daysOfYear / days))
  const [few, many] = [band.low, band.high].map(BacktestStatistics.roundsOf).toSorted((a, b) => a.rounds - b.rounds)
  const { gridProfit = 0, rounds = 0 } = many ?? {}
  const money = (value: number): string => BacktestStatistics.moneyText(band.high, value)
  const each = rounds === 0 ? "none completed" : `${money(gridProfit / rounds)} each`
  const partOf = (name: "gridProfit" | "inventory"): string => {
    const values = [few?.[name] ?? 0, many?.[name] ?? 0]
    return spanOf(money, Math.min(...values), Math.max(...values))
  }
  const parts = `rounds ${partOf("gridProfit")}, inventory still held ${partOf("inventory")}`
  const fall = Math.max(band.low.outcome.maxDrawdown, band.high.outcome.maxDrawdown)
  // Less than a day says nothing about a year.
  const rate = days < 1 || worth <= 0 ? "–" : Page.gain(spanOf(yearly, low, high))
  const start = quoteText(result, BigInt(Math.round(worth)))
  const profit = Page.gain(spanOf((gain: bigint) => quoteText(result, gain), low, high))
  return [
    ["Profit", profit, `against the untouched budget, after fees: ${parts}`],
    ["Return", Page.gain(spanOf((gain: bigint) => returnText(result, gain), low, high)), `on ${start}`],
    ["Rounds", spanOf(String, few?.rounds, rounds), each],
    ["Largest drawdown", percent(-fall), "below the highest equity so far"],
    ["APR", rate, `${Number(days.toFixed(1))} days${days < daysOfYear ? ", so a rough guide" : ""}`]
  ]
}
