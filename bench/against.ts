/**
 * `npx node bench/against.ts TREE`: our side of every comparison, here and in another working tree of this repository, in
 * turns within one process (A B A B). Time is that of the processor, children included, so that others on the machine count
 * less. Shows medians, the middle ratio of the pairs, and between what its middle half lies: that is the noise. Names of
 * sections after the tree choose: `npx node bench/against.ts ../before simulation sweep`.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { registerHooks } from "node:module"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { machine, type Way } from "./measure.ts"

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const pairs = Number(process.env["LIMITBOT_PAIRS"] ?? 15)

/** While a section runs, `compare` only says what it would have measured. */
const collected = new Map<string, Way>()
Object.assign(globalThis, {
  collectWay: (what: string, way: Way): void => void collected.set(`${what}: ${way.name}`, way)
})

const collecting = `
export const compare = async (what, ours, theirs) => {
  collectWay(what, ours)
  if (/sweep|threads|limitbot|process|memory|runs|fills|bar/.test(what)) collectWay(what, theirs)
  return ""
}
export const line = () => ""
export const machine = () => ""`

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "./measure.ts" && context.parentURL?.includes("/bench/") && !context.parentURL.endsWith("against.ts")
      ? { url: `data:text/javascript,${encodeURIComponent(collecting)}`, shortCircuit: true }
      : next(specifier, context)
})

type Section = (bench: { readonly show: () => void; readonly folder: string }) => Promise<void>

const files: Readonly<Record<string, readonly [file: string, section: string]>> = {
  simulation: ["simulation", "simulation"],
  csv: ["csv", "csv"],
  indicators: ["indicators", "indicators"],
  sweep: ["sweep", "sweep"],
  threads: ["sweep", "threads"],
  start: ["program", "start"],
  memory: ["program", "memory"],
  scaling: ["scaling", "scaling"]
}

const waysOf = async (tree: string, name: string, folder: string): Promise<ReadonlyMap<string, Way>> => {
  const [file = "", section = ""] = files[name] ?? []
  const module: Readonly<Record<string, Section>> = await import(
    pathToFileURL(join(resolve(tree), "bench", `${file}.ts`)).href
  )
  collected.clear()
  await module[section]?.({ folder, show: () => undefined })
  return new Map(collected)
}

/** The clock of the processor is coarse: so long are turns at least. */
const turnMillis = 100

/** Of children that have ended, in ticks of a hundredth of a second: the 16th and 17th field, the 2nd being in brackets. */
const childrenMillis = (): number => {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[13]) + Number(fields[14])) * 10
}

const cpuMillis = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e3 + childrenMillis()
}

/** Runs it so often, and says what once takes. */
const turn = async (way: Way, times: number): Promise<{ readonly result: string; readonly measured: number }> => {
  const start = cpuMillis()
  let done = await way.run()
  for (let time = 1; time < times; time++) done = await way.run()
  const measured = (cpuMillis() - start) / times
  return typeof done === "string" ? { result: done, measured } : { measured, ...done }
}

const quantile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN

const shown = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0))

const measure = async (what: string, here: Way, there: Way): Promise<string> => {
  const [mine, other] = [await turn(here, 1), await turn(there, 1)]
  if (mine.result !== other.result) return `| ${what} | other results: not timed | | |`
  for (let warm = 0; warm < 3; warm++) {
    await turn(here, 1)
    await turn(there, 1)
  }
  const isLong = (await turn(there, 3)).measured > turnMillis
  const times = isLong ? 1 : Math.ceil(turnMillis / Math.max(0.05, (await turn(there, 20)).measured))
  const [a, b]: [Array<number>, Array<number>] = [[], []]
  for (let pair = 0; pair < pairs; pair++) {
    b.push((await turn(there, times)).measured)
    a.push((await turn(here, times)).measured)
  }
  const ratios = a.map((value, index) => value / (b[index] ?? 1))
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(2))
  return `| ${what} | ${shown(quantile(b, 0.5))} | ${shown(quantile(a, 0.5))} | **${middle}** (${low} to ${high}) |`
}

const [tree, ...chosen] = process.argv.slice(2)
if (tree === undefined) throw new Error("the other working tree is missing: npx node bench/against.ts TREE [SECTION…]")
const folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), "limitbot-bench-")))
const here = resolve(import.meta.dirname, "..")
say(machine())
for (const name of chosen.length > 0 ? chosen : Object.keys(files)) {
  const [there, mine] = [await waysOf(tree, name, folders[0] ?? ""), await waysOf(here, name, folders[1] ?? "")]
  say(`\n| ${name} | before | after | ratio (middle half) |\n|---|---|---|---|`)
  for (const [what, way] of mine) {
    const other = there.get(what)
    if (other !== undefined) say(await measure(what, way, other))
  }
}
say(`\n${machine()}`)
for (const folder of folders) rmSync(folder, { recursive: true })
