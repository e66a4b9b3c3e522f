/** Measures a run's exposure to its markets from its fills, at every bar's close. */
import type { Part } from "./BandSide.ts"
import { holdings } from "./EquityCurve.ts"

export interface Exposure {
  /** Mean share of equity held in base. */
  readonly meanShare: number
  readonly timeInMarket: number
}

export const of = (parts: ReadonlyArray<Part>): Exposure => {
  const bars = parts[0]?.candles.bars ?? 0
  const all = parts.map((part) => ({
    close: part.candles.close,
    smallest: 1 / 10 ** part.market.base.decimals,
    at: holdings(part.outcome, part)
  }))
  let [shares, held] = [0, 0]
  for (let bar = 0; bar < bars; bar++) {
    let [worth, equity, hasBase] = [0, 0, false]
    for (const { close, smallest, at } of all) {
      const { base, quote } = at(bar)
      hasBase ||= base > smallest / 2
      worth += base * (close[bar] ?? 0)
      equity += quote
    }
    equity += worth
    if (hasBase && worth > equity * 1e-9) held++
    if (equity > 0) shares += worth / equity
  }
  return { meanShare: shares / Math.max(1, bars), timeInMarket: held / Math.max(1, bars) }
}
