/**
 * Measures the venue's charges from the events of the bot's own orders. Uses medians, because a fill may also be better than its price.
 * Swaps do not count: their payout is part of their price.
 */
import { type Amount, max, median, medianAmount } from "../../domain/Amount.ts"
import type { BotEvent, Recorded } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import * as EchoedFee from "../../domain/EchoedFee.ts"
import { mid } from "../../domain/Market.ts"
import { enough } from "./Calibration.ts"

export type FlatFees = Readonly<Record<"payouts" | "refunds", ReadonlyMap<string, Amount>>>

export interface MeasuredFees extends FlatFees {
  readonly fills: number
  readonly basisPoints: number
}

const perMillion = 1_000_000n
/** 10,000 of these parts are a basis point. */
const perWhole = 1e8
const perBasisPoint = 100

const medians = (fees: ReadonlyMap<string, ReadonlyArray<Amount>>): ReadonlyMap<string, Amount> =>
  new Map([...fees].flatMap(([asset, each]) => (each.length < enough ? [] : [[asset, medianAmount(each)] as const])))

type Decided = Extract<BotEvent, { readonly _tag: "Decided" }>

/** Uses only strategies with a single market, because the prices of a decision are of that market. Omits markets with too few decisions. */
const byMarket = (
  events: Iterable<BotEvent>,
  of: (decided: Decided, middle: number) => number | undefined
): ReadonlyMap<string, number> => {
  const markets = new Map<string, Set<string>>()
  const samples: Array<readonly [strategy: string, value: number]> = []
  for (const event of events) {
    if (event._tag === "Planned")
      markets.set(event.strategy, (markets.get(event.strategy) ?? new Set()).add(event.market))
    if (event._tag !== "Decided") continue
    const middle = Decimal.toNumber(mid(event))
    const value = middle > 0 ? of(event, middle) : undefined
    if (value !== undefined) samples.push([event.strategy, value])
  }
  const marketOf = (strategy: string): string | undefined => {
    const [market, ...others] = markets.get(strategy) ?? []
    return others.length === 0 ? market : undefined
  }
  return new Map(
    [...Map.groupBy(samples, ([strategy]) => marketOf(strategy))].flatMap(([market, each]) =>
      market === undefined || each.length < enough
        ? []
        : [[market, median(each.map(([, value]) => value)) ?? 0] as const]
    )
  )
}

const apart = (bid: Decimal.Decimal, ask: Decimal.Decimal, middle: number): number =>
  Math.round((Decimal.toNumber(Decimal.subtract(ask, bid)) / middle) * perWhole) / (perWhole / 10_000)

/** Basis points from bid to ask by market, medians over decisions. A quote includes the venue's fee on both sides, which is subtracted. */
export const spreads = (events: Iterable<BotEvent>, quotedFee: number): ReadonlyMap<string, number> => {
  const spreadByMarket = byMarket(events, ({ ask, bid }, middle) => apart(bid, ask, middle))
  return new Map([...spreadByMarket].map(([market, each]) => [market, Math.max(0, each - 2 * quotedFee)]))
}

/**
 * Price impact by market: basis points for each smallest unit of base at a price of one. Medians over decisions of strategies that read at
 * least two sizes. The fee is equal in all sizes and cancels out.
 */
export const impacts = (events: Iterable<BotEvent>): ReadonlyMap<string, number> =>
  byMarket(events, ({ depth = [] }, middle) => {
    const levels = depth
      .flatMap(({ ask, bid, quantity }) =>
        ask === undefined || bid === undefined ? [] : [{ quantity, half: apart(bid, ask, middle) / 2 }]
      )
      .toSorted((a, b) => (a.quantity < b.quantity ? -1 : 1))
    const [small, large] = [levels[0], levels.at(-1)]
    if (small === undefined || large === undefined || small.quantity === large.quantity) return undefined
    return Math.max(0, large.half - small.half) / (Number(large.quantity - small.quantity) * middle)
  })

/** The venue's estimates on the newest orders. */
export const published = (events: Iterable<BotEvent>): FlatFees => {
  const planned = new Map<string, { readonly inputAsset: string; readonly outputAsset: string }>()
  const [payouts, refunds] = [new Map<string, Amount>(), new Map<string, Amount>()]
  for (const event of events) {
    if (event._tag === "Planned" && event.by !== "swap") planned.set(event.placement, event)
    if (event._tag !== "Bound" && event._tag !== "FeesEstimated") continue
    const order = planned.get(event.placement)
    if (order === undefined) continue
    payouts.set(order.outputAsset, event.estimatedWithdrawFee)
    refunds.set(order.inputAsset, event.estimatedRefundFee)
  }
  return { payouts, refunds }
}

export const measure = (events: Iterable<BotEvent>): MeasuredFees | undefined => {
  const planned = new Map<string, { readonly inputAmount: Amount; readonly outputAmount: Amount }>()
  const missing: Array<bigint> = []
  const [payouts, refunds] = [new Map<string, Array<Amount>>(), new Map<string, Array<Amount>>()]
  for (const event of events) {
    if (event._tag === "Planned" && event.by !== "swap") planned.set(event.placement, event)
    const order = "placement" in event ? planned.get(event.placement) : undefined
    if (order === undefined) continue
    if (event._tag === "PaidOut" || event._tag === "Refunded") {
      const fees = event._tag === "PaidOut" ? payouts : refunds
      const amounts = fees.get(event.asset)
      if (amounts === undefined) fees.set(event.asset, [event.fee])
      else amounts.push(event.fee)
    }
    if (event._tag !== "FillSeen") continue
    const expected = event.amountIn * order.outputAmount
    if (expected <= 0n) continue
    missing.push(((expected - event.amountOut * order.inputAmount) * perMillion) / expected)
  }
  if (missing.length < enough) return undefined
  return {
    fills: missing.length,
    basisPoints: Number(max(0n, medianAmount(missing))) / perBasisPoint,
    payouts: medians(payouts),
    refunds: medians(refunds)
  }
}

export const echoed = (recorded: ReadonlyArray<Recorded>): EchoedFee.LearnedFees => {
  const feeByMarket = new Map<string, EchoedFee.LearnedFee>()
  const markets = new Map<string, string>()
  const placements = new Set<string>()
  for (const { at, event } of recorded) {
    if (event._tag === "Planned") markets.set(event.placement, event.market)
    if (event._tag !== "FeeEchoed") continue
    const market = markets.get(event.placement)
    if (market === undefined) continue
    EchoedFee.learn(feeByMarket, market, event, { at, isFirst: !placements.has(event.placement) })
    placements.add(event.placement)
  }
  return feeByMarket
}
