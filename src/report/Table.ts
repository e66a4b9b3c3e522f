/** Plain-text tables: columns as wide as their widest cell, numbers to the right. Cells never contain line breaks. */

export interface Column {
  readonly title: string
  readonly align?: "left" | "right"
}

/** Control and direction characters: nothing that comes from a file or the venue may repaint a terminal. */
const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

export const printable = (text: string): string => text.replace(unprintable, "\uFFFD")

export const render = (
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => {
  const cells = rows.map((row) => row.map(printable))
  const widths = columns.map((column, index) =>
    Math.max(column.title.length, ...cells.map((row) => row[index]?.length ?? 0))
  )
  const line = (row: ReadonlyArray<string>): string =>
    columns
      .map((column, index) => {
        const cell = row[index] ?? ""
        const width = widths[index] ?? 0
        return column.align === "right" ? cell.padStart(width) : cell.padEnd(width)
      })
      .join("  ")
      .trimEnd()
  return [line(columns.map((column) => column.title)), ...cells.map(line)]
}
