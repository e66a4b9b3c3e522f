/**
 * One HTML file that needs nothing else: no requests, readable in the dark, on paper and in ten years. The functions
 * that make elements escape text, and nothing else does.
 */
import type { NotedCells } from "../text/Table.ts"
import { style } from "./HtmlPageStyle.ts"

export type Facts = ReadonlyArray<readonly [label: string, value: string]>

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? "")

export const list = (items: ReadonlyArray<string>): string =>
  `<ul>${items.map((item) => `<li>${escape(item)}</li>`).join("")}</ul>`

export const cards = (facts: Facts): string =>
  `<div class="cards">${facts.map(([label, value]) => `<div class="card"><span>${escape(label)}</span><b>${escape(value)}</b></div>`).join("")}</div>`

export const section = (title: string, content: string, note = ""): string =>
  `<section><h2>${escape(title)}</h2>${note === "" ? "" : `<p class="hint">${escape(note)}</p>`}${content}</section>`

/** What is wider than a phone moves within itself, by the keyboard too. */
export const scrolled = (table: string): string => `<div class="scroll" tabindex="0">${table}</div>`

/** A cell is text, or a figure aligned with the figures above and below it. */
export const table = (
  titles: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  figures: (column: number) => boolean = (column) => column > 0
): string => {
  const kind = (column: number) => (figures(column) ? ' class="n"' : "")
  const head = titles
    .map((title, column) => (title === "" ? "<td></td>" : `<th${kind(column)}>${escape(title)}</th>`))
    .join("")
  /** Words in a column of figures may break where it is narrow. */
  const cellKind = (text: string, column: number) =>
    figures(column) && /^[a-z ]+$/.test(text) ? ' class="n words"' : kind(column)
  const body = rows
    .map((row) => `<tr>${row.map((text, column) => `<td${cellKind(text, column)}>${escape(text)}</td>`).join("")}</tr>`)
    .join("")
  return scrolled(`<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`)
}

/** One strategy on several markets; nothing for a single market. */
const markets = (found: NotedCells | undefined): string =>
  found === undefined ? "" : section("By market", `${table(found.titles, found.rows)}${list(found.notes)}`)

/** What a run was made from, and the strategy file as it ran. */
const origin = (facts: Facts, text: string): string => `${table(["", ""], facts, () => false)}${fileText(text)}`

/** The strategy file as it ran. */
export const fileText = (text: string): string => `<h3>Strategy file</h3>${preformatted(text)}`

export const preformatted = (text: string): string => `<pre class="scroll" tabindex="0">${escape(text)}</pre>`

/** JSON that cannot close its script element. */
export const data = (value: unknown): string =>
  `<script type="application/json" id="data">${JSON.stringify(value).replaceAll("<", "\\u003c")}</script>`

const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"

export interface Page {
  readonly title: string
  readonly subtitle: string
  readonly body: string
  readonly styles?: string
  /** Elements after the content. */
  readonly scripts?: string
}

export const render = ({ title, subtitle, body, styles = "", scripts = "" }: Page): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escape(title)}</title><style>${styles}${style}</style></head><body><main>
<header><h1>${escape(title)}</h1><p class="soft">${escape(subtitle)}</p></header>
${body}
</main>${scripts}</body></html>
`

/** What every page about one strategy says. */
export interface StrategyPage {
  readonly title: string
  readonly subtitle: string
  readonly fees: string
  readonly headline: Facts
  /** What the figures mean, in sentences. */
  readonly says: ReadonlyArray<string>
  readonly markets?: NotedCells
  readonly facts: Facts
  /** The strategy file as it ran. */
  readonly text: string
}

/** What it says first, the sections about what was done, and what that was made from. */
export const ofStrategy = (
  { title, subtitle, fees, headline, says, markets: found, facts, text }: StrategyPage,
  done: string,
  sections: ReadonlyArray<string>
): string =>
  render({
    title,
    subtitle,
    body: [
      `<p>${escape(fees)}</p>`,
      cards(headline),
      section("What this says", list(says)),
      ...sections,
      markets(found),
      section(done, origin(facts, text))
    ].join("\n")
  })
