/** The result of a backtest for the terminal and as JSON. */
import { DateTime } from "effect"
import * as Backtest from "../backtest/Backtest.ts"
import type { Checked } from "../backtest/CandleChecks.ts"
import type { Candles } from "../backtest/Candles.ts"
import { closeTime, gaps, openTime } from "../backtest/TimeAxis.ts"
import { format } from "../domain/Amount.ts"
import * as Table from "../report/Table.ts"
import type { Strategy } from "../strategy/Strategy.ts"
import * as BacktestStatistics from "./BacktestStatistics.ts"

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
  /** What was measured instead of assumed, in sentences. */
  readonly calibrated: ReadonlyArray<string>
  /** How many were tried to find this one, as the user says. */
  readonly trials: number
  readonly wallMillis: number
  readonly kernelMillis: number
}

const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

export const json = (result: Result) => {
  const { strategy, candles, band, shown } = result
  const side = (of: Backtest.Side) => ({
    ...Backtest.toJson(strategy, of),
    statistics: BacktestStatistics.ofSide(result, of, result.trials)
  })
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
    ...(result.calibrated.length === 0 ? {} : { calibrated: result.calibrated }),
    fills: shown.outcome.fills.count,
    wallMillis: result.wallMillis,
    kernelMillis: result.kernelMillis,
    band: { low: side(band.low), high: side(band.high) }
  }
}

const percent = (ratio: number): string => `${(ratio * 100).toFixed(2)} %`
/** Exact down to the eighth place; cents are enough from a hundred on. */
const rounded = (amount: bigint, decimals: number): string => {
  const unit = 10n ** BigInt(decimals)
  const places = Math.min(decimals, amount >= 100n * unit || amount <= -100n * unit ? 2 : 8)
  return format(amount / 10n ** BigInt(decimals - places), places)
}

const quoteText = ({ strategy }: Result, amount: bigint): string =>
  `${rounded(amount, strategy.market.quote.decimals)} ${strategy.market.quote.symbol}`

export const pnlText = (result: Result, side: Backtest.Side): string => quoteText(result, side.pnlQuote)
export const holdText = (result: Result, side: Backtest.Side): string => quoteText(result, side.holdPnlQuote)

/** One side's figures, labelled. */
export const sideFacts = (result: Result, side: Backtest.Side): ReadonlyArray<readonly [string, string]> => {
  const { base } = result.strategy.market
  const { outcome } = side
  return [
    ["profit and loss", pnlText(result, side)],
    ["the budget left alone", holdText(result, side)],
    ["fees", quoteText(result, side.feesQuote)],
    ["largest drawdown", percent(outcome.maxDrawdown)],
    ["fills", `${outcome.fills.count}`],
    ["orders placed", `${outcome.counts.placed}`],
    ["orders cancelled", `${outcome.counts.cancelled}`],
    ["denied: no money", `${outcome.counts.deniedFunds}`],
    ["denied: too small", `${outcome.counts.deniedMinimum}`],
    ["base at the end", `${rounded(outcome.base, base.decimals)} ${base.symbol}`],
    ["quote at the end", quoteText(result, outcome.quote)]
  ]
}

const ratioFacts = (result: Result, side: Backtest.Side): ReadonlyArray<readonly [string, string]> => {
  const { sharpe, sortino, probabilisticSharpe } = BacktestStatistics.ofSide(result, side, result.trials)
  return [
    ["Sharpe", sharpe.toFixed(2)],
    ["Sortino", sortino.toFixed(2)],
    ["Sharpe above 0", percent(probabilisticSharpe)]
  ]
}

export const lines = (result: Result): ReadonlyArray<string> => {
  const { strategy, candles, band } = result
  const sides = band.low === band.high ? [band.low] : [band.low, band.high]
  const facts = sides.map((side) => [...sideFacts(result, side), ...ratioFacts(result, side)])
  const rows = (facts[0] ?? []).map(([label], row) => [label, ...facts.map((column) => column[row]?.[1] ?? "")])
  const columns = [{ title: "" }, ...sides.map(({ mode }) => ({ title: mode, align: "right" as const }))]
  const [from, to] = [openTime(candles.time, 0), closeTime(candles.time, candles.bars - 1)]
  const read = result.source === "cache" ? "from the cache" : "parsed"
  return [
    `${strategy.name} (${strategy.kind}) on ${strategy.market.name}`,
    `${candles.bars} bars from ${iso(from)} to ${iso(to)}, ${read}`,
    ...result.warnings,
    ...result.calibrated,
    "",
    ...Table.render(columns, rows),
    "",
    `${result.wallMillis.toFixed(0)} ms, of which ${result.kernelMillis.toFixed(1)} ms simulation`
  ]
}
