/** Trading and money of a strategy as far as it may see them, read from the fold. */

import * as CostBasis from "../../domain/CostBasis.ts"
import * as Ledger from "../../domain/Ledger.ts"
import { present } from "../../domain/Present.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import type { OwnState } from "../../strategy/View.ts"
import type { BotState } from "./BotState.ts"
import { noTrading } from "./strategies/TradingFold.ts"
import type { Usage } from "./Tally.ts"

export const ownState = (
  state: BotState,
  { name, market }: Strategy,
  { openOrders, reserved }: Pick<Usage, "openOrders" | "reserved">
): OwnState => {
  const { lastFill, lastPlacedAt, position } = state.strategies.get(name)?.trading.get(market.name) ?? noTrading
  const free = (asset: string) => Ledger.freeOf(state.ledger, name, asset) - (reserved.get(asset) ?? 0n)
  return {
    openOrders,
    freeBase: free(market.base.symbol),
    freeQuote: free(market.quote.symbol),
    ...CostBasis.seenPosition(position, market),
    ...present({ lastFill, lastPlacedAt })
  }
}
