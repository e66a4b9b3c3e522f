/** Shows several backtests on identical candles side by side, as a page. */

import { iso, percent } from "../../../domain/Text.ts"
import * as Page from "../../../report/Page.ts"
import { marketNames } from "../../../strategy/Strategy.ts"
import { version } from "../../../version.ts"
import { describe } from "../../backtest/kernel/FillPresets.ts"
import * as BacktestLimits from "../../backtest/results/BacktestLimits.ts"
import * as BacktestStatistics from "../../backtest/results/BacktestStatistics.ts"
import * as BandSide from "../../backtest/results/BandSide.ts"
import * as EquityCurve from "../../backtest/results/EquityCurve.ts"
import { falls } from "../../backtest/results/Statistics.ts"
import * as ComparisonScript from "../../html/ComparisonScript.ts"
import type { BacktestResult } from "../BacktestRun.ts"
import * as BacktestSummary from "./BacktestSummary.ts"
import * as BandSummary from "./BandSummary.ts"
import * as DataSections from "./DataSections.ts"
import * as WhatItSays from "./WhatItSays.ts"

export type Results = readonly [BacktestResult, ...ReadonlyArray<BacktestResult>]

const nameOf = (results: Results, { strategy }: BacktestResult): string =>
  results.filter((other) => other.strategy.name === strategy.name).length > 1 ? strategy.file : strategy.name

const facts = (result: BacktestResult): ReadonlyArray<readonly [string, string]> => {
  const { low, high } = result.band
  const of = (side: BandSide.BandSide) => [
    ...BacktestSummary.sideFacts(result, side),
    ...BacktestStatistics.facts(side, result.trials)
  ]
  const upper = of(high)
  const gained = BacktestSummary.profitRange(result)
  const simulated =
    BacktestSummary.quantified(result) === undefined
      ? []
      : [["simulated profit, p5 to p95", range(gained.low, gained.high)] as const]
  return [
    ...simulated,
    ...of(low).map(([label, value], row) => [label, range(value, upper[row]?.[1] ?? value)] as const)
  ]
}

const range = (low: string, high: string): string => (low === high ? low : `${low} to ${high}`)

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

const sideBySide = (results: Results): Page.PagePart => {
  const rows = results.map((result) => {
    const { low, high } = result.band
    const [worst, best] = [
      BacktestStatistics.ofSide(low, result.trials),
      BacktestStatistics.ofSide(high, result.trials)
    ]
    const ratio = (value: number): string => value.toFixed(2)
    const gained = BacktestSummary.profitEnds(result)
    return [
      nameOf(results, result),
      BacktestSummary.quoteText(result, gained.low),
      BacktestSummary.quoteText(result, gained.high),
      BacktestSummary.returnText(result, gained.low),
      BacktestSummary.returnText(result, gained.high),
      BacktestSummary.returnText(result, BacktestSummary.allInProfit(result)),
      percent(Math.max(low.outcome.maxDrawdown, high.outcome.maxDrawdown)),
      BacktestStatistics.text(worst, "sharpe", ratio),
      BacktestStatistics.text(best, "sharpe", ratio),
      `${low.fills}`,
      `${high.fills}`
    ]
  })
  const profit = results.some(BacktestSummary.quantified)
    ? ["PNL P5", "P95", "RETURN P5", "P95"]
    : ["PNL LOW", "HIGH", "RETURN LOW", "HIGH"]
  return Page.table(["", ...profit, "ALL IN", "DRAWDOWN", "SHARPE LOW", "HIGH", "FILLS LOW", "HIGH"], rows)
}

const limitsOf = (results: Results): ReadonlyArray<string> =>
  results.flatMap((result) => {
    const ends = BacktestSummary.endsOf(result.band)
    const sentences = ends.flatMap(({ name, side }) => BacktestLimits.sentences(name, side))
    return sentences.map((sentence) => `${nameOf(results, result)}, ${sentence}`)
  })

const points = 1500

/** Returns the gain compared with the unused budget until these bars, as a share of the equity at the start. */
const returnsOf = ({ parts }: BandSide.BandSide, bars: ReadonlyArray<number>): ReadonlyArray<number> => {
  const [first = 0, ...made] = EquityCurve.madeOf(BandSide.curve(parts, [0, ...bars]))
  return made.map((worth) => (first > 0 ? worth / first - 1 : 0))
}

export const curves = (results: Results): ComparisonScript.ComparisonCurves => {
  const [{ candles, band }] = results
  const bars = EquityCurve.spread(candles, points)
  const { parts } = band.high
  const growth = (bar: number): number =>
    parts.reduce((sum, { candles: { close } }) => sum + (close[bar] ?? 0) / (close[0] ?? 1), 0) / parts.length
  return {
    times: BandSide.curve(parts, bars).map(({ time }) => time / 1000),
    price: bars.map((bar) => growth(bar) - 1),
    runs: results.map((result) => {
      const [low, high] = [returnsOf(result.band.low, bars), returnsOf(result.band.high, bars)]
      return { name: nameOf(results, result), high, low, drawdown: falls(low.map((ratio) => 1 + ratio)) }
    })
  }
}

export const page = (results: Results, madeAt: number): Page.Page => {
  const [{ candles, kernelMillis, sources, wallMillis }] = results
  const last = [candles.bars - 1]
  const runs = results.map((result) => ({
    name: nameOf(results, result),
    low: returnsOf(result.band.low, last)[0] ?? 0,
    high: returnsOf(result.band.high, last)[0] ?? 0,
    fills: Math.max(result.band.low.fills, result.band.high.fills)
  }))
  const origins = results.map((result) => {
    const { strategy } = result
    const about = `${strategy.kind} on ${marketNames(strategy)} from ${strategy.file}, SHA-256 ${strategy.hash}`
    return [nameOf(results, result), about] as const
  })
  const assumptions = saidOf(results, (result) => [
    ...BacktestSummary.endsOf(result.band).flatMap(({ name, side }) =>
      describe(side.rules).map((rule) => `${name}: ${rule}`)
    ),
    ...result.calibrated
  ])
  const took = `${wallMillis.toFixed(0)} ms, of which ${kernelMillis.toFixed(1)} ms simulation`
  return {
    title: `${results.length} strategies over the same ${candles.bars} bars`,
    subtitle: runs.map(({ name }) => name).join(", "),
    fees: feesOf(results),
    headline: runs.map(({ name, low, high }) => [name, range(percent(low), percent(high))]),
    says: [...WhatItSays.ofSeveral(runs), ...imprecise(results), ...warningsOf(results)],
    sections: [
      { title: "Side by side", parts: [sideBySide(results), Page.sentences(...limitsOf(results), took)] },
      {
        title: "Return since the start",
        parts: [Page.figurePart(ComparisonScript.charts)],
        note: "Against the untouched budget. Bands from the lower to the higher side of each run; dashed grey: the price."
      },
      {
        title: "All figures",
        parts: [Page.sideBySide(results.map((result) => [nameOf(results, result), facts(result)]))],
        note: "lower to higher side",
        isPageOnly: true
      },
      {
        title: "Runs",
        parts: [
          Page.facts([...origins, ["made", `${iso(madeAt)} by limitbot ${version}`]]),
          ...results.map((result) => Page.file(result.strategy.text, nameOf(results, result)))
        ],
        isPageOnly: true
      },
      ...DataSections.of(assumptions, sources)
    ]
  }
}
