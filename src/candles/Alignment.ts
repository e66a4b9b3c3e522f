/**
 * Puts the candles of several markets on one time axis, over the period that all of them cover. A missing bar repeats the last close,
 * without volume. Bars of different lengths are combined to one length, so that no bar is open while another closes.
 */
import { Result } from "effect"
import { utc } from "../domain/Text.ts"
import { divisor } from "../domain/Timeframe.ts"
import { between, type Candles, column, columnOf, columnsBy, volumeAt } from "./Candles.ts"
import * as Resample from "./Resample.ts"
import * as TimeAxis from "./TimeAxis.ts"

export interface MarketCandles {
  readonly market: string
  readonly candles: Candles
}

export interface Aligned {
  readonly candles: ReadonlyArray<Candles>
  readonly notes: ReadonlyArray<string>
}

const leastMultiple = (a: number, b: number): number => (a / divisor(a, b)) * b

const startOf = ({ time }: Candles): number => TimeAxis.openTime(time, 0)
const endOf = ({ time }: Candles): number => TimeAxis.closeTime(time, time.bars - 1)

const volumesOf = (candles: Candles): Float64Array =>
  candles.readVolume === undefined
    ? candles.volume
    : Float64Array.from({ length: candles.bars }, (_, bar) => volumeAt(candles, bar))

/** Combines bars to bars of `stepMillis`, which begin at multiples of it from `origin`. A missing bar stays missing. */
const coarser = (candles: Candles, stepMillis: number, origin: number): Candles => {
  const firsts: Array<number> = []
  const times: Array<number> = []
  for (const [bar, open] of TimeAxis.opens(candles.time).entries()) {
    const time = origin + Math.floor((open - origin) / stepMillis) * stepMillis
    if (time === times.at(-1)) continue
    times.push(time)
    firsts.push(bar)
  }
  const columns = Resample.grouped(candles, [...firsts, candles.bars])
  return {
    bars: times.length,
    time: TimeAxis.make(Float64Array.from(times), stepMillis),
    ...columnsBy((name) => {
      const isThere = candles[name].length > 0 || (name === "volume" && candles.readVolume !== undefined)
      return columnOf(isThere ? columns[name] : [])
    }),
    priceScale: candles.priceScale,
    ...(candles.whole === undefined ? {} : { whole: candles.whole })
  }
}

/** Returns the candles with a bar at each time of the axis. The first bar must not open after the axis begins. */
export const stretched = (candles: Candles, time: TimeAxis.TimeAxis): Candles => {
  const opens = TimeAxis.opens(candles.time)
  const sources = new Int32Array(time.bars)
  const isOwn = new Uint8Array(time.bars)
  let source = 0
  for (let bar = 0; bar < time.bars; bar++) {
    const now = TimeAxis.openTime(time, bar)
    while ((opens[source + 1] ?? Number.POSITIVE_INFINITY) <= now) source++
    sources[bar] = source
    isOwn[bar] = opens[source] === now ? 1 : 0
  }
  const stretch = (own: Float64Array, otherwise: (source: number) => number) => {
    const values = column(own.length === 0 ? 0 : time.bars)
    for (const bar of values.keys()) {
      const source = sources[bar] ?? 0
      values[bar] = isOwn[bar] === 1 ? (own[source] ?? 0) : otherwise(source)
    }
    return values
  }
  const lastClose = (source: number): number => candles.close[source] ?? 0
  return {
    bars: time.bars,
    time,
    ...columnsBy((name) =>
      name === "volume" ? stretch(volumesOf(candles), () => 0) : stretch(candles[name], lastClose)
    ),
    priceScale: candles.priceScale,
    ...(candles.whole === undefined ? {} : { whole: candles.whole })
  }
}

const union = (series: ReadonlyArray<MarketCandles>, from: number, to: number, stepMillis: number) => {
  const steps = new Uint8Array((to - from) / stepMillis)
  for (const { candles } of series)
    for (const open of TimeAxis.opens(candles.time))
      if (open >= from && open < to) steps[(open - from) / stepMillis] = 1
  const times: Array<number> = []
  for (const [step, isThere] of steps.entries()) if (isThere === 1) times.push(from + step * stepMillis)
  return TimeAxis.make(Float64Array.from(times), stepMillis)
}

const offGrid = (series: ReadonlyArray<MarketCandles>, origin: number): string | undefined => {
  for (const { market, candles } of series) {
    const { stepMillis, runTimes } = candles.time
    const odd = runTimes.find((time) => (time - origin) % stepMillis !== 0)
    if (odd !== undefined)
      return `${market}: the candle of ${utc(odd)} overlaps one of another market; give candles that begin at the same times`
  }
  return undefined
}

const spans = (series: ReadonlyArray<MarketCandles>): string =>
  series.map(({ market, candles }) => `${market} ${utc(startOf(candles))} to ${utc(endOf(candles))}`).join(", ")

/** Aligns series for one run, or returns why they cannot be aligned. Each series must have a bar. */
export const align = (series: ReadonlyArray<MarketCandles>): Result.Result<Aligned, string> => {
  const notes: Array<string> = []
  if (series.length === 1) return Result.succeed({ candles: series.map(({ candles }) => candles), notes })
  const stepMillis = series.reduce((step, { candles }) => leastMultiple(step, candles.time.stepMillis), 1)
  const coarsest = series.reduce((a, b) => (b.candles.time.stepMillis > a.candles.time.stepMillis ? b : a))
  const origin = startOf(coarsest.candles)
  const odd = offGrid(series, origin)
  if (odd !== undefined) return Result.fail(odd)
  const even = series.map(({ market, candles }) => {
    const seconds = candles.time.stepMillis / 1000
    if (candles.time.stepMillis === stepMillis) return { market, candles }
    notes.push(`${market}: candles of ${seconds} s are combined to ${stepMillis / 1000} s, as all must have one length`)
    return { market, candles: coarser(candles, stepMillis, origin) }
  })
  const from = Math.max(...even.map(({ candles }) => startOf(candles)))
  const to = Math.min(...even.map(({ candles }) => endOf(candles)))
  if (from >= to) return Result.fail(`the data do not overlap: ${spans(series)}; give data of the same period`)
  if (even.some(({ candles }) => startOf(candles) !== from || endOf(candles) !== to))
    notes.push(`only the period covered by all files is used, ${utc(from)} to ${utc(to)}: ${spans(series)}`)
  const time = union(even, from, to, stepMillis)
  const candles = even.map(({ market, candles }) => {
    const whole = startOf(candles) === from && endOf(candles) === to
    const part = whole ? candles : between(candles, from, to)
    if (part.bars === time.bars) return part
    notes.push(
      `${market}: ${time.bars - part.bars} bars of other markets are missing here; the last close is used instead`
    )
    return stretched(candles, time)
  })
  return Result.succeed({ candles, notes })
}
