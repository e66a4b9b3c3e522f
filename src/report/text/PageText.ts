/** Writes a page for a terminal: its figures and sentences, without drawings and sources. */
import { type Page, type PagePart, type PageSection, table, textOf } from "../Page.ts"
import * as Table from "./Table.ts"

export const lines = ({ title, subtitle, fees, headline, says, notes, sections }: Page): ReadonlyArray<string> => [
  title,
  ...fees,
  subtitle,
  "",
  ...partLines(
    table(
      ["", ""],
      headline.map(([label, value]) => [label, value])
    )
  ).slice(1),
  "",
  ...says.concat(notes),
  ...sections.flatMap(sectionLines)
]

const sectionLines = ({ title, parts, note, isPageOnly = false }: PageSection): ReadonlyArray<string> => {
  const content = isPageOnly ? [] : parts.flatMap(partLines)
  return content.length === 0 ? [] : ["", note === undefined ? title : `${title}: ${note}`, ...content]
}

const partLines = (part: PagePart): ReadonlyArray<string> => {
  switch (part.kind) {
    case "sentences":
      return part.sentences
    case "table": {
      const rows = part.rows.map((row) => row.map(textOf))
      return part.figures === "all"
        ? Table.render(part.titles.map(Table.right), rows)
        : part.figures === "none"
          ? Table.render(part.titles, rows)
          : Table.ofFigures(part.titles, rows)
    }
    case "heading":
      return [part.text]
    case "file":
      return []
    case "drawn":
      return part.lines
  }
}
