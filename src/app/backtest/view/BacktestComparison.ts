/** Several backtests on the same candles, side by side: in the terminal, as JSON and as an HTML page. */
import { Clock, Effect } from "effect"
import * as Backtest from "../../../backtest/Backtest.ts"
import { describe, notModelled } from "../../../backtest/kernel/FillPresets.ts"
import * as BacktestLimits from "../../../backtest/results/BacktestLimits.ts"
import * as BacktestStatistics from "../../../backtest/results/BacktestStatistics.ts"
import * as EquityCurve from "../../../backtest/results/EquityCurve.ts"
import { falls } from "../../../backtest/results/Statistics.ts"
import { iso, percent } from "../../../domain/Text.ts"
import * as HtmlComparison from "../../../report/html/HtmlComparison.ts"
import * as Table from "../../../report/text/Table.ts"
import { marketNames } from "../../../strategy/Strategy.ts"
import { version } from "../../../version.ts"
import type { BacktestResult } from "../BacktestRun.ts"
import * as BacktestReport from "./BacktestReport.ts"
import * as BacktestSummary from "./BacktestSummary.ts"
import * as BandSummary from "./BandSummary.ts"
import * as WhatItSays from "./WhatItSays.ts"

export type Results = readonly [BacktestResult, ...ReadonlyArray<BacktestResult>]

/** Strategies by name, or by file where two have the same name. */
const nameOf = (results: Results, { strategy }: BacktestResult): string =>
  results.filter((other) => other.strategy.name === strategy.name).length > 1 ? strategy.file : strategy.name

/** Figures of both sides, shown as one where they agree. */
const facts = (result: BacktestResult): ReadonlyArray<readonly [string, string]> => {
  const { low, high } = result.band
  const of = (side: Backtest.BandSide) => [
    ...BacktestSummary.sideFacts(result, side),
    ...BacktestStatistics.facts(side, result.trials)
  ]
  const upper = of(high)
  const gained = BacktestSummary.profitRange(result)
  const simulated =
    result.simulated === undefined ? [] : [["simulated profit, p5 to p95", range(gained.low, gained.high)] as const]
  return [
    ...simulated,
    ...of(low).map(([label, value], row) => [label, range(value, upper[row]?.[1] ?? value)] as const)
  ]
}

const range = (low: string, high: string): string => (low === high ? low : `${low} to ${high}`)

export const json = (results: Results) => ({ runs: results.map(BacktestSummary.json) })

/** What is said of all runs once, and then what is said of single ones, by name. */
const saidOf = (results: Results, of: (result: BacktestResult) => ReadonlyArray<string>): ReadonlyArray<string> => {
  const each = results.map((result) => ({ name: nameOf(results, result), said: of(result) }))
  const isCommon = (sentence: string): boolean => each.every(({ said }) => said.includes(sentence))
  const ofOne = each.flatMap(({ name, said }) =>
    said.flatMap((sentence) => (isCommon(sentence) ? [] : [`${name}: ${sentence}`]))
  )
  return [...of(results[0]).filter(isCommon), ...ofOne]
}

const feesOf = (results: Results): ReadonlyArray<string> => saidOf(results, ({ fees }) => fees.sentence.split("; "))
const warningsOf = (results: Results): ReadonlyArray<string> => saidOf(results, ({ warnings }) => warnings)
const imprecise = (results: Results): ReadonlyArray<string> =>
  saidOf(results, ({ simulated }) =>
    simulated === undefined || simulated.ended === "enough" ? [] : [BandSummary.precision(simulated)]
  )

/** The figures that fit a terminal: one row per run. */
export const lines = (results: Results): ReadonlyArray<string> => {
  const [{ candles, wallMillis, kernelMillis }] = results
  const rows = results.map((result) => {
    const { low, high } = result.band
    const [worst, best] = [
      BacktestStatistics.ofSide(low, result.trials),
      BacktestStatistics.ofSide(high, result.trials)
    ]
    const ratio = (value: number): string => value.toFixed(2)
    const hold = BacktestStatistics.holdFacts(high, 1)[0]?.[1] ?? ""
    const gained = BacktestSummary.profitRange(result)
    return [
      nameOf(results, result),
      gained.low,
      gained.high,
      percent(worst.totalReturn),
      percent(best.totalReturn),
      hold,
      BacktestSummary.allInReturn(result),
      percent(Math.max(low.outcome.maxDrawdown, high.outcome.maxDrawdown)),
      BacktestStatistics.text(worst, "sharpe", ratio),
      BacktestStatistics.text(best, "sharpe", ratio),
      `${low.fills}`,
      `${high.fills}`
    ]
  })
  const [lowest, highest] = results.some(({ simulated }) => simulated) ? ["PNL P5", "P95"] : ["PNL LOW", "HIGH"]
  const titles = [
    lowest,
    highest,
    "RETURN LOW",
    "HIGH",
    "LEFT ALONE",
    "ALL IN",
    "DRAWDOWN",
    "SHARPE LOW",
    "HIGH",
    "FILLS LOW",
    "HIGH"
  ]
  return [
    `${results.length} strategies over the same ${candles.bars} bars`,
    ...feesOf(results),
    ...warningsOf(results),
    ...imprecise(results),
    "",
    ...Table.ofFigures(["", ...titles], rows),
    ...limitsOf(results),
    "",
    `${wallMillis.toFixed(0)} ms, of which ${kernelMillis.toFixed(1)} ms simulation`
  ]
}

const limitsOf = (results: Results): ReadonlyArray<string> =>
  results.flatMap((result) => {
    const ends = BacktestSummary.endsOf(result.band)
    const said = ends.flatMap(({ name, side }) => BacktestLimits.sentences(name, side))
    return said.map((sentence) => `${nameOf(results, result)}, ${sentence}`)
  })

const points = 1500

const runOf = (results: Results, result: BacktestResult, bars: ReadonlyArray<number>) => {
  const { strategy, band } = result
  const returns = (side: Backtest.BandSide): ReadonlyArray<number> => {
    const [start, ...curve] = Backtest.curve(side.parts, [0, ...bars])
    const first = start?.hold ?? 1
    return curve.map(({ equity }) => (first > 0 ? equity / first - 1 : 0))
  }
  const low = returns(band.low)
  return {
    name: nameOf(results, result),
    about: `${strategy.kind} on ${marketNames(strategy)} from ${strategy.file}, SHA-256 ${strategy.hash}`,
    text: strategy.text,
    high: returns(band.high),
    low,
    drawdown: falls(low.map((ratio) => 1 + ratio)),
    facts: facts(result),
    fills: Math.max(band.low.fills, band.high.fills)
  } satisfies HtmlComparison.ComparedRun & { readonly fills: number }
}

const comparison = (results: Results, madeAt: number): HtmlComparison.ComparisonPage => {
  const [first] = results
  const { candles, band } = first
  const bars = EquityCurve.spread(candles, points)
  const runs = results.map((result) => runOf(results, result, bars))
  const times = Backtest.curve(band.high.parts, bars)
  const { parts } = band.high
  const growth = (bar: number): number =>
    parts.reduce((sum, { candles: { close } }) => sum + (close[bar] ?? 0) / (close[0] ?? 1), 0) / parts.length
  return {
    title: `${results.length} strategies on the same candles`,
    subtitle: `${runs.map(({ name }) => name).join(", ")}; ${candles.bars} bars`,
    fees: feesOf(results),
    made: `${iso(madeAt)} by limitbot ${version}`,
    headline: runs.map(({ name, low, high }) => [name, range(percent(low.at(-1) ?? 0), percent(high.at(-1) ?? 0))]),
    says: [
      ...WhatItSays.ofSeveral(
        runs.map(({ name, low, high, fills }) => ({ name, low: low.at(-1) ?? 0, high: high.at(-1) ?? 0, fills }))
      ),
      ...imprecise(results)
    ],
    runs,
    limits: limitsOf(results),
    times: times.map(({ time }) => time / 1000),
    price: bars.map((bar) => growth(bar) - 1),
    assumptions: saidOf(results, (result) => [
      ...BacktestSummary.endsOf(result.band).flatMap(({ name, side }) =>
        describe(side.rules).map((rule) => `${name}: ${rule}`)
      ),
      ...result.calibrated
    ]),
    notModelled,
    quality: BacktestReport.qualityOf(first.sources),
    warnings: warningsOf(results)
  }
}

/** The page as a file's content. */
export const html = (results: Results) =>
  Effect.gen(function* () {
    const library = yield* BacktestReport.chartLibrary
    return HtmlComparison.render(comparison(results, yield* Clock.currentTimeMillis), library)
  })
