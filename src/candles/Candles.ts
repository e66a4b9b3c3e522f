/**
 * Candles as columns of doubles on shared memory, so that worker threads read them without a copy.
 *
 * Invariant: a price is the double nearest to a decimal with at most `priceScale` places and fifteen significant digits. So `exactPrice`
 * returns the exact number of the file, and comparing doubles compares these numbers.
 */
import * as Decimal from "../domain/Decimal.ts"
import type { Price } from "../domain/Market.ts"
import * as TimeAxis from "./TimeAxis.ts"

export type Column = Float64Array<SharedArrayBuffer>

export interface Candles {
  readonly bars: number
  readonly time: TimeAxis.TimeAxis
  /** May be empty; use `openAt`. */
  readonly open: Column
  /** Highs and lows are empty if only the index of crossings needs them. It then reads them from the file. */
  readonly high: Column
  readonly low: Column
  readonly close: Column
  /** In the unit of the data, by convention the base asset. May be empty; use `volumeAt`. */
  readonly volume: Column
  /** Reads one open from the file; set if `open` is empty because few opens are needed. `readVolume` does the same for volumes. */
  readonly readOpen?: (bar: number) => number
  /** Set if bars are made on demand. Use `closeAt`. */
  readonly readClose?: (bar: number) => number
  readonly readVolume?: (bar: number) => number
  readonly priceScale: number
  /** The whole series if this is a part of one. Earlier bars warm up indicators. */
  readonly whole?: Candles
  /** Earlier bars of the same length that several series share. They warm up indicators. */
  readonly before?: Candles
}

export const column = (bars: number): Column => new Float64Array(new SharedArrayBuffer(bars * 8))

type ColumnName = "open" | "high" | "low" | "close" | "volume"

export const columnsBy = <C>(of: (name: ColumnName) => C) => {
  const [open, high, low, close, volume] = [of("open"), of("high"), of("low"), of("close"), of("volume")]
  return { open, high, low, close, volume }
}

export const emptyColumns = (bars: number) => columnsBy(() => column(bars))

export const columnOf = (values: ArrayLike<number>): Column => {
  const copy = column(values.length)
  copy.set(values)
  return copy
}

export const exactPrice = (price: number): Price => Decimal.fromNumber(price)

/** Returns `undefined` if opens were not requested. */
export const openAt = ({ open, readOpen }: Pick<Candles, "open" | "readOpen">, bar: number): number | undefined =>
  readOpen === undefined ? open[bar] : readOpen(bar)

export const closeAt = ({ close, readClose }: Candles, bar: number): number =>
  readClose === undefined ? (close[bar] ?? 0) : readClose(bar)

export const volumeAt = ({ volume, readVolume }: Pick<Candles, "volume" | "readVolume">, bar: number): number =>
  readVolume === undefined ? (volume[bar] ?? 0) : readVolume(bar)

export const extremes = ({ low, high, bars }: Candles, from = 0, to = bars): readonly [number, number] => {
  let [least, greatest] = [Number.POSITIVE_INFINITY, 0]
  for (let bar = from; bar < to; bar++) {
    least = Math.min(least, low[bar] ?? least)
    greatest = Math.max(greatest, high[bar] ?? greatest)
  }
  return [least, greatest]
}

export const hasOnlyZeroVolumes = (candles: Candles): boolean => {
  if (candles.volume.length === 0 && candles.readVolume === undefined) return false
  for (let bar = 0; bar < candles.bars; bar++) if (volumeAt(candles, bar) !== 0) return false
  return true
}

/** Candles that open at or after `from` and before `to`. Columns are shared, not copied. */
export const between = (candles: Candles, from: number, to: number): Candles => {
  const first = TimeAxis.firstBarFrom(candles.time, from)
  const end = Math.max(first, TimeAxis.firstBarFrom(candles.time, to))
  return slice(candles, first, end)
}

/** Bars `from` up to `to` (exclusive). Columns are shared, not copied. */
export const slice = (candles: Candles, from: number, to: number): Candles => ({
  ...candles,
  whole: candles.whole ?? candles,
  bars: to - from,
  time: TimeAxis.slice(candles.time, from, to),
  ...columnsBy((name) => candles[name].subarray(from, to)),
  ...(candles.readOpen === undefined ? {} : { readOpen: (bar) => openAt(candles, from + bar) ?? 0 }),
  ...(candles.readClose === undefined ? {} : { readClose: (bar) => closeAt(candles, from + bar) }),
  ...(candles.readVolume === undefined ? {} : { readVolume: (bar) => volumeAt(candles, from + bar) })
})
