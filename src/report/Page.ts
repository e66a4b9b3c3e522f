/** The report of a run, a comparison or a search. A terminal shows it through `text/PageText.ts`, a file through `lab/html/HtmlPage.ts`. */

/** A profit or a loss as text, with its unit. HTML pages sign and colour it; a terminal prints the text. */
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
  /** HTML without a script, or for `lab/html/HtmlReportScript.ts`; a terminal prints `lines` instead. */
  | { readonly kind: "drawn"; readonly html: () => string; readonly lines: ReadonlyArray<string> }

export interface PageSection {
  readonly title: string
  readonly parts: ReadonlyArray<PagePart>
  readonly note?: string
  readonly isPageOnly?: boolean
  /** A file shows the section folded, after all others. */
  readonly isFolded?: boolean
}

export interface Page {
  readonly title: string
  readonly subtitle: string
  readonly fees: ReadonlyArray<string>
  /** A file shows the first figure largest, and the notes. */
  readonly headline: ReadonlyArray<readonly [label: string, value: PageCell, note?: string]>
  /** The first sentence is the verdict. */
  readonly says: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
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

/** Joins facts of several columns by their labels. A row that some columns lack keeps its position in its own column. */
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
