/** Draws values over two parameters in colours that everybody can distinguish, without a script. */
import { figure, polished } from "./Figures.ts"
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

/** Three digits, or all before the point. */
const short = (value: number): string =>
  figure(value, Math.min(8, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)))))

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
      column % span === 0 ? [`<th class="across" colspan="${span}">${escape(polished(name))}</th>`] : []
    )
    .join("")
  const rows = map.rows.map(
    (name, row) =>
      `<tr><th>${escape(polished(name))}</th>${(values[row] ?? []).map((value, column) => cell(value, row, column)).join("")}</tr>`
  )
  return `<figure><figcaption>${escape(`${title}: ${map.rowName} down, ${map.columnName} across`)}</figcaption>${scrolled(`<table class="heat"><tr><td></td>${head}</tr>${rows.join("")}</table>`)}</figure>`
}

const legend = ([least, greatest]: readonly [number, number], isMarked: boolean): string =>
  `<div class="shades"><span>${short(least)}</span><i style="background:linear-gradient(90deg,${colours.join(",")})"></i><span>${short(greatest)}</span>${isMarked ? "<b></b><span>the cell of #1</span>" : ""}</div>`

export const maps = (map: HeatMap.HeatMap, winner: HeatMap.Standing | undefined): string =>
  `${legend(HeatMap.range(map) ?? [0, 0], winner !== undefined)}<div class="maps">${mapTable(map, winner, map.values, "each cell")}${mapTable(map, winner, map.around, "averaged with its neighbours")}</div>`
