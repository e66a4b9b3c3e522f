/**
 * A candle says how far the price went, not in which order. Unfolded, each bar becomes small bars that say one order: open
 * to the first extreme, to the other one, to the close, a third of the time each, in straight steps. Orders fill and
 * strategies are asked within the bar then.
 */
import { type Candles, column, openAt, volumeAt } from "./Candles.ts"
import type { TimeAxis } from "./TimeAxis.ts"

/** Whether the low comes first in a bar. */
export type LowFirst = (bar: number) => boolean

const legs = 3
/** Live a strategy is asked every few seconds: of a minute, one step is a second. */
const mostSteps = 20
/** Small bars of one series at most: more than the least number of steps only for short series. */
const mostBars = 3_000_000
const mostFineBars = 200_000

/** Small bars in one bar; 1 where bars are too many, or cannot be cut into whole milliseconds. */
export const partsOf = ({ bars, time: { stepMillis } }: Candles): number => {
  for (let steps = mostSteps; steps > 0; steps--)
    if (stepMillis % (legs * steps) === 0 && bars * legs * steps <= (steps === 1 ? mostBars : mostFineBars))
      return legs * steps
  return 1
}

/** Between the prices of the file live sees others: so many places more, as far as a double has digits. */
const finer = 3
const mostDigits = 15

const placesWithin = ({ high, priceScale }: Candles): number => {
  let most = 1
  for (const price of high) if (price > most) most = price
  return Math.max(priceScale, Math.min(priceScale + finer, mostDigits - Math.ceil(Math.log10(most + 1))))
}

const axisOf = ({ bars, stepMillis, runBars, runTimes }: TimeAxis, parts: number): TimeAxis => ({
  bars: bars * parts,
  stepMillis: stepMillis / parts,
  runBars: runBars.map((bar) => bar * parts),
  runTimes
})

/** `parts`: as `partsOf` says. `early`: by which share of a step a small bar ends before it, as live looks at any moment. */
export const unfolded = (
  candles: Candles,
  parts: number,
  lowFirst: LowFirst,
  early: () => number = () => 0
): Candles => {
  const { bars, low, high, close, time } = candles
  const priceScale = placesWithin(candles)
  const make = () => column(bars * parts)
  const into = { open: make(), high: make(), low: make(), close: make(), volume: make() }
  const [steps, tick] = [parts / legs, 10 ** priceScale]
  let at = 0
  const walk = (from: number, to: number, volume: number): void => {
    let before = from
    for (let step = 1; step <= steps; step++, at++) {
      const price = step === steps ? to : Math.round((from + ((to - from) * (step - early())) / steps) * tick) / tick
      into.open[at] = before
      into.high[at] = Math.max(before, price)
      into.low[at] = Math.min(before, price)
      into.close[at] = price
      into.volume[at] = volume
      before = price
    }
  }
  for (let bar = 0; bar < bars; bar++) {
    const [least, most, end] = [low[bar] ?? 0, high[bar] ?? 0, close[bar] ?? 0]
    const [first, second] = lowFirst(bar) ? [least, most] : [most, least]
    const volume = volumeAt(candles, bar) / parts
    walk(openAt(candles, bar) ?? end, first, volume)
    walk(first, second, volume)
    walk(second, end, volume)
  }
  // Indicators are made of the bars themselves: they are the same in every order.
  const whole = candles.whole ?? candles
  return { ...into, bars: bars * parts, time: axisOf(time, parts), priceScale, whole }
}
