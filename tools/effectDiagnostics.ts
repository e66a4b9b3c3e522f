/**
 * Runs the diagnostics of Effect's language service over the whole project: floating effects, missing services, outdated
 * names. The checker takes 150 MB and runs nothing else, so `npm ci` leaves it out, and the first check installs it here.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"

const tools = import.meta.dirname
const checker = join(tools, "node_modules/@effect/tsgo/dist/effect-tsgo.cjs")
const project = resolve(tools, "../tsconfig.json")

const run = (program: string, args: ReadonlyArray<string>): number =>
  spawnSync(program, args, { stdio: "inherit" }).status ?? 1

const install = (): number =>
  existsSync(checker) ? 0 : run("npm", ["install", "--prefix", tools, "--no-package-lock", "--no-audit", "--no-fund"])

if (install() === 0 && existsSync(checker)) {
  process.exitCode = run(process.execPath, [checker, "diagnostics", "--project", project])
} else {
  process.stderr.write(`The checker of Effect could not be installed: npm install --prefix ${tools}\n`)
  process.exitCode = 1
}
