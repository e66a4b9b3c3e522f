/** Renders a page as one HTML file without requests. Text is escaped only in the functions that make elements. */
import { gain, type Page, type PageCell, type PagePart, type PageSection, textOf } from "../../report/Page.ts"
import { polished, signed, toneOf } from "./Figures.ts"
import { style } from "./HtmlPageStyle.ts"

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? "")

/** Keeps a figure on one line with its unit. */
const text = (sentence: string): string => escape(polished(sentence).replaceAll(/(\d) (?=%|[A-Z]{2})/g, "$1\u00a0"))

const list = (items: ReadonlyArray<string>, kind: string): string =>
  items.length === 0 ? "" : `<ul class="${kind}">${items.map((item) => `<li>${text(item)}</li>`).join("")}</ul>`

const htmlOf = (cell: PageCell): { readonly written: string; readonly tone: string } => {
  if (cell === "") return { written: "–", tone: "soft" }
  const written = typeof cell === "string" ? polished(cell) : signed(cell.gain)
  return { written: escape(written), tone: typeof cell === "string" ? "" : toneOf(written) }
}

const cards = (headline: Page["headline"]): string => {
  const card = ([label, value, note = ""]: Page["headline"][number], index: number) => {
    const { tone, written } = htmlOf(value)
    const kind = index === 0 ? "card hero" : "card"
    return `<div class="${kind}"><h2>${escape(label)}</h2><b class="${tone}">${written}</b><p>${text(note)}</p></div>`
  }
  const columns = Math.min(4, Math.max(1, headline.length - 1))
  return `<section class="kpis" style="--columns:${columns}" aria-label="Key figures">${headline.map(card).join("")}</section>`
}

/** In a row of figures with one unit, the unit stands once, beside the name. */
const withUnit = ([name = "", ...cells]: ReadonlyArray<PageCell>): ReadonlyArray<PageCell> => {
  const unit = / [A-Z]\w*$/.exec(textOf(cells[0] ?? ""))?.[0] ?? ""
  if (unit === "" || !cells.every((cell) => (textOf(cell) || unit).endsWith(unit))) return [name, ...cells]
  const bare = (cell: PageCell): PageCell =>
    typeof cell === "string" ? cell.replace(unit, "") : gain(cell.gain.replace(unit, ""))
  return [`${textOf(name)},${unit}`, ...cells.map(bare)]
}

/** Lets a table that is wider than a phone scroll within itself, also by keyboard. */
export const scrolled = (table: string): string => `<div class="scroll" tabindex="0">${table}</div>`

const table = ({ titles, rows, figures }: Extract<PagePart, { readonly kind: "table" }>): string => {
  const isFigure = (column: number) => figures === "all" || (figures === "beside names" && column > 0)
  const classOf = (column: number, words = false, tone = "") => {
    const kinds = [isFigure(column) && (words ? "n words" : "n"), tone].filter(Boolean).join(" ")
    return kinds === "" ? "" : ` class="${kinds}"`
  }
  const head = titles.map((title, column) =>
    title === "" ? "<td></td>" : `<th${classOf(column)}>${escape(title)}</th>`
  )
  const cellOf = (cell: PageCell, column: number) => {
    const { tone, written } = htmlOf(cell)
    return `<td${classOf(column, /^[a-z ]+$/.test(written), tone)}>${written}</td>`
  }
  const lines = titles.length > 3 && figures === "beside names" ? rows.map(withUnit) : rows
  const body = lines.map((row) => `<tr>${row.map(cellOf).join("")}</tr>`)
  return scrolled(`<table class="t"><thead><tr>${head.join("")}</tr></thead><tbody>${body.join("")}</tbody></table>`)
}

/** Escapes `<`, so that the JSON cannot close its script element. */
const dataElement = (value: unknown): string =>
  `<script type="application/json" id="data">${JSON.stringify(value).replaceAll("<", "\\u003c")}</script>`

const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"

export interface Charts {
  readonly library: { readonly script: string; readonly style: string }
  readonly script: string
  readonly data: unknown
}

const scriptsOf = ({ data, library, script }: Charts): string =>
  `${dataElement(data)}<script>${library.script}</script><script>${script}</script>`

export const render = ({ title, subtitle, fees, headline, says, notes, sections }: Page, charts?: Charts): string => {
  const [verdict = "", ...further] = says
  const open = sections.filter(({ isFolded = false }) => !isFolded)
  const costs: PageSection = { title: "Costs", parts: [{ kind: "sentences", sentences: fees }] }
  const folds = [costs, ...sections.filter(({ isFolded = false }) => isFolded)]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escape(title)}</title><style>${charts?.library.style ?? ""}${style}</style></head><body><main>
<header><p class="crumb">${escape(title)} / ${text(subtitle)}</p><h1>${text(verdict)}</h1>${list(further, "lede")}${list(notes, "hint")}</header>
${[cards(headline), ...open.map(sectionOf)].join("\n")}
<section class="card">${folds.map((section) => folded(section.title, `${noteOf(section)}${partsOf(section.parts)}`)).join("")}</section>
</main>${charts === undefined ? "" : scriptsOf(charts)}</body></html>
`
}

const preformatted = (text: string): string => `<pre class="scroll" tabindex="0">${escape(text)}</pre>`

const folded = (name: string, content: string): string =>
  `<details><summary>${escape(name)}</summary><div class="folded">${content}</div></details>`

export const canvas = (id: string): string => `<div id="${id}" class="chart"></div>`

const noteOf = ({ note }: PageSection): string => (note === undefined ? "" : `<p class="hint">${text(note)}</p>`)

const sectionOf = (section: PageSection): string =>
  `<section class="card"><header><h2>${escape(section.title)}</h2>${noteOf(section)}</header>${partsOf(section.parts)}</section>`

export const partsOf = (parts: ReadonlyArray<PagePart>): string => parts.map(partOf).join("")

const partOf = (part: PagePart): string => {
  switch (part.kind) {
    case "sentences":
      return list(part.sentences, "points")
    case "table":
      return table(part)
    case "heading":
      return `<h3>${escape(part.text)}</h3>`
    case "file":
      return part.name === undefined ? preformatted(part.text) : folded(part.name, preformatted(part.text))
    case "drawn":
      return part.html()
  }
}
