/**
 * Runs the command line. Requests that need no command are answered before anything else is loaded. Compiled code is kept beside the
 * program, or among the packages of a checkout, where only its owner can write: a start without compilation is twice as fast.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { sourcesCode, version } from "./version.ts"

const { dirname, filename } = import.meta
const isBuilt = filename.endsWith(".mjs")
const words = process.argv[2] === "help" ? "--help" : process.argv.slice(2).join(" ")

// A listener keeps Node from opening its debugger, which would show keys.
process.on("SIGUSR1", () => {})

/** As in package.json. Code above this line must run on any older Node, so that it reaches the message. */
const [leastMajor, leastMinor] = [22, 19]
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
  process.stderr.write(
    `limitbot: needs Node ${leastMajor}.${leastMinor} or newer, and this is ${process.versions.node} (${process.execPath})\n`
  )
  process.exitCode = 1
} else if (words === "--version" || words === "-v")
  process.stdout.write(`limitbot v${version} (sources ${sourcesCode()})\n`)
else if (words === "--help") process.stdout.write(readFileSync(join(dirname, isBuilt ? "help.txt" : "cli/help.txt")))
else {
  // Effect would note the stack at each call of a traced function, and only LIMITBOT_DEBUG shows it.
  if (process.env["LIMITBOT_DEBUG"] === undefined) Error.stackTraceLimit = 0
  const { enableCompileCache } = await import("node:module")
  enableCompileCache(join(dirname, isBuilt ? "compiled" : "../node_modules/.cache/limitbot"))
  // Tests check the features that Node calls experiments, so users get no warning about them.
  process.removeAllListeners("warning")
  process.on("warning", ({ message, name }) => {
    if (name !== "ExperimentalWarning") process.stderr.write(`limitbot: ${name}: ${message}\n`)
  })
  const { launch } = await import("./cli/launch.ts")
  launch(process)
}
