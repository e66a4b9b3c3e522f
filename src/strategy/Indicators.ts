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

const column = (length: number): Column => new Float64Array(length).fill(Number.NaN)

/** Hides the candles in which a value is not yet to be trusted. */
const trustedFrom = (values: Column, first: number): Column => {
  const shown = values.slice()
  shown.fill(Number.NaN, 0, Math.min(first, shown.length))
  return shown
}

/** Index of the first number: an indicator of an indicator begins where the inner one does. */
const firstNumber = (values: Column): number => {
  const found = values.findIndex((value) => !Number.isNaN(value))
  return found < 0 ? values.length : found
}

/** A running sum that is taken anew once per window, so that rounding errors never add up. */
export const sma = (values: Column, length: number): Column => {
  const result = column(values.length)
  const first = firstNumber(values)
  let sum = 0
  for (let index = first + length - 1; index < values.length; index++) {
    if ((index - first + 1) % length === 0) {
      sum = 0
      for (let back = index - length + 1; back <= index; back++) sum += values[back] ?? Number.NaN
    } else sum += (values[index] ?? Number.NaN) - (values[index - length] ?? Number.NaN)
    result[index] = sum / length
  }
  return result
}

/** Smoothed by `weight`, beginning with the first value. */
const smoothed = (values: Column, weight: number): Column => {
  const result = column(values.length)
  const first = firstNumber(values)
  let mean = values[first] ?? Number.NaN
  for (let index = first; index < values.length; index++) {
    mean += ((values[index] ?? Number.NaN) - mean) * weight
    result[index] = mean
  }
  return result
}

export const ema = (values: Column, length: number): Column =>
  trustedFrom(smoothed(values, 2 / (length + 1)), firstNumber(values) + warmUp.ema(length) - 1)

/** Wilder's mean: the plain mean of the first `length` values, then smoothed by 1/length. */
const wilder = (values: Column, length: number): Column => {
  const result = column(values.length)
  const first = firstNumber(values)
  let sum = 0
  for (let index = first; index < values.length; index++) {
    const value = values[index] ?? Number.NaN
    if (index < first + length) sum += value
    if (index === first + length - 1) result[index] = sum / length
    if (index >= first + length) result[index] = ((result[index - 1] ?? 0) * (length - 1) + value) / length
  }
  return result
}

export const rsi = (values: Column, length: number): Column => {
  const [gains, losses] = [column(values.length), column(values.length)]
  for (let index = 1; index < values.length; index++) {
    const change = (values[index] ?? Number.NaN) - (values[index - 1] ?? Number.NaN)
    gains[index] = change > 0 ? change : change * 0
    losses[index] = change < 0 ? -change : change * 0
  }
  const [up, down] = [wilder(gains, length), wilder(losses, length)]
  const result = up.map((gain, index) => {
    const loss = down[index] ?? Number.NaN
    return gain === 0 && loss === 0 ? 50 : (100 * gain) / (gain + loss)
  })
  return trustedFrom(result, firstNumber(values) + warmUp.wilder(length) - 1)
}

const trueRange = ({ high, low, close }: CandleColumns): Column =>
  high.map((top, index) => {
    const bottom = low[index] ?? Number.NaN
    const before = close[index - 1]
    return before === undefined ? top - bottom : Math.max(top, before) - Math.min(bottom, before)
  })

export const atr = (candles: CandleColumns, length: number): Column =>
  trustedFrom(wilder(trueRange(candles), length), warmUp.wilder(length) - 1)

/** Population standard deviation of a window. */
export const stdev = (values: Column, length: number): Column => {
  const means = sma(values, length)
  return means.map((mean, index) => {
    let sum = 0
    for (let back = index - length + 1; back <= index; back++) sum += ((values[back] ?? Number.NaN) - mean) ** 2
    return Math.sqrt(sum / length)
  })
}

export const highest = (values: Column, length: number): Column => extreme(values, length, Math.max)
export const lowest = (values: Column, length: number): Column => extreme(values, length, Math.min)

const extreme = (values: Column, length: number, better: (a: number, b: number) => number): Column => {
  const result = column(values.length)
  for (let index = length - 1; index < values.length; index++) {
    let best = values[index] ?? Number.NaN
    for (let back = index - length + 1; back < index; back++) best = better(best, values[back] ?? Number.NaN)
    result[index] = best
  }
  return result
}

/** Relative change against `length` candles before. */
export const change = (values: Column, length: number): Column =>
  values.map((value, index) => (index < length ? Number.NaN : value / (values[index - length] ?? Number.NaN) - 1))

export const macd = (values: Column, fast: number, slow: number): Column => {
  const [quick, late] = [smoothed(values, 2 / (fast + 1)), smoothed(values, 2 / (slow + 1))]
  const line = quick.map((value, index) => value - (late[index] ?? Number.NaN))
  return trustedFrom(line, firstNumber(values) + warmUp.ema(Math.max(fast, slow)) - 1)
}

/** The mean of the last typical prices, weighted by volume. */
export const vwap = ({ high, low, close, volume }: CandleColumns, length: number): Column => {
  const result = column(close.length)
  for (let index = length - 1; index < close.length; index++) {
    let [worth, traded] = [0, 0]
    for (let back = index - length + 1; back <= index; back++) {
      const typical = ((high[back] ?? 0) + (low[back] ?? 0) + (close[back] ?? 0)) / 3
      worth += typical * (volume[back] ?? 0)
      traded += volume[back] ?? 0
    }
    result[index] = worth / traded
  }
  return result
}
