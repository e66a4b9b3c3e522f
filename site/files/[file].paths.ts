/** A page for each file or folder that a page links to and that is no page itself: its text, or the list of what is in it. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { addressOf, filesShown, pages, root, shownAs } from "../links.ts"

const isFolder = (file: string): boolean => statSync(join(root, file)).isDirectory()

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(folder, name))
    .sort()

const shown = (file: string): string => {
  if (isFolder(file))
    return filesIn(file)
      .map((each) => `- [${each.slice(shownAs(file).length + 1)}](${addressOf("README.md", each)})`)
      .join("\n")
  const language = /\.(yaml|ts|json)$/.exec(file)?.[1] ?? "text"
  return `\`\`\`\`${language}\n${readFileSync(join(root, file), "utf8")}\`\`\`\``
}

/** What is in a folder that is shown is shown as well, because its list links to it. */
const all = (): ReadonlyArray<string> => {
  const files = filesShown()
  const below = files.filter(isFolder).flatMap(filesIn)
  return [...new Set([...files, ...below])].filter((file) => !pages.includes(file))
}

export default {
  paths: () =>
    all().map((file) => ({ params: { file: shownAs(file) }, content: `# ${shownAs(file)}\n\n${shown(file)}` }))
}
