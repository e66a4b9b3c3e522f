/** Several backtests on the same candles, side by side: in the terminal, as JSON and as an HTML page. */
import { Clock, Effect } from "effect"
import * as Backtest from "../../backtest/Backtest.ts"
import { describe, notModelled } from "../../backtest/kernel/FillPresets.ts"
import * as BacktestLimits from "../../backtest/results/BacktestLimits.ts"
import * as BacktestStatistics from "../../backtest/results/BacktestStatistics.ts"
import * as EquityCurve from "../../backtest/results/EquityCurve.ts"
import { iso, percent } from "../../domain/Text.ts"
import * as HtmlComparison from "../../report/html/HtmlComparison.ts"
import * as Table from "../../report/text/Table.ts"
import { marketNames } from "../../strategy/Strategy.ts"
import { version } from "../../version.ts"
import * as BacktestReport from "./BacktestReport.ts"
import * as BacktestSummary from "./BacktestSummary.ts"
import * as WhatItSays from "./WhatItSays.ts"

export type Results = readonly [BacktestSummary.Result, ...ReadonlyArray<BacktestSummary.Result>]

/** Strategies by name, or by file where two have the same name. */
const nameOf = (results: Results, { strategy }: BacktestSummary.Result): string =>
  results.filter((other) => other.strategy.name === strategy.name).length > 1 ? strategy.file : strategy.name

/** Figures of both sides, shown as one where they agree. */
const facts = (result: BacktestSummary.Result): ReadonlyArray<readonly [string, string]> => {
  const { low, high } = result.band
  const of = (side: Backtest.BandSide) => [
    ...BacktestSummary.sideFacts(result, side),
    ...BacktestStatistics.facts(side, result.trials)
  ]
  const upper = of(high)
  return of(low).map(([label, value], row) => {
    const other = upper[row]?.[1] ?? value
    return [label, value === other ? value : `${value} to ${other}`]
  })
}

export const json = (results: Results) => ({ runs: results.map(BacktestSummary.json) })

/** The figures that fit a terminal: one row per run. */
export const lines = (results: Results): ReadonlyArray<string> => {
  const [{ candles, warnings, wallMillis, kernelMillis }] = results
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
    ...warnings,
    "",
    ...Table.render([{ title: "" }, ...titles.map((title) => ({ title, align: "right" as const }))], rows),
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

const runOf = (results: Results, result: BacktestSummary.Result, bars: ReadonlyArray<number>) => {
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
    drawdown: BacktestReport.drawdowns(low.map((ratio) => 1 + ratio)),
    facts: facts(result)
  } satisfies HtmlComparison.ComparedRun
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
    fees: first.fees.sentence,
    made: `${iso(madeAt)} by limitbot ${version}`,
    headline: runs.map(({ name, low, high }) => [name, `${percent(low.at(-1) ?? 0)} to ${percent(high.at(-1) ?? 0)}`]),
    says: WhatItSays.ofSeveral(
      runs.map(({ name, low, high }) => ({ name, low: low.at(-1) ?? 0, high: high.at(-1) ?? 0 }))
    ),
    runs,
    limits: limitsOf(results),
    times: times.map(({ time }) => time / 1000),
    price: bars.map((bar) => growth(bar) - 1),
    assumptions: [
      ...BacktestSummary.endsOf(band).flatMap(({ name, side }) =>
        describe(side.rules).map((rule) => `${name}: ${rule}`)
      ),
      ...first.calibrated
    ],
    notModelled,
    quality: BacktestReport.qualityOf(first.sources),
    warnings: first.warnings
  }
}

/** The page as a file's content. */
export const html = (results: Results) =>
  Effect.gen(function* () {
    const library = yield* BacktestReport.chartLibrary
    return HtmlComparison.render(comparison(results, yield* Clock.currentTimeMillis), library)
  })
