/** Warns of planned orders that are larger than the market's quoted depth: they may fill slowly, and in parts. */
import { type Amount, formatWithSymbol } from "../../../domain/Amount.ts"
import { type Depth, mostQuoted } from "../../../domain/Book.ts"
import type { Market } from "../../../domain/Market.ts"
import { countText } from "../../../domain/Text.ts"
import type { PlannedChange, PlannedOrder, PlanWarning } from "./PlanReport.ts"

export interface QuotedMarket {
  readonly market: Market
  readonly depth: Depth
}

const placedBy = ({ action, next, ...order }: PlannedChange): PlannedOrder | undefined =>
  action === "create" ? order : next

export const warningsOf = (
  changes: ReadonlyArray<PlannedChange>,
  books: ReadonlyMap<string, QuotedMarket>
): ReadonlyArray<PlanWarning> => {
  const large = changes.flatMap((change) => {
    const [order, book] = [placedBy(change), books.get(change.market)]
    const most = order && book && mostQuoted(book.depth, order.side === "BUY" ? "ask" : "bid")
    return order && book && most !== undefined && order.quantity > most ? [{ change, order, book, most }] : []
  })
  return [...Map.groupBy(large, ({ change: { strategy, market } }) => `${strategy} ${market}`).values()].flatMap(
    (group) => {
      const [first] = group
      if (first === undefined) return []
      const { change, order, book } = first
      const amount = (quantity: Amount) => formatWithSymbol(quantity, book.market.base)
      const text = `${countText(group.length, "order")} ${group.length === 1 ? "exceeds" : "exceed"} the quoted depth of ${amount(first.most)} on ${change.market}: ${change.slot} ${order.side} ${amount(order.quantity)}. They may fill slowly, and in parts.`
      const slots = group.map(({ change: { slot } }) => `${change.strategy}/${slot}`)
      return [{ name: "beyond-depth", strategy: change.strategy, slots, text } as const]
    }
  )
}
