/** How much of a run was in the market: read off its fills at every bar's close. */
import type { Candles } from "./Candles.ts"
import type { Outcome } from "./Kernel.ts"
import type { Conditions } from "./Run.ts"

export interface Exposure {
  /** Mean share of equity that was held in base. */
  readonly meanShare: number
  /** Share of bars at whose close some base was held. */
  readonly timeInMarket: number
}

export const of = (
  { fills, table }: Pick<Outcome, "fills" | "table">,
  candles: Candles,
  { market, budget }: Pick<Conditions, "market" | "budget">
): Exposure => {
  const smallest = 1 / 10 ** market.base.decimals
  let base = Number(budget.base) / 10 ** market.base.decimals
  let quote = Number(budget.quote) / 10 ** market.quote.decimals
  let [next, shares, held] = [0, 0, 0]
  for (let bar = 0; bar < candles.bars; bar++) {
    for (; next < fills.count && (fills.bars[next] ?? 0) <= bar; next++) {
      const order = fills.orders[next] ?? 0
      base += table.baseChange[order] ?? 0
      quote += table.quoteChange[order] ?? 0
    }
    const worth = base * (candles.close[bar] ?? 0)
    if (base > smallest / 2 && worth > (quote + worth) * 1e-9) held++
    if (quote + worth > 0) shares += worth / (quote + worth)
  }
  const bars = Math.max(1, candles.bars)
  return { meanShare: shares / bars, timeInMarket: held / bars }
}
