/** Draws a figure over time with bands around it. It uses lines without a script, so that it also works on paper and without JavaScript. */
import { escape } from "./HtmlPage.ts"

type Line = ReadonlyArray<number>

export interface Fan {
  readonly label: string
  readonly line: Line
  /** From the widest to the narrowest, each as its lower and its upper edge, with as many points as the line. */
  readonly bands: ReadonlyArray<readonly [low: Line, high: Line]>
  /** Borders between parts, as shares of the time. */
  readonly borders?: ReadonlyArray<number>
  readonly ends: readonly [string, string]
  readonly format: (value: number) => string
}

const [width, height, edge] = [1000, 200, 4]

export const fan = ({ label, line, bands, borders = [], ends, format }: Fan): string => {
  let [least, most] = [0, 0]
  for (const values of [line, ...bands.flat()]) {
    for (const value of values) {
      least = Math.min(least, value)
      most = Math.max(most, value)
    }
  }
  const span = most - least || 1
  const x = (index: number) => ((index / Math.max(1, line.length - 1)) * width).toFixed(1)
  const y = (value: number) => (edge + ((most - value) / span) * (height - 2 * edge)).toFixed(1)
  const points = (values: Line) => values.map((value, index) => `${x(index)},${y(value)}`)
  const areas = bands.map(
    ([low, high]) => `<polygon points="${[...points(low), ...points(high).reverse()].join(" ")}"/>`
  )
  const upright = borders.map((at) => {
    const place = (at * width).toFixed(1)
    return `<line class="border" x1="${place}" x2="${place}" y1="0" y2="${height}"/>`
  })
  const words = `${label}: ends at ${format(line.at(-1) ?? 0)}, between ${format(least)} and ${format(most)} on the way`
  return `<p class="hint">Highest ${escape(format(most))}, lowest ${escape(format(least))}, at the end ${escape(format(line.at(-1) ?? 0))}.</p>
<svg class="fan" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${escape(words)}">${areas.join("")}${upright.join("")}<line x1="0" x2="${width}" y1="${y(0)}" y2="${y(0)}"/><polyline points="${points(line).join(" ")}"/></svg>
<div class="ends"><span>${escape(ends[0])}</span><span>${escape(ends[1])}</span></div>`
}
