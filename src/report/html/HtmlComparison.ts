/** Several backtests on the same candles as one HTML page: their bands together, and their figures side by side. */
import { chartScript } from "./ChartScript.ts"
import * as HtmlPage from "./HtmlPage.ts"
import { type Facts, list, section } from "./HtmlPage.ts"
import type { ChartLibrary } from "./HtmlReport.ts"

export interface ComparedRun {
  readonly name: string
  readonly about: string
  /** The strategy file as it ran. */
  readonly text: string
  /** Return since the start at the report's times, as ratios; both series are the same when only one side ran. */
  readonly high: ReadonlyArray<number>
  readonly low: ReadonlyArray<number>
  /** Fall from the peak before it, on the lower side. */
  readonly drawdown: ReadonlyArray<number>
  /** One figure per row of the table. */
  readonly facts: Facts
}

export interface ComparisonPage {
  readonly title: string
  readonly subtitle: string
  /** Each run's where they differ. */
  readonly fees: ReadonlyArray<string>
  /** When and by what it was made. */
  readonly made: string
  readonly headline: Facts
  /** What the figures mean, in sentences. */
  readonly says: ReadonlyArray<string>
  readonly runs: ReadonlyArray<ComparedRun>
  /** What the strategies' own limits did. */
  readonly limits: ReadonlyArray<string>
  /** Epoch seconds. */
  readonly times: ReadonlyArray<number>
  /** What holding only the base asset would have returned; with several, in equal parts. */
  readonly price: ReadonlyArray<number>
  readonly assumptions: ReadonlyArray<string>
  readonly notModelled: ReadonlyArray<string>
  readonly quality: Facts
  readonly warnings: ReadonlyArray<string>
}

const script = `
const names = ["--accent", "--second", "--third", "--fourth", "--fifth", "--sixth"]
const dashes = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 4], [12, 4]]
const style = (index) => ({ dash: dashes[index % dashes.length] })
const pairs = data.runs.flatMap((run, index) => [
  line(run.name, names[index % names.length], percent, style(index)),
  line("low", names[index % names.length], percent, { ...style(index), width: 0.75 })
])
const bands = data.runs.flatMap((_, index) => {
  const fill = () => colour(names[index % names.length]) + "24", at = 2 * index + 1
  return [{ series: [at, at + 1], fill }, { series: [at + 1, at], fill }]
})
chart("returns", 360, [...pairs, line("price", "--hold", percent, { dash: [5, 4] })],
  [...data.runs.flatMap((run) => [run.high, run.low]), data.price], percent, { bands })
chart("drawdown", 180, data.runs.map((run, index) => line(run.name, names[index % names.length], percent, style(index))),
  data.runs.map((run) => run.drawdown), percent)
`

export const render = (comparison: ComparisonPage, library: ChartLibrary): string => {
  const { runs, times, price } = comparison
  // By their names: a run of several markets has other facts than one of one market.
  const labels: Array<string> = []
  for (const { facts } of runs)
    for (const [index, [label]] of facts.entries()) {
      // Where its own run has it.
      const before = labels.indexOf(facts[index - 1]?.[0] ?? "")
      if (!labels.includes(label)) labels.splice(before + 1, 0, label)
    }
  const factOf = (facts: (typeof runs)[number]["facts"], label: string) =>
    facts.find(([name]) => name === label)?.[1] ?? ""
  const rows = labels.map((label) => [label, ...runs.map(({ facts }) => factOf(facts, label))])
  const chartOf = (id: string): string => `<div id="${id}" class="chart"></div>`
  const drawn = runs.map(({ name, high, low, drawdown }) => ({ name, high, low, drawdown }))
  return HtmlPage.render({
    title: comparison.title,
    subtitle: comparison.subtitle,
    styles: library.style,
    body: [
      ...comparison.fees.map((fees) => `<p>${HtmlPage.escape(fees)}</p>`),
      HtmlPage.cards(comparison.headline),
      section("What this says", list(comparison.says)),
      section(
        "Return since the start",
        `${chartOf("returns")}<h3>Drawdown, lower side</h3>${chartOf("drawdown")}`,
        "Bands from the lower to the higher side of each run; dashed grey: the price."
      ),
      section(
        "Side by side",
        `${HtmlPage.table(["", ...runs.map(({ name }) => name)], rows)}${comparison.limits.length === 0 ? "" : `<h3>Limits</h3>${list(comparison.limits)}`}`,
        "lower to higher side"
      ),
      section(
        "Runs",
        `${HtmlPage.table(
          ["", ""],
          [...runs.map(({ name, about }) => [name, about]), ["made", comparison.made]],
          () => false
        )}${runs.map(({ name, text }) => `<details><summary>${HtmlPage.escape(name)}</summary>${HtmlPage.fileText(text)}</details>`).join("")}`
      ),
      section("Assumptions", `${list(comparison.assumptions)}<h3>Not modelled</h3>${list(comparison.notModelled)}`),
      section(
        "Data quality",
        `${HtmlPage.table(["", ""], comparison.quality, () => false)}${comparison.warnings.length === 0 ? "" : list(comparison.warnings)}`
      )
    ].join("\n"),
    scripts: `${HtmlPage.data({ times, price, runs: drawn })}<script>${library.script}</script><script>${chartScript}${script}</script>`
  })
}
