/** What a walk-forward found, for the terminal and as JSON: by window, and by market where there are several. */
import * as SweepSpace from "../../../backtest/search/SweepSpace.ts"
import * as WalkForward from "../../../backtest/search/WalkForward.ts"
import { present } from "../../../domain/Present.ts"
import { percent, utcDate } from "../../../domain/Text.ts"
import * as Table from "../../../report/text/Table.ts"
import { type OnMarket, together } from "../OnMarkets.ts"
import type { WalkForwardFound } from "../WalkForwardRun.ts"

type Steps = ReadonlyArray<WalkForward.WalkStep>

const outOfSample = (steps: Steps, figure: "profitQuote" | "pnlQuote"): number =>
  steps.reduce((sum, { test }) => sum + Number(test?.[figure] ?? 0), 0)

/** Each market searches its own past. */
export const ofMarket = ({ name, data, result: steps }: OnMarket<Steps>) => ({
  market: name,
  data,
  profitQuote: outOfSample(steps, "profitQuote"),
  ...present({ efficiency: WalkForward.efficiency(steps) }),
  windows: steps.length,
  gains: steps.filter(({ test }) => Number(test?.profitQuote ?? 0) > 0).length
})

/** What each gained out of sample, with the median and the worst; nothing for a single market. */
const acrossOf = ({ markets }: WalkForwardFound) => {
  if (markets.length < 2) return undefined
  const found = markets.map(ofMarket)
  return { markets: found, together: together(found.map(({ profitQuote }) => profitQuote)) }
}

export const byMarket = (found: WalkForwardFound): Table.NotedCells | undefined => {
  const across = acrossOf(found)
  if (across === undefined) return undefined
  const { median, worst } = across.together
  return {
    titles: ["MARKET", "OUT OF SAMPLE", "AGAINST IN SAMPLE", "WINDOWS WITH A GAIN"],
    rows: across.markets.map(({ market, profitQuote, efficiency, gains, windows }) => [
      market,
      profitQuote.toFixed(2),
      efficiency === undefined ? "no gain in the past" : percent(efficiency, 0),
      `${gains} of ${windows}`
    ]),
    notes: [`Out of sample by market: ${median.toFixed(2)} in the median, ${worst.toFixed(2)} at worst.`]
  }
}

export const table = ({ markets: [{ result: steps }], space }: WalkForwardFound) => ({
  titles: ["FROM", "TO", ...space.map(({ path }) => path), "PNL BEFORE", "PNL THEN", "DRAWDOWN THEN"],
  rows: steps.map(({ testFrom, testTo, train, test }) => [
    utcDate(testFrom),
    utcDate(testTo),
    ...space.map((_, index) => train?.values[index] ?? "none"),
    Number(train?.profitQuote ?? 0).toFixed(2),
    Number(test?.profitQuote ?? 0).toFixed(2),
    percent(test?.maxDrawdown ?? 0)
  ])
})

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
      set: SweepSpace.named(space, step.train?.values ?? [])
    })),
    ...acrossOf(found)
  }
}

export const lines = (found: WalkForwardFound): ReadonlyArray<string> => {
  const { titles, rows } = table(found)
  const { efficiency, profitQuote } = ofMarket(found.markets[0])
  return [
    found.runs[0].fees.sentence,
    ...Table.allRight(titles, rows),
    "",
    ...found.warnings,
    `Together ${profitQuote.toFixed(2)} out of sample.`,
    efficiency === undefined
      ? "The search found no gain in the past."
      : `Out of sample against in sample, per bar: ${percent(efficiency, 0)}.`,
    ...Table.noted(byMarket(found))
  ]
}
