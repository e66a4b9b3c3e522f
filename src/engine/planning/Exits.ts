/**
 * `Refusals` records why a slot has no order although one is planned: our limit, a wait, or an end that is not believed. Each reason is
 * recorded once, even if reasons alternate, until the slot gets another placement, or its plan is dropped and comes back. `watch` reports
 * exits that a position lacks though nothing has refused them: an exit after a stop that is not filled within a minute, and an exit whose
 * order has ended in a way that is not believed yet.
 */
import { Effect } from "effect"
import { formatWithSymbol, max } from "../../domain/Amount.ts"
import type { BotEvent, Of } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { type BidAsk, type Market, mid, type Price, quoteAmount } from "../../domain/Market.ts"
import { isFinished } from "../../domain/Placement.ts"
import type { DesiredOrder } from "../../strategy/Decision.ts"
import { isAfterStop } from "../../strategy/kinds/StopExit.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { priceIn, progressOf, type View } from "../../strategy/View.ts"
import type { Bookkeeper } from "../state/Bookkeeper.ts"
import { openQuantity, type Placement } from "../state/Placement.ts"
import { slotKey } from "../state/SlotFold.ts"
import { doubtOf, isEndUnbelieved } from "../tracking/EarlyEnd.ts"
import { executable, type LimitName } from "./OrderLimits.ts"

interface About {
  readonly strategy: string
  readonly slot: string
}

type Recorded = ReturnType<Bookkeeper["Service"]["record"]>

export interface Refusals {
  /** `what` distinguishes verdicts. */
  once(about: About, what: string, event: BotEvent): Recorded
  /** Records a missing exit once, whatever its placements do, and again after the market has moved by a percent. */
  missing(about: About, what: string, event: BotEvent, market: Price): Recorded
  /** The order in the slot is as planned, so a refused exit is no longer missing. One that is not filled still is. */
  wantsNoMore(about: About, wanted: DesiredOrder | undefined): Recorded
  forgetAllBut(strategy: string, wanted: ReadonlyArray<string>): void
}

interface Reported {
  /** A placement, or the market's price where an exit is missing. */
  readonly about: string | number | undefined
  readonly verdicts: Set<string>
}

const isMoved = (before: number, now: number): boolean => Math.abs(now / before - 1) >= 0.01

export const make = ({ record, state }: Bookkeeper["Service"]): Refusals => {
  const reports = new Map<string, Reported>()
  const recordOnce = (key: string, about: Reported["about"], what: string, event: BotEvent): Recorded => {
    const before = reports.get(key)
    const verdicts = before?.about === about ? (before?.verdicts ?? new Set()) : new Set<string>()
    if (verdicts.has(what)) return Effect.void
    reports.set(key, { about, verdicts: verdicts.add(what) })
    return record(event)
  }
  return {
    once: ({ slot, strategy }, what, event) => {
      const key = slotKey(strategy, slot)
      return recordOnce(key, state.slots.get(key)?.placement, what, event)
    },
    missing: ({ slot, strategy }, what, event, market) => {
      const key = slotKey(strategy, slot)
      const [before, now] = [reports.get(key)?.about, Decimal.toNumber(market)]
      const isKnown = state.refusedExits.has(key) && typeof before === "number" && !isMoved(before, now)
      return recordOnce(key, isKnown ? before : now, what, event)
    },
    wantsNoMore: (about, wanted) => {
      const key = slotKey(about.strategy, about.slot)
      const reported = state.refusedExits.get(key)
      const isUnfilled = reported?.wanted.rests === true && wanted !== undefined && isAfterStop(wanted)
      if (reported === undefined || isUnfilled) return Effect.void
      reports.delete(key)
      return record({ _tag: "Deferred", ...about, reason: "the order there is as planned" })
    },
    forgetAllBut: (strategy, wanted) => forgetAllBut(reports, strategy, wanted)
  }
}

const forgetAllBut = (known: Map<string, unknown>, strategy: string, wanted: ReadonlyArray<string>): void => {
  const keys = new Set(wanted.map((slot) => slotKey(strategy, slot)))
  for (const key of known.keys()) if (key.startsWith(slotKey(strategy, "")) && !keys.has(key)) known.delete(key)
}

/**
 * True if a refused exit counts as missing. A worthless one does not, and a target that is a swap waits for its price. Orders that are
 * leaving and must not be open beside an exit may still do its work.
 */
export const isMissed = ({ mayLose }: DesiredOrder, limit: LimitName): boolean =>
  limit !== "tiny" && limit !== "leaving-orders" && (limit !== "swap-price" || mayLose === true)

/** Cost of an exit at the market's price instead of the better of its own price and the mid: quote, rounded up. */
export const leavingNow = (
  market: Market,
  { price, quantity, side }: Pick<DesiredOrder, "price" | "quantity" | "side">,
  now: BidAsk
): string => {
  const [at, middle] = [executable(side, now), mid(now)]
  const better = side === "BUY" ? Decimal.min(price, middle) : Decimal.max(price, middle)
  const [higher, lower] = side === "BUY" ? [at, better] : [better, at]
  const cost = quoteAmount(market, quantity, higher, "up") - quoteAmount(market, quantity, lower, "down")
  return `leaving now at ${Decimal.format(at)} costs ${formatWithSymbol(max(0n, cost), market.quote)} more than at ${Decimal.format(better)}`
}

export const exitOf = (
  strategy: Strategy,
  { isExit, market, price, quantity, side }: DesiredOrder
): Of<"Denied">["exit"] =>
  isExit === true ? { side, price, quantity, asset: (market ?? strategy.market).base.symbol } : undefined

export const watch = ({ state }: Bookkeeper["Service"], refusals: Refusals) => {
  /** Time since which each exit has an order, however often that has moved. A refused exit has none, so its minute has not begun. */
  const restsSince = new Map<string, number>()

  const unfilled = (strategy: Strategy, view: View, own: Placement, wanted: DesiredOrder) => {
    const { slot } = wanted
    const key = slotKey(strategy.name, slot)
    const since = restsSince.get(key) ?? state.refusedExits.get(key)?.since ?? view.now
    restsSince.set(key, since)
    const quantity = openQuantity(own)
    if (view.now - since < minuteMillis || own.by !== undefined || quantity === 0n) return Effect.void
    const exit = exitOf(strategy, { ...wanted, price: own.side === wanted.side ? own.price : wanted.price, quantity })
    if (exit === undefined) return Effect.void
    const [market, now] = [wanted.market ?? strategy.market, priceIn(view, own.market) ?? view.price]
    const isBeyond = (exit.side === "SELL" ? Decimal.isGreater : Decimal.isLess)(exit.price, executable(exit.side, now))
    const why = isBeyond ? "the market is beyond its price" : "no solver has filled it"
    const about = { strategy: strategy.name, slot, reason: `${why}; ${leavingNow(market, exit, now)}` }
    const event = { _tag: "Deferred", ...about, exit: { ...exit, rests: true } } as const
    return refusals.missing(about, `unfilled ${progressOf(view, slot).filledInLeg}`, event, mid(now))
  }

  const ended = (strategy: Strategy, view: View, placement: Placement, wanted: DesiredOrder) => {
    const exit = exitOf(strategy, wanted)
    if (exit === undefined) return Effect.void
    const [market, now] = [wanted.market ?? strategy.market, priceIn(view, placement.market) ?? view.price]
    const reason = `${doubtOf(placement)}; ${leavingNow(market, exit, now)}`
    const about = { strategy: strategy.name, slot: wanted.slot }
    const event = { _tag: "Deferred", ...about, reason, exit } as const
    return refusals.missing(about, `ended ${placement.order?.id}`, event, mid(now))
  }

  return (
    strategy: Strategy,
    view: View,
    own: ReadonlyArray<Placement>,
    desired: ReadonlyMap<string, DesiredOrder>
  ) => {
    const isRefused = (slot: string): boolean => {
      const reported = state.refusedExits.get(slotKey(strategy.name, slot))
      return reported !== undefined && reported.wanted.rests !== true
    }
    const leaving = [...desired.values()].filter((wanted) => isAfterStop(wanted) && !isRefused(wanted.slot))
    const slots = leaving.map(({ slot }) => slot)
    forgetAllBut(restsSince, strategy.name, slots)
    return Effect.forEach(
      own,
      (placement) => {
        const desiredOrder = desired.get(placement.slot)
        if (desiredOrder === undefined) return Effect.void
        if (isEndUnbelieved(placement)) return ended(strategy, view, placement, desiredOrder)
        const isLive = slots.includes(placement.slot) && !isFinished(placement.state)
        return isLive ? unfilled(strategy, view, placement, desiredOrder) : Effect.void
      },
      { discard: true }
    )
  }
}
