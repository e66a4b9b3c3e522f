/** Draws values over two parameters in colours that everybody can distinguish, without a script. */
import * as HeatMap from "./HeatMap.ts"
import { escape, scrolled } from "./HtmlPage.ts"

/** Cividis (Nuñez, Anderton and Renslow, 2018): even steps of lightness, equal for every kind of colour vision. */
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

export const short = (value: number): string =>
  Math.abs(value) >= 1000 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toPrecision(3)

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
    return `<td${best} style="background:${colours[step]};color:${ink}" title="${escape(place)}">${written}</td>`
  }
  const span = Math.ceil(map.columns.length / mostWritten)
  const head = map.columns
    .flatMap((name, column) =>
      column % span === 0 ? [`<th class="across" colspan="${span}">${escape(name)}</th>`] : []
    )
    .join("")
  const rows = map.rows.map(
    (name, row) =>
      `<tr><th>${escape(name)}</th>${(values[row] ?? []).map((value, column) => cell(value, row, column)).join("")}</tr>`
  )
  return `<figure><figcaption>${escape(title)}</figcaption>${scrolled(`<table class="heat"><tr><td></td>${head}</tr>${rows.join("")}</table>`)}</figure>`
}

const legend = ([least, greatest]: readonly [number, number], isMarked: boolean): string =>
  `<div class="legend"><span>${short(least)}</span><i style="background:linear-gradient(90deg,${colours.join(",")})"></i><span>${short(greatest)}</span>${isMarked ? '<span style="white-space:nowrap"><b class="mark"></b> the cell of #1</span>' : ""}</div>`

export const maps = (map: HeatMap.HeatMap, winner: HeatMap.Standing | undefined): string =>
  `${legend(HeatMap.range(map) ?? [0, 0], winner !== undefined)}<div class="maps">${mapTable(map, winner, map.values, "each cell")}${mapTable(map, winner, map.around, "averaged with its neighbours")}</div>`
