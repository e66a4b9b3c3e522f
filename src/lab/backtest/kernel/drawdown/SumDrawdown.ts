/**
 * The drawdown of everything held in several markets. The sum of their closes has no index of its own, but in a block of bars it lies
 * between the sum of the lowest closes of the markets and that of the highest. Usually these show that nothing in the block matters.
 * Otherwise smaller blocks are tried, and finally every close is read. A block that reaches beyond the requested bars may also show that
 * nothing in it matters.
 */
import { type CrossingIndex, fanOutBits, lowerAt } from "../../../../candles/CrossingIndex.ts"
import { type Drawdown, levelFor } from "./Drawdown.ts"

export interface Stake {
  readonly run: { readonly wallet: { readonly base: number } }
  readonly closes: CrossingIndex
}

const isNothingNew = (
  { peak, greatest }: Drawdown,
  stakes: ReadonlyArray<Stake>,
  quote: number,
  level: number,
  block: number
): boolean => {
  let [least, most] = [quote, quote]
  for (const { closes, run } of stakes) {
    least += run.wallet.base * (closes.minima[level]?.[block] ?? 0)
    most += run.wallet.base * (closes.maxima[level]?.[block] ?? 0)
  }
  return most <= peak && peak - least <= greatest * peak
}

const overBars = (drawdown: Drawdown, stakes: ReadonlyArray<Stake>, quote: number, to: number): void => {
  let { peak, greatest } = drawdown
  for (let bar = drawdown.next; bar < to; bar++) {
    let equity = quote
    for (const { closes, run } of stakes) equity += run.wallet.base * lowerAt(closes, bar)
    if (equity > peak) peak = equity
    else if (peak - equity > greatest * peak) greatest = (peak - equity) / peak
  }
  drawdown.peak = peak
  drawdown.greatest = greatest
  drawdown.next = to
}

export const advance = (drawdown: Drawdown, stakes: ReadonlyArray<Stake>, quote: number, to: number): void => {
  let levels = Number.POSITIVE_INFINITY
  for (const { closes } of stakes) levels = Math.min(levels, closes.minima.length)
  while (drawdown.next < to) {
    const bar = drawdown.next
    let level = levelFor(levels, to - bar)
    while (level >= 0 && !isNothingNew(drawdown, stakes, quote, level, bar >> (fanOutBits * (level + 1)))) level--
    const bits = fanOutBits * (Math.max(0, level) + 1)
    const end = levels === 0 ? to : Math.min(to, ((bar >> bits) + 1) << bits)
    if (level >= 0) drawdown.next = end
    else overBars(drawdown, stakes, quote, end)
  }
}
