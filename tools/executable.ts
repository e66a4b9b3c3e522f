/**
 * Makes one executable file of the built program and this Node: `npm run build && node tools/executable.ts [FILE]`. Node
 * starts only one CommonJS file from inside an executable, and threads and the dashboard are files. So that one file unpacks
 * the others into the user's cache folder, once for each build, and goes on there.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"

const root = resolve(import.meta.dirname, "..")
const dist = join(root, "dist")
const target = resolve(process.argv[2] ?? join(root, "artifacts/limitbot"))
/** Node looks for this mark in itself: it says whether something was put in. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"

/** Without types, and without what the build machine compiled for itself. */
const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(dist, join(entry.parentPath, entry.name)))
  .filter(
    (file) => !/^(?:types|compiled)[/\\]/.test(file) && !["venue.mjs", "strategy.mjs", "sandbox.mjs"].includes(file)
  )
  .toSorted()

const build = createHash("sha256")
for (const file of files) build.update(file).update(readFileSync(join(dist, file)))
const folderName = `limitbot-${build.digest("hex").slice(0, 16)}`

/** Runs inside the executable. A folder appears under its name only when it is complete, and only its owner may enter. */
const starter = `
const { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } = require("node:fs")
const { homedir } = require("node:os")
const { dirname, join } = require("node:path")
const { pathToFileURL } = require("node:url")
const { constants, runInThisContext } = require("node:vm")
const { getRawAsset } = require("node:sea")
const files = ${JSON.stringify(files)}
const caches = process.env.XDG_CACHE_HOME || join(homedir(), ".cache")
const folder = join(caches, "limitbot", ${JSON.stringify(folderName)})
if (!existsSync(folder)) {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
  const making = mkdtempSync(folder + "-")
  for (const file of files) {
    mkdirSync(dirname(join(making, file)), { recursive: true, mode: 0o700 })
    writeFileSync(join(making, file), new Uint8Array(getRawAsset(file)), { mode: 0o600 })
  }
  try {
    renameSync(making, folder)
  } catch (error) {
    rmSync(making, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}
const { mode, uid } = statSync(folder)
if (process.getuid && (uid !== process.getuid() || (mode & 0o022) !== 0)) {
  process.stderr.write("limitbot: " + folder + " can be written by somebody else; remove it and start again\\n")
  process.exit(1)
}
const script = join(folder, "limitbot.mjs")
process.argv[1] = script
// The program starts itself by the script's path.
if (process.argv[2] === script) process.argv.splice(2, 1)
const load = runInThisContext("(url) => import(url)", { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER })
load(pathToFileURL(script).href)
`

// Nobody who starts the program can do anything about experimental parts of Node.
const execArgv = ["--disable-warning=ExperimentalWarning", "--disable-sigusr1"]
const scratch = mkdtempSync(join(tmpdir(), "limitbot-executable-"))
const [main, blob, settings] = [join(scratch, "main.cjs"), join(scratch, "program"), join(scratch, "settings.json")]
try {
  writeFileSync(main, starter)
  const assets = Object.fromEntries(files.map((file) => [file, join(dist, file)]))
  writeFileSync(settings, JSON.stringify({ main, output: blob, assets, disableExperimentalSEAWarning: true, execArgv }))
  execFileSync(process.execPath, ["--experimental-sea-config", settings], { stdio: "ignore" })
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(process.execPath, target)
  chmodSync(target, 0o755)
  const postject = join(root, "node_modules/postject/dist/cli.js")
  // It remarks on sections of Node that it does not know; what counts is its exit code, and that the program starts.
  const put = [postject, target, "NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse]
  execFileSync(process.execPath, put, { stdio: "ignore" })
  // It has to start, and to start its threads.
  const run = (...args: ReadonlyArray<string>) =>
    execFileSync(target, args, { cwd: scratch, encoding: "utf8", env: { PATH: "", XDG_CACHE_HOME: scratch } })
  run("data", "generate", "candles.csv", "--bars", "3000")
  const sweep = ["search", join(root, "strategies/grid.yaml"), "--data", "candles.csv", "--set", "grid.levels=11,21,31"]
  process.stdout.write(
    `${run("--version")}${run(...sweep, "--threads", "2")
      .split("\n")
      .slice(0, 2)
      .join("\n")}\n`
  )
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.stdout.write(`${target}: ${(readFileSync(target).length / 1e6).toFixed(0)} MB, ${files.length} files\n`)
