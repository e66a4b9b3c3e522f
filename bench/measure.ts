/**
 * Measuring two ways of the same work against each other: in turns (A B A B), after warming up, medians and the range of
 * the ratio. Time is that of the processor, all threads and ended children included, so that others on the machine count
 * less; a way may say something else instead. Nothing is timed before both ways have given the same result.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { availableParallelism, cpus, loadavg } from "node:os"

export interface Done {
  /** What identifies the result of the work. */
  readonly result: string
  /** What is measured instead of the processor's time: milliseconds by its own clock, megabytes. */
  readonly measured?: number
}

export interface Way {
  readonly name: string
  readonly run: () => string | Done | Promise<string | Done>
}

/** What the measured way may cost, as a multiple of the yardstick; without a yardstick in its own unit. */
export interface Budget {
  /** More than this is a failure. It holds what was reached, with room for noise. */
  readonly atMost: number
  /** What is still to be reached. */
  readonly goal?: number
}

export interface Row {
  readonly what: string
  /** Identifies the result of the measured way; empty if it has none. */
  readonly result: string
  readonly ours: number
  readonly theirs: number
  readonly ratio: number
  readonly low: number
  readonly high: number
  readonly unit: string
  readonly budget?: Budget
}

/** A row of a section, or the reason why it has no figures. */
export interface Measured {
  readonly section: string
  readonly row: Row | string
}

export interface Options {
  readonly samples: number
  /** Runs of each way before anything is timed; the first of them gives the result. */
  readonly warmUps?: number
  readonly unit?: string
  readonly budget?: Budget
  /** The other way is the program's too, not a yardstick: another tree has it as well. */
  readonly isOursToo?: true
}

export const quantile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

/** Of children that have ended, in ticks of a hundredth of a second: the 16th and 17th field, the 2nd being in brackets. */
const childrenMillis = (): number => {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[13]) + Number(fields[14])) * 10
}

/** Of this process with all its threads, and of its children that have ended. */
export const processorMillis = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e3 + childrenMillis()
}

export interface Turn {
  readonly result: string
  readonly measured: number
  /** The way measured itself. */
  readonly isOwn: boolean
}

/** Runs it so often, and says what once takes. */
export const turn = async (way: Way, times: number): Promise<Turn> => {
  const start = processorMillis()
  let done = await way.run()
  for (let time = 1; time < times; time++) done = await way.run()
  const measured = (processorMillis() - start) / times
  if (typeof done === "string") return { result: done, measured, isOwn: false }
  return { result: done.result, measured: done.measured ?? measured, isOwn: done.measured !== undefined }
}

/** The processor's time of children is counted coarsely: so long are turns at least. */
const turnMillis = 100

/** How often a way is run in one turn, after one turn of it. */
export const timesOf = ({ measured, isOwn }: Turn): number =>
  isOwn ? 1 : Math.max(1, Math.min(200, Math.ceil(turnMillis / Math.max(measured, 0.1))))

/** Ways that take long are run less often than asked: until so much is spent on them, and so often at least. */
const longestMillis = 10_000
const fewest = 2

/** Refuses to time ways that disagree. */
export const compare = async (
  what: string,
  ours: Way,
  theirs: Way,
  { samples, warmUps = 1, unit = "ms", budget }: Options
): Promise<Row | string> => {
  const [mine, other] = [await turn(ours, 1), await turn(theirs, 1)]
  if (mine.result !== other.result)
    return `${what}: ${ours.name} gives ${mine.result}, ${theirs.name} gives ${other.result}: not timed`
  let [last, theirLast] = [mine, other]
  for (let run = 1; run < warmUps; run++) {
    last = await turn(ours, 1)
    theirLast = await turn(theirs, 1)
  }
  const [times, theirTimes] = [timesOf(last), timesOf(theirLast)]
  const [a, b]: [Array<number>, Array<number>] = [[], []]
  const enough = Math.max(fewest, Math.min(samples, Math.ceil(longestMillis / (last.measured + theirLast.measured))))
  const count = last.isOwn || theirLast.isOwn ? samples : enough
  for (let sample = 0; sample < count; sample++) {
    a.push((await turn(ours, times)).measured)
    b.push((await turn(theirs, theirTimes)).measured)
  }
  const ratios = a.map((value, index) => (b[index] ?? 0) / value)
  return {
    what: `${what}: ${ours.name} against ${theirs.name}`,
    result: mine.result,
    ours: median(a),
    theirs: median(b),
    ratio: median(b) / median(a),
    low: Math.min(...ratios),
    high: Math.max(...ratios),
    unit,
    ...(budget && { budget })
  }
}

/** What one way costs in multiples of a yardstick that gives another result. Refuses to time a way that disagrees with itself. */
export const costs = async (what: string, yardstick: Way, way: Way, options: Options): Promise<Row | string> => {
  const results = new Set<string>()
  const row = await compare(what, unnamed(yardstick), unnamed(way, results), options)
  if (results.size > 1) return `${what}: ${way.name} gives ${[...results].map(digest).join(" and ")}: not timed`
  const [result = ""] = results
  return typeof row === "string" ? row : { ...row, result }
}

const unnamed = ({ name, run }: Way, results = new Set<string>()): Way => ({
  name,
  run: async () => {
    const done = await run()
    results.add(typeof done === "string" ? done : done.result)
    return typeof done === "string" ? "" : { ...done, result: "" }
  }
})

/** The short form of a result, equal for equal results. */
export const digest = (result: string): string =>
  result === "" ? "" : createHash("sha256").update(result).digest("hex").slice(0, 12)

/** What a way says of itself, in its own unit, against nothing. */
export const says = async (what: string, way: Way, { samples, unit = "", budget }: Options): Promise<Row> => {
  const values: Array<number> = []
  for (let sample = 0; sample < samples; sample++) values.push((await turn(way, 1)).measured)
  return {
    what: `${what}: ${way.name}`,
    result: "",
    ours: Number.NaN,
    theirs: median(values),
    ratio: median(values),
    low: Math.min(...values),
    high: Math.max(...values),
    unit,
    ...(budget && { budget })
  }
}

export const isMissed = ({ ratio, budget }: Row): boolean => budget !== undefined && !(ratio <= budget.atMost)

export const number = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0))
const times = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(1))

const budgetText = (row: Row): string => {
  const { budget, ratio } = row
  if (budget === undefined) return ""
  const { atMost, goal } = budget
  const verdict = isMissed(row) ? `**MISSED**: at most ${atMost}` : `at most ${atMost}`
  if (goal === undefined) return verdict
  return `${verdict}; goal ${goal}${ratio <= goal ? " reached" : ""}`
}

export const line = (row: Row | string): string => {
  if (typeof row === "string") return `| ${row} | | | | |`
  const { what, ours, theirs, ratio, low, high, unit } = row
  const range = `(${times(low)} to ${times(high)})`
  const last = `${range} | ${budgetText(row)} |`
  return Number.isNaN(ours)
    ? `| ${what} | | ${number(theirs)} ${unit} | ${last}`
    : `| ${what} | ${number(ours)} ${unit} | ${number(theirs)} ${unit} | **${times(ratio)} x** ${last}`
}

export const machine = (): string =>
  `Node ${process.version}, ${availableParallelism()} cores of ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(2)}`
