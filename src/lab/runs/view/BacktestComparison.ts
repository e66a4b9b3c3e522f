/** Shows several backtests on identical candles side by side, as a page. */
import { closeTime, openTime } from "../../../candles/TimeAxis.ts"
import { fixed, percent, utc } from "../../../domain/Text.ts"
import * as Page from "../../../report/Page.ts"
import { marketNames } from "../../../strategy/Strategy.ts"
import { version } from "../../../version.ts"
import * as Band from "../../backtest/Band.ts"
import * as BacktestStatistics from "../../backtest/results/BacktestStatistics.ts"
import * as BandSide from "../../backtest/results/BandSide.ts"
import * as EquityCurve from "../../backtest/results/EquityCurve.ts"
import { falls } from "../../backtest/results/Statistics.ts"
import { share } from "../../html/Figures.ts"
import { along, band as bandOf, plot, timeAxis } from "../../html/Plot.ts"
import type { BacktestResult } from "../BacktestRun.ts"
import * as BacktestSummary from "./BacktestSummary.ts"
import * as BandSummary from "./BandSummary.ts"
import * as DataSections from "./DataSections.ts"
import * as WhatItSays from "./WhatItSays.ts"

export type Results = readonly [BacktestResult, ...ReadonlyArray<BacktestResult>]

const nameOf = (results: Results, { strategy }: BacktestResult): string =>
  results.filter((other) => other.strategy.name === strategy.name).length > 1 ? strategy.file : strategy.name

const saidOf = (results: Results, of: (result: BacktestResult) => ReadonlyArray<string>): ReadonlyArray<string> => {
  const each = results.map((result) => ({ name: nameOf(results, result), said: of(result) }))
  const isCommon = (sentence: string): boolean => each.every(({ said }) => said.includes(sentence))
  const ofOne = each.flatMap(({ name, said }) =>
    said.flatMap((sentence) => (isCommon(sentence) ? [] : [`${name}: ${sentence}`]))
  )
  return [...of(results[0]).filter(isCommon), ...ofOne]
}

const imprecise = (results: Results): ReadonlyArray<string> =>
  saidOf(results, ({ simulated }) =>
    simulated === undefined || simulated.ended === "enough" ? [] : [BandSummary.precision(simulated)]
  )

const sideBySide = (results: Results): Page.PagePart => {
  const rows = results.map((result) => {
    const { low, high } = result.band
    const { profitEnds, quoteText, returnText } = BacktestSummary
    const profits = Object.values(profitEnds(result))
    const sharpe = (side: BandSide.BandSide): string =>
      BacktestStatistics.text(BacktestStatistics.ofSide(side, result.trials), "sharpe", fixed)
    return [
      nameOf(results, result),
      ...profits.map((profit) => Page.gain(quoteText(result, profit))),
      ...[...profits, BacktestSummary.allInProfit(result)].map((profit) => Page.gain(returnText(result, profit))),
      percent(-Math.max(low.outcome.maxDrawdown, high.outcome.maxDrawdown)),
      ...[low, high].map(sharpe),
      ...[low, high].map(({ fills }) => `${fills}`)
    ]
  })
  const profit = results.some(BacktestSummary.quantified)
    ? ["PNL P5", "P95", "RETURN P5", "P95"]
    : ["PNL LOW", "HIGH", "RETURN LOW", "HIGH"]
  return Page.table(["", ...profit, "BUY AND HOLD", "DRAWDOWN", "SHARPE LOW", "HIGH", "FILLS LOW", "HIGH"], rows)
}

const limitsOf = (results: Results): ReadonlyArray<string> =>
  results.flatMap((result) =>
    BacktestSummary.limitSentences(result).map((sentence) => `${nameOf(results, result)}, ${sentence}`)
  )

const points = 500

/** Returns the profit over the untouched budget until these bars, as a share of the equity at the start. */
const returnsOf = ({ parts }: BandSide.BandSide, bars: ReadonlyArray<number>): ReadonlyArray<number> => {
  const [first = 0, ...made] = EquityCurve.madeOf(BandSide.curve(parts, [0, ...bars]))
  return made.map((worth) => (first > 0 ? worth / first - 1 : 0))
}

const chartsOf = (results: Results): string => {
  const [{ candles, band }] = results
  const bars = EquityCurve.spread(candles, points)
  const growth = EquityCurve.growth(band.high.parts, bars)
  const [start, ...untouched] = BandSide.curve(band.high.parts, [0, ...bars])
  const holdingAlone = untouched.map(({ hold }, index) => (growth[index] ?? 1) - hold / (start?.hold ?? 1))
  const x = timeAxis("Time", openTime(candles.time, 0), closeTime(candles.time, candles.bars - 1))
  const runs = results.map((result, index) => {
    const [low, high] = [returnsOf(result.band.low, bars), returnsOf(result.band.high, bars)]
    return { kind: `run run-${index % 6}`, name: nameOf(results, result), low, high }
  })
  const lines = runs.flatMap(({ kind, name, low, high }) => [
    { kind: `${kind} area-of`, points: bandOf(x, low, high) },
    { kind, name, points: along(x, high) },
    { kind, points: along(x, low) }
  ])
  const drawdowns = runs.map(({ low, ...run }) => ({ ...run, points: along(x, falls(low.map((ratio) => 1 + ratio))) }))
  const hold = { kind: "hold", name: "buy and hold", points: along(x, holdingAlone) }
  return [
    plot("Returns of all runs", x, "Return against the untouched budget", [hold, ...lines], share),
    plot("Drawdowns of all runs", x, "Drawdown below the highest profit so far, lower side", drawdowns, share)
  ].join("")
}

export const page = (results: Results, madeAt: number): Page.Page => {
  const [{ candles }] = results
  const runs = results.map((result) => {
    const { low, high } = BacktestSummary.profitEnds(result)
    const worth = Band.worthAtStart(result.band.high)
    const fills = Math.max(result.band.low.fills, result.band.high.fills)
    return { name: nameOf(results, result), low: Number(low) / worth, high: Number(high) / worth, fills }
  })
  const origins = results.map((result) => {
    const { strategy } = result
    const about = `${strategy.kind} on ${marketNames(strategy)} from ${strategy.file}, SHA-256 ${strategy.hash}`
    return [nameOf(results, result), about] as const
  })
  const assumptions = saidOf(results, (result) => [...BacktestSummary.ruleSentences(result), ...result.calibrated])
  return {
    title: `${results.length} strategies over the same ${candles.bars} bars`,
    subtitle: runs.map(({ name }) => name).join(", "),
    fees: saidOf(results, ({ fees }) => fees.sentence.split("; ")),
    headline: runs
      .toSorted((a, b) => b.low - a.low)
      .map(({ name, low, high }) => [
        name,
        Page.gain(BacktestSummary.span(percent(low), percent(high))),
        "return against the untouched budget"
      ]),
    says: [...WhatItSays.ofSeveral(runs), ...imprecise(results)],
    notes: saidOf(results, ({ warnings }) => warnings),
    sections: [
      {
        title: "Return since the start",
        parts: [Page.figurePart(() => chartsOf(results))],
        note: `Bands from the lower to the higher side of each run. Buy and hold: with the budget of ${runs[0]?.name ?? ""}.`
      },
      { title: "Side by side", parts: [sideBySide(results), Page.sentences(...limitsOf(results))] },
      ...DataSections.of(assumptions, results[0]),
      {
        title: "Runs",
        parts: [
          Page.facts([...origins, ["made", `${utc(madeAt)} by limitbot ${version}`]]),
          ...results.map((result) => Page.file(result.strategy.text, nameOf(results, result)))
        ],
        isPageOnly: true,
        isFolded: true
      }
    ]
  }
}
