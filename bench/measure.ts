/**
 * Measuring two ways of the same work against each other: in turns (A B A B), after warming up, medians and the range of
 * the ratio. Nothing is timed before both ways have given the same result.
 */
import { availableParallelism, loadavg } from "node:os"

export interface Way {
  readonly name: string
  /** Does the work and returns what identifies its result. */
  readonly run: () => string | Promise<string>
}

export interface Comparison {
  readonly what: string
  readonly ours: number
  readonly theirs: number
  readonly ratio: number
  readonly low: number
  readonly high: number
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const timed = async (way: Way): Promise<number> => {
  const start = process.hrtime.bigint()
  await way.run()
  return Number(process.hrtime.bigint() - start) / 1e6
}

/** Refuses to time ways that disagree. */
export const compare = async (what: string, ours: Way, theirs: Way, samples: number): Promise<Comparison | string> => {
  const [mine, other] = [await ours.run(), await theirs.run()]
  if (mine !== other) return `${what}: ${ours.name} gives ${mine}, ${theirs.name} gives ${other}: not timed`
  await ours.run()
  const [a, b]: [Array<number>, Array<number>] = [[], []]
  for (let sample = 0; sample < samples; sample++) {
    a.push(await timed(ours))
    b.push(await timed(theirs))
  }
  const ratios = a.map((time, index) => (b[index] ?? 0) / time)
  return {
    what: `${what}: ${ours.name} against ${theirs.name}`,
    ours: median(a),
    theirs: median(b),
    ratio: median(b) / median(a),
    low: Math.min(...ratios),
    high: Math.max(...ratios)
  }
}

const milliseconds = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0))

export const line = (result: Comparison | string): string =>
  typeof result === "string"
    ? `| ${result} | | | |`
    : `| ${result.what} | ${milliseconds(result.ours)} ms | ${milliseconds(result.theirs)} ms | **${result.ratio.toFixed(1)} x** (${result.low.toFixed(1)} to ${result.high.toFixed(1)}) |`

export const machine = (): string =>
  `Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(2)}`
