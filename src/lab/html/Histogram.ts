/** Draws how many simulations came to each value, a ratio, as bars. */
import { share } from "./Figures.ts"
import * as HeatMap from "./HeatMap.ts"
import { axisOf, bar, plot } from "./Plot.ts"

const bins = 40

/** The first mark stands out. */
export const histogram = (
  title: string,
  values: ReadonlyArray<number>,
  marks: ReadonlyArray<readonly [label: string, value: number]>
): string => {
  const x = axisOf(title, [...values, ...marks.map(([, value]) => value)], share)
  const width = (x.to - x.from) / bins
  const counts = Array.from({ length: bins }, () => 0)
  for (const value of values) {
    const bin = HeatMap.step(value, [x.from, x.to], bins)
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  const bars = counts.map((count, bin) => {
    const from = x.from + bin * width
    return { kind: "before", points: bar(from, from + 0.85 * width, count), title: `${count} from ${share(from)}` }
  })
  const lines = marks.map(([label, at], index) => ({
    kind: index === 0 ? "mark" : "mark other",
    label: `${label} ${share(at)}`,
    points: [[at, 0] as const]
  }))
  return plot(`${title} of ${values.length} simulations`, x, "Number of simulations", [...bars, ...lines])
}
