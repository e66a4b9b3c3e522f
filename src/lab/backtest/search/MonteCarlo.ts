/**
 * Estimates how much of a result is chance by repeating the run under random luck, drawn from a seed. `returns` draws its daily returns
 * again with replacement; `order` reorders them. `trades` draws its trades and its open position with replacement. `candles` runs the
 * strategy on candles assembled from pieces of the real ones.
 */
import { Array as Arr } from "effect"
import { type Candles, emptyColumns, slice } from "../../../candles/Candles.ts"
import * as TimeAxis from "../../../candles/TimeAxis.ts"
import type { Random } from "../../../domain/Seeded.ts"
import { maxDrawdownOf } from "../results/Statistics.ts"

export const methods = ["returns", "order", "trades", "candles"] as const
export type SimulationMethod = (typeof methods)[number]

export type Simulation = Readonly<ReturnType<typeof summaryOf>>

const pathPoints = 61

const pathOf = (equity: ReadonlyArray<number>): ReadonlyArray<number> =>
  Array.from({ length: pathPoints }, (_, point) => {
    const at = Math.round((point / (pathPoints - 1)) * equity.length)
    return at === 0 ? 0 : (equity[at - 1] ?? 1) - 1
  })

export const summaryOf = (equity: ReadonlyArray<number>, keepsPath: boolean) => ({
  /** Gain over the start, as a ratio. */
  gain: (equity.at(-1) ?? 1) - 1,
  maxDrawdown: maxDrawdownOf(equity, 1),
  /** Largest loss of the start at any time, as a ratio. */
  worst: equity.reduce((worst, value) => Math.max(worst, 1 - value), 0),
  /** Gain over the start at `pathPoints` times, the start first; empty if it is not kept. */
  path: keepsPath ? pathOf(equity) : []
})

const compounded = (returns: ReadonlyArray<number>): ReadonlyArray<number> =>
  Arr.scan(returns, 1, (equity, value) => equity * (1 + value)).slice(1)

const resample = (values: ReadonlyArray<number>, next: Random): ReadonlyArray<number> =>
  values.map(() => values[Math.floor(next() * values.length)] ?? 0)

/** Adds gains up, because they are shares of the equity at the start. */
export const summed = (gains: ReadonlyArray<number>, keepsPath: boolean): Simulation =>
  summaryOf(Arr.scan(gains, 1, (equity, gain) => equity + gain).slice(1), keepsPath)

/** Draws as many trades as there were, with replacement. The position open at the end counts as one. */
export const ofTrades = (gains: ReadonlyArray<number>, next: Random, keepsPath: boolean): Simulation =>
  summed(resample(gains, next), keepsPath)

const shuffled = (values: ReadonlyArray<number>, next: Random): ReadonlyArray<number> => {
  const permutation = [...values]
  for (let at = permutation.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1))
    const sample = permutation[at] ?? 0
    permutation[at] = permutation[other] ?? 0
    permutation[other] = sample
  }
  return permutation
}

export const ofReturns = (
  returns: ReadonlyArray<number>,
  method: "returns" | "order",
  next: Random,
  keepsPath: boolean
): Simulation =>
  summaryOf(compounded(method === "order" ? shuffled(returns, next) : resample(returns, next)), keepsPath)

export const blocks = (bars: number, blockBars: number, next: Random): ReadonlyArray<number> => {
  const length = Math.min(blockBars, bars)
  return Array.from({ length: Math.ceil(bars / length) }, () => Math.floor(next() * (bars - length + 1)))
}

/**
 * Returns a function that builds a series of equal length from blocks of the original. Each block is scaled to begin where the last one
 * ended. Bars before a part stay, so that indicators are as warm as in the real run, and all series share them. They are left out if they
 * have another length.
 */
export const resampling = (candles: Candles, blockBars: number) => {
  const { bars, priceScale, time, whole = candles } = candles
  const hasOneStep = whole.time.stepMillis === time.stepMillis
  const head = hasOneStep ? TimeAxis.firstBarFrom(whole.time, TimeAxis.openTime(time, 0)) : 0
  const { whole: _, ...before } = slice(whole, 0, head)
  const tick = 10 ** priceScale
  const priced = (value: number): number => Math.max(1, Math.round(value * tick)) / tick
  const length = Math.min(blockBars, bars)
  return (starts: ReadonlyArray<number>): Candles => {
    const columns = emptyColumns(bars)
    let close = candles.open[0] ?? 1
    for (let start = 0; start < bars; start += length) {
      const from = starts[start / length] ?? 0
      const factor = close / (candles.open[from] ?? close)
      for (let index = 0; index < Math.min(length, bars - start); index++) {
        const [source, bar] = [from + index, start + index]
        columns.open[bar] = priced((candles.open[source] ?? 0) * factor)
        columns.high[bar] = priced((candles.high[source] ?? 0) * factor)
        columns.low[bar] = priced((candles.low[source] ?? 0) * factor)
        columns.close[bar] = priced((candles.close[source] ?? 0) * factor)
        columns.volume[bar] = candles.volume[source] ?? 0
      }
      close = columns.close[Math.min(start + length, bars) - 1] ?? close
    }
    return { bars, time, ...columns, priceScale, ...(head === 0 ? {} : { before }) }
  }
}

const percentiles = [5, 25, 50, 75, 95]

const quantiles = (values: ReadonlyArray<number>): Readonly<Record<string, number>> => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (percentile: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor((percentile / 100) * sorted.length))] ?? 0
  return Object.fromEntries(percentiles.map((percentile) => [`p${percentile}`, at(percentile)]))
}

export const fanOf = (paths: ReadonlyArray<Simulation["path"]>): ReadonlyArray<Readonly<Record<string, number>>> =>
  Array.from({ length: pathPoints }, (_, point) => quantiles(paths.map((path) => path[point] ?? 0)))

export const spreadOf = (fates: ReadonlyArray<Simulation>, loss: number) => ({
  runs: fates.length,
  lost: fates.length === 0 ? 0 : fates.filter(({ gain }) => gain < 0).length / fates.length,
  ruin: {
    loss,
    probability: fates.length === 0 ? 0 : fates.filter(({ worst }) => worst >= loss).length / fates.length
  },
  gain: quantiles(fates.map(({ gain }) => gain)),
  maxDrawdown: quantiles(fates.map(({ maxDrawdown }) => maxDrawdown))
})
