/**
 * Computes the largest drawdown of all holdings, over the close of every bar. In one market, the index and the bounds of earlier searches
 * make most reading unnecessary (`Drawdown`); in several markets, their indices together do. If bars are cut into small ones, only the
 * closes of whole bars count, as in other runs over the same candles.
 */
import { type CrossingIndex, fanOutBits, type Indices, lowerAt } from "../../../candles/CrossingIndex.ts"
import * as Drawdown from "./drawdown/Drawdown.ts"
import type { MarketRun } from "./MarketRun.ts"

interface Holding {
  readonly run: MarketRun
  readonly closes: CrossingIndex
}

export interface Equity {
  readonly drawdown: Drawdown.Drawdown
  readonly holdings: ReadonlyArray<Holding>
  readonly first: Holding
  readonly isOne: boolean
  readonly parts: number
}

interface Held {
  readonly run: MarketRun
  readonly indices: Indices
}

const holdingOf = ({ run, indices: { closes, told } }: Held): Holding => ({ run, closes: told?.closes ?? closes })

export const make = (held: readonly [Held, ...ReadonlyArray<Held>]): Equity => ({
  drawdown: Drawdown.make(),
  holdings: held.map(holdingOf),
  first: holdingOf(held[0]),
  isOne: held.length === 1,
  parts: held[0].indices.told?.parts ?? 1
})

/** Records that the closes up to bar `to` (exclusive) lie between `least` and `most`. */
export const know = ({ drawdown, isOne, parts }: Equity, to: number, least: number, most: number): void => {
  if (isOne && parts === 1) Drawdown.know(drawdown, to, least, most)
}

export const advance = ({ drawdown, holdings, first, isOne, parts }: Equity, to: number): void => {
  const end = parts === 1 ? to : Math.floor(to / parts)
  if (isOne) {
    const { run, closes } = first
    return Drawdown.advance(drawdown, closes, end, run.wallet.base, run.wallet.quote)
  }
  if (drawdown.next >= end) return
  let quote = 0
  for (const { run } of holdings) quote += run.wallet.quote
  advanceTogether(drawdown, holdings, quote, end)
}

export const maxDrawdown = ({ drawdown }: Equity): number => drawdown.greatest

/**
 * The sum of the closes of several markets has no index. In a block of bars it lies between the sums of their lowest and of their highest
 * closes. If these do not show that nothing in the block matters, smaller blocks are tried, and finally every close is read.
 */
const isNothingNew = (
  { peak, greatest }: Drawdown.Drawdown,
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

const overBars = (drawdown: Drawdown.Drawdown, holdings: ReadonlyArray<Holding>, quote: number, to: number): void => {
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

const advanceTogether = (drawdown: Drawdown.Drawdown, holdings: ReadonlyArray<Holding>, quote: number, to: number) => {
  let levels = Number.POSITIVE_INFINITY
  for (const { closes } of holdings) levels = Math.min(levels, closes.minima.length)
  while (drawdown.next < to) {
    const bar = drawdown.next
    let level = Drawdown.levelFor(levels, to - bar)
    while (level >= 0 && !isNothingNew(drawdown, holdings, quote, level, bar >> (fanOutBits * (level + 1)))) level--
    const bits = fanOutBits * (Math.max(0, level) + 1)
    const end = levels === 0 ? to : Math.min(to, ((bar >> bits) + 1) << bits)
    if (level >= 0) drawdown.next = end
    else overBars(drawdown, holdings, quote, end)
  }
}
