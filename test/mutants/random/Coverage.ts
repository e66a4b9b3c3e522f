/**
 * Which of the rooms' own tests run which parts of the program, and how long they take: noted by one run over a copy in which
 * each block says that it was entered. The result is kept beside the installed packages until it is asked for anew; of a file
 * that has changed since, every test that ran any of it counts. Tests of whole bots are the last that are asked.
 */
import { createHash } from "node:crypto"
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type ESTree, parseSync, Visitor } from "rolldown/utils"
import { root, type Source } from "./Rooms.ts"
import * as Workplace from "./Workplace.ts"

const place = join(root, "node_modules/.cache/limitbot/coverage.json")

interface Block {
  readonly start: number
  readonly end: number
}

/** What one test file ran: blocks by file of the program, by their numbers. */
interface Ran {
  readonly millis: number
  readonly blocks: Readonly<Record<string, ReadonlyArray<number>>>
}

export interface Coverage {
  /** What was covered, as it was then. */
  readonly files: Readonly<Record<string, { readonly hash: string; readonly blocks: ReadonlyArray<Block> }>>
  readonly tests: Readonly<Record<string, Ran>>
}

/** Read the source or the built package, so a mutation would be noticed by its text; or do nothing but that. */
const apart = /^test\/(?:tidy|packaging|interface|mutants\/|docs\/|cli\/build|e2e\/first)/

/** The rooms' own tests. The others run whole bots, and so nearly all of the program. */
const near = /^test\/(?:lab|candles|domain|engine|journal|ledger|signing|signer|strategy|venue)\//

/** All test files that could notice a mutation. */
export const testFiles = (): ReadonlyArray<string> =>
  globSync("test/**/*.test.ts", { cwd: root })
    .filter((file) => !apart.test(file))
    .sort()

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

/** What is entered or not: bodies, branches, and the right side of what decides early. */
const blocksOf = (file: string, text: string) => {
  const blocks: Array<Block & { readonly isExpression: boolean }> = []
  const expression = ({ end, start }: ESTree.Span) => void blocks.push({ start, end, isExpression: true })
  new Visitor({
    BlockStatement: ({ end, start }) => void blocks.push({ start: start + 1, end, isExpression: false }),
    ArrowFunctionExpression: ({ body }) => void (body.type === "BlockStatement" || expression(body)),
    ConditionalExpression: ({ alternate, consequent }) => {
      expression(consequent)
      expression(alternate)
    },
    LogicalExpression: ({ right }) => expression(right)
  }).visit(parseSync(file, text).program)
  return blocks
}

/** The program's text, in which each block says that it was entered. */
const telling = ({ file, text }: Source): string => {
  const insertions = blocksOf(file, text).flatMap(({ end, isExpression, start }, index) => [
    { at: start, what: isExpression ? `(__entered.add(${index}),` : `__entered.add(${index});` },
    ...(isExpression ? [{ at: end, what: ")" }] : [])
  ])
  const told = insertions
    .toSorted((a, b) => b.at - a.at)
    .reduce((changed, { at, what }) => changed.slice(0, at) + what + changed.slice(at), text)
  return `const __entered: Set<number> = ((globalThis as any).__blocks ??= {})["${file}"] ??= new Set(); ${told}`
}

/** Runs after each test file. */
const listener = (out: string): string => `
import { appendFileSync } from "node:fs"
import { afterAll as after } from "vitest"
const began = performance.now()
// The first argument must be taken apart.
after(({}, { file }) => {
  const blocks = {}
  for (const [name, entered] of Object.entries(globalThis.__blocks ?? {})) {
    if (entered.size > 0) blocks[name] = [...entered]
    entered.clear()
  }
  appendFileSync(${JSON.stringify(out)}, JSON.stringify({ test: file.name, millis: Math.round(performance.now() - began), blocks }) + "\\n")
})
`

/** Runs those tests once, on one core. */
const collect = async (sources: ReadonlyArray<Source>): Promise<Coverage> => {
  const workplace = Workplace.make()
  try {
    const out = join(workplace.folder, "blocks.jsonl")
    const setup = "test/setup.ts"
    workplace.write(setup, readFileSync(join(root, setup), "utf8") + listener(out))
    for (const source of sources) workplace.write(source.file, telling(source))
    const own = testFiles().filter((test) => near.test(test) && !processes.has(test))
    const { test } = await workplace.run(own, { limitMillis: 3_600_000, needsProgram: false, bail: false })
    if (!existsSync(out)) throw new Error(`No test said what it ran: ${test}`)
    const lines = readFileSync(out, "utf8").trim().split("\n")
    const tests = lines.map((line): { readonly test: string } & Ran => JSON.parse(line))
    return {
      files: Object.fromEntries(
        sources.map(({ file, text }) => {
          const blocks = blocksOf(file, text).map(({ end, start }) => ({ start, end }))
          return [file, { hash: hashOf(text), blocks }] as const
        })
      ),
      tests: Object.fromEntries(tests.map(({ blocks, millis, test }) => [test, { blocks, millis }] as const))
    }
  } finally {
    workplace.end()
  }
}

/** The one of an earlier run, if there is one and nobody wants it anew. */
export const load = async (sources: ReadonlyArray<Source>, isAnew: boolean): Promise<Coverage> => {
  if (!isAnew && existsSync(place)) return JSON.parse(readFileSync(place, "utf8"))
  process.stdout.write("Noting which test runs what; this takes two minutes.\n")
  const coverage = await collect(sources)
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(place, JSON.stringify(coverage))
  return coverage
}

/** The files that each file of the program or its tests imports. */
const imports = globSync(["src/**/*.ts", "test/**/*.ts"], { cwd: root }).map((file) => ({
  file,
  targets: [...readFileSync(join(root, file), "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map(
    ([, target = ""]) => join(dirname(file), target)
  )
}))

/** All that imports this file, however indirectly. */
const importersOf = (file: string): ReadonlySet<string> => {
  const reached = new Set([file])
  for (let size = 0; size < reached.size; ) {
    size = reached.size
    for (const each of imports) if (each.targets.some((target) => reached.has(target))) reached.add(each.file)
  }
  return reached
}

/** They start the built program, of which no coverage tells. */
const processes = importersOf("test/builtProgram.ts")

export interface Choice {
  /** In this process and its workers, the most telling first. */
  readonly quick: ReadonlyArray<string>
  /** Of the built program. */
  readonly processes: ReadonlyArray<string>
}

/** A test that is named after the file, or after its room, says more about it in less time. */
const cost = (test: string, file: string, millis: number): number => {
  const name = file.replace(/^src\//, "").replace(/\.ts$/, "")
  const own = test.replace(/^test\//, "").replace(/\.test\.ts$/, "")
  if (own.toLowerCase() === name.toLowerCase()) return millis / 50
  return dirname(own) === dirname(name) ? millis / 5 : millis
}

/** Which tests may notice a change at this place, cheapest first. */
export const testsFor = (
  { files, tests }: Coverage,
  { file, text }: Source,
  { isStatic, start }: { readonly isStatic: boolean; readonly start: number }
): Choice => {
  const known = files[file]
  const importers = importersOf(file)
  const innermost =
    known?.hash === hashOf(text)
      ? known.blocks.reduce(
          (best, { end, start: begin }, index) =>
            begin <= start && start < end && (best < 0 || begin >= (known.blocks[best]?.start ?? 0)) ? index : best,
          -1
        )
      : -1
  const runs = (test: string): boolean => {
    const ran = tests[test]
    if (ran === undefined || isStatic) return importers.has(test)
    const blocks = ran.blocks[file] ?? []
    return innermost < 0 ? blocks.length > 0 : blocks.includes(innermost)
  }
  const all = testFiles()
    .map((test) => ({ test, cost: cost(test, file, tests[test]?.millis ?? 60_000) }))
    .toSorted((a, b) => a.cost - b.cost)
    .map(({ test }) => test)
  return {
    quick: all.filter((test) => !processes.has(test) && runs(test)),
    processes: all.filter((test) => processes.has(test))
  }
}
