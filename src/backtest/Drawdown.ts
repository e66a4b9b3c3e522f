/**
 * The largest fall of equity from an earlier peak, over the close of every bar. Between fills equity is a fixed line in
 * the close, so a block of bars whose highest and lowest close make no new record is passed without reading it: the result
 * is that of reading every bar.
 */
import type { Column } from "./Candles.ts"
import { type CrossingIndex, fanOutBits } from "./CrossingIndex.ts"

export interface Drawdown {
  peak: number
  /** Ratio of the peak, 0 to 1. */
  greatest: number
  /** Bars before this one are counted. */
  next: number
}

export const make = (): Drawdown => ({ peak: Number.NEGATIVE_INFINITY, greatest: 0, next: 0 })

const overBars = (drawdown: Drawdown, closes: Column, to: number, base: number, quote: number): void => {
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

/**
 * True when nothing in the block, nor in any part of it, can be a new peak or a deeper fall. A hair on the safe side, so
 * that rounding cannot pass what reading would have counted.
 */
const isHarmless = (
  drawdown: Drawdown,
  closes: CrossingIndex,
  level: number,
  block: number,
  base: number,
  quote: number
): boolean => {
  const { peak, greatest } = drawdown
  const most = quote + base * (closes.maxima[level]?.[block] ?? 0)
  const least = quote + base * (closes.minima[level]?.[block] ?? 0)
  return most <= peak && peak - least <= greatest * peak * (1 - 1e-12)
}

/** The level whose blocks are as long as the bars that are left, or a little longer. */
const levelFor = (levels: number, bars: number): number => Math.min(levels - 1, (31 - Math.clz32(bars)) >> 2)

/** Takes in the closes up to bar `to` (exclusive), holding `base` and `quote`. */
export const advance = (drawdown: Drawdown, closes: CrossingIndex, to: number, base: number, quote: number): void => {
  const levels = closes.minima.length
  while (drawdown.next < to) {
    const bar = drawdown.next
    let level = levelFor(levels, to - bar)
    while (level >= 0 && !isHarmless(drawdown, closes, level, bar >> (fanOutBits * (level + 1)), base, quote)) level--
    const bits = fanOutBits * (Math.max(0, level) + 1)
    const end = levels === 0 ? to : Math.min(to, ((bar >> bits) + 1) << bits)
    if (level >= 0) drawdown.next = end
    else overBars(drawdown, closes.lower, end, base, quote)
  }
}
