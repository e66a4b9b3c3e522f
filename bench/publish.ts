/**
 * `npm run bench -- --publish`: what was measured as one table in BENCHMARKS.md, with all that a stranger needs to check it. A row
 * has the hash of its result, and no time where results differ. Most memory stands beside the time of the same command. If the kinds of
 * strategies were measured, the chart that the README shows is drawn anew.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { digest, type Measured, machine, number, type Row } from "./measure.ts"
import { speedChart } from "./speedChart.ts"

const [begins, ends] = ["<!-- published -->", "<!-- /published -->"]

const commitOf = (root: string): string => {
  const git = (...words: ReadonlyArray<string>) => execFileSync("git", words, { cwd: root, encoding: "utf8" }).trim()
  const isChanged = git("status", "--porcelain", "--", "src", "bench", "test/world") !== ""
  return `${git("rev-parse", "--short=12", "HEAD")}${isChanged ? " with changes" : ""}`
}

const cells = (...values: ReadonlyArray<string>): string => `| ${values.join(" | ")} |`

const isMemory = (row: Row | string | undefined): row is Row => typeof row === "object" && row.unit === "MB"

const amount = (value: number, unit: string): string => (Number.isNaN(value) ? "" : `${number(value)} ${unit}`)

const lines = (measured: ReadonlyArray<Measured>): ReadonlyArray<string> =>
  measured.flatMap(({ section, row }, index) => {
    if (typeof row === "string") return [cells(section, row, "", "", "", "", "")]
    const [before, next] = [measured[index - 1]?.row, measured[index + 1]?.row]
    const isShownBefore = isMemory(row) && typeof before === "object" && !isMemory(before)
    if (isShownBefore) return []
    const { ours, ratio, theirs, unit, what } = row
    const memory = isMemory(row) ? row : isMemory(next) ? next : undefined
    const [one, other, times] = isMemory(row)
      ? ["", "", ""]
      : [amount(ours, unit), amount(theirs, unit), Number.isNaN(ours) ? "" : `${number(ratio)} x`]
    return [cells(section, what, digest(row.result), one, other, times, memory ? amount(memory.theirs, "MB") : "")]
  })

export const publish = (root: string, measured: ReadonlyArray<Measured>): void => {
  const file = join(root, "BENCHMARKS.md")
  const text = readFileSync(file, "utf8")
  const [from, to] = [text.indexOf(begins), text.indexOf(ends)]
  if (from < 0 || to < from) throw new Error(`BENCHMARKS.md has no ${begins} … ${ends}`)
  const table = [
    begins,
    `Commit ${commitOf(root)}, ${machine()}.`,
    "",
    cells("section", "what", "result", "one", "other", "ratio", "most memory"),
    "|---|---|---|---|---|---|---|",
    ...lines(measured)
  ]
  writeFileSync(file, `${text.slice(0, from)}${table.join("\n")}\n${text.slice(to)}`)
  const chart = speedChart(measured)
  if (chart !== undefined) writeFileSync(join(root, "docs/speed.svg"), chart)
}
