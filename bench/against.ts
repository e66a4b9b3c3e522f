/**
 * `npx node bench/against.ts TREE`: our side of every section, here and in another working tree of this repository, in turns
 * within one process (A B A B), by the sections of this tree, so that both are measured alike. Time is that of the
 * processor, children included, so that others on the machine count less. Shows medians, the middle ratio of the pairs, and
 * between what its middle half lies: that is the noise. Names of sections after the tree choose:
 * `npx node bench/against.ts ../before simulation sweep`.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { registerHooks } from "node:module"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { machine, quantile, timesOf, turn, type Way } from "./measure.ts"
import { loaded, names } from "./sections.ts"

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const pairs = Number(process.env["LIMITBOT_PAIRS"] ?? 15)

/** Of ways that take long fewer pairs are made: until so much is spent on them, and so many at least. */
const longestMillis = 30_000
const fewest = 3

/** While a section runs, measuring only says what it would have measured. */
const collected = new Map<string, Way>()
Object.assign(globalThis, {
  collectWay: (what: string, way: Way): void => void collected.set(`${what}: ${way.name}`, way)
})

const collecting = `
export * from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, "measure.ts")).href)}
export const compare = async (what, ours, theirs, { isOursToo = false }) => {
  collectWay(what, ours)
  if (isOursToo) collectWay(what, theirs)
  return ""
}
export const costs = async (what, yardstick, way) => (collectWay(what, way), "")
export const says = async (what, way) => (collectWay(what, way), "")`

const here = resolve(import.meta.dirname, "..")
const [asked, ...chosen] = process.argv.slice(2)
if (asked === undefined) throw new Error("the other working tree is missing: npx node bench/against.ts TREE [SECTION…]")
const tree = resolve(asked)
const both = { mine: here, other: tree }

/** Modules of `bench` and of `test/world` carry the tree that they measure in their address, and take the sources of that tree. */
registerHooks({
  resolve: (specifier, context, next) => {
    const which = /\/(?:bench|test\/world)\/[\w/]+\.ts\?tree=(mine|other)$/.exec(context.parentURL ?? "")?.[1]
    if (which !== "mine" && which !== "other") return next(specifier, context)
    if (specifier === "./measure.ts")
      return { url: `data:text/javascript,${encodeURIComponent(collecting)}`, shortCircuit: true }
    const source = /^(?:\.\.\/)+src\/(.+)$/.exec(specifier)?.[1]
    if (source !== undefined) return next(pathToFileURL(join(both[which], "src", source)).href, context)
    if (!specifier.startsWith(".")) return next(specifier, context)
    const { url, ...found } = next(specifier, context)
    return { ...found, url: `${url.split("?")[0]}?tree=${which}` }
  }
})

const waysOf = async (name: string, which: keyof typeof both, folder: string): Promise<ReadonlyMap<string, Way>> => {
  collected.clear()
  const section = await loaded(name, which)
  await section({ root: both[which], folder, show: () => undefined })
  return new Map(collected)
}

const shown = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0))

const measure = async (what: string, mine: Way, other: Way): Promise<string> => {
  const [first, second] = [await turn(mine, 1), await turn(other, 1)]
  if (first.result !== second.result) return `| ${what} | other results: not timed | | |`
  const isLong = first.measured + second.measured > longestMillis / pairs
  let last = second
  for (let warm = 0; warm < (isLong ? 0 : 3); warm++) {
    await turn(mine, 1)
    last = await turn(other, 1)
  }
  const times = timesOf(last)
  const [a, b]: [Array<number>, Array<number>] = [[], []]
  const count = last.isOwn ? fewest : Math.ceil(longestMillis / (first.measured + second.measured))
  for (let pair = 0; pair < Math.max(fewest, Math.min(pairs, count)); pair++) {
    b.push((await turn(other, times)).measured)
    a.push((await turn(mine, times)).measured)
  }
  const ratios = a.map((value, index) => value / (b[index] ?? 1))
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(2))
  return `| ${what} | ${shown(quantile(b, 0.5))} | ${shown(quantile(a, 0.5))} | **${middle}** (${low} to ${high}) |`
}

const folders = {
  mine: mkdtempSync(join(tmpdir(), "limitbot-bench-")),
  other: mkdtempSync(join(tmpdir(), "limitbot-bench-"))
}
say(machine())
// Peers are not ours.
const ours = names.filter((name) => name !== "peers")
for (const name of chosen.length > 0 ? chosen : ours) {
  const other = await waysOf(name, "other", folders.other).catch(String)
  if (typeof other === "string") {
    // What it measures was somewhere else then.
    say(`\n${name}: not in the other tree (${other.split("\n")[0]})`)
    continue
  }
  const mine = await waysOf(name, "mine", folders.mine)
  say(`\n| ${name} | before | after | ratio (middle half) |\n|---|---|---|---|`)
  for (const [what, way] of mine) {
    const before = other.get(what)
    if (before !== undefined) say(await measure(what, way, before))
  }
}
say(`\n${machine()}`)
for (const folder of Object.values(folders)) rmSync(folder, { recursive: true })
