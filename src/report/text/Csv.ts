/**
 * Comma-separated values that a spreadsheet can open without danger: text that it would run as a formula gets an
 * apostrophe in front, and everything that needs quotes is quoted (RFC 4180; lines end in CR LF).
 */

/** A leading tab or return counts too: spreadsheets skip it. */
const formula = /^[=+\-@\t\r]/
/** A plain number may start with a minus; it is not a formula. */
const number = /^-?\d+(\.\d+)?$/

export const cell = (value: string): string => {
  const safe = formula.test(value) && !number.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const render = (titles: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [titles, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("")
