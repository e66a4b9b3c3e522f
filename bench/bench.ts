/**
 * `npm run bench`: every claim of BENCHMARKS.md, measured now, on this machine, as Markdown. Names of sections choose:
 * `npm run bench -- threads memory`; `--publish` writes the rows into BENCHMARKS.md as well. Rows with a budget say whether they
 * keep it; when one does not, the exit code is 1.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isMissed, line, type Measured, machine, type Row } from "./measure.ts"
import { publish } from "./publish.ts"
import { loaded, names } from "./sections.ts"

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const folder = mkdtempSync(join(tmpdir(), "limitbot-bench-"))
const root = join(import.meta.dirname, "..")
const words = process.argv.slice(2)
const chosen = words.filter((word) => word !== "--publish")
const unknown = chosen.filter((name) => !names.includes(name))
if (unknown.length > 0) throw new Error(`no section ${unknown.join(", ")}; there are ${names.join(", ")}`)
const missed: Array<Row> = []
const measured: Array<Measured> = []

const show = (section: string, result: Row | string): void => {
  say(line(result))
  measured.push({ section, row: result })
  if (typeof result !== "string" && isMissed(result)) missed.push(result)
}

say(machine())
for (const name of chosen.length > 0 ? chosen : names) {
  const section = await loaded(name)
  say(`\n| ${name} | one | other | ratio (range) | budget |`)
  say("|---|---|---|---|---|")
  await section({ root, folder, show: (result) => show(name, result) })
}
if (words.includes("--publish")) publish(root, measured)
say(`\n${machine()}`)
for (const { what, ratio, budget } of missed) say(`\nMISSED: ${what}: ${ratio.toFixed(2)}, at most ${budget?.atMost}`)
if (missed.length > 0) process.exitCode = 1
rmSync(folder, { recursive: true })
