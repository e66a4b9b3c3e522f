/**
 * The reference: pages of docs/reference that are made of the declarations themselves, so that they cannot say anything else, and the
 * notebook that is made of a page. With `--check` nothing is written, and what differs is named.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { commandPage } from "./commandPage.ts"
import { configurationPage } from "./configurationPage.ts"
import { eventPage } from "./eventPage.ts"
import { interfacePage } from "./interfacePage.ts"
import { notebookOf } from "./notebook.ts"

const folder = join(import.meta.dirname, "../../docs")

const pages = {
  "reference/commands.md": await Effect.runPromise(Effect.scoped(commandPage)),
  "reference/configuration.md": configurationPage(),
  "reference/control-api.md": interfacePage(),
  "reference/events.md": eventPage(),
  "python.ipynb": notebookOf(readFileSync(join(folder, "python.md"), "utf8"))
}

const differing = Object.entries(pages).filter(([name, text]) => {
  const file = join(folder, name)
  return !existsSync(file) || readFileSync(file, "utf8") !== text
})

if (process.argv.includes("--check")) {
  for (const [name] of differing)
    process.stderr.write(`docs/${name} is not what the program says: npm run reference writes it\n`)
  process.exitCode = differing.length === 0 ? 0 : 1
} else {
  mkdirSync(join(folder, "reference"), { recursive: true })
  for (const [name, text] of differing) writeFileSync(join(folder, name), text)
}
