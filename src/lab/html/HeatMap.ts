/** A map of values over two parameters, and the same map averaged with neighbours. A good cell without good neighbours is likely luck. */
import { figure, polished } from "./Figures.ts"
import { escape, scrolled } from "./HtmlPage.ts"

export type HeatMap = Readonly<ReturnType<typeof of>>

/** By row and column; an empty cell is `undefined`. */
export type Values = ReadonlyArray<ReadonlyArray<number | undefined>>

export interface Axis {
  readonly name: string
  readonly values: ReadonlyArray<string>
}

export interface Point {
  readonly row: string
  readonly column: string
  readonly value: number
}

const mean = (values: ReadonlyArray<number>): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length

const isNumber = (value: number | undefined): value is number => value !== undefined

const around = (values: Values): Values =>
  values.map((cells, row) =>
    cells.map((value, column) => {
      if (value === undefined) return undefined
      const near = [-1, 0, 1].flatMap((down) => values[row + down]?.slice(Math.max(0, column - 1), column + 2) ?? [])
      return mean(near.filter(isNumber))
    })
  )

/** A cell with several values holds their mean. */
export const of = (row: Axis, column: Axis, points: ReadonlyArray<Point>) => {
  const cells = row.values.map(() => column.values.map((): Array<number> => []))
  for (const point of points)
    cells[row.values.indexOf(point.row)]?.[column.values.indexOf(point.column)]?.push(point.value)
  const values: Values = cells.map((line) => line.map(mean))
  const names = { rowName: row.name, columnName: column.name, rows: row.values, columns: column.values }
  return { ...names, values, around: around(values) }
}

const range = ({ values }: HeatMap): readonly [least: number, greatest: number] | undefined => {
  const numbers = values.flat().filter(isNumber)
  if (numbers.length === 0) return undefined
  // A call takes about 100,000 arguments at most.
  return [numbers.reduce((a, b) => Math.min(a, b)), numbers.reduce((a, b) => Math.max(a, b))]
}

export type Standing = NonNullable<ReturnType<typeof standing>>

/** `kept` is the share of the lead that the neighbourhood keeps: 1 on a plateau, 0 or less for a spike or without a lead. */
export const standing = (map: HeatMap, row: string, column: string) => {
  const at = { row: map.rows.indexOf(row), column: map.columns.indexOf(column) }
  const value = map.values[at.row]?.[at.column]
  const numbers = map.values.flat().filter(isNumber)
  const sorted = numbers.toSorted((a, b) => b - a)
  const [greatest, median] = [sorted[0], sorted[Math.floor(sorted.length / 2)]]
  if (value === undefined || greatest === undefined || median === undefined) return undefined
  const around = map.around[at.row]?.[at.column] ?? value
  const lead = value - median
  const share = lead > 0 ? (around - median) / lead : 0
  return { ...at, value, around, lead, kept: share, isGreatest: value === greatest }
}

export const isPlateau = ({ kept }: Standing): boolean => kept >= 0.5

const coarse = (map: HeatMap, most: number): HeatMap => {
  const group = (count: number) => Math.ceil(count / Math.min(most, Math.max(1, count)))
  const [tall, wide] = [group(map.rows.length), group(map.columns.length)]
  const firsts = (names: ReadonlyArray<string>, size: number) => names.filter((_, index) => index % size === 0)
  const shrink = (values: Values): Values =>
    firsts(map.rows, tall).map((_, row) =>
      firsts(map.columns, wide).map((_, column) => {
        const lines = values.slice(row * tall, (row + 1) * tall)
        return mean(lines.flatMap((line) => line.slice(column * wide, (column + 1) * wide)).filter(isNumber))
      })
    )
  const names = { rows: firsts(map.rows, tall), columns: firsts(map.columns, wide) }
  return { ...map, ...names, values: shrink(map.values), around: shrink(map.around) }
}

const shades = ["··", "░░", "▒▒", "▓▓", "██"]

export const step = (value: number, [least, greatest]: readonly [number, number], steps: number): number =>
  greatest > least ? Math.min(steps - 1, Math.floor(((value - least) / (greatest - least)) * steps)) : 0

const maxCells = 16

export const lines = (map: HeatMap, format: (value: number) => string): ReadonlyArray<string> => {
  const small = coarse(map, maxCells)
  const limits = range(map)
  if (limits === undefined) return []
  const width = Math.max(...small.rows.map((name) => name.length))
  const shade = (value: number | undefined): string =>
    value === undefined ? "  " : (shades[step(value, limits, shades.length)] ?? "")
  const body = small.rows.map((name, row) => {
    const [each = "", near = ""] = [small.values, small.around].map((values) => (values[row] ?? []).map(shade).join(""))
    return `${name.padStart(width)}  ${each}    ${near}`.trimEnd()
  })
  const span = `${small.columns[0]} … ${map.columns.at(-1)}`
  const over = Math.max(small.columns.length * 2, "each".length)
  return [
    `${map.rowName} (down) by ${map.columnName} (across: ${span})`,
    `${"".padStart(width)}  ${"each".padEnd(over)}    with its neighbours`,
    ...body,
    `${"".padStart(width)}  ${shades[0]} ${format(limits[0])} to ${shades.at(-1)} ${format(limits[1])}`
  ]
}

/** Cividis (Nuñez, Anderton and Renslow, 2018): even steps of lightness, equal for every kind of colour vision. */
const colours = "#00204d #00336f #39486b #575c6d #707173 #8a8779 #a69d75 #c4b56c #e4cf5b #ffea46".split(" ")

/** Writes three digits, or all before the point. */
const short = (value: number): string =>
  figure(value, Math.min(8, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)))))

const mostWritten = 14

const mapTable = (map: HeatMap, winner: Standing | undefined, values: Values, title: string): string => {
  const limits = range(map) ?? [0, 0]
  const isWritten = map.columns.length <= mostWritten
  const cell = (value: number | undefined, row: number, column: number): string => {
    if (value === undefined) return "<td></td>"
    const shade = step(value, limits, colours.length)
    const best = winner?.row === row && winner.column === column ? ' class="best"' : ""
    const place = `${map.rowName} ${map.rows[row]}, ${map.columnName} ${map.columns[column]}: ${short(value)}`
    const ink = shade < 5 ? "#ffffff" : "#111111"
    const written = isWritten ? short(value) : ""
    return `<td${best} style="background:${colours[shade]};color:${ink}" title="${escape(place)}">${written}</td>`
  }
  const span = Math.ceil(map.columns.length / mostWritten)
  const columnNames = map.columns.filter((_, column) => column % span === 0)
  const head = columnNames.map((name) => `<th class="across" colspan="${span}">${escape(polished(name))}</th>`).join("")
  const cellsOf = (row: number) => (values[row] ?? []).map((value, column) => cell(value, row, column)).join("")
  const rows = map.rows.map((name, row) => `<tr><th>${escape(polished(name))}</th>${cellsOf(row)}</tr>`)
  return `<figure><figcaption>${escape(`${title}: ${map.rowName} down, ${map.columnName} across`)}</figcaption>${scrolled(`<table class="heat"><tr><td></td>${head}</tr>${rows.join("")}</table>`)}</figure>`
}

const legend = ([least, greatest]: readonly [number, number], isMarked: boolean): string =>
  `<div class="shades"><span>${short(least)}</span><i style="background:linear-gradient(90deg,${colours.join(",")})"></i><span>${short(greatest)}</span>${isMarked ? "<b></b><span>the cell of #1</span>" : ""}</div>`

export const maps = (map: HeatMap, winner: Standing | undefined): string =>
  `${legend(range(map) ?? [0, 0], winner !== undefined)}<div class="maps">${mapTable(map, winner, map.values, "each cell")}${mapTable(map, winner, map.around, "averaged with its neighbours")}</div>`
