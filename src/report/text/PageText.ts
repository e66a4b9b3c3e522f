/** Writes a page for a terminal: its figures and sentences, without drawings and sources. */
import type { Page, PagePart, PageSection } from "../Page.ts"
import * as Table from "./Table.ts"

export const lines = ({ title, subtitle, fees, headline, says, sections }: Page): ReadonlyArray<string> => [
  title,
  ...fees,
  subtitle,
  "",
  ...Table.ofFigures(["", ""], headline).slice(1),
  "",
  ...says,
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
    case "table":
      return part.figures === "all"
        ? Table.render(part.titles.map(Table.right), part.rows)
        : part.figures === "none"
          ? Table.render(part.titles, part.rows)
          : Table.ofFigures(part.titles, part.rows)
    case "heading":
      return [part.text]
    case "file":
      return []
    case "drawn":
      return part.lines
  }
}
