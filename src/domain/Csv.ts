/** Comma-separated values that a spreadsheet can open without danger. */

/** A leading tab or return counts too: spreadsheets skip it. */
const formula = /^[=+\-@\t\r]/
/** A plain number may start with a minus; it is not a formula. */
const number = /^-?\d+(\.\d+)?$/

/** Text that a spreadsheet would run as a formula gets an apostrophe in front, and everything that needs quotes is quoted. */
const cell = (value: string | number): string => {
  const text = `${value}`
  const safe = typeof value === "string" && formula.test(text) && !number.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Lines end in CR LF (RFC 4180) unless whoever reads the file has always been given others. */
export const render = (
  titles: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | number>>,
  lineEnd: "\r\n" | "\n" = "\r\n"
): string => [titles, ...rows].map((row) => row.map(cell).join(",") + lineEnd).join("")
