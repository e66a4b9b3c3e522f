/**
 * Engines of other people beside ours: one ladder of twenty orders over the same synthetic year (`LIMITBOT_DAYS` for less). Each
 * engine is run beside our kernel, in turns, as a process of its own that says what its run took of the processor, without
 * starting, compiling and reading. Every fill (bar, side, level) has to be ours before a ratio is shown. What
 * `sh bench/peers/install.sh` has not installed is said and left out.
 *
 *     npx node bench/peers/run.ts [NAME…]
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Kernel from "../../src/backtest/kernel/Kernel.ts"
import type { Candles } from "../../src/candles/Candles.ts"
import * as CrossingIndex from "../../src/candles/CrossingIndex.ts"
import * as Generate from "../../src/candles/Generate.ts"
import { openTime } from "../../src/candles/TimeAxis.ts"
import * as ladder from "../ladder.ts"
import { machine, quantile, turn, type Way } from "../measure.ts"

/** How often each repeats its run within a process, and how many processes there are. */
interface Peer {
  readonly repeats: number
  readonly turns: number
}

const peers: Readonly<Record<string, Peer>> = {
  c: { repeats: 15, turns: 5 },
  numba: { repeats: 9, turns: 3 },
  vectorbt: { repeats: 5, turns: 3 },
  hftbacktest: { repeats: 3, turns: 3 },
  nautilus: { repeats: 1, turns: 2 },
  backtesting: { repeats: 1, turns: 2 },
  jesse: { repeats: 1, turns: 2 },
  backtrader: { repeats: 1, turns: 1 }
}

interface Told {
  readonly name: string
  readonly millis: number
  readonly fills: ReadonlyArray<readonly [bar: number, buys: number, cell: number]>
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const here = import.meta.dirname

const fillsOf = (candles: Candles, levels: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> => {
  const fills: Array<ReadonlyArray<number>> = []
  const linear = CrossingIndex.linearIndices(candles, "at")
  const { fills: log, table } = Kernel.simulate(ladder.conditions(candles, levels), candles, linear)
  for (let fill = 0; fill < log.count; fill++) {
    const row = table.rows[log.orders[fill] ?? 0]
    if (row !== undefined) fills.push([log.bars[fill] ?? 0, row.side === "BUY" ? 1 : 0, row.slot])
  }
  return fills
}

const textOf = (fills: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<string> =>
  fills.map((fill) => fill.join(" ")).toSorted()

const write = (folder: string, candles: Candles, levels: ReadonlyArray<number>): void => {
  const { bars, time, open, high, low, close, volume } = candles
  const times = Float64Array.from({ length: bars }, (_, bar) => openTime(time, bar))
  const columns = [times, open, high, low, close, volume].map((column) => Float64Array.from(column))
  writeFileSync(join(folder, "candles.f64"), Buffer.concat(columns.map(({ buffer }) => Buffer.from(buffer))))
  writeFileSync(join(folder, "levels.json"), JSON.stringify(levels))
  writeFileSync(join(folder, "levels.txt"), levels.join("\n"))
}

const commandOf = (name: string): readonly [command: string, words: ReadonlyArray<string>] =>
  name === "c"
    ? [join(here, ".venv/ladder"), []]
    : [join(here, ".venv", name, "bin/python"), [join(here, `${name}_ladder.py`)]]

const runOf = (name: string, folder: string, repeats: number): ReadonlyArray<Told> | string => {
  const [command, words] = commandOf(name)
  const { status, stdout, stderr } = spawnSync(command, [...words, folder, `${repeats}`], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 2 ** 28
  })
  if (status !== 0) return stderr.trim().split("\n").at(-1) ?? "failed"
  return stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
}

const shown = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0))

const differing = (theirs: ReadonlyArray<string>, ours: ReadonlyArray<string>): number => {
  const [those, these] = [new Set(theirs), new Set(ours)]
  return theirs.filter((fill) => !these.has(fill)).length + ours.filter((fill) => !those.has(fill)).length
}

const measure = async (
  name: string,
  { repeats, turns }: Peer,
  folder: string,
  ours: Way,
  expected: ReadonlyArray<string>
) => {
  const pairs = new Map<string, { readonly ours: Array<number>; readonly theirs: Array<number>; off: number }>()
  for (let at = 0; at < turns; at++) {
    const mine = (await turn(ours, 25)).measured
    const told = runOf(name, folder, repeats)
    if (typeof told === "string") return say(`| ${name} | FAILED: ${told} | | | |`)
    for (const { name: what, millis, fills } of told) {
      const pair = pairs.get(what) ?? { ours: [], theirs: [], off: differing(textOf(fills), expected) }
      pairs.set(what, pair)
      pair.ours.push(mine)
      pair.theirs.push(millis)
    }
  }
  for (const [what, { ours: mine, theirs, off }] of pairs) {
    const ratios = theirs.map((millis, index) => millis / (mine[index] ?? 1))
    const range = `(${shown(Math.min(...ratios))} to ${shown(Math.max(...ratios))})`
    const [middle, left, right] = [ratios, mine, theirs].map((values) => shown(quantile(values, 0.5)))
    const equal = off === 0 ? `${expected.length} equal` : `${off} differ of ${expected.length}`
    say(`| ${what} | ${equal} | ${left} | ${right} | ${off === 0 ? `**${middle} x** ${range}` : `not compared`} |`)
  }
}

const days = Number(process.env["LIMITBOT_DAYS"] ?? 365)
const candles = Generate.generate({ ...Generate.defaults, bars: days * 1440 })
const levels = ladder.levelsOf(candles, 20, 0.01)
const expected = textOf(fillsOf(candles, levels))
const indices = CrossingIndex.linearIndices(candles, "at")
const conditions = ladder.conditions(candles, levels)
const ours: Way = { name: "kernel", run: () => `${Kernel.simulate(conditions, candles, indices).fills.count}` }
await turn(ours, 30)
const folder = mkdtempSync(join(tmpdir(), "limitbot-peers-"))
write(folder, candles, levels)
const chosen = process.argv.slice(2)
say(`${machine()}; ${candles.bars} minutes, twenty orders, ${expected.length} fills`)
say("\n| engine | fills | our kernel, ms | theirs, ms | ratio (range) |\n|---|---|---|---|---|")
for (const [name, peer] of Object.entries(peers)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  if (existsSync(commandOf(name)[0])) await measure(name, peer, folder, ours, expected)
  else say(`| ${name} | not installed | | | |`)
}
say(`\n${machine()}`)
rmSync(folder, { recursive: true })
