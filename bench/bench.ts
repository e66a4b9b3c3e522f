/**
 * `npm run bench`: every claim of BENCHMARKS.md, measured now, on this machine, against the packages by name. Names of
 * sections choose: `npm run bench -- threads memory`.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { csv } from "./csv.ts"
import { indicators } from "./indicators.ts"
import { type Comparison, line, machine } from "./measure.ts"
import { memory, start, typed } from "./program.ts"
import { scaling } from "./scaling.ts"
import { simulation } from "./simulation.ts"
import { sweep, threads } from "./sweep.ts"

/** What a section gets: where to show a row, and where to leave files. */
export interface Bench {
  readonly show: (result: Comparison | string, unit?: string) => void
  readonly folder: string
}

const sections = { simulation, csv, indicators, sweep, threads, start, typed, memory, scaling }

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const folder = mkdtempSync(join(tmpdir(), "limitbot-bench-"))
const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !(name in sections))
if (unknown.length > 0) say(`no section ${unknown.join(", ")}; there are ${Object.keys(sections).join(", ")}`)

say(machine())
for (const [name, section] of Object.entries(sections)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  say("")
  say(`| ${name} | ours | theirs | ratio (range) |`)
  say("|---|---|---|---|")
  await section({ folder, show: (result, unit) => say(line(result, unit)) })
}
say("")
say(machine())
rmSync(folder, { recursive: true })
