/**
 * Runs the command line. What needs no command is answered before anything else is loaded. The built program keeps its
 * compiled code beside itself, where nobody but its owner can write: a start that need not compile is twice as fast.
 */
import { readFileSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { join } from "node:path"
import { version } from "./version.ts"

const { dirname, filename } = import.meta
const isBuilt = filename.endsWith(".mjs")
const words = process.argv.slice(2).join(" ")

if (words === "--version") process.stdout.write(`limitbot v${version}\n`)
else if (words === "--help" && isBuilt) process.stdout.write(readFileSync(join(dirname, "help.txt")))
else {
  if (isBuilt) enableCompileCache(join(dirname, "compiled"))
  const { launch } = await import("./cli/launch.ts")
  launch(process)
}
