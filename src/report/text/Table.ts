/** Formats tables. Text from a file or the venue cannot break a line or repaint a terminal. */
import * as Csv from "../../domain/Csv.ts"
import { printable } from "../../domain/Text.ts"

export interface TableColumn {
  readonly title: string
  /** `decimal` aligns numbers at their point; a unit may follow the number. */
  readonly align?: "left" | "right" | "decimal"
}

export const decimal = (title: string): TableColumn => ({ title, align: "decimal" })
export const right = (title: string): TableColumn => ({ title, align: "right" })

export interface ListColumn<Row> {
  /** Key in JSON and CSV. Absent for a column that only people see. */
  readonly key?: string
  /** Heading in text. Absent for a column that only programs see. */
  readonly title?: string | TableColumn
  readonly value: (row: Row) => string | number | null | undefined
  readonly text?: (row: Row) => string
}

export const of = <Row>(all: ReadonlyArray<ListColumn<Row> | false>) => {
  const columns = all.filter((column) => column !== false)
  const dataColumns = columns.flatMap(({ key, value }) => (key === undefined ? [] : [{ key, value }]))
  const titled = columns.flatMap(({ title, text, value }) =>
    title === undefined ? [] : [{ title, text: text ?? ((row: Row) => `${value(row) ?? "-"}`) }]
  )
  const keys = dataColumns.map(({ key }) => key)
  const titles = titled.map(({ title }) => title)
  return {
    json: (rows: ReadonlyArray<Row>) =>
      rows.map((row) => Object.fromEntries(dataColumns.map(({ key, value }) => [key, value(row) ?? null]))),
    csv: (rows: ReadonlyArray<Row>) => {
      const cells = rows.map((row) => dataColumns.map(({ value }) => value(row) ?? ""))
      return Csv.render(keys, cells)
    },
    lines: (rows: ReadonlyArray<Row>) => {
      const cells = rows.map((row) => titled.map(({ text }) => text(row)))
      return render(titles, cells)
    }
  }
}

export const render = (
  columns: ReadonlyArray<string | TableColumn>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => {
  const cellsOf = (index: number): ReadonlyArray<string> => rows.map((row) => printable(row[index] ?? ""))
  const rendered = columns.map((column, index) => {
    const { title, align = "left" } = typeof column === "string" ? { title: column } : column
    const cells = align === "decimal" ? byPoint(cellsOf(index)) : cellsOf(index)
    const width = cells.reduce((most, cell) => Math.max(most, cell.length), title.length)
    return [title, ...cells].map((cell) => (align === "left" ? cell.padEnd(width) : cell.padStart(width)))
  })
  return ["", ...rows].map((_, line) =>
    rendered
      .map((column) => column[line] ?? "")
      .join("  ")
      .trimEnd()
  )
}

export const ofFigures = (
  titles: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> =>
  render(
    titles.map((title, index) => (index === 0 ? title : right(title))),
    rows
  )

const byPoint = (cells: ReadonlyArray<string>): ReadonlyArray<string> => {
  const parts = cells.map((cell) => /^(-?\d+)(\.\d+)?(.*)$/.exec(cell) ?? ["", cell, "", ""])
  const widest = (part: number) => parts.reduce((most, found) => Math.max(most, found[part]?.length ?? 0), 0)
  const [fraction, unit] = [widest(2), widest(3)]
  return parts.map(([, whole = "", after = "", suffix = ""]) =>
    whole === "" ? "" : whole + after.padEnd(fraction) + suffix.padEnd(unit)
  )
}
