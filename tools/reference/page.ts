/** What all pages of the reference have: where they say that they are made, and cells of tables that Markdown takes as they are meant. */

export const pageOf = (title: string, about: string, parts: ReadonlyArray<string>): string =>
  `${[`# ${title}`, about, "`npm run reference` writes this page.", ...parts].join("\n\n")}\n`

/** Text in which a sign of Markdown or HTML is only a sign; what is in backticks stays, but for the bars of tables. */
export const cell = (text: string): string =>
  text
    .split("`")
    .map((part, index) => (index % 2 === 0 ? part.replace(/[<>*]/g, "\\$&") : part).replaceAll("|", "\\|"))
    .join("`")

export const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [heads, heads.map(() => "---"), ...rows.map((row) => row.map(cell))].map((row) => `| ${row.join(" | ")} |`).join("\n")
