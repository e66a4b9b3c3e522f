/**
 * Trend indicators of whole candles, by Wilder's average directional index, the supertrend and the Keltner channel. `NaN` means too little
 * history, as in `Indicators`.
 */
import { atr, type CandleColumns, ema, type IndicatorValues, warmUp } from "../../Indicators.ts"

/** The index is a mean of a mean, so both must warm up. */
export const adxWarmUp = (length: number): number => 2 * warmUp.wilder(length)

const directions = ({ high, low, close }: CandleColumns, length: number) => {
  const [up, down, index] = [high, high, high].map(({ length: bars }) => new Float64Array(bars).fill(Number.NaN))
  const columns = { up: up ?? high, down: down ?? high, index: index ?? high }
  let [ranges, rises, falls, mean] = [0, 0, 0, 0]
  for (let bar = 1; bar < close.length; bar++) {
    const before = close[bar - 1] ?? 0
    const rise = (high[bar] ?? 0) - (high[bar - 1] ?? 0)
    const fall = (low[bar - 1] ?? 0) - (low[bar] ?? 0)
    const range = Math.max(high[bar] ?? 0, before) - Math.min(low[bar] ?? 0, before)
    const weight = 1 / Math.min(bar, length)
    ranges += (range - ranges) * weight
    rises += ((rise > fall && rise > 0 ? rise : 0) - rises) * weight
    falls += ((fall > rise && fall > 0 ? fall : 0) - falls) * weight
    const [plus, minus] = ranges === 0 ? [0, 0] : [(100 * rises) / ranges, (100 * falls) / ranges]
    const spread = plus + minus === 0 ? 0 : (100 * Math.abs(plus - minus)) / (plus + minus)
    mean += (spread - mean) * weight
    columns.up[bar] = plus
    columns.down[bar] = minus
    columns.index[bar] = mean
  }
  columns.up.fill(Number.NaN, 0, warmUp.wilder(length) - 1)
  columns.down.fill(Number.NaN, 0, warmUp.wilder(length) - 1)
  columns.index.fill(Number.NaN, 0, adxWarmUp(length) - 1)
  return columns
}

export const adx = (candles: CandleColumns, length: number): IndicatorValues => directions(candles, length).index
export const directionUp = (candles: CandleColumns, length: number): IndicatorValues => directions(candles, length).up
export const directionDown = (candles: CandleColumns, length: number): IndicatorValues =>
  directions(candles, length).down

/** It forgets its past at every change of direction. We assume one within this length. */
export const supertrendWarmUp = (length: number): number => warmUp.wilder(length) + 10 * length

export const supertrend = (candles: CandleColumns, length: number, factor: number): IndicatorValues => {
  const { high, low, close } = candles
  const ranges = atr(candles, length)
  const result = new Float64Array(close.length).fill(Number.NaN)
  let [upper, lower, isRising] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, true]
  for (let bar = 0; bar < close.length; bar++) {
    const range = ranges[bar] ?? Number.NaN
    if (Number.isNaN(range)) continue
    const middle = ((high[bar] ?? 0) + (low[bar] ?? 0)) / 2
    const before = close[bar - 1] ?? 0
    upper = before > upper ? middle + factor * range : Math.min(upper, middle + factor * range)
    lower = before < lower ? middle - factor * range : Math.max(lower, middle - factor * range)
    const now = close[bar] ?? 0
    isRising = isRising ? now >= lower : now > upper
    result[bar] = isRising ? lower : upper
  }
  return result.fill(Number.NaN, 0, Math.min(close.length, supertrendWarmUp(length) - 1))
}

/** A negative factor gives the channel's lower line. */
export const keltner = (candles: CandleColumns, length: number, factor: number): IndicatorValues => {
  const [means, ranges] = [ema(candles.close, length), atr(candles, length)]
  return means.map((mean, bar) => mean + factor * (ranges[bar] ?? Number.NaN))
}
