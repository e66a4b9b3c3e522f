/** Markdown as far as the tests of the documentation need it: fenced blocks with their language, and links to files. */
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { anchorOf } from "../../site/links.ts"

export const root = resolve(import.meta.dirname, "../..")

export interface Block {
  readonly language: string
  readonly text: string
  /** Line of the opening fence, from 1. */
  readonly line: number
  /** The block that stands right before this one, with nothing but white space between. */
  readonly after: Block | undefined
}

export const read = (file: string): string => readFileSync(resolve(root, file), "utf8")

export const blocksOf = (markdown: string): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let end = 0
  for (const match of markdown.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)) {
    const [whole, language = "", text = ""] = match
    const isNext = markdown.slice(end, match.index).trim() === ""
    const line = markdown.slice(0, match.index).split("\n").length
    blocks.push({ language, text, line, after: isNext ? blocks.at(-1) : undefined })
    end = match.index + whole.length
  }
  return blocks
}

/** Targets of links and names of files in code that should be in the repository, relative to it. */
export const filesNamedIn = (file: string): ReadonlyArray<string> => {
  const prose = read(file).replace(/^```[\s\S]*?^```$/gm, "")
  const links = [...prose.matchAll(/\]\(([^)#]+)[^)]*\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^\w+:/.test(target))
    .map((target) => resolve(root, file, "..", target))
  const named = [...prose.matchAll(/`((?:src|test|tools|strategies|docs)\/[\w./-]*)`/g)].map(([, name = ""]) =>
    resolve(root, name)
  )
  return [...links, ...named]
}

/** Anchors that links lead to, with the file whose heading they name, relative to the repository. */
export const anchorsNamedIn = (file: string): ReadonlyArray<{ readonly file: string; readonly anchor: string }> =>
  [...read(file).matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)].map(([, target = "", anchor = ""]) => ({
    file: target === "" ? resolve(root, file) : resolve(root, file, "..", target),
    anchor
  }))

export const anchorsOf = (file: string): ReadonlySet<string> =>
  new Set([...read(file).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => anchorOf(title)))
