/** Draws the gain of each search in sample and out of sample, without a script. */
import { escape } from "./HtmlPage.ts"

export interface WalkForwardWindow {
  readonly name: string
  /** Quote per bar, so that stretches of different lengths compare. */
  readonly inSample: number
  readonly outOfSample: number
}

const width = 100
const middle = 50

export const windowBars = (windows: ReadonlyArray<WalkForwardWindow>): string => {
  const most = Math.max(...windows.flatMap(({ inSample, outOfSample }) => [inSample, outOfSample].map(Math.abs)), 1e-12)
  const bar = (value: number, x: number, kind: string, title: string): string => {
    const height = Math.max(0.5, (Math.abs(value) / most) * (middle - 4))
    const y = value >= 0 ? middle - height : middle
    return `<rect class="${kind}" x="${x}" y="${y.toFixed(1)}" width="34" height="${height.toFixed(1)}"><title>${escape(title)}</title></rect>`
  }
  const bars = windows.map(({ name, inSample, outOfSample }, index) => {
    const x = index * width
    const before = bar(inSample, x + 14, "before", `${name}, in sample: ${inSample.toPrecision(3)} per bar`)
    return before + bar(outOfSample, x + 52, "then", `${name}, out of sample: ${outOfSample.toPrecision(3)} per bar`)
  })
  const all = windows.length * width
  const names = windows.map(({ name }) => `<span>${escape(name)}</span>`).join("")
  return `<div class="legend"><b class="key before"></b><span>in sample</span><b class="key then"></b><span>out of sample</span></div>
<svg class="histogram windows" viewBox="0 0 ${all} 100" preserveAspectRatio="none" role="img" aria-label="Gain of each window in and out of sample">${bars.join("")}<line x1="0" x2="${all}" y1="${middle}" y2="${middle}"/></svg>
<div class="ends even">${names}</div>`
}
