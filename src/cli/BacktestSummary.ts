/** The result of a backtest for the terminal and as JSON. */
import { DateTime } from "effect"
import * as Backtest from "../backtest/Backtest.ts"
import type { Checked } from "../backtest/CandleChecks.ts"
import type { Candles } from "../backtest/Candles.ts"
import * as EquityCurve from "../backtest/EquityCurve.ts"
import { closeTime, gaps, openTime } from "../backtest/TimeAxis.ts"
import { format } from "../domain/Amount.ts"
import * as Statistics from "../report/Statistics.ts"
import * as Table from "../report/Table.ts"
import type { Strategy } from "../strategy/Strategy.ts"

export interface Result {
  readonly strategy: Strategy
  readonly candles: Candles
  readonly data: string
  readonly sha256: string
  readonly source: "cache" | "file"
  readonly warnings: ReadonlyArray<string>
  readonly repaired: Checked["repaired"]
  readonly band: { readonly low: Backtest.Side; readonly high: Backtest.Side }
  /** The side whose fills are listed. */
  readonly shown: Backtest.Side
  readonly wallMillis: number
  readonly kernelMillis: number
}

const dayMillis = 86_400_000
const hourMillis = 3_600_000

/** Days, or hours when there are few days. */
export const statisticsOf = ({ strategy, candles }: Result, side: Backtest.Side): Statistics.Statistics => {
  const spanMillis = closeTime(candles.time, candles.bars - 1) - openTime(candles.time, 0)
  const periodMillis = spanMillis >= 20 * dayMillis ? dayMillis : hourMillis
  const conditions = { market: strategy.market, budget: strategy.limits.budget }
  const ends = EquityCurve.periodEnds(candles, periodMillis)
  const curve = EquityCurve.at(side.outcome, candles, conditions, ends)
  const statistics = Statistics.of(
    curve.map(({ equity }) => equity),
    (365 * dayMillis) / periodMillis
  )
  const { maxDrawdown } = side.outcome
  return { ...statistics, maxDrawdown, calmar: maxDrawdown > 0 ? statistics.yearlyReturn / maxDrawdown : 0 }
}

const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

export const json = (result: Result) => {
  const { strategy, candles, band, shown } = result
  const side = (of: Backtest.Side) => ({ ...Backtest.toJson(strategy, of), statistics: statisticsOf(result, of) })
  const { count, bars, longestMillis } = gaps(candles.time)
  return {
    strategy: strategy.name,
    kind: strategy.kind,
    market: strategy.market.name,
    hash: strategy.hash,
    data: {
      file: result.data,
      sha256: result.sha256,
      source: result.source,
      gaps: { count, bars, longestMillis },
      repaired: result.repaired,
      warnings: result.warnings
    },
    from: openTime(candles.time, 0),
    to: closeTime(candles.time, candles.bars - 1),
    bars: candles.bars,
    fills: shown.outcome.fills.count,
    wallMillis: result.wallMillis,
    kernelMillis: result.kernelMillis,
    band: { low: side(band.low), high: side(band.high) }
  }
}

const percent = (ratio: number): string => `${(ratio * 100).toFixed(2)} %`
const rounded = (amount: bigint, decimals: number): string => {
  const cut = decimals > 8 ? 8 : decimals
  return format(amount / 10n ** BigInt(decimals - cut), cut)
}

const sideRows = (result: Result, side: Backtest.Side): ReadonlyArray<string> => {
  const { base, quote } = result.strategy.market
  const { outcome } = side
  const statistics = statisticsOf(result, side)
  return [
    side.mode,
    `${rounded(side.pnlQuote, quote.decimals)} ${quote.symbol}`,
    `${rounded(side.holdPnlQuote, quote.decimals)} ${quote.symbol}`,
    `${rounded(side.feesQuote, quote.decimals)} ${quote.symbol}`,
    percent(outcome.maxDrawdown),
    `${outcome.fills.count}`,
    `${outcome.counts.placed}`,
    `${outcome.counts.deniedFunds + outcome.counts.deniedMinimum}`,
    `${rounded(outcome.base, base.decimals)} ${base.symbol}`,
    `${rounded(outcome.quote, quote.decimals)} ${quote.symbol}`,
    statistics.sharpe.toFixed(2),
    statistics.sortino.toFixed(2),
    percent(statistics.probabilisticSharpe)
  ]
}

const titles = [
  "",
  "profit and loss",
  "the budget left alone",
  "fees",
  "largest drawdown",
  "fills",
  "orders placed",
  "orders denied",
  "base at the end",
  "quote at the end",
  "Sharpe",
  "Sortino",
  "Sharpe above 0"
]

export const lines = (result: Result): ReadonlyArray<string> => {
  const { strategy, candles, band } = result
  const sides = band.low === band.high ? [band.low] : [band.low, band.high]
  const cells = sides.map((side) => sideRows(result, side))
  const rows = titles.slice(1).map((title, index) => [title, ...cells.map((column) => column[index + 1] ?? "")])
  const columns = [{ title: "" }, ...cells.map((column) => ({ title: column[0] ?? "", align: "right" as const }))]
  const [from, to] = [openTime(candles.time, 0), closeTime(candles.time, candles.bars - 1)]
  const read = result.source === "cache" ? "from the cache" : "parsed"
  return [
    `${strategy.name} (${strategy.kind}) on ${strategy.market.name}`,
    `${candles.bars} bars from ${iso(from)} to ${iso(to)}, ${read}`,
    ...result.warnings,
    "",
    ...Table.render(columns, rows),
    "",
    `${result.wallMillis.toFixed(0)} ms, of which ${result.kernelMillis.toFixed(1)} ms simulation`
  ]
}
