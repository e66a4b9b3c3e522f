/**
 * Indicators as columns: one number for each closed candle, computed from that candle and earlier ones only. `NaN` means too little
 * history. Some indicators never quite forget their beginning (ema, rsi, atr, macd). They are `NaN` until less than a quarter of a percent
 * of it is left; `warmUp` is the number of candles for that. An undefined value (a division by zero volume) makes every window that
 * contains it `NaN`. The indicators that never quite forget restart after it.
 */

/** Columns of equal length, oldest first. They never change; a new candle makes new columns. */
export interface CandleColumns {
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
  /** Base units. */
  readonly volume: Float64Array
  /** Start of the first candle. The others follow without a gap. */
  readonly startMillis?: number
  readonly elsewhere?: ReadonlyMap<string, CandleColumns>
}

export type IndicatorValues = Float64Array

export const warmUp = {
  window: (length: number): number => length,
  /** (1 − 2/(n+1))^(3n) is about e^−6. */
  ema: (length: number): number => (length === 1 ? 1 : 3 * length),
  /** Wilder's mean forgets half as fast, and the first difference needs one more candle. */
  wilder: (length: number): number => (length === 1 ? 2 : 6 * length + 1),
  /** The index is a mean of a mean, so both must warm up. */
  adx: (length: number): number => 2 * warmUp.wilder(length),
  /** It forgets its past at every change of direction. We assume one within this length. */
  supertrend: (length: number): number => warmUp.wilder(length) + 10 * length,
  keltner: (length: number): number => Math.max(warmUp.ema(length), warmUp.wilder(length))
}

const trustedFrom = (made: IndicatorValues, first: number): IndicatorValues =>
  made.fill(Number.NaN, 0, Math.min(first, made.length))

const firstNumber = (values: IndicatorValues): number => {
  const firstIndex = values.findIndex((value) => !Number.isNaN(value))
  return firstIndex < 0 ? values.length : firstIndex
}

/**
 * Sums of the last `length` values, divided. Every window is the end of one block of that length and the beginning of the next. Both parts
 * are summed again in each block. No value is ever subtracted, so rounding errors cannot add up.
 */
const windowSums = (values: IndicatorValues, length: number, divisor: number): IndicatorValues => {
  const result = new Float64Array(values.length)
  const first = firstNumber(values)
  // Sums over the previous block, from the value after this place to the block's end.
  const endSums = new Float64Array(length)
  for (let start = first; start < values.length; start += length) {
    const count = Math.min(length, values.length - start)
    let sum = 0
    for (let place = 0; place < count; place++) {
      sum += values[start + place] ?? 0
      result[start + place] = (sum + (endSums[place] ?? 0)) / divisor
    }
    sum = 0
    for (let place = count - 1; place > 0; place--) {
      sum += values[start + place] ?? 0
      endSums[place - 1] = sum
    }
  }
  return trustedFrom(result, first + length - 1)
}

export const sma = (values: IndicatorValues, length: number): IndicatorValues => windowSums(values, length, length)

/**
 * Weighted mean of the last `length` values: the newest counts `length` times, the one before once less, and so on. Summed by blocks, as in
 * `windowSums`.
 */
export const wma = (values: IndicatorValues, length: number): IndicatorValues => {
  const result = new Float64Array(values.length)
  const first = firstNumber(values)
  const weights = (length * (length + 1)) / 2
  // The part of the window that ends at this place which lies in the previous block.
  const ends = new Float64Array(length)
  for (let start = first; start < values.length; start += length) {
    const count = Math.min(length, values.length - start)
    let [sum, ranked] = [0, 0]
    for (let place = 0; place < count; place++) {
      const value = values[start + place] ?? 0
      sum += value
      ranked += place * value
      result[start + place] = ((length - place) * sum + ranked + (ends[place] ?? 0)) / weights
    }
    sum = 0
    ranked = 0
    for (let place = count - 1; place > 0; place--) {
      sum += values[start + place] ?? 0
      ranked += sum
      ends[place - 1] = ranked
    }
  }
  return trustedFrom(result, first + length - 1)
}

export const linreg = (values: IndicatorValues, length: number): IndicatorValues => {
  const means = sma(values, length)
  return wma(values, length).map((weighted, index) => 3 * weighted - 2 * (means[index] ?? Number.NaN))
}

/** Passes every stretch of numbers without a gap to `compute`. Gaps and values that are not warm yet are `NaN`. */
const byStretches = (
  values: IndicatorValues,
  warm: number,
  compute: (result: IndicatorValues, first: number, end: number) => void
): IndicatorValues => {
  const result = new Float64Array(values.length)
  for (let first = 0, end = 0; first < values.length; first = end) {
    while (end < values.length && !Number.isFinite(values[end])) end++
    result.fill(Number.NaN, first, end)
    first = end
    while (end < values.length && Number.isFinite(values[end])) end++
    compute(result, first, end)
    result.fill(Number.NaN, first, Math.min(end, first + warm - 1))
  }
  return result
}

const smooth = (values: IndicatorValues, weight: number, result: IndicatorValues, first: number, end: number): void => {
  let mean = values[first] ?? 0
  for (let index = first; index < end; index++) {
    mean += ((values[index] ?? 0) - mean) * weight
    result[index] = mean
  }
}

export const ema = (values: IndicatorValues, length: number): IndicatorValues =>
  byStretches(values, warmUp.ema(length), (result, first, end) => smooth(values, 2 / (length + 1), result, first, end))

/**
 * Uses Wilder's means of rises and falls: the plain mean of the first `length`, then smoothed by 1/length. Half of |change| ± change is
 * exactly the rise or the fall, or zero. It needs no branch, which the processor would often guess wrong.
 */
export const rsi = (values: IndicatorValues, length: number): IndicatorValues =>
  byStretches(values, warmUp.wilder(length), (result, first, end) => {
    let [rises, falls, before, weight] = [0, 0, values[first] ?? 0, 1]
    for (let index = first + 1; index < end; index++) {
      if (index - first <= length) weight = 1 / (index - first)
      const value = values[index] ?? 0
      const change = value - before
      const size = Math.abs(change)
      before = value
      rises += ((size + change) / 2 - rises) * weight
      falls += ((size - change) / 2 - falls) * weight
      const all = rises + falls
      result[index] = all === 0 ? 50 : (100 * rises) / all
    }
  })

export const atr = ({ high, low, close }: CandleColumns, length: number): IndicatorValues => {
  const result = new Float64Array(close.length)
  let [mean, before, weight] = [0, high[0] ?? 0, 1]
  for (let index = 0; index < close.length; index++) {
    if (index < length) weight = 1 / (index + 1)
    const top = high[index] ?? 0
    const bottom = low[index] ?? 0
    const range = (top > before ? top : before) - (bottom < before ? bottom : before)
    before = close[index] ?? 0
    mean += (range - mean) * weight
    result[index] = mean
  }
  return trustedFrom(result, warmUp.wilder(length) - 1)
}

/**
 * Population standard deviation of a window, by blocks as in `windowSums`. Deviations are from the block's first value, which is in the
 * window. So the sum of their squares is at most `length` times that of the result, and subtracting the square of their sum costs few
 * digits. A window of equal values gives exactly zero.
 */
export const stdev = (values: IndicatorValues, length: number): IndicatorValues => {
  const result = new Float64Array(values.length)
  const first = firstNumber(values)
  const endSums = new Float64Array(length + 1)
  const endSquares = new Float64Array(length + 1)
  for (let start = first; start < values.length; start += length) {
    const end = Math.min(values.length, start + length)
    const origin = values[start] ?? 0
    let [sum, squares] = [0, 0]
    for (let back = 1; back < length && start > first; back++) {
      const deviation = (values[start - back] ?? 0) - origin
      sum += deviation
      squares += deviation * deviation
      endSums[length - back] = sum
      endSquares[length - back] = squares
    }
    sum = 0
    squares = 0
    for (let index = start; index < end; index++) {
      const deviation = (values[index] ?? 0) - origin
      sum += deviation
      squares += deviation * deviation
      const all = sum + (endSums[index - start + 1] ?? 0)
      const spread = squares + (endSquares[index - start + 1] ?? 0) - (all * all) / length
      result[index] = Math.sqrt(Math.max(0, spread) / length)
    }
  }
  return trustedFrom(result, first + length - 1)
}

export const highest = (values: IndicatorValues, length: number): IndicatorValues =>
  extreme(values, length, Math.max, Number.NEGATIVE_INFINITY)
export const lowest = (values: IndicatorValues, length: number): IndicatorValues =>
  extreme(values, length, Math.min, Number.POSITIVE_INFINITY)

const extreme = (
  values: IndicatorValues,
  length: number,
  better: (a: number, b: number) => number,
  none: number
): IndicatorValues => {
  const result = new Float64Array(values.length)
  const ends = new Float64Array(length + 1).fill(none)
  for (let start = 0; start < values.length; start += length) {
    const end = Math.min(values.length, start + length)
    let best = none
    for (let back = 1; back < length && start > 0; back++) {
      best = better(best, values[start - back] ?? 0)
      ends[length - back] = best
    }
    best = none
    for (let index = start; index < end; index++) {
      best = better(best, values[index] ?? 0)
      result[index] = better(best, ends[index - start + 1] ?? none)
    }
  }
  return trustedFrom(result, length - 1)
}

export const change = (values: IndicatorValues, length: number): IndicatorValues => {
  const result = new Float64Array(values.length)
  for (let index = length; index < values.length; index++)
    result[index] = (values[index] ?? 0) / (values[index - length] ?? 0) - 1
  return trustedFrom(result, length)
}

export const macd = (values: IndicatorValues, fast: number, slow: number): IndicatorValues =>
  byStretches(values, warmUp.ema(Math.max(fast, slow)), (result, first, end) => {
    let [line, late] = [values[first] ?? 0, values[first] ?? 0]
    for (let index = first; index < end; index++) {
      const value = values[index] ?? 0
      line += (value - line) * (2 / (fast + 1))
      late += (value - late) * (2 / (slow + 1))
      result[index] = line - late
    }
  })

export const vwap = ({ high, low, close, volume }: CandleColumns, length: number): IndicatorValues => {
  const worth = new Float64Array(close.length)
  for (let index = 0; index < worth.length; index++) {
    const typical = ((high[index] ?? 0) + (low[index] ?? 0) + (close[index] ?? 0)) / 3
    worth[index] = typical * (volume[index] ?? 0)
  }
  const traded = windowSums(volume, length, 1)
  const sums = windowSums(worth, length, 1)
  for (let index = 0; index < sums.length; index++) sums[index] = (sums[index] ?? 0) / (traded[index] ?? 0)
  return sums
}

export const band = (means: IndicatorValues, widths: IndicatorValues, deviations: number): IndicatorValues => {
  const result = new Float64Array(means.length)
  for (let index = 0; index < result.length; index++)
    result[index] = (means[index] ?? 0) + deviations * (widths[index] ?? 0)
  return result
}

/** By Wilder's average directional index. */
const directions = ({ high, low, close }: CandleColumns, length: number) => {
  const column = () => new Float64Array(close.length).fill(Number.NaN)
  const columns = { up: column(), down: column(), index: column() }
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
  trustedFrom(columns.up, warmUp.wilder(length) - 1)
  trustedFrom(columns.down, warmUp.wilder(length) - 1)
  trustedFrom(columns.index, warmUp.adx(length) - 1)
  return columns
}

export const adx = (candles: CandleColumns, length: number): IndicatorValues => directions(candles, length).index
export const directionUp = (candles: CandleColumns, length: number): IndicatorValues => directions(candles, length).up
export const directionDown = (candles: CandleColumns, length: number): IndicatorValues =>
  directions(candles, length).down

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
  return trustedFrom(result, warmUp.supertrend(length) - 1)
}

export const keltnerUpper = (candles: CandleColumns, length: number, factor: number): IndicatorValues =>
  band(ema(candles.close, length), atr(candles, length), factor)
export const keltnerLower = (candles: CandleColumns, length: number, factor: number): IndicatorValues =>
  keltnerUpper(candles, length, -factor)
