/**
 * Opening times of bars as runs: within a run each bar opens one step after the last. Years of minutes are one run, and each gap adds one,
 * so an axis takes a few bytes instead of eight per bar. Times are epoch milliseconds, strictly increasing.
 */
import { divisor } from "../domain/Timeframe.ts"

export interface TimeAxis {
  readonly bars: number
  readonly stepMillis: number
  /** First bar of each run; ascending, begins with 0. */
  readonly runBars: Float64Array
  readonly runTimes: Float64Array
}

/**
 * Returns the length of a bar: the most frequent distance between neighbours. If fewer than half of the distances have it, most bars are
 * missing, and the result is the greatest time that divides all distances. The same applies if gaps are to be filled and a tenth of the
 * distances would not be whole bars. Returns 60,000 for fewer than two bars.
 */
export const stepOf = (times: Float64Array, isFilled = false): number => {
  const counts = new Map<number, number>()
  const sample = isFilled ? times.length : Math.min(times.length, 10_000)
  let common = 0
  for (let bar = 1; bar < sample; bar++) {
    const step = (times[bar] ?? 0) - (times[bar - 1] ?? 0)
    counts.set(step, (counts.get(step) ?? 0) + 1)
    common = divisor(step, common)
  }
  const [step, count] = [...counts].reduce((most, next) => (next[1] > most[1] ? next : most), [60_000, 0])
  const odd = [...counts].reduce((sum, [distance, times]) => (distance % step === 0 ? sum : sum + times), 0)
  const isCommon = count * 2 > sample - 1 && !(isFilled && odd * 10 >= sample - 1)
  return isCommon || common === 0 ? step : common
}

export const make = (times: Float64Array, stepMillis = stepOf(times)): TimeAxis => {
  const runBars: Array<number> = []
  const runTimes: Array<number> = []
  let expected = Number.NaN
  for (let bar = 0; bar < times.length; bar++) {
    const time = times[bar] ?? 0
    if (time !== expected) {
      runBars.push(bar)
      runTimes.push(time)
    }
    expected = time + stepMillis
  }
  return { bars: times.length, stepMillis, runBars: Float64Array.from(runBars), runTimes: Float64Array.from(runTimes) }
}

export const regular = (bars: number, startMillis: number, stepMillis: number): TimeAxis => ({
  bars,
  stepMillis,
  runBars: Float64Array.of(0),
  runTimes: Float64Array.of(startMillis)
})

const lastNotAbove = (ascending: Float64Array, value: number): number => {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}

export const openTime = (axis: TimeAxis, bar: number): number => {
  const run = lastNotAbove(axis.runBars, bar)
  return (axis.runTimes[run] ?? 0) + (bar - (axis.runBars[run] ?? 0)) * axis.stepMillis
}

export const opens = (axis: TimeAxis): Float64Array =>
  Float64Array.from({ length: axis.bars }, (_, bar) => openTime(axis, bar))

/** A bar lasts one step, even if the next bar starts later. */
export const closeTime = (axis: TimeAxis, bar: number): number => openTime(axis, bar) + axis.stepMillis

/** Returns the first bar that opens at or after the time; `bars` if there is none. */
export const firstBarFrom = (axis: TimeAxis, time: number): number => {
  const run = lastNotAbove(axis.runTimes, time)
  if (run < 0) return 0
  const within = (axis.runBars[run] ?? 0) + Math.ceil((time - (axis.runTimes[run] ?? 0)) / axis.stepMillis)
  return Math.min(within, axis.runBars[run + 1] ?? axis.bars)
}

export const gaps = (axis: TimeAxis) => {
  let bars = 0
  let longestMillis = 0
  for (let run = 1; run < axis.runBars.length; run++) {
    const missing = openTime(axis, axis.runBars[run] ?? 0) - closeTime(axis, (axis.runBars[run] ?? 0) - 1)
    bars += Math.round(missing / axis.stepMillis)
    longestMillis = Math.max(longestMillis, missing)
  }
  return { count: Math.max(0, axis.runBars.length - 1), bars, longestMillis }
}

export const slice = (axis: TimeAxis, from: number, to: number): TimeAxis => {
  const bars = Math.max(0, to - from)
  if (bars === 0) return { ...axis, bars: 0, runBars: new Float64Array(0), runTimes: new Float64Array(0) }
  const first = lastNotAbove(axis.runBars, from)
  const last = lastNotAbove(axis.runBars, to - 1)
  const runBars = axis.runBars.slice(first, last + 1).map((bar) => Math.max(0, bar - from))
  const runTimes = axis.runTimes.slice(first, last + 1)
  runTimes[0] = openTime(axis, from)
  return { bars, stepMillis: axis.stepMillis, runBars, runTimes }
}
