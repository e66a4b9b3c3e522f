/** Turns a walk-forward into its HTML report. */
import type * as WalkForward from "../../../backtest/search/WalkForward.ts"
import { present } from "../../../domain/Present.ts"
import { percent, utcDate } from "../../../domain/Text.ts"
import * as HtmlWalkForward from "../../../report/html/HtmlWalkForward.ts"
import type { WalkForwardFound } from "../WalkForwardRun.ts"
import * as RunFacts from "./RunFacts.ts"
import * as WalkForwardSummary from "./WalkForwardSummary.ts"

/** One stretch after the other: each begins where the one before ended. */
const equityOf = (
  steps: ReadonlyArray<WalkForward.WalkStep>,
  quote: string
): Pick<HtmlWalkForward.WalkForwardReport, "equity"> => {
  const line: Array<number> = []
  const starts: Array<number> = []
  for (const { curve = [] } of steps) {
    const before = line.at(-1) ?? 0
    starts.push(line.length)
    line.push(...curve.map((change) => before + change))
  }
  const [first, last] = [steps[0], steps.at(-1)]
  if (line.length === 0 || first === undefined || last === undefined) return {}
  return {
    equity: {
      label: "Change of worth out of sample",
      line,
      bands: [],
      borders: starts.slice(1).map((start) => start / Math.max(1, line.length - 1)),
      ends: [utcDate(first.testFrom), utcDate(last.testTo)],
      format: (value) => `${value.toFixed(2)} ${quote}`
    }
  }
}

export const html = (found: WalkForwardFound, madeAt: number): string => {
  const { kind, objective, runs, warnings } = found
  const [{ name, data, result: steps }] = found.markets
  const quote = runs[0].strategy.market.quote.symbol
  const { efficiency, gains, profitQuote } = WalkForwardSummary.ofMarket({ name, data, result: steps })
  const text = efficiency === undefined ? "none" : percent(efficiency, 0)
  const { titles, rows } = WalkForwardSummary.table(found)
  return HtmlWalkForward.render({
    ...RunFacts.pageOf("Walk-forward", found, `${steps.length} ${kind} windows, the best by ${objective}`, madeAt),
    headline: [
      ["out of sample, together", `${profitQuote.toFixed(2)} ${quote}`],
      ["out of sample against in sample", text],
      ["windows with a gain", `${gains} of ${steps.length}`],
      [
        "largest drawdown out of sample",
        percent(steps.reduce((most, { test }) => Math.max(most, test?.maxDrawdown ?? 0), 0))
      ]
    ],
    says: [
      "Each window searches its own past and tries only the best on what came after it, which the search has not seen.",
      efficiency === undefined
        ? "The search found no gain in the past."
        : `Out of sample a bar gained ${text} of what it gained in sample. Far below 100 %, the search fitted noise.`,
      ...warnings
    ],
    windows: steps.map(({ testFrom, from, to, end, train, test }) => ({
      name: utcDate(testFrom),
      inSample: Number(train?.profitQuote ?? 0) / (to - from),
      outOfSample: Number(test?.profitQuote ?? 0) / (end - to)
    })),
    ...equityOf(steps, quote),
    table: { titles: titles.map((title) => title.toLowerCase()), rows },
    ...present({ markets: WalkForwardSummary.byMarket(found) })
  })
}
