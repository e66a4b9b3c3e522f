/**
 * Plain-text tables: columns as wide as their widest cell, numbers aligned at their decimal point. Cells never
 * contain line breaks, and text from a file or the venue cannot repaint a terminal.
 */

export interface TableColumn {
  readonly title: string
  /** `decimal` aligns numbers at their point; a unit may follow the number. */
  readonly align?: "left" | "right" | "decimal"
}

/** Titles and cells. */
export interface Cells {
  readonly titles: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** With what they say, in sentences. */
export interface NotedCells extends Cells {
  readonly notes: ReadonlyArray<string>
}

/** Control and direction characters. */
const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

export const printable = (text: string): string => text.replace(unprintable, "\uFFFD")

export const render = (
  columns: ReadonlyArray<TableColumn>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => {
  const cellsOf = (index: number): ReadonlyArray<string> => rows.map((row) => printable(row[index] ?? ""))
  const rendered = columns.map(({ title, align = "left" }, index) => {
    const cells = align === "decimal" ? byPoint(cellsOf(index)) : cellsOf(index)
    const width = Math.max(title.length, ...cells.map((cell) => cell.length))
    return [title, ...cells].map((cell) => (align === "left" ? cell.padEnd(width) : cell.padStart(width)))
  })
  return ["", ...rows].map((_, line) =>
    rendered
      .map((column) => column[line] ?? "")
      .join("  ")
      .trimEnd()
  )
}

/** Figures beside the names in the first column. */
export const ofFigures = (
  titles: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> =>
  render(
    titles.map((title, index) => ({ title, align: index === 0 ? "left" : "right" })),
    rows
  )

/** Figures alone. */
export const allRight = (
  titles: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> =>
  render(
    titles.map((title) => ({ title, align: "right" })),
    rows
  )

/** After an empty line; nothing where there is no table. */
export const noted = (found: NotedCells | undefined): ReadonlyArray<string> =>
  found === undefined ? [] : ["", ...ofFigures(found.titles, found.rows), ...found.notes]

/** Pads the fractions of numbers (and what follows) to one width, so that padding on the left aligns the points. */
const byPoint = (cells: ReadonlyArray<string>): ReadonlyArray<string> => {
  const parts = cells.map((cell) => /^(-?\d+)(\.\d+)?(.*)$/.exec(cell) ?? ["", cell, "", ""])
  const widest = (part: number) => Math.max(0, ...parts.map((found) => found[part]?.length ?? 0))
  const [fraction, unit] = [widest(2), widest(3)]
  return parts.map(([, whole = "", after = "", suffix = ""]) =>
    whole === "" ? "" : whole + after.padEnd(fraction) + suffix.padEnd(unit)
  )
}
