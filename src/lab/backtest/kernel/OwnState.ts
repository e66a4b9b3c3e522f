/** Shows a strategy its own trading, as in live trading. Returns the same object until something in it changes. */
import { closeTime } from "../../../candles/TimeAxis.ts"
import type { Amount } from "../../../domain/Amount.ts"
import * as CostBasis from "../../../domain/CostBasis.ts"
import { present } from "../../../domain/Present.ts"
import { isSameList } from "../../../strategy/expression/Same.ts"
import type { OwnState } from "../../../strategy/View.ts"
import type { MarketRun } from "./MarketRun.ts"
import { none } from "./orders/OrderTable.ts"

const unsettled = ({ orders }: MarketRun): number => {
  let open = 0
  for (const { order } of orders.slots) if (order !== none) open++
  return open
}

type SeenState = ReadonlyArray<number | Amount | CostBasis.HeldPosition>

const cache = new WeakMap<MarketRun, { readonly ground: SeenState; readonly own: OwnState }>()

export const of = (run: MarketRun, others: ReadonlyArray<MarketRun> = []): OwnState => {
  const { trading, orders, wallet } = run
  const { log, placedBar } = orders
  trading.see()
  for (const other of others) other.trading.see()
  trading.fold()
  let openOrders = unsettled(run)
  for (const other of others) openOrders += unsettled(other)
  const { freeBase, freeQuote } = wallet
  const ground = [openOrders, freeBase, freeQuote, trading.position, log.count, placedBar]
  const before = cache.get(run)
  if (before !== undefined && isSameList(before.ground, ground)) return before.own
  const own = buildState(run, openOrders)
  cache.set(run, { ground, own })
  return own
}

const buildState = ({ trading: { position }, orders, candles, wallet }: MarketRun, openOrders: number): OwnState => {
  const { table, log, placedBar } = orders
  const last = log.count - 1
  const filled = last < 0 ? undefined : table.rows[log.orders[last] ?? none]
  return present({
    openOrders,
    freeBase: wallet.freeBase,
    freeQuote: wallet.freeQuote,
    ...CostBasis.seenPosition(position, table.market),
    lastFill: filled && { price: filled.price, at: closeTime(candles.time, log.bars[last] ?? 0) },
    lastPlacedAt: placedBar < 0 ? undefined : closeTime(candles.time, placedBar - 1)
  })
}
