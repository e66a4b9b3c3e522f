/** A page for each file or folder that a page links to and that is no page itself: its text, or the list of what is in it. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { filesShown, root, shownAs } from "../links.ts"

const shown = (file: string): string => {
  const path = join(root, file)
  if (statSync(path).isDirectory()) {
    const names = readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
    return names
      .sort()
      .map((name) => `- [${name}](/files/${shownAs(join(file, name))}.html)`)
      .join("\n")
  }
  const language = /\.(yaml|ts|json)$/.exec(file)?.[1] ?? "text"
  return `\`\`\`\`${language}\n${readFileSync(path, "utf8")}\`\`\`\``
}

/** Files of the folders that are shown are shown as well: their list links to them. */
const all = (): ReadonlyArray<string> => {
  const files = filesShown()
  const below = files
    .filter((file) => statSync(join(root, file)).isDirectory())
    .flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => join(folder, name))
    )
  return [...new Set([...files, ...below])]
}

export default {
  paths: () =>
    all().map((file) => ({ params: { file: shownAs(file) }, content: `# ${shownAs(file)}\n\n${shown(file)}` }))
}
