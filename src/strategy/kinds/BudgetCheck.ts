/** Refuses a strategy whose orders cannot rest at once within its budget, naming the exact amount that they need. */
import { formatWithSymbol } from "../../domain/Amount.ts"
import { inputAmount, inputAsset, type Side } from "../../domain/Market.ts"
import type { Leg } from "../Decision.ts"
import type { KindContext } from "../Kind.ts"
import { report, type Span } from "../Problem.ts"

/** `what`: who needs it, as the subject of the sentence. */
export const checkBudget = (
  orders: ReadonlyArray<Leg>,
  what: string,
  at: Span,
  { market, budget, to }: KindContext
): void => {
  const sides: ReadonlyArray<readonly [Side, "base" | "quote"]> = [
    ["BUY", "quote"],
    ["SELL", "base"]
  ]
  for (const [side, key] of sides) {
    const needed = orders
      .filter((order) => order.side === side)
      .reduce((sum, { price, quantity }) => sum + inputAmount(market, side, quantity, price), 0n)
    if (budget === undefined || needed <= budget[key]) continue
    const asset = inputAsset(market, side)
    const amounts = `${formatWithSymbol(needed, asset)} of ${key} budget, and it has ${formatWithSymbol(budget[key], asset)}`
    report(to, at, `${what} need ${amounts}`, `raise limits.budget.${key}, or make them smaller`)
  }
}
