/**
 * Where a link of a page leads on the site. Links are written for readers of the files, relative to them; the site has other addresses,
 * and shows files that are no pages (a strategy, the licence, a folder) as pages with their text. Every address that this makes is
 * one that the generator looks for, so a link that leads nowhere is refused.
 */
import { readFileSync } from "node:fs"
import { posix, resolve } from "node:path"
import { parts } from "./pages.ts"

export const root = resolve(import.meta.dirname, "..")

const made = "site/library/limitbot/"

/** Made of the docstrings of what programs import, when the site is built. */
const isMade = (page: string): boolean => page.startsWith(made)

/** The files of the navigation, each once. */
export const pages: ReadonlyArray<string> = [
  ...new Set(parts.flatMap(({ pages }) => pages.map(([file]) => file.replace(/#.*/, ""))))
].filter((page) => !isMade(page))

/** Pages at the top of the site; the first is its entrance. */
const tops: Readonly<Record<string, string>> = { "site/landing.md": "index.md", "README.md": "tour.md" }

/** Where a page goes: what is about the project has a folder of its own, and a README is the index of its folder. */
export const placeOf = (page: string): string => {
  const top = tops[page]
  if (top !== undefined) return top
  if (isMade(page)) return `library/${page.slice(made.length)}`
  const place = page.startsWith("docs/") ? page : `project/${page.toLowerCase()}`
  return place.replace(/^docs\//, "").replace(/README\.md$/, "index.md")
}

const isPage = (file: string): boolean => pages.includes(file) || isMade(file)

/** Name of the page that shows a file which is none; a folder ends with nothing. */
export const shownAs = (file: string): string => file.replace(/\/$/, "")

/** The address on the site; what has a scheme, or is of the page itself, stays as it is. */
export const addressOf = (page: string, link: string): string => {
  if (/^(?:\w+:|#|\/)/.test(link)) return link
  const [target = "", heading] = link.split("#")
  const file = posix.normalize(posix.join(posix.dirname(page), target))
  const place = isPage(file)
    ? placeOf(file).replace(/(?:(^|\/)index)?\.md$/, (_, before = ".html") => before)
    : undefined
  return `/${place ?? `files/${shownAs(file)}.html`}${heading === undefined ? "" : `#${heading}`}`
}

/** The anchor of a heading, as readers of the files know it: lower case, spaces as dashes, other signs left out. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, "")
    .replaceAll(" ", "-")

/** Files and folders that pages link to, and that are no pages. */
export const filesShown = (): ReadonlyArray<string> => {
  const targets = pages.flatMap((page) =>
    [...readFileSync(resolve(root, page), "utf8").matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^\w+:/.test(target) && !/\.(?:svg|webp)$/.test(target))
      .map((target) => posix.normalize(posix.join(posix.dirname(page), target)))
  )
  return [...new Set(targets)].filter((file) => !isPage(file)).sort()
}
