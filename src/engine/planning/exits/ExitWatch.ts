/**
 * Reports exits that a position lacks though nothing has refused them: an exit after a stop that is not filled within a minute, and
 * one whose order has ended in a way that is not believed yet.
 */
import { Effect } from "effect"
import * as Decimal from "../../../domain/Decimal.ts"
import { minuteMillis } from "../../../domain/Durations.ts"
import { mid } from "../../../domain/Market.ts"
import { isFinished } from "../../../domain/Placement.ts"
import type { DesiredOrder } from "../../../strategy/Decision.ts"
import { isAfterStop } from "../../../strategy/kinds/StopExit.ts"
import type { Strategy } from "../../../strategy/Strategy.ts"
import { priceIn, progressOf, type View } from "../../../strategy/View.ts"
import type { Bookkeeper } from "../../state/Bookkeeper.ts"
import { openQuantity, type Placement } from "../../state/Placement.ts"
import { slotKey } from "../../state/SlotFold.ts"
import { doubtOf, isEndUnbelieved } from "../../tracking/EarlyEnd.ts"
import { executable } from "../OrderLimits.ts"
import { exitOf, forgetAllBut, leavingNow, type Refusals } from "./Refusals.ts"

export const make = ({ state }: Bookkeeper["Service"], refusals: Refusals) => {
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

  const ended = (strategy: Strategy, placement: Placement, wanted: DesiredOrder) => {
    const exit = exitOf(strategy, wanted)
    if (exit === undefined) return Effect.void
    const about = { strategy: strategy.name, slot: wanted.slot }
    const event = { _tag: "Deferred", ...about, reason: doubtOf(placement), exit } as const
    return refusals.once(about, `ended ${placement.order?.id}`, event)
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
        if (isEndUnbelieved(placement)) return ended(strategy, placement, desiredOrder)
        const isLive = slots.includes(placement.slot) && !isFinished(placement.state)
        return isLive ? unfilled(strategy, view, placement, desiredOrder) : Effect.void
      },
      { discard: true }
    )
  }
}
