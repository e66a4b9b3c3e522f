/** Turns a walk-forward into its HTML report. */
import * as WalkForward from "../../backtest/search/WalkForward.ts"
import { present } from "../../domain/Present.ts"
import { percent, utcDate } from "../../domain/Text.ts"
import type * as HtmlPage from "../../report/html/HtmlPage.ts"
import * as HtmlWalkForward from "../../report/html/HtmlWalkForward.ts"
import { marketNames } from "../../strategy/Strategy.ts"
import { inputFacts, madeFact, type ReportedRun } from "./RunFacts.ts"

export interface AboutWalk extends ReportedRun {
  readonly objective: string
  readonly kind: "anchored" | "rolling"
  readonly warnings: ReadonlyArray<string>
  readonly table: HtmlWalkForward.WalkForwardReport["table"]
  readonly markets?: HtmlPage.MarketsTable
  readonly total: number
}

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

export const html = (steps: ReadonlyArray<WalkForward.WalkStep>, about: AboutWalk): string => {
  const { strategy, objective, kind, fees, warnings, table, markets, total } = about
  const quote = strategy.market.quote.symbol
  const efficiency = WalkForward.efficiency(steps)
  const gains = steps.filter(({ test }) => Number(test?.profitQuote ?? 0) > 0).length
  const text = efficiency === undefined ? "none" : percent(efficiency, 0)
  return HtmlWalkForward.render({
    title: `Walk-forward: ${strategy.name} on ${marketNames(strategy)}`,
    subtitle: `${strategy.kind} from ${strategy.file}, ${steps.length} ${kind} windows, the best by ${objective}`,
    fees,
    headline: [
      ["out of sample, together", `${total.toFixed(2)} ${quote}`],
      ["out of sample against in sample", text],
      ["windows with a gain", `${gains} of ${steps.length}`],
      [
        "largest drawdown out of sample",
        percent(steps.reduce((most, { test }) => Math.max(most, test?.maxDrawdown ?? 0), 0))
      ]
    ],
    notes: [
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
    table,
    ...present({ markets }),
    facts: [...inputFacts(about), madeFact(about)],
    text: strategy.text
  })
}
