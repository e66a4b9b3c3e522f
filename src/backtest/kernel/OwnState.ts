/** What a strategy sees of its own trading in a run, as it would live. */

import { closeTime } from "../../candles/TimeAxis.ts"
import * as CostBasis from "../../domain/CostBasis.ts"
import { present } from "../../domain/Present.ts"
import type { OwnState } from "../../strategy/View.ts"
import type { MarketRun } from "./MarketRun.ts"
import { none } from "./orders/OrderTable.ts"

const unsettled = ({ orders }: MarketRun): number =>
  orders.slots.reduce((open, { order }) => (order === none ? open : open + 1), 0)

/** `others`: of further markets, whose orders count as well. */
export const of = (run: MarketRun, others: ReadonlyArray<MarketRun> = []): OwnState => {
  const { trading, orders, candles, wallet } = run
  const { table, log, placedBar } = orders
  for (const { trading } of [run, ...others]) trading.see()
  trading.fold(table, log)
  const last = log.count - 1
  const filled = last < 0 ? undefined : table.rows[log.orders[last] ?? none]
  const { basis } = trading
  return present({
    openOrders: others.reduce((open, other) => open + unsettled(other), unsettled(run)),
    freeBase: wallet.freeBase,
    freeQuote: wallet.freeQuote,
    realisedProfit: basis.realised,
    averageEntry: CostBasis.averagePrice(basis, table.market),
    lastFill: filled && { price: filled.price, at: closeTime(candles.time, log.bars[last] ?? 0) },
    lastPlacedAt: placedBar < 0 ? undefined : closeTime(candles.time, placedBar - 1)
  })
}
