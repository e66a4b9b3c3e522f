/**
 * Warnings of a plan, and the cost of renewing orders that never fill. A short lifetime frees the money sooner when the bot is gone, but
 * costs more. Pure.
 */
import { type Amount, type Asset, formatWithSymbol } from "../../../domain/Amount.ts"
import { type Book, mostQuoted } from "../../../domain/Book.ts"
import { dayMillis } from "../../../domain/Durations.ts"
import { age, countText, percent } from "../../../domain/Text.ts"
import type { Strategy } from "../../../strategy/Strategy.ts"
import { type Fees, isResting, type PlannedChange, type PlanWarning } from "./PlanReport.ts"

export interface Renewal {
  readonly strategy: string
  readonly lifetimeMillis: number
  /** By asset, per day, if no order ever fills; only for assets whose refund fee is known. */
  readonly perDay: ReadonlyArray<{ readonly asset: string; readonly amount: Amount; readonly share: number }>
}

/** A daily cost above this share of the locked money causes a warning. */
const maxShare = 0.001

export const renewalsOf = (
  strategies: ReadonlyArray<Strategy>,
  changes: ReadonlyArray<PlannedChange>,
  fees: Fees,
  otherwiseMillis: number
): ReadonlyArray<Renewal> =>
  strategies.map(({ name, limits }) => {
    const lifetimeMillis = limits.orderLifetimeMillis ?? otherwiseMillis
    const own = changes.filter((change) => change.strategy === name && isResting(change))
    const perDay = [...Map.groupBy(own, ({ input }) => input.asset)].flatMap(([asset, orders]) => {
      const refund = fees.get(asset)?.refund
      if (refund === undefined) return []
      const locked = orders.reduce((sum, { input }) => sum + input.amount, 0n)
      const amount = (refund * BigInt(orders.length) * BigInt(dayMillis)) / BigInt(lifetimeMillis)
      return [{ asset, amount, share: locked === 0n ? 0 : Number(amount) / Number(locked) }]
    })
    return { strategy: name, lifetimeMillis, perDay }
  })

export const sentenceOf = ({ lifetimeMillis, perDay }: Renewal, assets: ReadonlyMap<string, Asset>): string => {
  const costs = perDay.flatMap(({ asset, amount }) => {
    const assetFacts = assets.get(asset)
    return assetFacts === undefined ? [] : [formatWithSymbol(amount, assetFacts)]
  })
  const rests = `orders stay open for ${age(lifetimeMillis)} at most, then the venue refunds them`
  return costs.length === 0 ? rests : `${rests}; renewing all of them costs about ${costs.join(" and ")} a day`
}

export const renewalWarnings = (renewals: ReadonlyArray<Renewal>): ReadonlyArray<PlanWarning> =>
  renewals.flatMap(({ strategy, perDay }) => {
    const worst = Math.max(0, ...perDay.map(({ share }) => share))
    if (worst <= maxShare) return []
    const text = `renewing its orders would cost ${percent(worst)} of their money a day: a longer limits.orderLifetime costs less`
    return [{ name: "renewal", strategy, slots: [], text } as const]
  })

type QuotedMarket = Pick<Book, "depth" | "market">

/** Warns of planned orders that are larger than the market's quoted depth: they may fill slowly, and in parts. */
export const depthWarnings = (changes: ReadonlyArray<PlannedChange>, books: ReadonlyMap<string, QuotedMarket>) => {
  const large = changes.flatMap((change) => {
    const order = change.action === "create" ? change : change.next
    const book = books.get(change.market)
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
