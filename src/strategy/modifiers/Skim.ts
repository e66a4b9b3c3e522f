/**
 * `skim:` of a strategy file. Quote that the strategy has above this ceiling is set aside for good: no order uses it and no size counts it.
 * The quote of a strategy is its budget plus the proceeds of its sales, less the cost of its purchases and fees in quote. It changes only
 * with fills, payouts and refunds. The fee of a payout counts at the payout, in a backtest at the fill.
 */
import { type Amount, format, formatWithSymbol, max } from "../../domain/Amount.ts"
import { present } from "../../domain/Present.ts"
import type { Memory } from "../Decision.ts"
import { amountIn, beside } from "../kinds/Memory.ts"
import type { Decide, Look } from "../Strategy.ts"
import { netOf, type View, viewWith } from "../View.ts"

const key = "skim"

export interface Skim {
  readonly ceiling: Amount
  readonly budget: Amount
  readonly source: string
}

const setAside = ({ ceiling, budget }: Skim, { market, slots }: View, memory: Memory): Amount => {
  let quote = budget
  for (const slot of slots.values()) quote += netOf(slot).quote
  return max(amountIn(market.quote, memory, key), quote - ceiling)
}

const without = (view: View, amount: Amount): View => {
  if (amount === 0n) return view
  const own = view.own && { ...view.own, freeQuote: max(0n, view.own.freeQuote - amount), setAside: amount }
  return viewWith(view, { setAside: amount, ...present({ own }) })
}

export const skimming =
  (skim: Skim, decide: Decide): Decide =>
  (view, memory) => {
    const amount = setAside(skim, view, memory)
    const decision = decide(without(view, amount), memory)
    const { decimals } = view.market.quote
    const [kept, ceiling] = [amount, skim.ceiling].map((each) => formatWithSymbol(each, view.market.quote))
    const text = `${kept} set aside: the strategy has had so much more than ${ceiling}`
    return {
      ...decision,
      memory: beside(decision.memory, { [key]: format(amount, decimals) }),
      reasons: amount === 0n ? decision.reasons : [...decision.reasons, { code: "skim", text, source: skim.source }],
      until: { ...decision.until, onFill: true }
    }
  }

export const skimmedLook =
  (skim: Skim, look: Look): Look =>
  (view, memory) =>
    look(without(view, setAside(skim, view, memory)), memory)
