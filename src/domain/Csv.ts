/** Comma-separated values that a spreadsheet can open without danger. */

/** A leading tab or return counts too: spreadsheets skip it. */
const formula = /^[=+\-@\t\r]/
const number = /^-?\d+(\.\d+)?$/

/** Puts an apostrophe in front of text that a spreadsheet would run as a formula, and quotes a cell that needs it. */
const cell = (value: string | number): string => {
  const text = `${value}`
  const safe = typeof value === "string" && formula.test(text) && !number.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Lines end in CR LF (RFC 4180) unless the readers of the file have always received other line ends. */
export const render = (
  titles: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | number>>,
  lineEnd: "\r\n" | "\n" = "\r\n"
): string => [titles, ...rows].map((row) => row.map(cell).join(",") + lineEnd).join("")
