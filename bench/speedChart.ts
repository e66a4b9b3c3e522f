/**
 * The picture that the README links: the processor time of one simulated run over a year of minutes, a bar for each kind of strategy, on a
 * logarithmic axis. A dashed line is the yardstick, a plain loop over the same minutes and twenty orders that knows no strategy.
 */
import { type Measured, quantile } from "./measure.ts"

interface Bar {
  readonly name: string
  readonly millis: number
  readonly yardstickMillis: number
}

const barsOf = (measured: ReadonlyArray<Measured>): ReadonlyArray<Bar> =>
  measured.flatMap(({ row, section }) => {
    if (section !== "kinds" || typeof row === "string") return []
    return [{ name: row.what.split(" against ").at(-1) ?? row.what, millis: row.theirs, yardstickMillis: row.ours }]
  })

const [labelWidth, barWidth, rowHeight, headHeight, axisHeight] = [170, 440, 22, 30, 24]
const [leastMillis, mostMillis] = [1, 10_000]
const ticks = [1, 10, 100, 1_000, 10_000]

const timeText = (millis: number): string =>
  millis < 10
    ? `${millis.toFixed(1)} ms`
    : millis < 1_000
      ? `${millis.toFixed(0)} ms`
      : `${(millis / 1_000).toFixed(1)} s`

const lengthOf = (millis: number): number => {
  const share = Math.log(millis / leastMillis) / Math.log(mostMillis / leastMillis)
  return Math.round(Math.min(1, Math.max(0, share)) * barWidth)
}

/** `undefined` if no kind was measured. */
export const speedChart = (measured: ReadonlyArray<Measured>): string | undefined => {
  const bars = barsOf(measured).toSorted((one, other) => one.millis - other.millis)
  if (bars.length === 0) return undefined
  const yardstick = quantile(
    bars.map(({ yardstickMillis }) => yardstickMillis),
    0.5
  )
  const bottom = headHeight + bars.length * rowHeight
  const at = (millis: number) => labelWidth + lengthOf(millis)
  const text = (x: number, y: number, words: string, more = "") => `<text x="${x}" y="${y}"${more}>${words}</text>`
  const rows = bars.flatMap(({ millis, name }, index) => {
    const y = headHeight + index * rowHeight
    return [
      text(labelWidth - 8, y + 14, name, ' text-anchor="end"'),
      `<rect x="${labelWidth}" y="${y + 3}" width="${Math.max(2, lengthOf(millis))}" height="14" rx="2"/>`,
      text(at(millis) + 6, y + 14, timeText(millis))
    ]
  })
  const grid = ticks.flatMap((millis) => [
    `<path class="g" d="M${at(millis)} ${headHeight}V${bottom}"/>`,
    text(at(millis), bottom + 16, timeText(millis).replace(".0", ""), ' class="m" text-anchor="middle"')
  ])
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${labelWidth + barWidth + 70} ${bottom + axisHeight}" role="img">`,
    "<title>Processor time of one simulated run over a year of minutes, by kind of strategy</title>",
    "<style>text{font:12px system-ui,sans-serif;fill:#24292f}.m{fill:#57606a}rect{fill:#1a7f37}.g{stroke:#57606a;stroke-opacity:.25}.y{stroke:#cf222e;stroke-dasharray:4 3}",
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.m{fill:#9aa4af}rect{fill:#3fb950}.g{stroke:#9aa4af}.y{stroke:#f85149}}</style>",
    ...grid,
    `<path class="y" d="M${at(yardstick)} ${headHeight - 8}V${bottom}"/>`,
    text(at(yardstick) + 6, headHeight - 10, "a plain loop over the minutes and twenty orders", ' class="m"'),
    ...rows,
    "</svg>",
    ""
  ].join("\n")
}
