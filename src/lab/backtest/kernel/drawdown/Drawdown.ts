/**
 * Computes the largest fall of equity from an earlier peak, over the close of every bar. Between fills, equity is a linear function of the
 * close. So the highest and the lowest close of a block usually show that it has no new peak and no deeper fall. Other blocks are read, so
 * the result is exact. Where a search found nothing, even that is not needed: all closes lie between the prices that it searched for.
 */
import { type CrossingIndex, fanOutBits, leavesAt } from "../../../../candles/CrossingIndex.ts"

export type Drawdown = ReturnType<typeof make>

export const make = () => ({
  peak: Number.NEGATIVE_INFINITY,
  /** Ratio of the peak, 0 to 1. */
  greatest: 0,
  next: 0,
  /** Closes from `next` up to bar `knownTo` lie between `least` and `most`. */
  least: Number.POSITIVE_INFINITY,
  most: Number.NEGATIVE_INFINITY,
  knownTo: 0
})

export const know = (drawdown: Drawdown, to: number, least: number, most: number): void => {
  if (least < drawdown.least) drawdown.least = least
  if (most > drawdown.most) drawdown.most = most
  drawdown.knownTo = to
}

/** True if closes at these bounds would make no new peak and no deeper fall. */
const isNothingNew = ({ peak, greatest, least, most }: Drawdown, base: number, quote: number): boolean =>
  quote + base * most <= peak && peak - (quote + base * least) <= greatest * peak

const overBars = (drawdown: Drawdown, closes: CrossingIndex, to: number, base: number, quote: number): void => {
  let { peak, greatest } = drawdown
  const { lower, from } = leavesAt(closes, drawdown.next)
  for (let bar = drawdown.next; bar < to; bar++) {
    const equity = quote + base * (lower[bar - from] ?? 0)
    if (equity > peak) peak = equity
    else if (peak - equity > greatest * peak) greatest = (peak - equity) / peak
  }
  drawdown.peak = peak
  drawdown.greatest = greatest
  drawdown.next = to
}

/** Adds a block without reading it. Returns false if that is inexact. If not `isWhole`, it can only show that nothing in it matters. */
const takeBlock = (
  drawdown: Drawdown,
  closes: CrossingIndex,
  level: number,
  block: number,
  isWhole: boolean,
  base: number,
  quote: number
): boolean => {
  const { peak, greatest } = drawdown
  const most = quote + base * (closes.maxima[level]?.[block] ?? 0)
  const least = quote + base * (closes.minima[level]?.[block] ?? 0)
  if (most <= peak) {
    if (peak - least <= greatest * peak) return true
    if (isWhole) drawdown.greatest = (peak - least) / peak
    return isWhole
  }
  // Even if the peak came first, the fall after it is no deeper. The factor is a margin for rounding.
  if (!isWhole || most - least > greatest * most * (1 - 1e-12)) return false
  drawdown.peak = most
  return true
}

export const levelFor = (levels: number, bars: number): number => Math.min(levels - 1, (31 - Math.clz32(bars)) >> 2)

export const advance = (drawdown: Drawdown, closes: CrossingIndex, to: number, base: number, quote: number): void => {
  const levels = closes.minima.length
  const isKnown = drawdown.knownTo >= to
  if (isKnown && isNothingNew(drawdown, base, quote)) drawdown.next = to
  if (isKnown && drawdown.knownTo === to) {
    drawdown.least = Number.POSITIVE_INFINITY
    drawdown.most = Number.NEGATIVE_INFINITY
  }
  while (drawdown.next < to) {
    const bar = drawdown.next
    let level = levelFor(levels, to - bar)
    for (; level >= 0; level--) {
      const bits = fanOutBits * (level + 1)
      const block = bar >> bits
      const isWhole = block << bits === bar && (block + 1) << bits <= to
      if (takeBlock(drawdown, closes, level, block, isWhole, base, quote)) break
    }
    const bits = fanOutBits * (Math.max(0, level) + 1)
    const end = levels === 0 ? to : Math.min(to, ((bar >> bits) + 1) << bits)
    if (level >= 0) drawdown.next = end
    else overBars(drawdown, closes, end, base, quote)
  }
}
