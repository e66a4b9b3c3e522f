/**
 * Seeded synthetic candles, the same bytes on every machine, so that speed figures and tests need no data file. The logarithm of the price
 * reverts to its start with a half life of 60 days and has 60 % yearly volatility, in six steps a bar.
 * Prices have two decimal places, and more if the start is below 100: it has five significant digits.
 */
import { dayMillis } from "../domain/Durations.ts"
import { type Candles, emptyColumns } from "./Candles.ts"
import * as TimeAxis from "./TimeAxis.ts"

export const minutesPerYear = 525_600

export const defaults = {
  bars: minutesPerYear,
  seed: 1,
  startMillis: Date.UTC(2021, 0, 1),
  stepMillis: 60_000,
  startPrice: 40_000
}

const stepsPerBar = 6
const yearMillis = 365 * dayMillis

/** xorshift32, in [0, 1). Unlike `domain/Seeded` it never changes, because figures of benchmarks, tests and docs depend on it. */
const uniform = (state: Uint32Array): number => {
  let x = state[0] ?? 1
  x ^= x << 13
  x ^= x >>> 17
  x ^= x << 5
  state[0] = x
  return (state[0] ?? 0) / 4_294_967_296
}

/** Twelve uniforms add up to almost a normal, and the sum is the same on every machine, unlike `Math.log` and `Math.cos`. */
const normal = (state: Uint32Array): number => {
  let sum = -6
  for (let i = 0; i < 12; i++) sum += uniform(state)
  return sum
}

/** `Math.exp` may differ in the last bit between engines; this series does not. |x| stays small here. */
const exponential = (x: number): number => {
  const reduced = x / 64
  let term = 1
  let sum = 1
  for (let n = 1; n <= 12; n++) {
    term *= reduced / n
    sum += term
  }
  for (let i = 0; i < 6; i++) sum *= sum
  return sum
}

const placesFor = (startPrice: number): number => {
  let places = 2
  while (startPrice * 10 ** places < 10_000) places++
  return places
}

export const generate = (options: Readonly<typeof defaults>): Candles => {
  const { bars, startPrice } = options
  const priceScale = placesFor(startPrice)
  const tick = 10 ** priceScale
  const toTick = (price: number): number => Math.round(price * tick) / tick
  const { open, high, low, close, volume } = emptyColumns(bars)
  const state = Uint32Array.of((options.seed >>> 0) * 2_654_435_761 || 1)
  const stepYears = options.stepMillis / yearMillis / stepsPerBar
  const deviation = 0.6 * Math.sqrt(stepYears)
  const pull = (Math.LN2 / 60) * (stepYears * 365)
  let logarithm = 0
  for (let bar = 0; bar < bars; bar++) {
    let price = toTick(startPrice * exponential(logarithm))
    open[bar] = price
    let [greatest, least] = [price, price]
    for (let step = 0; step < stepsPerBar; step++) {
      logarithm += deviation * normal(state) - pull * logarithm
      price = toTick(startPrice * exponential(logarithm))
      greatest = Math.max(greatest, price)
      least = Math.min(least, price)
    }
    high[bar] = greatest
    low[bar] = least
    close[bar] = price
    volume[bar] = Math.round(uniform(state) * 2e6) / 1e5
  }
  const time = TimeAxis.regular(bars, options.startMillis, options.stepMillis)
  return { bars, time, open, high, low, close, volume, priceScale }
}
