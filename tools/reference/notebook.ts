/**
 * `docs/python.md` as a notebook: its text, its commands as cells of the shell, and its scripts, without what keeps a script from opening a
 * window. So the cells are what the test of the page runs.
 */
interface Cell {
  readonly kind: "markdown" | "code"
  readonly text: string
}

const codeOf = (language: string, text: string): string =>
  language === "sh" ? `%%bash\n${text}` : text.replace(/^matplotlib\.use\(.*\n/m, "")

const cellsOf = (markdown: string): ReadonlyArray<Cell> => {
  const cells: Array<Cell> = []
  let end = 0
  const say = (text: string) => {
    if (text.trim() !== "") cells.push({ kind: "markdown", text: text.trim() })
  }
  for (const match of markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
    const [whole, language = "", text = ""] = match
    say(markdown.slice(end, match.index))
    cells.push({ kind: "code", text: codeOf(language, text).trimEnd() })
    end = match.index + whole.length
  }
  say(markdown.slice(end))
  return cells
}

/** The lines as the format keeps them: each with its end, but the last. */
const sourceOf = (text: string): ReadonlyArray<string> => text.split(/(?<=\n)/)

/** Links of the page lead nowhere from elsewhere, so they say which file they mean and no more. */
const unlinked = (text: string): string => text.replace(/\[([^\]]+)\]\((?!\w+:)[^)]*\)/g, "$1")

/** Format 4.5 of Jupyter (nbformat.readthedocs.io), without outputs. */
export const notebookOf = (markdown: string): string => {
  const cells = cellsOf(markdown).map(({ kind, text }, index) => ({
    cell_type: kind,
    id: `cell-${index + 1}`,
    metadata: {},
    ...(kind === "code" ? { execution_count: null, outputs: [] } : {}),
    source: sourceOf(kind === "markdown" ? unlinked(text) : text)
  }))
  const metadata = {
    kernelspec: { display_name: "Python 3", language: "python", name: "python3" },
    language_info: { name: "python" }
  }
  return `${JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`
}
