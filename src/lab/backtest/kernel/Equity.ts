/**
 * Computes the largest fall of the equity of all holdings from an earlier peak, over the close of every bar. Between fills, equity in one
 * market is a linear function of the close. So the highest and the lowest close of a block usually show that it has no new peak and no
 * deeper fall. Other blocks are read, so the result is exact. Where a search found nothing, even that is not needed: all closes lie between
 * the prices that it searched for. If bars are cut into small ones, only the closes of whole bars count, as in other runs over the same
 * candles.
 */
import { type CrossingIndex, fanOutBits, type Indices, leavesAt, lowerAt } from "../../../candles/CrossingIndex.ts"
import type { MarketRun } from "./MarketRun.ts"

type Drawdown = ReturnType<typeof noDrawdown>

const noDrawdown = () => ({
  peak: Number.NEGATIVE_INFINITY,
  /** Ratio of the peak, 0 to 1. */
  greatest: 0,
  next: 0,
  /** Closes from `next` up to bar `knownTo` lie between `least` and `most`. */
  least: Number.POSITIVE_INFINITY,
  most: Number.NEGATIVE_INFINITY,
  knownTo: 0
})

interface Holding {
  readonly run: MarketRun
  readonly closes: CrossingIndex
}

export type Equity = Readonly<ReturnType<typeof make>>

interface Held {
  readonly run: MarketRun
  readonly indices: Indices
}

const holdingOf = ({ run, indices: { closes, told } }: Held): Holding => ({ run, closes: told?.closes ?? closes })

export const make = (held: readonly [Held, ...ReadonlyArray<Held>]) => ({
  drawdown: noDrawdown(),
  holdings: held.map(holdingOf),
  first: holdingOf(held[0]),
  isOne: held.length === 1,
  parts: held[0].indices.told?.parts ?? 1
})

/** Records that the closes up to bar `to` (exclusive) lie between `least` and `most`. */
export const know = ({ drawdown, isOne, parts }: Equity, to: number, least: number, most: number): void => {
  if (!isOne || parts !== 1) return
  if (least < drawdown.least) drawdown.least = least
  if (most > drawdown.most) drawdown.most = most
  drawdown.knownTo = to
}

export const advance = ({ drawdown, holdings, first, isOne, parts }: Equity, to: number): void => {
  const end = parts === 1 ? to : Math.floor(to / parts)
  if (isOne) {
    const { run, closes } = first
    return advanceOne(drawdown, closes, end, run.wallet.base, run.wallet.quote)
  }
  if (drawdown.next >= end) return
  let quote = 0
  for (const { run } of holdings) quote += run.wallet.quote
  advanceTogether(drawdown, holdings, quote, end)
}

/** True if closes at these bounds would make no new peak and no deeper fall. */
const isCalm = ({ peak, greatest, least, most }: Drawdown, base: number, quote: number): boolean =>
  quote + base * most <= peak && peak - (quote + base * least) <= greatest * peak

const overBarsOfOne = (drawdown: Drawdown, closes: CrossingIndex, to: number, base: number, quote: number): void => {
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

const levelFor = (levels: number, bars: number): number => Math.min(levels - 1, (31 - Math.clz32(bars)) >> 2)

const advanceOne = (drawdown: Drawdown, closes: CrossingIndex, to: number, base: number, quote: number): void => {
  const levels = closes.minima.length
  const isKnown = drawdown.knownTo >= to
  if (isKnown && isCalm(drawdown, base, quote)) drawdown.next = to
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
    else overBarsOfOne(drawdown, closes, end, base, quote)
  }
}

/**
 * The sum of the closes of several markets has no index. In a block of bars it lies between the sums of their lowest and of their highest
 * closes. If these do not show that nothing in the block matters, smaller blocks are tried, and finally every close is read.
 */
const isNothingNew = (
  { peak, greatest }: Drawdown,
  holdings: ReadonlyArray<Holding>,
  quote: number,
  level: number,
  block: number
): boolean => {
  let [least, most] = [quote, quote]
  for (const { closes, run } of holdings) {
    least += run.wallet.base * (closes.minima[level]?.[block] ?? 0)
    most += run.wallet.base * (closes.maxima[level]?.[block] ?? 0)
  }
  return most <= peak && peak - least <= greatest * peak
}

const overBars = (drawdown: Drawdown, holdings: ReadonlyArray<Holding>, quote: number, to: number): void => {
  let { peak, greatest } = drawdown
  for (let bar = drawdown.next; bar < to; bar++) {
    let equity = quote
    for (const { closes, run } of holdings) equity += run.wallet.base * lowerAt(closes, bar)
    if (equity > peak) peak = equity
    else if (peak - equity > greatest * peak) greatest = (peak - equity) / peak
  }
  drawdown.peak = peak
  drawdown.greatest = greatest
  drawdown.next = to
}

const advanceTogether = (drawdown: Drawdown, holdings: ReadonlyArray<Holding>, quote: number, to: number) => {
  let levels = Number.POSITIVE_INFINITY
  for (const { closes } of holdings) levels = Math.min(levels, closes.minima.length)
  while (drawdown.next < to) {
    const bar = drawdown.next
    let level = levelFor(levels, to - bar)
    while (level >= 0 && !isNothingNew(drawdown, holdings, quote, level, bar >> (fanOutBits * (level + 1)))) level--
    const bits = fanOutBits * (Math.max(0, level) + 1)
    const end = levels === 0 ? to : Math.min(to, ((bar >> bits) + 1) << bits)
    if (level >= 0) drawdown.next = end
    else overBars(drawdown, holdings, quote, end)
  }
}
