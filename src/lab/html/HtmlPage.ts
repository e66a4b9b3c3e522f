/**
 * One HTML file that needs nothing else: no requests, readable in the dark, on paper and in ten years. The functions
 * that make elements escape text, and nothing else does.
 */
import { type Facts, type Page, type PagePart, type PageSection, sentences } from "../../report/Page.ts"
import { chartScript } from "./ChartScript.ts"
import { style } from "./HtmlPageStyle.ts"

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? "")

const list = (items: ReadonlyArray<string>): string =>
  `<ul>${items.map((item) => `<li>${escape(item)}</li>`).join("")}</ul>`

const cards = (facts: Facts): string =>
  `<div class="cards">${facts.map(([label, value]) => `<div class="card"><span>${escape(label)}</span><b>${escape(value)}</b></div>`).join("")}</div>`

/** Lets a table that is wider than a phone scroll within itself, also by keyboard. */
export const scrolled = (table: string): string => `<div class="scroll" tabindex="0">${table}</div>`

const table = ({ titles, rows, figures }: Extract<PagePart, { readonly kind: "table" }>): string => {
  const isFigure = (column: number) => figures === "all" || (figures === "beside names" && column > 0)
  const kind = (column: number) => (isFigure(column) ? ' class="n"' : "")
  const head = titles
    .map((title, column) => (title === "" ? "<td></td>" : `<th${kind(column)}>${escape(title)}</th>`))
    .join("")
  const cellKind = (text: string, column: number) =>
    isFigure(column) && /^[a-z ]+$/.test(text) ? ' class="n words"' : kind(column)
  const body = rows
    .map((row) => `<tr>${row.map((text, column) => `<td${cellKind(text, column)}>${escape(text)}</td>`).join("")}</tr>`)
    .join("")
  return scrolled(`<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`)
}

/** Writes JSON that cannot close its script element. */
const dataElement = (value: unknown): string =>
  `<script type="application/json" id="data">${JSON.stringify(value).replaceAll("<", "\\u003c")}</script>`

const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"

export interface Charts {
  readonly library: { readonly script: string; readonly style: string }
  readonly script: string
  readonly data: unknown
}

const scriptsOf = ({ data, library, script }: Charts): string =>
  `${dataElement(data)}<script>${library.script}</script><script>${chartScript}${script}</script>`

export const render = ({ title, subtitle, fees, headline, says, sections }: Page, charts?: Charts): string => {
  const all = [{ title: "What this says", parts: [sentences(...says)] }, ...sections]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escape(title)}</title><style>${charts?.library.style ?? ""}${style}</style></head><body><main>
<header><h1>${escape(title)}</h1><p class="soft">${escape(subtitle)}</p></header>
${[...fees.map((sentence) => `<p>${escape(sentence)}</p>`), cards(headline), ...all.map(sectionOf)].join("\n")}
</main>${charts === undefined ? "" : scriptsOf(charts)}</body></html>
`
}

const preformatted = (text: string): string => `<pre class="scroll" tabindex="0">${escape(text)}</pre>`

export const folded = (name: string, content: string): string =>
  `<details><summary>${escape(name)}</summary>${content}</details>`

export const canvas = (id: string): string => `<div id="${id}" class="chart"></div>`

const sectionOf = ({ title, note, parts }: PageSection): string =>
  `<section><h2>${escape(title)}</h2>${note === undefined ? "" : `<p class="hint">${escape(note)}</p>`}${parts.map(partOf).join("")}</section>`

const partOf = (part: PagePart): string => {
  switch (part.kind) {
    case "sentences":
      return part.sentences.length === 0 ? "" : list(part.sentences)
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
