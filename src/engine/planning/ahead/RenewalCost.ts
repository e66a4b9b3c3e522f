/** Cost of renewing orders that never fill. A short lifetime frees the money sooner when the bot is gone, but costs more. Pure. */
import { type Amount, type Asset, formatWithSymbol } from "../../../domain/Amount.ts"
import { dayMillis } from "../../../domain/Durations.ts"
import { age, percent } from "../../../domain/Text.ts"
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

export const warningsOf = (renewals: ReadonlyArray<Renewal>): ReadonlyArray<PlanWarning> =>
  renewals.flatMap(({ strategy, perDay }) => {
    const worst = Math.max(0, ...perDay.map(({ share }) => share))
    if (worst <= maxShare) return []
    const text = `renewing its orders would cost ${percent(worst)} of their money a day: a longer limits.orderLifetime costs less`
    return [{ name: "renewal", strategy, slots: [], text } as const]
  })
