/** Draws the charts of a comparison in the reader's browser: the bands of all runs together, and their drawdowns. */
import { canvas } from "./HtmlPage.ts"

/** Ratios at the page's times. */
export interface ComparedCurves {
  readonly name: string
  /** Return since the start; both series are equal if only one side ran. */
  readonly high: ReadonlyArray<number>
  readonly low: ReadonlyArray<number>
  readonly drawdown: ReadonlyArray<number>
}

export interface ComparisonCurves {
  /** Epoch seconds. */
  readonly times: ReadonlyArray<number>
  /** Return of holding only the base asset; for several assets, in equal parts. */
  readonly price: ReadonlyArray<number>
  readonly runs: ReadonlyArray<ComparedCurves>
}

export const charts = (): string => `${canvas("returns")}<h3>Drawdown, lower side</h3>${canvas("drawdown")}`

export const script = `
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
