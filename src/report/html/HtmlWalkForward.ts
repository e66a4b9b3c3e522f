/** A walk-forward as one HTML page: what each search promised, what came after it, and which values it chose. */

import type { Cells } from "../text/Table.ts"
import { type Fan, fan } from "./Fan.ts"
import * as HtmlPage from "./HtmlPage.ts"

export interface WalkForwardWindow {
  readonly name: string
  /** Quote per bar, so that stretches of different lengths compare. */
  readonly inSample: number
  readonly outOfSample: number
}

export interface WalkForwardReport extends HtmlPage.StrategyPage {
  readonly windows: ReadonlyArray<WalkForwardWindow>
  /** What was tried after each search, one stretch after the other. */
  readonly equity?: Fan
  readonly table: Cells
}

const width = 100
const middle = 50

/** Two bars for each window, around a line at zero. */
const bars = (windows: ReadonlyArray<WalkForwardWindow>): string => {
  const most = Math.max(...windows.flatMap(({ inSample, outOfSample }) => [inSample, outOfSample].map(Math.abs)), 1e-12)
  const bar = (value: number, x: number, kind: string, title: string): string => {
    const height = Math.max(0.5, (Math.abs(value) / most) * (middle - 4))
    const y = value >= 0 ? middle - height : middle
    return `<rect class="${kind}" x="${x}" y="${y.toFixed(1)}" width="34" height="${height.toFixed(1)}"><title>${HtmlPage.escape(title)}</title></rect>`
  }
  const drawn = windows.map(({ name, inSample, outOfSample }, index) => {
    const x = index * width
    const before = bar(inSample, x + 14, "before", `${name}, in sample: ${inSample.toPrecision(3)} per bar`)
    return before + bar(outOfSample, x + 52, "then", `${name}, out of sample: ${outOfSample.toPrecision(3)} per bar`)
  })
  const all = windows.length * width
  const names = windows.map(({ name }) => `<span>${HtmlPage.escape(name)}</span>`).join("")
  return `<div class="legend"><b class="key before"></b><span>in sample</span><b class="key then"></b><span>out of sample</span></div>
<svg class="histogram windows" viewBox="0 0 ${all} 100" preserveAspectRatio="none" role="img" aria-label="Gain of each window in and out of sample">${drawn.join("")}<line x1="0" x2="${all}" y1="${middle}" y2="${middle}"/></svg>
<div class="ends even">${names}</div>`
}

export const render = (report: WalkForwardReport): string =>
  HtmlPage.ofStrategy(report, "Run", [
    report.equity === undefined
      ? ""
      : HtmlPage.section(
          "Equity out of sample",
          fan(report.equity),
          "How the worth of everything held changed, one window after the other, moves of the price included; what was gained beyond the budget left alone stands above. A thin line is where the next window begins."
        ),
    HtmlPage.section(
      "Gain per bar",
      bars(report.windows),
      "In quote; the best of each search on its own past, then on what came after it."
    ),
    HtmlPage.section("Windows", HtmlPage.table(report.table.titles, report.table.rows))
  ])
