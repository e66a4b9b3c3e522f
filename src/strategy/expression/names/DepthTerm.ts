/**
 * `depth(0.5 BTC)`: what an immediate order of that size would give away against the middle of the market, as a ratio. Only the quantities
 * that files name are known, because each has to be quoted. In a backtest it is zero.
 */
import { type Amount, fromDecimal } from "../../../domain/Amount.ts"
import { impactOf } from "../../../domain/Book.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Market } from "../../../domain/Market.ts"
import type { Expression } from "../Grammar.ts"
import type { Term } from "../Term.ts"

export const depthTerm = (
  [size, ...others]: ReadonlyArray<Expression>,
  { base }: Market
): (Term & { readonly quantity: Amount }) | undefined => {
  if (size?.type !== "number" || others.length > 0) return undefined
  const { value, unit } = size
  if (unit !== "" && unit !== base.symbol) return undefined
  const quantity = fromDecimal(Decimal.fromNumber(value), base.decimals)
  if (quantity === undefined || quantity <= 0n) return undefined
  return {
    type: "ratio",
    isLiteral: false,
    dependence: "none",
    quantity,
    value: ({ depth, found }) => {
      found.consulted.depth = true
      const impact = depth === undefined ? undefined : impactOf(depth, quantity)
      if (impact === undefined) found.lacking.add(`depth(${value} ${base.symbol})`)
      return impact === undefined ? Number.NaN : Decimal.toNumber(impact)
    }
  }
}
