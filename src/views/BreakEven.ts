/** Prices at which a strategy breaks even: a sale of all that it holds there brings back its cost, less what its trading has earned. */
import * as CostBasis from "../domain/CostBasis.ts"
import * as Decimal from "../domain/Decimal.ts"
import type { StrategyState } from "../engine/state/strategies/StrategyState.ts"
import * as Money from "../report/text/Money.ts"

export interface BreakEven {
  readonly market: string
  readonly price: string
  readonly held: string
}

/** No row for a market whose cost is recovered already, or without a position. */
export const breakEvens = (
  { trading }: Pick<StrategyState, "trading">,
  assets: Money.Assets
): ReadonlyArray<BreakEven> =>
  [...trading].flatMap(([market, { position }]) => {
    const [base, quote] = market.split("/").map((symbol) => assets.get(symbol))
    const price = base && quote && CostBasis.breakEven(position.basis, { base, quote })
    if (price === undefined || base === undefined) return []
    return [
      { market, price: Decimal.short(price), held: Money.amountText(assets, base.symbol, position.basis.position) }
    ]
  })

export const breakEvenText = ({ price, held, market }: BreakEven): string =>
  `breaks even at ${price}, with all ${held} ${market.split("/")[0]} that the strategy holds`
