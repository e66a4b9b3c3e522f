/**
 * `make` makes the `Refusals`. They record why any slot has no order although one is planned: our limit, a wait, or an end that is not
 * believed. Each reason is recorded once, until the slot gets another placement, or its plan is dropped and comes back.
 *
 * `watch` reports exits that a position lacks although nothing has refused them. An exit after a stop may stay unfilled for a minute. The
 * order of an exit may have ended in a way that is not believed yet. An exit may wait for the fills of an entry, because the venue does not
 * cancel the entry, or after a stop does not pay it out, within a minute.
 */
import { Effect } from "effect"
import { formatWithSymbol, magnitude, max, min } from "../../domain/Amount.ts"
import type { BotEvent, Of } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { beginOf, minuteMillis } from "../../domain/Durations.ts"
import { type BidAsk, type Market, mid, opposite, type Price, quoteAmount } from "../../domain/Market.ts"
import { type Decision, type DesiredOrder, nextLeg } from "../../strategy/Decision.ts"
import { isAfterStop } from "../../strategy/kinds/StopExit.ts"
import { marketsOf, type Strategy } from "../../strategy/Strategy.ts"
import { priceIn, progressOf, type View } from "../../strategy/View.ts"
import type { Bookkeeper } from "../state/Bookkeeper.ts"
import { filledBase, openQuantity, type Placement } from "../state/Placement.ts"
import { keyOf, type SlotId, slotKey } from "../state/SlotFold.ts"
import { doubtOf, isEndUnbelieved } from "../tracking/EarlyEnd.ts"
import { executable, type LimitName } from "./OrderLimits.ts"

type WantedExit = NonNullable<Of<"Denied">["exit"]>
type Recorded = ReturnType<Bookkeeper["Service"]["record"]>

export type Refusals = ReturnType<typeof make>

interface Reported {
  /** A placement or, for a missing exit, the market's price. */
  readonly about: string | number | undefined
  readonly verdicts: Set<string>
}

export const make = ({ record, state }: Bookkeeper["Service"]) => {
  const reports = new Map<string, Reported>()
  const recordOnce = (key: string, about: Reported["about"], what: string, event: BotEvent): Recorded => {
    const before = reports.get(key)
    const verdicts = before?.about === about ? (before?.verdicts ?? new Set()) : new Set<string>()
    if (verdicts.has(what)) return Effect.void
    reports.set(key, { about, verdicts: verdicts.add(what) })
    return record(event)
  }
  return {
    once: (slot: SlotId, what: string, event: BotEvent): Recorded => {
      const key = keyOf(slot)
      return recordOnce(key, state.slots.get(key)?.placement, what, event)
    },
    /** Records a missing exit once, even if its placement changes, and again after the market has moved by a percent. */
    missing: (exit: SlotId, what: string, event: BotEvent, market: Price): Recorded => {
      const key = keyOf(exit)
      // A part of the exit was placed since, for example: the rest is missing again, even at the same price.
      if (!state.refusedExits.has(key)) reports.delete(key)
      const [before, now] = [reports.get(key)?.about, Decimal.toNumber(market)]
      const isKnown = typeof before === "number" && Math.abs(now / before - 1) < 0.01
      return recordOnce(key, isKnown ? before : now, what, event)
    },
    /** The order in the slot is as planned, so a refused exit is no longer missing. An exit after a stop is, until its order has the money. */
    wantsNoMore: (about: SlotId, wanted: DesiredOrder | undefined): Recorded => {
      const key = keyOf(about)
      const reported = state.refusedExits.get(key)
      const isMissing = reported?.limit === undefined && wanted !== undefined && isAfterStop(wanted)
      if (reported === undefined || isMissing) return Effect.void
      reports.delete(key)
      return record({ _tag: "Deferred", ...about, reason: "the order there is as planned" })
    },
    forgetAllBut: (strategy: string, wanted: ReadonlyArray<string>) => forgetAllBut(reports, strategy, wanted)
  }
}

const forgetAllBut = (known: Map<string, unknown>, strategy: string, wanted: ReadonlyArray<string>): void => {
  const keys = new Set(wanted.map((slot) => slotKey(strategy, slot)))
  for (const key of known.keys()) if (key.startsWith(slotKey(strategy, "")) && !keys.has(key)) known.delete(key)
}

/**
 * True if a refused exit counts as missing. A worthless one does not, and a target that is a swap waits for its price. Leaving orders for
 * which an exit waits may still do its work.
 */
export const isMissed = (order: DesiredOrder, limit: LimitName): boolean =>
  limit !== "tiny" && limit !== "leaving-orders" && (limit !== "swap-price" || isAfterStop(order))

/** Names the extra cost (quote, rounded up) of an exit at the market's price instead of the better of its own price and the mid. */
export const leavingNow = (
  market: Market,
  { price, quantity, side }: Pick<DesiredOrder, "price" | "quantity" | "side">,
  now: BidAsk
): string => {
  const [at, middle] = [executable(side, now), mid(now)]
  const better = side === "BUY" ? Decimal.min(price, middle) : Decimal.max(price, middle)
  const [higher, lower] = side === "BUY" ? [at, better] : [better, at]
  const cost = quoteAmount(market, quantity, higher, "up") - quoteAmount(market, quantity, lower, "down")
  return `exiting now at ${Decimal.format(at)} costs ${formatWithSymbol(max(0n, cost), market.quote)} more than at ${Decimal.format(better)}`
}

const isBeyond = ({ price, side }: Pick<WantedExit, "price" | "side">, now: BidAsk): boolean =>
  (side === "SELL" ? Decimal.isGreater : Decimal.isLess)(price, executable(side, now))

/** Why an exit is not in the market although its slot has an order. */
const absenceOf = ({ cancel, funding, price, state }: Placement): string | undefined => {
  const order = `the order at ${Decimal.format(price)}`
  if (state === "open") return cancel && `the venue has not cancelled ${order}`
  if (state === "closing") return `the venue has not refunded ${order}`
  if (state === "in doubt") return "it is unclear whether its order was paid"
  if (state === "funding") return funding.lastAnswer ?? "there is no answer to its payment"
  return state === "creating" ? "there is no answer to its create" : "its order is not paid yet"
}

export const exitOf = (
  strategy: Strategy,
  { isExit, market, price, quantity: open, dueInLeg: quantity = open, side }: DesiredOrder
): WantedExit | undefined =>
  isExit === true ? { side, price, quantity, asset: (market ?? strategy.market).base.symbol } : undefined

export const watch = ({ state }: Bookkeeper["Service"], refusals: Refusals) => {
  /** Time since which each exit has an open order, even if that order has moved. A refused exit has none, so its minute has not begun. */
  const restsSince = new Map<string, number>()
  /** Time since which the order of each exit is not in the market. */
  const absentSince = new Map<string, number>()

  return (
    strategy: Strategy,
    view: View,
    own: ReadonlyArray<Placement>,
    { absent, desired: planned }: Decision,
    orders: ReadonlyMap<string, DesiredOrder>
  ) => {
    const report = ({ market: name, slot }: Placement, exit: Omit<WantedExit, "asset">, what: string, why?: string) => {
      const market = marketsOf(strategy).find((each) => each.name === name) ?? strategy.market
      const now = priceIn(view, name) ?? view.price
      const partOf = orders.get(slot)?.dueInLeg
      const covers =
        partOf && `; the strategy's money covers only this part of ${formatWithSymbol(partOf, market.base)}`
      const unfilledWhy = `${isBeyond(exit, now) ? "the market is beyond its price" : "no solver has filled it"}${covers ?? ""}`
      const about = { strategy: strategy.name, slot, reason: `${why ?? unfilledWhy}; ${leavingNow(market, exit, now)}` }
      const event = { _tag: "Deferred", ...about, exit: { ...exit, asset: market.base.symbol } } as const
      return refusals.missing(about, what, event, mid(now))
    }

    const unfilled = (order: Placement, { isExit, price, quantity, side, slot }: DesiredOrder) => {
      const key = slotKey(strategy.name, slot)
      const absence = absenceOf(order)
      if (absence === undefined) absentSince.delete(key)
      const clock = absence === undefined ? restsSince : absentSince
      const reportedSince = absence === undefined ? state.refusedExits.get(key)?.since : undefined
      const since = Math.min(view.now, clock.get(key) ?? reportedSince ?? view.now)
      clock.set(key, since)
      const open = openQuantity(order)
      if (view.now - since < minuteMillis || order.by !== undefined || open === 0n || isExit !== true)
        return Effect.void
      if (absence !== undefined) return report(order, { side, price, quantity }, `absent: ${absence}`, absence)
      const exit = { side, price: order.side === side ? order.price : price, quantity: open, rests: true } as const
      return report(order, exit, `unfilled ${progressOf(view, slot).filledInLeg}`)
    }

    /** The venue pays out the fills of an order when the order ends, and its slot waits until all its money is back. */
    const blocked = (entry: Placement) => {
      const { cancel, closedAt, isExit, payout, slot, state } = entry
      const desired = planned.find((each) => each.slot === slot)
      const reason = desired ?? absent.find((each) => each.slot === slot)
      const isOver = state === "closing" && reason !== undefined && isAfterStop(reason)
      const since = isOver ? closedAt : state === "open" && isExit !== true ? cancel?.requestedAt : undefined
      // A minute, which begins again if the clock was set back.
      const isRecent = (at: number) => view.now - beginOf(entry.order ?? entry, at, view.now) < minuteMillis
      if (since === undefined || isRecent(since)) return Effect.void
      const side = isExit === true ? entry.side : opposite(entry.side)
      const exits = [...orders.values()].filter((order) => order.isExit === true && order.side === side)
      const others = exits.reduce((rest, order) => rest - order.quantity, magnitude(view.own?.position ?? 0n))
      const leg = desired && nextLeg(desired, view, slot)
      const next = leg?.side === side ? leg.price : undefined
      const own = isExit === true ? openQuantity(entry) : filledBase(entry)
      const isLeaving = isOver || (cancel !== undefined && isAfterStop(cancel))
      const uncovered = next !== undefined ? own : isLeaving ? others : 0n
      const quantity = min(own, uncovered)
      if (quantity <= 0n) return Effect.void
      const price = next ?? executable(side, priceIn(view, entry.market) ?? view.price)
      const unpaid = isExit === true ? "refunded its last order" : "paid the entry out"
      const isPaid = isExit !== true && payout === "paid"
      const why = isOver
        ? `the venue has not ${isPaid ? "refunded the rest of the entry" : unpaid}`
        : "the venue has not cancelled the entry, and pays out afterwards"
      return report(entry, { side, price, quantity }, `${isOver ? "unpaid" : "blocked"} ${quantity}`, why)
    }

    const isLeaving = (order: DesiredOrder) => {
      const reported = state.refusedExits.get(slotKey(strategy.name, order.slot))
      const isRefused = reported !== undefined && reported.wanted.rests !== true
      return isAfterStop(order) && (order.dueInLeg !== undefined || !isRefused)
    }
    const slots = [...orders.values()].filter(isLeaving).map(({ slot }) => slot)
    for (const clock of [restsSince, absentSince]) forgetAllBut(clock, strategy.name, slots)
    const look = (placement: Placement) => {
      const order = orders.get(placement.slot)
      if (order === undefined) return blocked(placement)
      const { isExit, price, quantity, side } = order
      if (isEndUnbelieved(placement) && isExit === true)
        return report(placement, { side, price, quantity }, `ended ${placement.order?.id}`, doubtOf(placement))
      return slots.includes(placement.slot) ? unfilled(placement, order) : Effect.void
    }
    return Effect.forEach(own, look, { discard: true })
  }
}
