/**
 * `npm run mutants -- --random --seed 1 --count 50`: small mistakes at random places of the rooms in which mistakes cost
 * money, each made in a copy of the tree, and the tests of `npm test` that may notice it run until one does. Each line of the
 * program is as likely as any other. Prints how many of each room were noticed, and what was not as a difference.
 *
 * A mistake that keeps its file from loading is none: nobody could run it. Every mistake is looked for in all tests that run
 * its line, and at last in those of the built program, for as long as `--limit` seconds. A test that fails without any mistake
 * is left out from then on.
 */
import { spawnSync } from "node:child_process"
import { seeded } from "../../../src/domain/Seeded.ts"
import * as Coverage from "./Coverage.ts"
import { type Mutation, mutated, mutationsOf } from "./Operators.ts"
import { type Source, sourcesOf } from "./Rooms.ts"
import * as Workplace from "./Workplace.ts"

export interface RandomOptions {
  readonly seed: number
  readonly count: number
  readonly rooms: ReadonlyArray<string>
  readonly limitMillis: number
  /** Which test runs what is found out again. */
  readonly isAnew: boolean
}

interface Place {
  readonly source: Source
  readonly line: number
  readonly mutations: ReadonlyArray<Mutation>
}

const linesOf = (source: Source): ReadonlyArray<Place> => {
  const { file, text } = source
  const byLine = Map.groupBy(mutationsOf(file, text), ({ start }) => text.slice(0, start).split("\n").length)
  return [...byLine].map(([line, mutations]) => ({ source, line, mutations }))
}

interface Drawn {
  readonly source: Source
  readonly line: number
  readonly mutation: Mutation
}

/** Endless, but for the number of lines: no line twice. */
function* draw(places: ReadonlyArray<Place>, seed: number): Generator<Drawn> {
  const random = seeded(seed)
  const left = [...places]
  const index = (length: number) => Math.floor(random() * length)
  while (left.length > 0) {
    const [place] = left.splice(index(left.length), 1)
    const mutation = place?.mutations[index(place.mutations.length)]
    if (place !== undefined && mutation !== undefined) yield { source: place.source, line: place.line, mutation }
  }
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, each) => total + each, 0)

const difference = ({ source: { file, text }, line, mutation }: Drawn): string => {
  const [before, after] = [text, mutated(text, mutation)].map((each) => each.split("\n"))
  const last = (text.slice(0, mutation.end).match(/\n/g)?.length ?? 0) + 1
  const added = (after?.length ?? 0) - (before?.length ?? 0)
  const marked = (mark: string, lines: ReadonlyArray<string> = []) => lines.map((each) => `    ${mark}${each}`)
  return [
    `  ${file}:${line} ${mutation.operator}`,
    ...marked("-", before?.slice(line - 1, last)),
    ...marked("+", after?.slice(line - 1, last + added))
  ].join("\n")
}

const loads = (workplace: Workplace.Workplace, file: string): boolean =>
  spawnSync(process.execPath, ["--input-type=module", "-e", `await import("./${file}")`], { cwd: workplace.folder })
    .status === 0

/** Who noticed it; `undefined` when nobody did. */
const noticedBy = async (
  workplace: Workplace.Workplace,
  { processes, quick }: Coverage.Choice,
  limitMillis: number,
  red: ReadonlySet<string>
): Promise<string | undefined> => {
  const ends = Date.now() + limitMillis
  for (const [all, needsProgram] of [
    [quick, false],
    [processes, true]
  ] as const) {
    const tests = all.filter((test) => !red.has(test))
    if (tests.length === 0 || Date.now() >= ends) continue
    const settings = { limitMillis: ends - Date.now(), needsProgram, bail: true }
    const { outcome, test } = await workplace.run(tests, settings)
    if (outcome === "failed") return test
    if (outcome === "hangs") return `hangs after ${test}`
  }
  return undefined
}

/** Whether this file is green without any mistake: else it has noticed nothing. */
const passesAlone = async (
  workplace: Workplace.Workplace,
  file: string,
  { processes }: Coverage.Choice,
  known: Set<string>
): Promise<boolean> => {
  if (known.has(file)) return true
  const settings = { limitMillis: 600_000, needsProgram: processes.includes(file), bail: true }
  const { outcome } = await workplace.run([file], settings)
  if (outcome === "green") known.add(file)
  return outcome === "green"
}

interface Judging {
  readonly limitMillis: number
  readonly passing: Set<string>
  /** These fail without any mistake, so they are no longer run. */
  readonly red: Set<string>
}

/** Runs the tests on a mistake until one notices it, and returns its name. The file is afterwards as it was copied. */
const judged = async (
  workplace: Workplace.Workplace,
  { mutation, source: { file, text } }: Drawn,
  choice: Coverage.Choice,
  { limitMillis, passing, red }: Judging
): Promise<string | undefined> => {
  for (;;) {
    workplace.write(file, mutated(text, mutation))
    const noticed = await noticedBy(workplace, choice, limitMillis, red)
    workplace.write(file, text)
    const test = /^test\/\S+/.exec(noticed ?? "")?.[0]
    if (test === undefined || (await passesAlone(workplace, test, choice, passing))) return noticed
    red.add(test)
    process.stdout.write(`${test} fails without any mistake, so it is left out\n`)
  }
}

/** Says whether all but one in twenty were noticed. */
export const run = async ({ count, isAnew, limitMillis, rooms, seed }: RandomOptions): Promise<boolean> => {
  const sources = sourcesOf(rooms)
  const coverage = await Coverage.load(sourcesOf([]), isAnew)
  const workplace = Workplace.make()
  const made = new Map<string, number>()
  const survivors: Array<Drawn> = []
  const passing = new Set<string>()
  const red = new Set<string>()
  try {
    for (const drawn of draw(sources.flatMap(linesOf), seed)) {
      const { line, mutation, source } = drawn
      const { file, room, text } = source
      workplace.write(file, mutated(text, mutation))
      if (loads(workplace, file)) {
        const began = Date.now()
        const choice = Coverage.testsFor(coverage, source, mutation)
        const noticed = await judged(workplace, drawn, choice, { limitMillis, passing, red })
        const seconds = ((Date.now() - began) / 1000).toFixed(0)
        made.set(room, (made.get(room) ?? 0) + 1)
        if (noticed === undefined) survivors.push(drawn)
        process.stdout.write(`${file}:${line} ${mutation.operator}: ${noticed ?? "SURVIVED"} (${seconds}s)\n`)
      }
      // As it was copied: the tree itself may have gone on since.
      workplace.write(file, text)
      if (sum(made.values()) >= count) break
    }
  } finally {
    workplace.end()
  }
  const total = sum(made.values())
  process.stdout.write(`\nseed ${seed}: ${total - survivors.length} of ${total} noticed\n`)
  for (const [room, all] of made) {
    const left = survivors.filter(({ source }) => source.room === room).length
    process.stdout.write(`  ${room.padEnd(10)} ${all - left} of ${all}\n`)
  }
  if (survivors.length > 0) process.stdout.write(`\nSurvivors\n${survivors.map(difference).join("\n\n")}\n`)
  return survivors.length * 20 <= total
}
