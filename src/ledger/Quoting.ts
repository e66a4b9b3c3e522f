/** Quality of a strategy that quotes both sides. These are statistics, not money, so ratios are doubles. */
import type { OrderLife } from "./OrderLife.ts"
import { type MarkoutTerms, markedIn, midIn, moveAfter, type Quality, qualityOf } from "./Quality.ts"
import type { TradingRecord } from "./Trades.ts"

export interface Quoting extends Pick<Quality, "fillRatio" | "markout"> {
  /** From the fill to the mid of the last full minute before it, in our favour, weighted by value. Null without prices. */
  readonly spreadCaptured: number | null
  /** Share of the time since the first order in which a bid and an ask were open. */
  readonly uptime: number | null
  /** Base bought and not sold, in units; the target is zero. */
  readonly inventory: number
  readonly levels: ReadonlyArray<Pick<Quality, "filled" | "rested"> & { readonly slot: string }>
}

const uptimeOf = (orders: ReadonlyArray<OrderLife>, now: number): number | null => {
  const changes = orders
    .flatMap(({ closedAt = now, restingAt: from = now, side }) => [
      { at: from, side, by: 1 },
      { at: Math.max(from, closedAt), side, by: -1 }
    ])
    .toSorted((a, b) => a.at - b.at)
  const open = { BUY: 0, SELL: 0 }
  let [both, last] = [0, now]
  for (const { at, by, side } of changes) {
    if (open.BUY > 0 && open.SELL > 0) both += at - last
    open[side] += by
    last = at
  }
  const since = now - (changes[0]?.at ?? now)
  return since === 0 ? null : both / since
}

export const quotingOf = (record: TradingRecord, strategy: string, terms: MarkoutTerms, now: number): Quoting => {
  const isOwn = (each: { readonly strategy: string }): boolean => each.strategy === strategy
  const own = { ...record, orders: record.orders.filter(isOwn), trades: record.trades.filter(isOwn), fees: [] }
  const marked = markedIn(own.trades, terms)
  const { fillRatio, markout } = qualityOf(own, terms)
  const levels = Map.groupBy(own.orders, ({ slot }) => slot)
  return {
    fillRatio,
    markout,
    spreadCaptured: moveAfter(marked, midIn(terms))(0),
    uptime: uptimeOf(own.orders, now),
    inventory: marked.reduce((sum, { quantity, side }) => sum + (side === "BUY" ? quantity : -quantity), 0),
    levels: [...levels].map(([slot, orders]) => {
      const { filled, rested } = qualityOf({ ...own, orders }, terms)
      return { slot, filled, rested }
    })
  }
}
