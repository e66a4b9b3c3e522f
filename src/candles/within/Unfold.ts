/**
 * Turns each bar into small bars along one possible path (`BarPath`), so that orders fill and strategies decide within the bar. A candle
 * shows how far the price went, but not in which order.
 *
 * Small bars are made on demand, always the same: a search requests only bars whose range can reach an order or a bound.
 */
import { type Candles, closeAt, column, openAt, volumeAt } from "../Candles.ts"
import * as CrossingIndex from "../CrossingIndex.ts"
import type { TimeAxis } from "../TimeAxis.ts"
import type { BarPath } from "./BarPath.ts"

const legs = 3
/** A live strategy runs every few seconds, so a small bar of a minute is one second, or five seconds in a long series. */
const maxParts = 60
const fewerParts = 12
const longSeries = 100_000

/** Returns the number of small bars in a bar; 1 if bars cannot be cut into whole milliseconds. */
export const partsOf = ({ bars, time: { stepMillis } }: Candles): number => {
  for (let parts = bars > longSeries ? fewerParts : maxParts; parts >= legs; parts--)
    if (stepMillis % parts === 0) return parts
  return 1
}

/** Decimal places added to those of the file, because live prices are finer; limited by the digits of a double. */
const finer = 3
const maxDigits = 15

const placesWithin = ({ high, priceScale }: Candles): number => {
  let most = 1
  for (const price of high) if (price > most) most = price
  return Math.max(priceScale, Math.min(priceScale + finer, maxDigits - Math.ceil(Math.log10(most + 1))))
}

const axisOf = ({ bars, stepMillis, runBars, runTimes }: TimeAxis, parts: number): TimeAxis => ({
  bars: bars * parts,
  stepMillis: stepMillis / parts,
  runBars: runBars.map((bar) => bar * parts),
  runTimes
})

export type Foldable = ReturnType<typeof foldable>

export const foldable = (candles: Candles, parts: number) => ({
  candles,
  parts,
  ranges: CrossingIndex.build(candles.low, candles.high),
  closes: CrossingIndex.build(candles.close, candles.close),
  priceScale: placesWithin(candles)
})

export type Unfolded = Readonly<ReturnType<typeof unfolded>>

export const unfolded = ({ candles, parts, ranges, closes, priceScale }: Foldable, path: BarPath) => {
  const { bars, time } = candles
  const make = () => column(parts)
  const [open, low, high, close] = [make(), make(), make(), make()]
  const fetch = (small: number): void => show(Math.floor(small / parts))
  const leavesOf = (lower: Float64Array, upper: Float64Array) => ({ lower, upper, from: 0, to: 0, fetch })
  const all = [leavesOf(low, high), leavesOf(close, close)] as const
  const show = (bar: number): void => {
    path(bar, { low, high, close })
    open[0] = openAt(candles, bar) ?? close[0] ?? 0
    for (let part = 1; part < parts; part++) open[part] = close[part - 1] ?? 0
    for (const leaves of all) {
      leaves.from = bar * parts
      leaves.to = leaves.from + parts
    }
  }
  const indexOf = (leaves: CrossingIndex.Leaves) => ({ ...CrossingIndex.over(leaves), folded: { ranges, parts } })
  const [orders, ofCloses] = [indexOf(all[0]), indexOf(all[1])]
  const none = column(0)
  const from = (index: CrossingIndex.CrossingIndex, values: Float64Array, small: number): number =>
    values[small - CrossingIndex.leavesAt(index, small).from] ?? 0
  return {
    candles: {
      bars: bars * parts,
      time: axisOf(time, parts),
      open: none,
      high: none,
      low: none,
      close: none,
      volume: none,
      readOpen: (small: number) => from(orders, open, small),
      // On every path, the last small bar closes at the close of its bar.
      readClose: (small: number) => {
        const bar = Math.floor(small / parts)
        return small === bar * parts + parts - 1 ? closeAt(candles, bar) : from(ofCloses, close, small)
      },
      readVolume: (small: number) => volumeAt(candles, Math.floor(small / parts)) / parts,
      priceScale,
      // Indicators use the whole bars, so they do not depend on the path.
      whole: candles.whole ?? candles
    },
    indices: { orders, closes: ofCloses, told: { closes, parts } }
  }
}
