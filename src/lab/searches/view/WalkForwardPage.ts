/** Shows the result of a walk-forward as a page and as JSON: by window, and by market if there are several. */
import { dayMillis } from "../../../domain/Durations.ts"
import { present } from "../../../domain/Present.ts"
import { countText, fixed, percent, utcDate } from "../../../domain/Text.ts"
import * as Page from "../../../report/Page.ts"
import * as SweepSpace from "../../backtest/search/SweepSpace.ts"
import type { TrialFigures } from "../../backtest/search/TrialResult.ts"
import * as WalkForward from "../../backtest/search/WalkForward.ts"
import { along, bar, namesAxis, plot } from "../../html/Plot.ts"
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
  const rows = across.markets.map(({ market, profitQuote, efficiency, gains, windows }) => [
    market,
    Page.gain(fixed(profitQuote)),
    efficiency === undefined ? "little or no gain in sample" : percent(efficiency, 0),
    `${gains} of ${windows}`
  ])
  const sum = `Out of sample by market: ${fixed(median)} in the median, ${fixed(worst)} at worst.`
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

/** Joins the stretches: each begins at the profit where the last one ended. */
const profitsOf = (steps: Steps): ReadonlyArray<number> => {
  const profits: Array<number> = []
  for (const { curve = [] } of steps) {
    const before = profits.at(-1) ?? 0
    for (const profit of curve) profits.push(before + profit)
  }
  return profits
}

const chartsOf = ({ runs, space, markets: [{ result: steps }] }: WalkForwardFound): ReadonlyArray<Page.PageSection> => {
  const quote = runs[0].strategy.market.quote.symbol
  const windows = namesAxis(
    "Window, by its first day out of sample (UTC)",
    steps.map(({ testFrom }) => utcDate(testFrom))
  )
  const curve = [{ kind: "line", points: along(windows, profitsOf(steps)) }]
  const equity = () => plot("Profit out of sample", windows, `Profit against the untouched budget, ${quote}`, curve)
  const perDay = (figures: TrialFigures | undefined, bars: number) =>
    (Number(figures?.profitQuote ?? 0) / bars) * (dayMillis / runs[0].inputs[0].candles.time.stepMillis)
  const barOf = (kind: string, name: string, at: number, profit: number, index: number) => ({
    kind,
    points: bar(at, at + 0.34, profit),
    title: `${name}: ${fixed(profit)}`,
    ...(index === 0 ? { name } : {})
  })
  const bars = steps.flatMap(({ from, to, end, train, test }, index) => [
    barOf("before", "in sample", index + 0.64, perDay(train, to - from), index),
    barOf("then", "out of sample", index + 1.02, perDay(test, end - to), index)
  ])
  const perWindow = () => plot("Profit of each window", windows, `Profit, ${quote} a day`, bars)
  const chosen = space.flatMap(({ path, values }, at) => {
    const points = steps.flatMap(({ train }, index) => {
      const height = values.indexOf(train?.values[at] ?? "") + 1
      return height === 0 ? [] : [0.5, 1.5].map((edge) => [index + edge, height] as const)
    })
    const drawing = () => plot(`${path} by window`, windows, namesAxis(path, values), [{ kind: "line", points }])
    return values.length < 2 ? [] : [Page.figurePart(drawing)]
  })
  return [
    { title: "Profit out of sample", parts: [Page.figurePart(equity)], note: "One window after the other." },
    { title: "Profit per window", parts: [Page.figurePart(perWindow)], note: "Of the best of each search" },
    { title: "Parameters over time", parts: chosen, note: "The best values. Values that jump were fitted to noise." }
  ]
}

const compared = ({ efficiency, gainsInSample, windows }: ReturnType<typeof ofMarket>): string => {
  if (gainsInSample === 0) return "The search found no gain in sample."
  if (efficiency === undefined)
    return `In sample the best gained in ${gainsInSample} of ${countText(windows, "window")}, but almost nothing in total, so there is no ratio.`
  const did = efficiency < 0 ? "lost" : "gained"
  return `Out of sample a bar ${did} ${percent(Math.abs(efficiency), 0)} of its gain in sample. Far below 100 % means that the search fitted noise.`
}

export const failure = ({ markets }: WalkForwardFound): string | undefined => {
  const steps = markets.flatMap(({ result }) => result)
  return steps.every(({ refused }) => refused !== undefined) ? RunFacts.nothingRan(steps[0]?.refused) : undefined
}

export const page = (found: WalkForwardFound, madeAt: number): Page.Page => {
  const { kind, objective, runs, space } = found
  const [own] = found.markets
  const { result: steps } = own
  const quote = runs[0].strategy.market.quote.symbol
  const { efficiency, gains, profitQuote } = ofMarket(own)
  const money = (figures: TrialFigures | undefined) => Page.gain(fixed(Number(figures?.profitQuote ?? 0)))
  const rows = steps.map(({ testFrom, testTo, train, test }) => [
    utcDate(testFrom),
    utcDate(testTo),
    ...space.map((_, index) => train?.values[index] ?? "none"),
    money(train),
    money(test),
    percent(-(test?.maxDrawdown ?? 0))
  ])
  const titles = ["FROM", "TO", ...space.map(({ path }) => path), "IN SAMPLE", "OUT OF SAMPLE", "DRAWDOWN"]
  const together = `${fixed(profitQuote)} ${quote}`
  const note = `IN SAMPLE, OUT OF SAMPLE: profit against the untouched budget, ${quote}. DRAWDOWN: out of sample`
  const drawdown = percent(-Math.max(0, ...steps.map(({ test }) => test?.maxDrawdown ?? 0)))
  return RunFacts.pageOf(found, {
    what: "Walk-forward",
    about: `${steps.length} ${kind} windows, the best by ${objective}`,
    madeAt,
    headline: [
      ["Profit out of sample, together", Page.gain(together), "against the untouched budget, after fees"],
      ["Out of sample against in sample", efficiency === undefined ? "none" : percent(efficiency, 0), "profit per bar"],
      ["Windows with a gain", `${gains} of ${steps.length}`, "out of sample"],
      ["Largest drawdown out of sample", drawdown, "below the highest equity of its window"]
    ],
    says: [
      `Out of sample the search ${profitQuote < 0 ? "lost" : "made"} ${together.replace("-", "")} against the untouched budget.`,
      "Each window searches its own past and tests only the best on the bars after it, which the search has not seen.",
      compared(ofMarket(own))
    ],
    sections: Page.sectionsOf(
      ...chartsOf(found),
      { title: "Windows", parts: [Page.table(titles, rows)], note },
      byMarket(found)
    )
  })
}
