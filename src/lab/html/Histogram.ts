/** Draws the frequency of values as bars without a script, so that it also works on paper and without JavaScript. */
import * as HeatMap from "./HeatMap.ts"
import { escape } from "./HtmlPage.ts"

const bins = 40

export interface HistogramLook {
  readonly noun: string
  readonly label: string
  readonly format: (value: number) => string
  readonly marked?: number | undefined
}

export const histogram = (values: ReadonlyArray<number>, { noun, label, format, marked }: HistogramLook): string => {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    least = Math.min(least, value)
    greatest = Math.max(greatest, value)
  }
  const limits = [least, greatest] as const
  const counts = Array.from({ length: bins }, () => 0)
  for (const value of values) {
    const bin = HeatMap.step(value, limits, bins)
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  const most = Math.max(...counts)
  const markedBin = marked === undefined ? undefined : HeatMap.step(marked, limits, bins)
  const bars = counts.map((count, bin) => {
    const height = count === 0 ? 0 : Math.max(1.5, (count / most) * 96)
    const kind = bin === markedBin ? ' class="best"' : ""
    const from = least + ((greatest - least) * bin) / bins
    const title = `${count} ${noun} from ${format(from)}`
    return `<rect${kind} x="${bin * 10 + 1}" y="${(100 - height).toFixed(1)}" width="8" height="${height.toFixed(1)}"><title>${escape(title)}</title></rect>`
  })
  return `<svg class="histogram" viewBox="0 0 ${bins * 10} 100" preserveAspectRatio="none" role="img" aria-label="${escape(label)}">${bars.join("")}</svg>
<div class="ends"><span>${escape(format(least))}</span><span>${escape(format(greatest))}</span></div>`
}
