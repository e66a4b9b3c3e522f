/**
 * The report of a run, a comparison or a search: figures, sentences, tables and charts in sections. People read it in a terminal
 * (`text/PageText.ts`) and as a file (`lab/html/HtmlPage.ts`).
 */

/** A profit or a loss as text, with its unit. Pages sign and colour it; a terminal prints the text. */
export interface GainText {
  readonly gain: string
}

export type PageCell = string | GainText

export const gain = (text: string): GainText => ({ gain: text })

export const textOf = (cell: PageCell): string => (typeof cell === "string" ? cell : cell.gain)

export type Facts = ReadonlyArray<readonly [label: string, value: PageCell]>

export type PagePart =
  | { readonly kind: "sentences"; readonly sentences: ReadonlyArray<string> }
  | {
      readonly kind: "table"
      readonly titles: ReadonlyArray<string>
      readonly rows: ReadonlyArray<ReadonlyArray<PageCell>>
      readonly figures: "all" | "beside names" | "none"
    }
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "file"; readonly text: string; readonly name?: string | undefined }
  /** Elements of a page without a script, or for `lab/html/ChartScript.ts`, and the lines that replace them in a terminal. */
  | { readonly kind: "drawn"; readonly html: () => string; readonly lines: ReadonlyArray<string> }

export interface PageSection {
  readonly title: string
  readonly parts: ReadonlyArray<PagePart>
  readonly note?: string
  readonly isPageOnly?: boolean
  /** A file folds it away after all other sections. */
  readonly isFolded?: boolean
}

export interface Page {
  readonly title: string
  readonly subtitle: string
  readonly fees: ReadonlyArray<string>
  /** The first figure is the largest of a file. Only files show the notes. */
  readonly headline: ReadonlyArray<readonly [label: string, value: PageCell, note?: string]>
  /** The first sentence is the verdict. */
  readonly says: ReadonlyArray<string>
  readonly sections: ReadonlyArray<PageSection>
}

export const sectionsOf = (...all: ReadonlyArray<PageSection | undefined>): ReadonlyArray<PageSection> =>
  all.filter((section) => section !== undefined)

export const sentences = (...all: ReadonlyArray<string>): PagePart => ({ kind: "sentences", sentences: all })

export const table = (
  titles: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<PageCell>>,
  figures: "all" | "beside names" | "none" = "beside names"
): PagePart => ({ kind: "table", titles, rows, figures })

/** Joins facts of several columns by their labels. A row that some columns lack keeps the position that it has in its own column. */
export const sideBySide = (columns: ReadonlyArray<readonly [name: string, facts: Facts]>): PagePart => {
  const labels: Array<string> = []
  for (const [, own] of columns)
    for (const [index, [label]] of own.entries()) {
      const before = labels.indexOf(own[index - 1]?.[0] ?? "")
      if (!labels.includes(label)) labels.splice(before + 1, 0, label)
    }
  const valueOf = (own: Facts, label: string) => own.find(([name]) => name === label)?.[1] ?? ""
  return table(
    ["", ...columns.map(([name]) => name)],
    labels.map((label) => [label, ...columns.map(([, own]) => valueOf(own, label))])
  )
}

export const facts = (rows: Facts): PagePart => table(["", ""], rows, "none")

export const heading = (text: string): PagePart => ({ kind: "heading", text })

export const file = (text: string, name?: string): PagePart => ({ kind: "file", text, name })

export const figurePart = (html: () => string, lines: ReadonlyArray<string> = []): PagePart => ({
  kind: "drawn",
  html,
  lines
})
