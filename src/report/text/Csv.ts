/** Comma-separated values that a spreadsheet can open without danger; lines end in CR LF (RFC 4180). */
import { csvCell } from "../../domain/Text.ts"

export const render = (titles: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [titles, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("")
