/**
 * Engines of other people beside ours: one ladder of twenty orders over the same synthetic year (`LIMITBOT_DAYS` for less,
 * `LIMITBOT_PEERS=c,numba` for some). Each engine is run beside our kernel, in turns, as a process of its own that says what its
 * run took of the processor, without starting, compiling and reading. Every fill (bar, side, level) has to be ours before a
 * ratio is shown. What `sh bench/peers/install.sh` has not installed is said and left out.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Candles } from "../../src/candles/Candles.ts"
import * as CrossingIndex from "../../src/candles/CrossingIndex.ts"
import * as Generate from "../../src/candles/Generate.ts"
import { openTime } from "../../src/candles/TimeAxis.ts"
import * as Kernel from "../../src/lab/backtest/kernel/Kernel.ts"
import * as ladder from "../../test/world/ladder.ts"
import { quantile, type Row, turn, type Way } from "../measure.ts"
import type { Bench } from "../sections.ts"

/** How often each repeats its run within a process, and how many processes there are. */
interface Peer {
  readonly repeats: number
  readonly turns: number
}

const engines: Readonly<Record<string, Peer>> = {
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

const here = import.meta.dirname

const fillsOf = (candles: Candles, levels: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> => {
  const fills: Array<ReadonlyArray<number>> = []
  const linear = CrossingIndex.linearIndices(candles)
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

const differing = (theirs: ReadonlyArray<string>, ours: ReadonlyArray<string>): number => {
  const [those, these] = [new Set(theirs), new Set(ours)]
  return theirs.filter((fill) => !these.has(fill)).length + ours.filter((fill) => !those.has(fill)).length
}

interface Pair {
  readonly ours: Array<number>
  readonly theirs: Array<number>
  /** Fills that only one of both has. */
  readonly off: number
}

const rowOf = (what: string, { ours, theirs, off }: Pair, expected: ReadonlyArray<string>): Row | string => {
  const fills = expected.length
  if (off > 0) return `${what}: ${off} fills differ, we have ${fills}: not compared`
  const ratios = theirs.map((millis, index) => millis / (ours[index] ?? 1))
  const [ratio, mine, other] = [ratios, ours, theirs].map((values) => quantile(values, 0.5))
  return {
    what: `${fills} equal fills: kernel against ${what}`,
    result: expected.join("\n"),
    ours: mine ?? 0,
    theirs: other ?? 0,
    ratio: ratio ?? 0,
    low: Math.min(...ratios),
    high: Math.max(...ratios),
    unit: "ms"
  }
}

interface Work {
  readonly folder: string
  readonly kernel: Way
  readonly expected: ReadonlyArray<string>
}

const measured = async (name: string, { repeats, turns }: Peer, { folder, kernel, expected }: Work) => {
  const pairs = new Map<string, Pair>()
  for (let at = 0; at < turns; at++) {
    const mine = (await turn(kernel, 25)).measured
    const told = runOf(name, folder, repeats)
    if (typeof told === "string") return [`${name} failed: ${told}`]
    for (const { name: what, millis, fills } of told) {
      const pair = pairs.get(what) ?? { ours: [], theirs: [], off: differing(textOf(fills), expected) }
      pairs.set(what, pair)
      pair.ours.push(mine)
      pair.theirs.push(millis)
    }
  }
  return [...pairs].map(([what, pair]) => rowOf(what, pair, expected))
}

/** The same candles and levels for all. */
const prepared = async (folder: string): Promise<Work> => {
  const days = Number(process.env["LIMITBOT_DAYS"] ?? 365)
  const candles = Generate.generate({ ...Generate.defaults, bars: days * 1440 })
  const levels = ladder.levelsOf(candles, 20, 0.01)
  write(folder, candles, levels)
  const [indices, conditions] = [CrossingIndex.linearIndices(candles), ladder.conditions(candles, levels)]
  const run = () => `${Kernel.simulate(conditions, candles, indices).fills.count}`
  const kernel = { name: "kernel", run }
  await turn(kernel, 30)
  return { folder, kernel, expected: textOf(fillsOf(candles, levels)) }
}

export const peers = async ({ show, folder }: Bench): Promise<void> => {
  const chosen = process.env["LIMITBOT_PEERS"]?.split(",")
  const own = mkdtempSync(join(folder, "peers-"))
  const work = await prepared(own)
  for (const [name, peer] of Object.entries(engines)) {
    if (chosen?.includes(name) === false) continue
    if (existsSync(commandOf(name)[0])) for (const row of await measured(name, peer, work)) show(row)
    else show(`${name}: not installed (sh bench/peers/install.sh ${name})`)
  }
}
