/** Draws a chart without a script. Shapes are stretched and texts are not, so a chart fits any width and works on paper. */
import { utcDate } from "../../domain/Text.ts"
import { figure, polished, share } from "./Figures.ts"
import * as HeatMap from "./HeatMap.ts"
import { escape } from "./HtmlPage.ts"

export interface PlotAxis {
  /** Name of the numbers, with their unit. */
  readonly title: string
  readonly from: number
  readonly to: number
  readonly ticks: ReadonlyArray<readonly [at: number, text: string]>
}

export interface Shape {
  /** Class of the style sheet. Each point of a `dot` stands alone; each point of a `mark` is an upright line. */
  readonly kind: string
  readonly points: ReadonlyArray<readonly [x: number, y: number]>
  readonly name?: string
  /** Written at its first point. Each further label is lower. */
  readonly label?: string
  readonly title?: string
}

/** Absolute and relative. Smaller differences are not drawn. */
const [tiny, precision] = [1e-12, 1e-9]

/** Returns an axis with about five round numbers, which covers all values. */
export const axisOf = (title: string, values: ReadonlyArray<number>, written = figure): PlotAxis => {
  const least = values.reduce((least, value) => Math.min(least, value), values[0] ?? 0)
  const greatest = values.reduce((greatest, value) => Math.max(greatest, value), least)
  const [span, magnitude] = [greatest - least, Math.max(Math.abs(least), Math.abs(greatest))]
  const isFlat = span <= Math.max(tiny, magnitude * precision)
  const parts = (isFlat ? (magnitude > tiny ? magnitude : 1) : span) / 4
  const power = 10 ** Math.floor(Math.log10(parts))
  const step = ([1, 2, 2.5, 5].find((factor) => factor * power >= parts) ?? 10) * power
  const [first, last] = [Math.floor(least / step), Math.max(Math.floor(least / step) + 1, Math.ceil(greatest / step))]
  const places = /\.(\d*?)0*$/.exec(step.toFixed(12))?.[1]?.length ?? 0
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step)
  return { title, from: first * step, to: last * step, ticks: ticks.map((at) => [at, written(at, places)]) }
}

export const timeAxis = (title: string, from: number, to: number): PlotAxis => {
  const times = [0, 0.25, 0.5, 0.75, 1].map((share) => from + share * (to - from))
  return { title: `${title}, UTC`, from, to, ticks: times.map((at) => [at, utcDate(at)]) }
}

/** Returns an axis with names at 1, 2 and so on. Writes only some of many names. */
export const namesAxis = (title: string, names: ReadonlyArray<string>): PlotAxis => {
  const span = Math.ceil(names.length / 8)
  const ticks = names.flatMap((name, at) => (at % span === 0 ? [[at + 1, polished(name)] as const] : []))
  return { title, from: 0.5, to: names.length + 0.5, ticks }
}

export const along = ({ from, to }: PlotAxis, values: ReadonlyArray<number>): Shape["points"] =>
  values.map((value, index) => [from + ((to - from) * index) / Math.max(1, values.length - 1), value])

export const band = (axis: PlotAxis, low: ReadonlyArray<number>, high: ReadonlyArray<number>): Shape["points"] => [
  ...along(axis, low),
  ...along(axis, high).toReversed()
]

export const bar = (from: number, to: number, height: number): Shape["points"] =>
  [0, height, height, 0].map((y, corner) => [corner < 2 ? from : to, y])

const shareOf = ({ from, to }: PlotAxis, value: number): number => (value - from) / (to - from || 1)
const percents = (share: number): string => `${(share * 100).toFixed(2)}%`

/** `words` describe the chart for screen readers. If `given` is only a title, the axis covers zero and all shapes. */
export const plot = (
  words: string,
  x: PlotAxis,
  given: PlotAxis | string,
  shapes: ReadonlyArray<Shape>,
  written = figure
): string => {
  const heights = shapes.flatMap(({ points }) => points.map(([, height]) => height))
  const y = typeof given === "string" ? axisOf(given, [0, ...heights], written) : given
  const leftOf = (value: number) => percents(shareOf(x, value))
  const top = (value: number) => percents(1 - shareOf(y, value))
  const at = ([across, height]: readonly [number, number]) =>
    `${(shareOf(x, across) * 1000).toFixed(1)} ${((1 - shareOf(y, height)) * 1000).toFixed(1)}`
  const path = (kind: string, d: string, title = "") =>
    `<path class="${kind}" d="${d}"><title>${escape(title)}</title></path>`
  const grid = y.ticks.map(([height]) => path(height === 0 ? "zero" : "grid", `M${at([x.from, height])}H1000`))
  const paths = shapes.map(({ kind, points, title }) => {
    const single = kind.startsWith("dot") ? "h0" : kind.startsWith("mark") ? "V0" : undefined
    if (single !== undefined) return path(kind, points.map((point) => `M${at(point)}${single}`).join(""), title)
    return points.length === 0 ? "" : path(kind, `M${points.map(at).join("L")}`, title)
  })
  const levels = y.ticks.map(([height, text]) => `<i class="y" style="top:${top(height)}">${escape(text)}</i>`)
  const stops = x.ticks.map(([across, text]) => `<i class="x" style="left:${leftOf(across)}">${escape(text)}</i>`)
  const labels = shapes
    .flatMap(({ kind, label = "", points: [point] }) =>
      label === "" || point === undefined ? [] : [{ kind, label, point }]
    )
    .map(({ kind, label, point: [across, height] }, index) => {
      const place = `left:${leftOf(across)};top:calc(${kind === "dot best" ? top(height) : "0%"} + ${index * 18}px)`
      return `<b class="${shareOf(x, across) > 0.6 ? "left" : "right"}" style="${place}">${escape(label)}</b>`
    })
  const keys = shapes.map(({ kind, name }) =>
    name === undefined ? "" : `<span><i class="${kind}"></i>${escape(name)}</span>`
  )
  return `<figure class="plot"><figcaption>${escape(y.title)}<span class="legend">${keys.join("")}</span></figcaption>
<div class="area"><svg viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img" aria-label="${escape(words)}">${[...grid, ...paths].join("")}</svg>${[...levels, ...stops, ...labels].join("")}</div><p class="x-title">${escape(x.title)}</p></figure>`
}

const bins = 40

/** Draws the distribution of values (ratios) as bars. The first mark stands out. */
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
  // The labels stand above the bars.
  const y = axisOf("Number of simulations", [0, 1.3 * Math.max(...counts)])
  return plot(`${title} of ${values.length} simulations`, x, y, [...bars, ...lines])
}
