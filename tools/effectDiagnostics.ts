/**
 * Runs the diagnostics of Effect's language service over the whole project: floating effects, missing services, outdated
 * names. The checker is large and not needed to run anything, so it is installed apart; without it the check says so.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"

const tools = import.meta.dirname
const checker = join(tools, "node_modules/@effect/tsgo/dist/effect-tsgo.cjs")

if (existsSync(checker)) {
  const project = resolve(tools, "../tsconfig.json")
  const { status } = spawnSync(process.execPath, [checker, "diagnostics", "--project", project], { stdio: "inherit" })
  process.exitCode = status ?? 1
} else {
  process.stdout.write("Effect diagnostics SKIPPED. To run them: npm i --prefix tools --no-package-lock\n")
}
