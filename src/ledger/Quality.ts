/** Measures how well orders did. These are statistics, not money, so ratios are doubles. */
import { median } from "../domain/Amount.ts"
import { leastOf } from "../domain/Bisection.ts"
import { minuteMillis } from "../domain/Durations.ts"
import type { Side } from "../domain/Market.ts"
import type { SeenMinute } from "./FillBand.ts"
import type { OrderLife } from "./OrderLife.ts"
import type { Decimals } from "./PlainText.ts"
import type { TradingRecord } from "./Trades.ts"

export interface ClosedMinute extends SeenMinute {
  readonly close: number
}

export type Minutes = ReadonlyMap<string, ReadonlyArray<ClosedMinute>>

export const markoutNames = ["1m", "5m", "60m"] as const

export type Quality = Readonly<ReturnType<typeof qualityOf>>

/** A close counts as the price for this long. */
export const freshMillis = 3 * minuteMillis

/** The mid of the last minute that had ended then, if the bot was recording prices at the time. `minutes` are sorted by time. */
const midAt = (minutes: ReadonlyArray<ClosedMinute>, at: number): number | undefined => {
  const ended = leastOf(minutes.length, (index) => (minutes[index]?.openedAt ?? 0) + minuteMillis > at)
  const last = minutes[ended - 1]
  return last !== undefined && at - last.openedAt <= minuteMillis + freshMillis ? last.close : undefined
}

/** A fill in whole units: `quantity` of base, `value` in quote. */
interface MarkedFill {
  readonly at: number
  readonly side: Side
  readonly quantity: number
  readonly value: number
}

type MidAt<F> = (fill: F, at: number) => number | undefined

const moveAfter =
  <F extends MarkedFill>(fills: ReadonlyArray<F>, midAt: MidAt<F>) =>
  (minutes: number): number | null => {
    let [sum, weight] = [0, 0]
    for (const fill of fills) {
      const { at, side, quantity, value } = fill
      const later = quantity === 0 ? undefined : midAt(fill, at + minutes * minuteMillis)
      if (later === undefined) continue
      const gain = later / (value / quantity) - 1
      sum += value * (side === "BUY" ? gain : -gain)
      weight += value
    }
    return weight === 0 ? null : sum / weight
  }

export const markoutsOf = <F extends MarkedFill>(
  fills: ReadonlyArray<F>,
  midAt: MidAt<F>
): Record<(typeof markoutNames)[number], number | null> => {
  const after = moveAfter(fills, midAt)
  return { "1m": after(1), "5m": after(5), "60m": after(60) }
}

interface MarkoutTerms {
  readonly quote: string
  readonly minutes: Minutes
  readonly decimals: Decimals
}

const markedIn = (trades: TradingRecord["trades"], { decimals, quote }: Omit<MarkoutTerms, "minutes">) =>
  trades
    .filter((trade) => trade.quote === quote)
    .map(({ at, market, side, base, baseAmount, quoteAmount }) => ({
      ...{ at, market, side },
      quantity: Number(baseAmount) / 10 ** decimals(base),
      value: Number(quoteAmount) / 10 ** decimals(quote)
    }))

/** Base bought and not sold, lost or paid as a fee, in units. */
const heldIn = (exchanges: TradingRecord["trades"], { decimals, quote }: Omit<MarkoutTerms, "minutes">): number => {
  const byBase = Map.groupBy(
    exchanges.filter((exchange) => exchange.quote === quote),
    ({ base }) => base
  )
  return [...byBase].reduce((total, [base, own]) => {
    const net = own.reduce((sum, { baseAmount, side }) => (side === "BUY" ? sum + baseAmount : sum - baseAmount), 0n)
    return total + Number(net) / 10 ** decimals(base)
  }, 0)
}

const midIn =
  ({ minutes }: Pick<MarkoutTerms, "minutes">) =>
  ({ market }: { readonly market: string }, at: number): number | undefined =>
    midAt(minutes.get(market) ?? [], at)

export const qualityOf = ({ trades, fees, orders }: TradingRecord, terms: MarkoutTerms) => {
  const { decimals, quote } = terms
  const rested = orders.filter((order) => order.quote === quote && order.restingAt !== undefined)
  const filled = rested.filter(({ firstFillAt }) => firstFillAt !== undefined)
  const moved = new Set(rested.filter(({ wasRequoted }) => wasRequoted === true).map(({ placement }) => placement))
  const movedFees = fees.filter(({ placement, kind }) => kind === "refund" && moved.has(placement))
  const ofQuote = fees.filter((fee) => fee.quote === quote)
  const inUnits = (amounts: ReadonlyArray<bigint>) =>
    Number(amounts.reduce((sum, amount) => sum + amount, 0n)) / 10 ** decimals(quote)
  const refundFees = movedFees.reduce((sum, { inQuote }) => sum + Number(inQuote), 0) / 10 ** decimals(quote)
  return {
    /** Orders that were open with our deposit, and the number of them that filled at least partly. */
    rested: rested.length,
    filled: filled.length,
    fillRatio: rested.length === 0 ? null : filled.length / rested.length,
    medianMillisToFill:
      median(filled.map(({ restingAt = 0, firstFillAt = 0 }) => Math.max(0, firstFillAt - restingAt))) ?? null,
    requotes: moved.size,
    /** Mean refund fee of an order that was cancelled to be placed elsewhere, in quote units. */
    costPerRequote: moved.size === 0 ? null : refundFees / moved.size,
    /** Fees of payouts and refunds, and the venue's estimates for the same payments, in quote units. */
    feesPaid: inUnits(ofQuote.map(({ inQuote }) => inQuote)),
    feesEstimated: inUnits(ofQuote.map(({ inQuote, estimatedInQuote = inQuote }) => estimatedInQuote)),
    /** Movement of the mid in our favour after a fill, as a share of the fill price, weighted by value. Null without prices. */
    markout: markoutsOf(markedIn(trades, terms), midIn(terms))
  }
}

export type Quoting = Readonly<ReturnType<typeof quotingOf>>

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

export const quotingOf = (record: TradingRecord, strategy: string, terms: MarkoutTerms, now: number) => {
  const isOwn = (each: { readonly strategy: string }): boolean => each.strategy === strategy
  const own = { ...record, orders: record.orders.filter(isOwn), trades: record.trades.filter(isOwn), fees: [] }
  const { fillRatio, markout } = qualityOf(own, terms)
  const levels = Map.groupBy(own.orders, ({ slot }) => slot)
  return {
    fillRatio,
    markout,
    /** From the fill to the mid of the last full minute before it, in our favour, weighted by value. Null without prices. */
    spreadCaptured: moveAfter(markedIn(own.trades, terms), midIn(terms))(0),
    /** Share of the time since the first order in which a bid and an ask were open. */
    uptime: uptimeOf(own.orders, now),
    /** The target is zero. */
    inventory: heldIn([...own.trades, ...record.losses.filter(isOwn)], terms),
    levels: [...levels].map(([slot, orders]) => {
      const { filled, rested } = qualityOf({ ...own, orders }, terms)
      return { slot, filled, rested }
    })
  }
}
