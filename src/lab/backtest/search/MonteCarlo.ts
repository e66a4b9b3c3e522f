/**
 * How much of a result is chance? The same run under random luck: its daily returns drawn again with repetition (`returns`)
 * or put in another order (`order`), its trades and its open position drawn again with repetition (`trades`), or the strategy run again on
 * candles put together from pieces of the real ones (`candles`). Everything follows from a seed.
 */
import { type Candles, column } from "../../../candles/Candles.ts"
import type { Random } from "../../../domain/Seeded.ts"
import { maxDrawdownOf } from "../results/Statistics.ts"

export const methods = ["returns", "order", "trades", "candles"] as const
export type SimulationMethod = (typeof methods)[number]

export interface Simulation {
  /** Gain over the start, as a ratio. */
  readonly gain: number
  readonly maxDrawdown: number
  /** The most that was ever lost of the start, as a ratio. */
  readonly worst: number
  /** Gain over the start at `pathPoints` moments, the start first; empty where it is not kept. */
  readonly path: ReadonlyArray<number>
}

const pathPoints = 61

const pathOf = (equity: ReadonlyArray<number>): ReadonlyArray<number> =>
  Array.from({ length: pathPoints }, (_, point) => {
    const at = Math.round((point / (pathPoints - 1)) * equity.length)
    return at === 0 ? 0 : (equity[at - 1] ?? 1) - 1
  })

/** The fate of equity, given as shares of the start. */
export const summaryOf = (equity: ReadonlyArray<number>, keepsPath: boolean): Simulation => ({
  gain: (equity.at(-1) ?? 1) - 1,
  maxDrawdown: maxDrawdownOf(equity, 1),
  worst: equity.reduce((worst, value) => Math.max(worst, 1 - value), 0),
  path: keepsPath ? pathOf(equity) : []
})

const compounded = (returns: ReadonlyArray<number>): ReadonlyArray<number> => {
  let equity = 1
  return returns.map((value) => {
    equity *= 1 + value
    return equity
  })
}

const drawn = (values: ReadonlyArray<number>, next: Random): ReadonlyArray<number> =>
  values.map(() => values[Math.floor(next() * values.length)] ?? 0)

/** One fate of the gains of trades, as shares of the equity at the start: as many trades, of the same sizes. What is open at the end is one of them. */
export const ofTrades = (gains: ReadonlyArray<number>, next: Random, keepsPath: boolean): Simulation => {
  let equity = 1
  return summaryOf(
    drawn(gains, next).map((gain) => {
      equity += gain
      return equity
    }),
    keepsPath
  )
}

const shuffled = (values: ReadonlyArray<number>, next: Random): ReadonlyArray<number> => {
  const made = [...values]
  for (let at = made.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1))
    const kept = made[at] ?? 0
    made[at] = made[other] ?? 0
    made[other] = kept
  }
  return made
}

/** One fate of a series of returns. */
export const ofReturns = (
  returns: ReadonlyArray<number>,
  method: "returns" | "order",
  next: Random,
  keepsPath: boolean
): Simulation => summaryOf(compounded(method === "order" ? shuffled(returns, next) : drawn(returns, next)), keepsPath)

/** Where the blocks begin that make up a series of as many bars; series of several markets share them. */
export const blocks = (bars: number, blockBars: number, next: Random): ReadonlyArray<number> => {
  const length = Math.min(blockBars, bars)
  return Array.from({ length: Math.ceil(bars / length) }, () => Math.floor(next() * (bars - length + 1)))
}

/** As many bars, in blocks from anywhere in the series, each moved to where the one before ended. */
export const resampledCandles = (candles: Candles, blockBars: number, starts: ReadonlyArray<number>): Candles => {
  const { bars, priceScale } = candles
  const made = { open: column(bars), high: column(bars), low: column(bars), close: column(bars), volume: column(bars) }
  const tick = 10 ** priceScale
  const priced = (value: number): number => Math.max(1, Math.round(value * tick)) / tick
  const length = Math.min(blockBars, bars)
  let before = candles.open[0] ?? 1
  for (let start = 0; start < bars; start += length) {
    const from = starts[start / length] ?? 0
    const factor = before / (candles.open[from] ?? before)
    for (let index = 0; index < Math.min(length, bars - start); index++) {
      const [source, bar] = [from + index, start + index]
      made.open[bar] = priced((candles.open[source] ?? 0) * factor)
      made.high[bar] = priced((candles.high[source] ?? 0) * factor)
      made.low[bar] = priced((candles.low[source] ?? 0) * factor)
      made.close[bar] = priced((candles.close[source] ?? 0) * factor)
      made.volume[bar] = candles.volume[source] ?? 0
    }
    before = made.close[Math.min(start + length, bars) - 1] ?? before
  }
  return { bars, time: candles.time, ...made, priceScale }
}

export interface SimulationSummary {
  readonly runs: number
  /** Share of runs that lost. */
  readonly lost: number
  /** Share of runs that at some time had lost this much of the start. */
  readonly ruin: { readonly loss: number; readonly probability: number }
  /** By percentile. */
  readonly gain: Readonly<Record<string, number>>
  readonly maxDrawdown: Readonly<Record<string, number>>
}

const percentiles = [5, 25, 50, 75, 95]

const quantiles = (values: ReadonlyArray<number>): Readonly<Record<string, number>> => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (percentile: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor((percentile / 100) * sorted.length))] ?? 0
  return Object.fromEntries(percentiles.map((percentile) => [`p${percentile}`, at(percentile)]))
}

/** At each moment of the paths the gains that so many of them reach, by percentile. */
export const fanOf = (paths: ReadonlyArray<Simulation["path"]>): ReadonlyArray<Readonly<Record<string, number>>> =>
  Array.from({ length: pathPoints }, (_, point) => quantiles(paths.map((path) => path[point] ?? 0)))

export const spreadOf = (fates: ReadonlyArray<Simulation>, loss: number): SimulationSummary => ({
  runs: fates.length,
  lost: fates.length === 0 ? 0 : fates.filter(({ gain }) => gain < 0).length / fates.length,
  ruin: {
    loss,
    probability: fates.length === 0 ? 0 : fates.filter(({ worst }) => worst >= loss).length / fates.length
  },
  gain: quantiles(fates.map(({ gain }) => gain)),
  maxDrawdown: quantiles(fates.map(({ maxDrawdown }) => maxDrawdown))
})
