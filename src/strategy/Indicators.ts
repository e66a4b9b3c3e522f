/**
 * Indicators as columns: one number per closed candle, computed from that candle and earlier ones only. `NaN` stands where
 * there is not enough history yet; for those that never quite forget their beginning (ema, rsi, atr, macd) it stands until
 * what is left of it is below a quarter of a percent. How many candles that takes is `warmUp`.
 */

/** Columns of equal length, oldest first. Never changed once made: more candles are new columns. */
export interface CandleColumns {
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
  /** Base units. */
  readonly volume: Float64Array
}

export type Column = Float64Array

export const warmUp = {
  window: (length: number): number => length,
  /** (1 − 2/(n+1))^(3n) is about e^−6. */
  ema: (length: number): number => (length === 1 ? 1 : 3 * length),
  /** Wilder's mean forgets half as fast, and needs one candle more for the first difference. */
  wilder: (length: number): number => (length === 1 ? 2 : 6 * length + 1)
}

/** Hides the candles in which a value is not yet to be trusted. */
const trustedFrom = (made: Column, first: number): Column => made.fill(Number.NaN, 0, Math.min(first, made.length))

/** Index of the first number: an indicator of an indicator begins where the inner one does. */
const firstNumber = (values: Column): number => {
  const found = values.findIndex((value) => !Number.isNaN(value))
  return found < 0 ? values.length : found
}

/**
 * Sums of the last `length` values, divided. Every window is the end of one block of that length and the beginning of the
 * next: both parts are summed afresh in each block, so no value is ever subtracted again and rounding errors cannot add up.
 */
const windowSums = (values: Column, length: number, divisor: number): Column => {
  const result = new Float64Array(values.length)
  const first = firstNumber(values)
  const endSums = new Float64Array(length + 1)
  for (let start = first; start < values.length; start += length) {
    const end = Math.min(values.length, start + length)
    let sum = 0
    for (let back = 1; back < length && start > first; back++) {
      sum += values[start - back] ?? 0
      endSums[length - back] = sum
    }
    sum = 0
    for (let index = start; index < end; index++) {
      sum += values[index] ?? 0
      result[index] = (sum + (endSums[index - start + 1] ?? 0)) / divisor
    }
  }
  return trustedFrom(result, first + length - 1)
}

export const sma = (values: Column, length: number): Column => windowSums(values, length, length)

/** Smoothed by `weight`, beginning with the first value. */
const smoothed = (values: Column, weight: number, first: number): Column => {
  const result = new Float64Array(values.length)
  let mean = values[first] ?? 0
  for (let index = first; index < values.length; index++) {
    mean += ((values[index] ?? 0) - mean) * weight
    result[index] = mean
  }
  return result
}

export const ema = (values: Column, length: number): Column => {
  const first = firstNumber(values)
  return trustedFrom(smoothed(values, 2 / (length + 1), first), first + warmUp.ema(length) - 1)
}

/** By Wilder's means of rises and falls: the plain mean of the first `length`, from then on smoothed by 1/length. */
export const rsi = (values: Column, length: number): Column => {
  const result = new Float64Array(values.length)
  const first = firstNumber(values)
  let [rises, falls] = [0, 0]
  for (let index = first + 1; index < values.length; index++) {
    const change = (values[index] ?? 0) - (values[index - 1] ?? 0)
    const weight = index - first < length ? 1 / (index - first) : 1 / length
    rises += ((change > 0 ? change : change * 0) - rises) * weight
    falls += ((change < 0 ? -change : change * 0) - falls) * weight
    result[index] = rises === 0 && falls === 0 ? 50 : (100 * rises) / (rises + falls)
  }
  return trustedFrom(result, first + warmUp.wilder(length) - 1)
}

/** Wilder's mean of the true range: how far a candle reached, the close before it included. */
export const atr = ({ high, low, close }: CandleColumns, length: number): Column => {
  const result = new Float64Array(close.length)
  let mean = 0
  for (let index = 0; index < close.length; index++) {
    const [top, bottom] = [high[index] ?? 0, low[index] ?? 0]
    const before = index === 0 ? top : (close[index - 1] ?? 0)
    const range = (top > before ? top : before) - (bottom < before ? bottom : before)
    mean += (range - mean) * (index < length ? 1 / (index + 1) : 1 / length)
    result[index] = mean
  }
  return trustedFrom(result, warmUp.wilder(length) - 1)
}

/**
 * Population standard deviation of a window, by blocks like the sums. Deviations are taken from a value in the window, the
 * first of the block: so the sum of their squares is at most the window's length times the answer's, and subtracting the
 * square of their sum costs few digits. A window of equal values gives exactly zero.
 */
export const stdev = (values: Column, length: number): Column => {
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

export const highest = (values: Column, length: number): Column =>
  extreme(values, length, Math.max, Number.NEGATIVE_INFINITY)
export const lowest = (values: Column, length: number): Column =>
  extreme(values, length, Math.min, Number.POSITIVE_INFINITY)

/** By blocks like the sums. */
const extreme = (values: Column, length: number, better: (a: number, b: number) => number, none: number): Column => {
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

/** Relative change against `length` candles before. */
export const change = (values: Column, length: number): Column =>
  values.map((value, index) => (index < length ? Number.NaN : value / (values[index - length] ?? Number.NaN) - 1))

export const macd = (values: Column, fast: number, slow: number): Column => {
  const first = firstNumber(values)
  const line = smoothed(values, 2 / (fast + 1), first)
  const late = smoothed(values, 2 / (slow + 1), first)
  for (let index = first; index < line.length; index++) line[index] = (line[index] ?? 0) - (late[index] ?? 0)
  return trustedFrom(line, first + warmUp.ema(Math.max(fast, slow)) - 1)
}

/** The mean of the last typical prices, weighted by volume. */
export const vwap = ({ high, low, close, volume }: CandleColumns, length: number): Column => {
  const worth = close.map((last, index) => (((high[index] ?? 0) + (low[index] ?? 0) + last) / 3) * (volume[index] ?? 0))
  const traded = windowSums(volume, length, 1)
  return windowSums(worth, length, 1).map((sum, index) => sum / (traded[index] ?? 0))
}
