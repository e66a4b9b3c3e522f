/**
 * The largest fall of equity from an earlier peak, over the close of every bar. Between fills equity is a fixed line in
 * the close, so a block of bars whose highest and lowest close could not make a new record is passed without reading it:
 * the result is that of reading every bar.
 */
import { type CrossingIndex, fanOutBits } from "./CrossingIndex.ts"

export interface Drawdown {
  peak: number
  /** Ratio of the peak, 0 to 1. */
  greatest: number
  /** Bars before this one are counted. */
  next: number
}

export const make = (): Drawdown => ({ peak: Number.NEGATIVE_INFINITY, greatest: 0, next: 0 })

const overBars = (drawdown: Drawdown, closes: Float64Array, to: number, base: number, quote: number): void => {
  let { peak, greatest } = drawdown
  for (let bar = drawdown.next; bar < to; bar++) {
    const equity = quote + base * (closes[bar] ?? 0)
    if (equity > peak) peak = equity
    else if (peak - equity > greatest * peak) greatest = (peak - equity) / peak
  }
  drawdown.peak = peak
  drawdown.greatest = greatest
  drawdown.next = to
}

/** Takes in the whole block when it cannot set a record, and says whether it did. */
const passBlock = (
  drawdown: Drawdown,
  closes: CrossingIndex,
  level: number,
  block: number,
  base: number,
  quote: number
): boolean => {
  const most = Math.max(drawdown.peak, quote + base * (closes.maxima[level]?.[block] ?? 0))
  const least = quote + base * (closes.minima[level]?.[block] ?? 0)
  // A hair below, so that rounding cannot pass a block that reading would have counted.
  if (most - least > drawdown.greatest * most * (1 - 1e-12)) return false
  drawdown.peak = most
  drawdown.next = (block + 1) << (fanOutBits * (level + 1))
  return true
}

/** The highest level on which the next bar starts a block that ends before `to`; -1 when there is none. */
const levelAt = (levels: number, bar: number, to: number): number => {
  let level = -1
  while (level + 1 < levels) {
    const bits = fanOutBits * (level + 2)
    if ((bar & ((1 << bits) - 1)) !== 0 || bar + (1 << bits) > to) break
    level++
  }
  return level
}

/** Takes in the closes up to bar `to` (exclusive), holding `base` and `quote`. `closes` indexes the closes on both sides. */
export const advance = (drawdown: Drawdown, closes: CrossingIndex, to: number, base: number, quote: number): void => {
  while (drawdown.next < to) {
    const bar = drawdown.next
    let level = levelAt(closes.minima.length, bar, to)
    while (level >= 0 && !passBlock(drawdown, closes, level, bar >> (fanOutBits * (level + 1)), base, quote)) level--
    if (level < 0) {
      const blockEnd = closes.minima.length === 0 ? to : ((bar >> fanOutBits) + 1) << fanOutBits
      overBars(drawdown, closes.lower, Math.min(to, blockEnd), base, quote)
    }
  }
}
