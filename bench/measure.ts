/**
 * Measuring two ways of the same work against each other: in turns (A B A B), after warming up, medians and the range of
 * the ratio. Nothing is timed before both ways have given the same result.
 */
import { availableParallelism, loadavg } from "node:os"

export interface Done {
  /** What identifies the result of the work. */
  readonly result: string
  /** What is measured instead of the time that the way took: milliseconds by its own clock, megabytes. */
  readonly measured?: number
}

export interface Way {
  readonly name: string
  readonly run: () => string | Done | Promise<string | Done>
}

export interface Comparison {
  readonly what: string
  readonly ours: number
  readonly theirs: number
  readonly ratio: number
  readonly low: number
  readonly high: number
}

export interface Options {
  readonly samples: number
  /** Runs of each way before anything is timed; the first of them gives the result. */
  readonly warmUps?: number
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const once = async (way: Way): Promise<{ readonly result: string; readonly measured: number }> => {
  const start = process.hrtime.bigint()
  const done = await way.run()
  const millis = Number(process.hrtime.bigint() - start) / 1e6
  return typeof done === "string"
    ? { result: done, measured: millis }
    : { result: done.result, measured: done.measured ?? millis }
}

/** Refuses to time ways that disagree. */
export const compare = async (
  what: string,
  ours: Way,
  theirs: Way,
  { samples, warmUps = 1 }: Options
): Promise<Comparison | string> => {
  const [mine, other] = [await once(ours), await once(theirs)]
  if (mine.result !== other.result)
    return `${what}: ${ours.name} gives ${mine.result}, ${theirs.name} gives ${other.result}: not timed`
  for (let run = 1; run < warmUps; run++) {
    await once(ours)
    await once(theirs)
  }
  const [a, b]: [Array<number>, Array<number>] = [[], []]
  for (let sample = 0; sample < samples; sample++) {
    a.push((await once(ours)).measured)
    b.push((await once(theirs)).measured)
  }
  const ratios = a.map((value, index) => (b[index] ?? 0) / value)
  return {
    what: `${what}: ${ours.name} against ${theirs.name}`,
    ours: median(a),
    theirs: median(b),
    ratio: median(b) / median(a),
    low: Math.min(...ratios),
    high: Math.max(...ratios)
  }
}

const number = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0))
const times = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(1))

export const line = (result: Comparison | string, unit = "ms"): string =>
  typeof result === "string"
    ? `| ${result} | | | |`
    : `| ${result.what} | ${number(result.ours)} ${unit} | ${number(result.theirs)} ${unit} | **${times(result.ratio)} x** (${times(result.low)} to ${times(result.high)}) |`

export const machine = (): string =>
  `Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(2)}`
