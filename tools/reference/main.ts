/**
 * The reference: pages of docs/reference that are made of the declarations themselves, so that they cannot say anything else. With
 * `--check` nothing is written, and what differs is named.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { commandPage } from "./commandPage.ts"
import { configurationPage } from "./configurationPage.ts"
import { eventPage } from "./eventPage.ts"
import { interfacePage } from "./interfacePage.ts"

const folder = join(import.meta.dirname, "../../docs/reference")

const pages = {
  "commands.md": await Effect.runPromise(Effect.scoped(commandPage)),
  "configuration.md": configurationPage(),
  "control-api.md": interfacePage(),
  "events.md": eventPage()
}

const differing = Object.entries(pages).filter(([name, text]) => {
  const file = join(folder, name)
  return !existsSync(file) || readFileSync(file, "utf8") !== text
})

if (process.argv.includes("--check")) {
  for (const [name] of differing)
    process.stderr.write(`docs/reference/${name} is not what the program says: npm run reference writes it\n`)
  process.exitCode = differing.length === 0 ? 0 : 1
} else {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of differing) writeFileSync(join(folder, name), text)
}
