/** Shows the result of a walk-forward as a page and as JSON: by window, and by market if there are several. */

import { present } from "../../../domain/Present.ts"
import { percent, utcDate } from "../../../domain/Text.ts"
import { counted } from "../../../domain/Words.ts"
import * as Page from "../../../report/Page.ts"
import * as SweepSpace from "../../backtest/search/SweepSpace.ts"
import * as WalkForward from "../../backtest/search/WalkForward.ts"
import { type Fan, fan } from "../../html/Fan.ts"
import { windowBars } from "../../html/WindowBars.ts"
import { type OnMarket, together } from "../OnMarkets.ts"
import type { WalkForwardFound } from "../WalkForwardRun.ts"
import * as RunFacts from "./RunFacts.ts"

type Steps = ReadonlyArray<WalkForward.WalkStep>

const outOfSample = (steps: Steps, figure: "profitQuote" | "pnlQuote"): number =>
  steps.reduce((sum, { test }) => sum + Number(test?.[figure] ?? 0), 0)

const ofMarket = ({ name, data, result: steps }: OnMarket<Steps>) => ({
  market: name,
  data,
  profitQuote: outOfSample(steps, "profitQuote"),
  ...present({ efficiency: WalkForward.efficiency(steps) }),
  windows: steps.length,
  gainsInSample: steps.filter(({ train }) => Number(train?.profitQuote ?? 0) > 0).length,
  gains: steps.filter(({ test }) => Number(test?.profitQuote ?? 0) > 0).length
})

const acrossOf = ({ markets }: WalkForwardFound) => {
  if (markets.length < 2) return undefined
  const outcomes = markets.map(ofMarket)
  return { markets: outcomes, together: together(outcomes.map(({ profitQuote }) => profitQuote)) }
}

const byMarket = (found: WalkForwardFound): Page.PageSection | undefined => {
  const across = acrossOf(found)
  if (across === undefined) return undefined
  const { median, worst } = across.together
  const rows = across.markets.map(({ market, profitQuote, efficiency, gains, gainsInSample, windows }) => [
    market,
    profitQuote.toFixed(2),
    efficiency === undefined
      ? gainsInSample === 0
        ? "no gain in the past"
        : "hardly a gain in the past"
      : percent(efficiency, 0),
    `${gains} of ${windows}`
  ])
  const sum = `Out of sample by market: ${median.toFixed(2)} in the median, ${worst.toFixed(2)} at worst.`
  const titles = ["MARKET", "OUT OF SAMPLE", "AGAINST IN SAMPLE", "WINDOWS WITH A GAIN"]
  return { title: "By market", parts: [Page.table(titles, rows), Page.sentences(sum)] }
}

export const json = (found: WalkForwardFound) => {
  const { kind, objective, runs, space, warnings } = found
  const [{ result: steps }] = found.markets
  return {
    kind,
    fees: runs[0].fees,
    objective,
    profitQuote: outOfSample(steps, "profitQuote"),
    pnlQuote: outOfSample(steps, "pnlQuote"),
    efficiency: WalkForward.efficiency(steps),
    warnings,
    steps: steps.map(({ curve: _, ...step }) => ({
      ...step,
      set: SweepSpace.settingsOf(space, step.train?.values ?? [])
    })),
    ...acrossOf(found)
  }
}

/** Joins the stretches: each begins at the equity where the last one ended. */
const equityOf = (steps: Steps, quote: string): Fan | undefined => {
  const line: Array<number> = []
  const starts: Array<number> = []
  for (const { curve = [] } of steps) {
    const before = line.at(-1) ?? 0
    starts.push(line.length)
    line.push(...curve.map((change) => before + change))
  }
  const [first, last] = [steps[0], steps.at(-1)]
  if (line.length === 0 || first === undefined || last === undefined) return undefined
  return {
    label: "Change in equity out of sample",
    line,
    bands: [],
    borders: starts.slice(1).map((start) => start / Math.max(1, line.length - 1)),
    ends: [utcDate(first.testFrom), utcDate(last.testTo)],
    format: (value) => `${value.toFixed(2)} ${quote}`
  }
}

const compared = ({ efficiency, gainsInSample, windows }: ReturnType<typeof ofMarket>): string => {
  if (gainsInSample === 0) return "The search found no gain in sample."
  if (efficiency === undefined)
    return `In sample the best gained in ${gainsInSample} of ${counted(windows, "window")}, but nearly nothing or less in total: no gain to compare with.`
  const did = efficiency < 0 ? "lost" : "gained"
  return `Out of sample a bar ${did} ${percent(Math.abs(efficiency), 0)} of its gain in sample. Far below a gain of 100 %, the search fitted noise.`
}

export const failure = ({ markets }: WalkForwardFound): string | undefined => {
  const steps = markets.flatMap(({ result }) => result)
  return steps.every(({ refused }) => refused !== undefined) ? RunFacts.nothingRan(steps[0]?.refused) : undefined
}

export const page = (found: WalkForwardFound, madeAt: number): Page.Page => {
  const { kind, objective, runs, space, warnings } = found
  const [own] = found.markets
  const { result: steps } = own
  const quote = runs[0].strategy.market.quote.symbol
  const { efficiency, gains, profitQuote } = ofMarket(own)
  const text = efficiency === undefined ? "none" : percent(efficiency, 0)
  const equity = equityOf(steps, quote)
  const windows = steps.map(({ testFrom, from, to, end, train, test }) => ({
    name: utcDate(testFrom),
    inSample: Number(train?.profitQuote ?? 0) / (to - from),
    outOfSample: Number(test?.profitQuote ?? 0) / (end - to)
  }))
  const rows = steps.map(({ testFrom, testTo, train, test }) => [
    utcDate(testFrom),
    utcDate(testTo),
    ...space.map((_, index) => train?.values[index] ?? "none"),
    Number(train?.profitQuote ?? 0).toFixed(2),
    Number(test?.profitQuote ?? 0).toFixed(2),
    percent(test?.maxDrawdown ?? 0)
  ])
  return RunFacts.pageOf(found, {
    what: "Walk-forward",
    about: `${steps.length} ${kind} windows, the best by ${objective}`,
    madeAt,
    headline: [
      ["out of sample, together", `${profitQuote.toFixed(2)} ${quote}`],
      ["out of sample against in sample", text],
      ["windows with a gain", `${gains} of ${steps.length}`],
      ["largest drawdown out of sample", percent(Math.max(0, ...steps.map(({ test }) => test?.maxDrawdown ?? 0)))]
    ],
    says: [
      "Each window searches its own past and tests only the best on the bars after it, which the search has not seen.",
      compared(ofMarket(own)),
      ...warnings
    ],
    sections: Page.sectionsOf(
      equity && {
        title: "Equity out of sample",
        parts: [Page.figurePart(() => fan(equity))],
        note: "Change in equity, one window after the other, price moves included; the gain over the untouched budget is above. A thin line marks the next window."
      },
      {
        title: "Profit per window",
        parts: [Page.figurePart(() => windowBars(windows))],
        note: "In quote, per bar; the best of each search in sample, then out of sample."
      },
      {
        title: "Windows",
        parts: [
          Page.table(
            ["FROM", "TO", ...space.map(({ path }) => path), "PNL (train)", "PNL (test)", "DRAWDOWN (test)"],
            rows
          )
        ]
      },
      byMarket(found)
    )
  })
}
