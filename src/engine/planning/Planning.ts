/**
 * From a strategy to planned placements: ask the strategy (only when its last answer no longer holds), compare with
 * its present orders, check the limits, and record what will be done. Nothing is sent from here. Each refusal is
 * recorded once, with its reason.
 */

import { Effect, Result } from "effect"
import type { Depth } from "../../domain/Book.ts"
import type { BotEvent, Of, Reason } from "../../domain/BotEvent.ts"
import * as Ledger from "../../domain/Ledger.ts"
import { inputAsset, mid, outputAsset, type TwoSidedPrice } from "../../domain/Market.ts"
import { isFinished } from "../../domain/Placement.ts"
import { present } from "../../domain/Present.ts"
import { age } from "../../domain/Words.ts"
import { type Decision, type DesiredOrder, holds } from "../../strategy/Decision.ts"
import * as JoinedCandles from "../../strategy/expression/series/JoinedCandles.ts"
import { marketsOf, type Strategy } from "../../strategy/Strategy.ts"
import { priceIn, type View } from "../../strategy/View.ts"
import { EngineSettings, refusalPauseMillis, type Settings } from "../EngineSettings.ts"
import { holdsOnSlot } from "../holds/Holds.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { type BotState, unfinished } from "../state/BotState.ts"
import { isDoubted } from "../state/orders/JournalTail.ts"
import { isUnpaid, openQuantity, type Placement } from "../state/Placement.ts"
import { slotKey } from "../state/SlotFold.ts"
import * as Tally from "../state/Tally.ts"
import { doubtOf, isDoubtful } from "../tracking/EarlyEnd.ts"
import * as Fingerprint from "../tracking/Fingerprint.ts"
import { replacementCost } from "./costs/ReplacementCost.ts"
import { armed, decisionEvent, type MarketMoment, stable, viewOf } from "./DecisionRecord.ts"
import { leavingBeside, leftByEdits } from "./LeavingOrders.ts"
import { closings, refusalsThatTell, sweeps } from "./LegRests.ts"
import { type Change, diff, type SlotOrder, type Wish } from "./OrderDiff.ts"
import { type Approved, type Circumstances, check, type LimitName } from "./RiskLimits.ts"

/** The last answer of a strategy, and what it had seen by then. */
interface Standing {
  readonly strategy: Strategy
  readonly decision: Decision
  readonly moves: number
  readonly candles: View["candles"]
  readonly depth: Depth | undefined
  readonly recorded: string
}

/** What the strategy has at work already. */
interface Beside {
  readonly tally: Tally.Tally
  /** Orders of older files that leave. */
  readonly left: ReadonlyArray<Placement>
}

/** `admits`: whether a free slot may get this order now. */
export const make = Effect.fnUntraced(function* (admits: (strategy: Strategy, desired: DesiredOrder) => boolean) {
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings
  const standing = new Map<string, Standing>()
  const said = new Map<string, string>()

  /** The decision in force: the last one while it holds, otherwise a new one. It is recorded when it differs. */
  const decide = Effect.fnUntraced(function* (strategy: Strategy, view: View) {
    const last = standing.get(strategy.name)
    const { state } = books
    const moves = state.strategies.get(strategy.name)?.moves ?? 0
    if (last?.strategy === strategy && stillHolds(last, view, moves)) return last.decision
    const memory = state.strategies.get(strategy.name)?.memory ?? strategy.initialMemory
    const decision = strategy.decide(view, memory)
    const event = decisionEvent(strategy, view, decision, strategy.inputs?.(view, memory))
    const recorded = stable(event)
    standing.set(strategy.name, { strategy, decision, moves, candles: view.candles, depth: view.depth, recorded })
    if (recorded !== last?.recorded) {
      // What is wanted again is refused anew.
      const wanted = new Set(event.desired.map(({ slot }) => slotKey(strategy.name, slot)))
      for (const key of said.keys())
        if (key.startsWith(slotKey(strategy.name, "")) && !wanted.has(key)) said.delete(key)
      yield* books.record(event)
    }
    return decision
  })

  const plan = Effect.fn("Planning.plan")(function* (
    strategy: Strategy,
    moment: MarketMoment,
    withdrawAll: Reason | undefined
  ) {
    const own = unfinished(books.state).filter((placement) => placement.strategy === strategy.name)
    const tally = Tally.of(books.state, strategy.name, moment.now)
    let view = viewOf(books.state, strategy, moment, tally)
    let decision = yield* decide(strategy, view)
    const closed = withdrawAll === undefined ? closings(books.state, strategy, decision.desired, view, own) : []
    if (closed.length > 0) {
      yield* books.record(...closed)
      view = viewOf(books.state, strategy, moment, tally)
      decision = yield* decide(strategy, view)
    }
    const wish =
      withdrawAll === undefined
        ? withSweeps(wishOf(decision, view), sweeps(books.state, strategy, decision.desired, view, own))
        : nothing(own, withdrawAll)
    const changes = diff(
      strategy.market,
      wish,
      own.map((placement) => ownOrder(books.state, strategy, placement, view))
    )
    const beside = { tally, left: leftByEdits(books.state, strategy) }
    yield* Effect.forEach(changes, (change) => apply(strategy, view, own, beside, change), { discard: true })
    yield* Effect.forEach(own.filter(isDoubtful), (placement) => tellEnded(strategy, wish, placement), {
      discard: true
    })
    return decision
  })

  /** The exit of a position is gone for as long as its end is not believed. */
  const tellEnded = (strategy: Strategy, { desired }: Wish, placement: Placement) => {
    const { order, slot } = placement
    const wanted = desired.get(slot)
    const exit = wanted === undefined ? undefined : exitOf(strategy, wanted)
    if (exit === undefined) return Effect.void
    const about = { strategy: strategy.name, slot }
    const event = { _tag: "Deferred", ...about, reason: doubtOf(placement), exit } as const
    return once(books.state, about, `ended ${order?.id}`, event)
  }

  const apply = (
    strategy: Strategy,
    view: View,
    own: ReadonlyArray<Placement>,
    beside: Beside,
    change: Change
  ): ReturnType<typeof books.record> => {
    switch (change._tag) {
      case "Keep":
      case "Wait":
        return Effect.void
      case "Cancel": {
        const known = own.find((candidate) => candidate.slot === change.slot)
        // The order may have been withdrawn, or may have ended, since this plan looked at it.
        return books.recordFrom((state) => {
          const { placements } = state
          const placement = known === undefined ? undefined : placements.get(known.id)
          const isOver = placement === undefined || isFinished(placement.state) || placement.cancel !== undefined
          return isOver || !isInForce(state, strategy) ? [] : [withdrawal(placement, change.why)]
        })
      }
      case "Place":
        if (!admits(strategy, change.desired)) return Effect.void
        return place(strategy, view, beside, change.desired)
    }
  }

  const place = (strategy: Strategy, view: View, { left, tally }: Beside, desired: DesiredOrder) => {
    const { state } = books
    const { now } = view
    const slot = state.slots.get(slotKey(strategy.name, desired.slot))
    const waitUntil = slot === undefined ? 0 : slot.refusedAt + refusalPauseMillis(settings, slot.refusals)
    const about = { strategy: strategy.name, slot: desired.slot }
    if (now < waitUntil && now >= (slot?.refusedAt ?? 0)) {
      const reason = `${slot?.refusedWhy ?? "the last attempt failed"}; the next attempt is due in ${age(waitUntil - now)}`
      const exit = (slot?.refusals ?? 0) < refusalsThatTell ? undefined : exitOf(strategy, desired)
      return once(state, about, `${slot?.refusals} refusals`, {
        _tag: "Deferred",
        ...about,
        reason,
        ...present({ exit })
      })
    }
    const price = priceFor(view, desired)
    const verdict = check(desired, circumstances(state, settings, strategy, desired, price, now, tally, left))
    if (Result.isSuccess(verdict)) {
      const approved = verdict.success
      return Effect.gen(function* () {
        const event = planned(
          state,
          strategy,
          approved,
          price,
          yield* deadlineOf(state, settings, strategy, approved, now)
        )
        Tally.add(tally, event)
        yield* books.recordFrom((present) => (isInForce(present, strategy) ? [event] : []))
      })
    }
    const { limit, reason } = verdict.failure
    const exit = isMissed(desired, limit) ? exitOf(strategy, desired) : undefined
    return once(state, about, limit, { _tag: "Denied", ...about, limit, reason, mid: mid(price), ...present({ exit }) })
  }

  /** Records a verdict about a slot once, until it changes or the slot is planned. */
  const once = (
    state: BotState,
    about: { readonly strategy: string; readonly slot: string },
    what: string,
    event: BotEvent
  ) => {
    const key = slotKey(about.strategy, about.slot)
    const placement = state.slots.get(key)?.placement ?? ""
    const saying = `${placement} ${what}`
    if (said.get(key) === saying) return Effect.void
    said.set(key, saying)
    return books.record(event)
  }

  return { plan }
})

/**
 * What is worth nothing is missed by nobody, and a target that is a swap waits for its price. While orders leave that an exit
 * must not rest beside, they may still do its work.
 */
const isMissed = ({ mayLose }: DesiredOrder, limit: LimitName): boolean =>
  limit !== "tiny" && limit !== "leaving-orders" && (limit !== "swap-price" || mayLose === true)

const exitOf = (strategy: Strategy, { isExit, market, price, quantity, side }: DesiredOrder): Of<"Denied">["exit"] =>
  isExit === true ? { side, price, quantity, asset: (market ?? strategy.market).base.symbol } : undefined

/** The figures that the limits are checked against. */
export const circumstances = (
  state: BotState,
  settings: Settings,
  strategy: Strategy,
  desired: DesiredOrder,
  price: TwoSidedPrice,
  now: number,
  { own, all } = Tally.of(state, strategy.name, now),
  left = leftByEdits(state, strategy)
): Circumstances => {
  const { name, limits } = strategy
  const market = desired.market ?? strategy.market
  const asset = inputAsset(market, desired.side).symbol
  const { overall } = settings
  const maxExposure = overall?.exposure.get(asset)
  return {
    now,
    market,
    limits,
    price,
    leaving: leavingBeside(state, strategy, desired, left),
    openOrders: own.openOrders,
    free:
      Ledger.freeOf(state.ledger, name, asset) -
      (own.reserved.get(asset) ?? 0n) +
      (desired.slot === Ledger.dustSlot(asset) ? Ledger.dustOf(state.ledger, name, asset) : 0n),
    openNotional: own.notional,
    lastHour: own.lastHour,
    held: new Map(holdsOnSlot(state, name, desired.slot).map(({ code, text }) => [code, text] as const)),
    overall: {
      openOrders: all.openOrders,
      lastHour: all.lastHour,
      exposure: all.exposure.get(asset) ?? 0n,
      ...(overall?.maxOpenOrders === undefined ? {} : { maxOpenOrders: overall.maxOpenOrders }),
      ...(overall?.maxOrdersPerHour === undefined ? {} : { maxOrdersPerHour: overall.maxOrdersPerHour }),
      ...present({ maxExposure })
    }
  }
}

/** A newly closed candle is a new object in the view, and so is newly quoted depth. */
const stillHolds = ({ decision: { until }, moves, candles, depth }: Standing, view: View, movesNow: number): boolean =>
  holds(until, view, movesNow > moves) &&
  (until.barClose === undefined || JoinedCandles.isSame(view.candles, candles)) &&
  (until.depth === undefined || view.depth === depth)

const wishOf = (decision: Decision, view: View) => ({
  desired: new Map(
    decision.desired.flatMap((desired) => {
      const order = armed(desired, view)
      return order === undefined ? [] : [[desired.slot, order] as const]
    })
  ),
  absent: new Map(decision.absent.map(({ slot, why }) => [slot, why]))
})

const withSweeps = (wish: Wish, orders: ReadonlyArray<DesiredOrder>): Wish => ({
  ...wish,
  desired: new Map([...wish.desired, ...orders.map((order) => [order.slot, order] as const)])
})

/** An edit that was accepted while this plan was made: the older file must do nothing more. */
const isInForce = ({ strategies }: BotState, { name, hash }: Strategy): boolean => {
  const loaded = strategies.get(name)?.loaded
  return loaded === undefined || loaded.hash === hash
}

const nothing = (own: ReadonlyArray<Placement>, why: Reason) => ({
  desired: new Map<string, DesiredOrder>(),
  absent: new Map(own.map(({ slot }) => [slot, why]))
})

const withdrawal = (placement: Placement, why: Reason): BotEvent => {
  const about = { strategy: placement.strategy, slot: placement.slot, placement: placement.id }
  return isUnpaid(placement) && !isDoubted(placement)
    ? abandoned(placement, why.text)
    : { _tag: "CancelRequested", ...about, why }
}

const abandoned = ({ id, slot, strategy }: Placement, reason: string): BotEvent => ({
  _tag: "Abandoned",
  strategy,
  slot,
  placement: id,
  reason
})

/** The price of the order's market, dated by the oldest price that the strategy decided on. */
const priceFor = (view: View, { market }: DesiredOrder): TwoSidedPrice => {
  const oldest = Math.min(view.price.at, ...[...(view.elsewhere?.values() ?? [])].map(({ at }) => at))
  return { ...(priceIn(view, (market ?? view.market).name) ?? view.price), at: oldest }
}

const ownOrder = (state: BotState, strategy: Strategy, placement: Placement, view: View): SlotOrder => {
  const market = marketsOf(strategy).find(({ name }) => name === placement.market) ?? strategy.market
  const { ask } = priceIn(view, market.name) ?? view.price
  return {
    ...placement,
    quantity: openQuantity(placement),
    cancelRequested: placement.cancel !== undefined,
    replacement: replacementCost(state, market, placement, { ask, now: view.now })
  }
}

const planned = (
  state: BotState,
  strategy: Strategy,
  { desired, inputAmount, outputAmount }: Approved,
  price: TwoSidedPrice,
  deadline: number
): Of<"Planned"> => {
  const market = desired.market ?? strategy.market
  return {
    _tag: "Planned",
    strategy: strategy.name,
    slot: desired.slot,
    placement: `p${state.placementCount + 1}`,
    market: market.name,
    side: desired.side,
    price: desired.price,
    quantity: desired.quantity,
    ...present({ by: desired.by }),
    inputAsset: inputAsset(market, desired.side).symbol,
    inputAmount,
    outputAsset: outputAsset(market, desired.side).symbol,
    outputAmount,
    ...present({ terms: strategy.terms }),
    mid: mid(price),
    deadline,
    why: desired.why
  }
}

/** A swap is in no list, so its deadline need not be unique. */
const deadlineOf = (
  state: BotState,
  settings: Settings,
  { limits }: Strategy,
  { desired }: Approved,
  now: number
): Effect.Effect<number> => {
  if (desired.by === "swap") return Effect.succeed(now + settings.swapLifetimeMillis)
  const lifetime = limits.orderLifetimeMillis ?? settings.orderLifetimeMillis
  return Fingerprint.draw(now + lifetime, lifetime, state.tail.drawn, state.tail.mark ?? 0)
}
