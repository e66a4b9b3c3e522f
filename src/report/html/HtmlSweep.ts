/**
 * A search as one HTML page: how far to trust the best, what the parameters do, and where the best stands among all.
 */
import * as HeatMap from "../HeatMap.ts"
import type { Cells } from "../text/Table.ts"
import { histogram } from "./Histogram.ts"
import * as HtmlPage from "./HtmlPage.ts"

export interface SweepReport extends HtmlPage.StrategyPage {
  readonly objective: string
  readonly map?: HeatMap.HeatMap
  /** Where the trial that is shown as the best stands on the map. */
  readonly winner?: HeatMap.Standing
  readonly mapNote: string
  /** Objective of every trial, and of the best one over the same data. */
  readonly scores: ReadonlyArray<number>
  readonly winnerScore?: number
  readonly best: Cells
  /** The strategy file with the values of the best. */
  readonly bestText?: string
  /** Trials whose values make no strategy: the values, and the reason. */
  readonly refused: Cells
}

/** Cividis (Nuñez, Anderton and Renslow, 2018): even steps of lightness, the same for every kind of colour vision. */
const colours = [
  "#00204d",
  "#00336f",
  "#39486b",
  "#575c6d",
  "#707173",
  "#8a8779",
  "#a69d75",
  "#c4b56c",
  "#e4cf5b",
  "#ffea46"
]

const short = (value: number): string =>
  Math.abs(value) >= 1000 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toPrecision(3)

/** With more columns than this the numbers would not fit. */
const mostWritten = 14

const mapTable = (
  map: HeatMap.HeatMap,
  winner: HeatMap.Standing | undefined,
  values: HeatMap.Values,
  title: string
): string => {
  const limits = HeatMap.range(map) ?? [0, 0]
  const isWritten = map.columns.length <= mostWritten
  const cell = (value: number | undefined, row: number, column: number): string => {
    if (value === undefined) return "<td></td>"
    const step = HeatMap.step(value, limits, colours.length)
    const best = winner?.row === row && winner.column === column ? ' class="best"' : ""
    const place = `${map.rowName} ${map.rows[row]}, ${map.columnName} ${map.columns[column]}: ${short(value)}`
    const ink = step < 5 ? "#ffffff" : "#111111"
    const written = isWritten ? short(value) : ""
    return `<td${best} style="background:${colours[step]};color:${ink}" title="${HtmlPage.escape(place)}">${written}</td>`
  }
  const span = Math.ceil(map.columns.length / mostWritten)
  const head = map.columns
    .flatMap((name, column) =>
      column % span === 0 ? [`<th class="across" colspan="${span}">${HtmlPage.escape(name)}</th>`] : []
    )
    .join("")
  const rows = map.rows.map(
    (name, row) =>
      `<tr><th>${HtmlPage.escape(name)}</th>${(values[row] ?? []).map((value, column) => cell(value, row, column)).join("")}</tr>`
  )
  return `<figure><figcaption>${HtmlPage.escape(title)}</figcaption>${HtmlPage.scrolled(`<table class="heat"><tr><td></td>${head}</tr>${rows.join("")}</table>`)}</figure>`
}

const legend = ([least, greatest]: readonly [number, number], isMarked: boolean): string =>
  `<div class="legend"><span>${short(least)}</span><i style="background:linear-gradient(90deg,${colours.join(",")})"></i><span>${short(greatest)}</span>${isMarked ? '<span style="white-space:nowrap"><b class="mark"></b> the cell of #1</span>' : ""}</div>`

const maps = (map: HeatMap.HeatMap, winner: HeatMap.Standing | undefined): string =>
  `${legend(HeatMap.range(map) ?? [0, 0], winner !== undefined)}<div class="maps">${mapTable(map, winner, map.values, "each cell")}${mapTable(map, winner, map.around, "with its neighbours: what is left is a plateau")}</div>`

const mostRefused = 50

const refusedTable = ({ titles, rows }: SweepReport["refused"]): string => {
  if (rows.length === 0) return ""
  const more = rows.length > mostRefused ? ` The first ${mostRefused} of them.` : ""
  const shown = HtmlPage.table(titles, rows.slice(0, mostRefused), () => false)
  return HtmlPage.section(
    "Refused trials",
    `<div class="refused">${shown}</div>`,
    `${rows.length} trials did not run: their values make no strategy.${more}`
  )
}

export const render = (report: SweepReport): string => {
  const { map, winner, scores, best, objective } = report
  return HtmlPage.ofStrategy(report, "Search", [
    map === undefined ? "" : HtmlPage.section(`${map.rowName} by ${map.columnName}`, maps(map, winner), report.mapNote),
    scores.length < 2
      ? ""
      : HtmlPage.section(
          "All trials",
          histogram(scores, {
            noun: "trials",
            label: "Distribution of all trials",
            format: short,
            marked: report.winnerScore
          }),
          `${scores.length} trials by ${objective}`
        ),
    HtmlPage.section(
      "The best",
      HtmlPage.table(best.titles, best.rows, () => true)
    ),
    report.bestText === undefined
      ? ""
      : HtmlPage.section("The best as a file", HtmlPage.preformatted(report.bestText), "To copy into a strategy file."),
    refusedTable(report.refused)
  ])
}
