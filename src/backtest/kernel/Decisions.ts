/**
 * Asking the strategy, and turning its answer into orders: what is unchanged rests on, what changed is cancelled and
 * placed anew. A strategy sees the close of a bar as bid and ask, at the moment the bar closes.
 */

import { exactPrice } from "../../candles/Candles.ts"
import { closedAt } from "../../candles/Resample.ts"
import * as TimeAxis from "../../candles/TimeAxis.ts"
import { bottomless } from "../../domain/Book.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { TwoSidedPrice } from "../../domain/Market.ts"
import { frameStart, timeframeMillis } from "../../domain/Timeframe.ts"
import { armedLeg, type Bounds, type DesiredSlot, type PriceBounds } from "../../strategy/Decision.ts"
import type { ClosedCandles, SlotProgress, View } from "../../strategy/View.ts"
import { boundAt } from "./FillRules.ts"
import * as Ladders from "./Ladders.ts"
import * as LimitGuard from "./LimitGuard.ts"
import * as OrderTable from "./OrderTable.ts"
import * as OwnState from "./OwnState.ts"
import * as Run from "./Run.ts"
import * as SlotStates from "./SlotStates.ts"

const { states } = SlotStates

/** When to ask again, as columns see it. */
export interface AskAgain {
  readonly below: number
  readonly above: number
  /** First bar whose close is late enough; the number of bars when none is. */
  readonly bar: number
}

/** The next moment at which a candle of this timeframe closes. */
const nextClose = (now: number, timeframe: string): number => {
  const millis = timeframeMillis(timeframe) ?? 1
  return frameStart(now, millis) + millis
}

/** `prices`: the bounds of the run's market. */
export const askAgain = (run: Run.Run, until: Bounds, prices: PriceBounds): AskAgain => {
  const { time, priceScale } = run.candles
  const moment = Math.min(
    until.time ?? Number.POSITIVE_INFINITY,
    until.barClose === undefined ? Number.POSITIVE_INFINITY : nextClose(run.now, until.barClose)
  )
  return {
    below: prices.priceBelow === undefined ? Number.NEGATIVE_INFINITY : boundAt(prices.priceBelow, priceScale, "down"),
    above: prices.priceAbove === undefined ? Number.POSITIVE_INFINITY : boundAt(prices.priceAbove, priceScale, "up"),
    bar: moment === Number.POSITIVE_INFINITY ? time.bars : TimeAxis.firstBarFrom(time, moment - time.stepMillis)
  }
}

/** One for each market of a strategy, that of the first one first. */
export type Runs = readonly [Run.Run, ...ReadonlyArray<Run.Run>]

const priceAt = ({ candles, now }: Run.Run, bar: number): TwoSidedPrice => {
  const price = exactPrice(candles.close[bar] ?? 0)
  return { bid: price, ask: price, at: now }
}

const viewOf = (runs: Runs, bar: number): View => {
  const [run, ...others] = runs
  const progress = new Map<string, SlotProgress>()
  for (const { slots, table, log } of runs) {
    SlotStates.foldFills(slots, table, log)
    for (const [slot, name] of slots.names.entries()) progress.set(name, SlotStates.progressOf(slots, slot, table))
  }
  const { market, timeframes } = run.conditions
  const candles = new Map<string, ClosedCandles>()
  for (const [timeframe, resampled] of timeframes ?? [])
    candles.set(timeframe, { columns: resampled.columns, closed: closedAt(resampled, run.now) })
  return {
    now: run.now,
    market,
    price: priceAt(run, bar),
    ...(others.length === 0
      ? {}
      : { elsewhere: new Map(others.map((other) => [other.conditions.market.name, priceAt(other, bar)])) }),
    slots: progress,
    ...(timeframes === undefined ? {} : { candles }),
    get depth() {
      const { bid } = priceAt(run, bar)
      return bottomless(bid, run.now)
    },
    get own() {
      return OwnState.of(run, others)
    }
  }
}

const sameBeginning = ({ after: a }: DesiredSlot, { after: b }: DesiredSlot): boolean =>
  a?.completedLegs === b?.completedLegs && a?.filledInLeg === b?.filledInLeg

const sameSlot = (a: DesiredSlot | undefined, b: DesiredSlot | undefined): boolean => {
  if (a === b) return true
  if (a === undefined || b === undefined || a.cycle !== b.cycle || a.legs.length !== b.legs.length) return false
  if (!sameBeginning(a, b)) return false
  if (a.legs === b.legs) return true
  return a.legs.every((leg, index) => {
    const other = b.legs[index]
    return other?.side === leg.side && other.quantity === leg.quantity && Decimal.equals(other.price, leg.price)
  })
}

/** The order that the slot has is the one that the new legs ask for. */
const keeps = (run: Run.Run, slot: number, desired: DesiredSlot | undefined): boolean => {
  const row = run.table.rows[run.slots.order[slot] ?? OrderTable.none]
  const open = run.slots.openQuantity[slot] ?? 0n
  if (desired === undefined || row === undefined || open === 0n) return false
  const armed = armedLeg(desired, SlotStates.progressOf(run.slots, slot, run.table))
  return armed?.side === row.side && armed.quantity === open && Decimal.equals(armed.price, row.price)
}

/** Slots with other legs than before. */
type Changed = ReadonlyMap<number, DesiredSlot | undefined>

/** Gives slots new legs. Their old orders are gone or kept: a kept one gets its row in the new ladders. */
const relayLadders = (run: Run.Run, changed: Changed): void => {
  const { slots } = run
  for (const [slot, desired] of changed) slots.desired[slot] = desired
  const { conditions, candles, ladders } = run
  run.ladders = Ladders.make(slots.desired, conditions.rules, candles.priceScale, ladders, new Set(changed.keys()))
  for (const slot of changed.keys()) {
    const old = slots.order[slot] ?? OrderTable.none
    if (old === OrderTable.none || slots.state[slot] === states.paying) continue
    slots.order[slot] = SlotStates.arm(slots, slot, run.table, run.ladders)
    OrderTable.release(run.table, old)
  }
  for (const [slot, state] of slots.state.entries())
    if (state === states.resting || state === states.cancelling) Run.rest(run, slot)
}

/** The slot's order is gone: its new legs take over. */
export const succeed = (run: Run.Run, slot: number): void => {
  const successor = run.slots.successor[slot]
  if (successor === null) return
  run.slots.successor[slot] = null
  relayLadders(run, new Map([[slot, successor]]))
}

/** What is no longer wanted goes, and slots get their new legs. */
const adopt = (run: Run.Run, wanted: ReadonlyMap<number, DesiredSlot>): Changed => {
  const { slots, conditions } = run
  const changed = new Map<number, DesiredSlot | undefined>()
  for (const slot of slots.names.keys()) {
    const desired = wanted.get(slot)
    const state = slots.state[slot]
    slots.successor[slot] = null
    if (state === states.cancelling && keeps(run, slot, desired)) slots.state[slot] = states.resting
    if (sameSlot(slots.desired[slot], desired)) {
      if (state !== states.cancelling || slots.state[slot] === states.resting) continue
      slots.successor[slot] = desired
    } else if (state === states.resting && conditions.rules.cancelMillis > 0 && !keeps(run, slot, desired)) {
      slots.state[slot] = states.cancelling
      slots.successor[slot] = desired
      Run.wakeAfter(run, slot, conditions.rules.cancelMillis)
    } else if (slots.state[slot] === states.cancelling) {
      slots.successor[slot] = desired
    } else {
      if ((state === states.resting || state === states.placing) && !keeps(run, slot, desired)) Run.cancel(run, slot)
      Run.stopWaiting(run, slot)
      changed.set(slot, desired)
    }
  }
  if (changed.size > 0) relayLadders(run, changed)
  return changed
}

/** One who sees what it has placed is asked again when that changes: so often within one bar at most. */
const mostAnswers = 8

/** Money or orders moved since a close was last looked at, or by that look. */
const hasChanged = (runs: Runs, { account }: LimitGuard.LimitGuard): boolean => changesOf(runs) > account.changes

/** Grows with whatever moves money or orders. */
export const changesOf = (runs: Runs): number =>
  runs.reduce((changes, { counts, log }) => changes + counts.placed + counts.cancelled + log.count, 0)

/** It is the close of the bar, in all markets. */
export const standAtClose = (runs: Runs, bar: number): void => {
  for (const run of runs) {
    run.now = TimeAxis.closeTime(run.candles.time, bar)
    run.nextBar = bar + 1
  }
}

/** Asks at the close of the bar, which all markets share. */
export const decideIn = (runs: Runs, bar: number): Bounds => {
  standAtClose(runs, bar)
  const [{ guard }] = runs
  if (guard !== undefined) guard.account.isTurned = false
  for (let answers = 1; ; answers++) {
    const before = changesOf(runs)
    const until = decideOnce(runs, bar)
    const changed = changesOf(runs) > before
    if (!changed || !until.onFill || !runs[0].trading.isSeen || answers === mostAnswers) return until
  }
}

const runOf = (runs: Runs, { market }: DesiredSlot): Run.Run =>
  (market && runs.find(({ conditions }) => conditions.market.name === market.name)) ?? runs[0]

const decideOnce = (runs: Runs, bar: number): Bounds => {
  const [first] = runs
  const decision = first.conditions.decide(viewOf(runs, bar), first.memory)
  first.memory = decision.memory
  first.purse.asksOnFill = decision.until.onFill
  first.counts.decisions++
  const wanted = new Map(runs.map((run) => [run, new Map<number, DesiredSlot>()]))
  for (const desired of LimitGuard.isDrained(first.guard) ? [] : decision.desired) {
    const run = runOf(runs, desired)
    const slot = SlotStates.indexOf(run.slots, desired.slot)
    wanted.get(run)?.set(slot, desired)
    run.slots.reasons[slot] = desired.why.text
  }
  // What orders that go give back is there for those that come, in whatever market.
  const changed = new Map<Run.Run, Changed>()
  for (const [run, slots] of wanted) {
    changed.set(run, adopt(run, slots))
  }
  for (const [run, slots] of wanted) {
    for (const slot of slots.keys())
      if ((changed.get(run)?.has(slot) || run.held.has(slot)) && run.slots.state[slot] === states.idle)
        Run.place(run, slot)
    run.held.clear()
  }
  placeWaiting(runs)
  return decision.until
}

/** At the close of the bar, without asking: what waits for a limit may be placed now. Says whether something was. */
export const placesWaiting = (runs: Runs, bar: number): boolean => {
  standAtClose(runs, bar)
  const isIdle = (run: Run.Run): boolean =>
    run.guard !== undefined && !hasChanged(runs, run.guard) && LimitGuard.isShut(run, run.guard)
  if (runs.every(isIdle)) return false
  const before = changesOf(runs)
  placeWaiting(runs)
  return changesOf(runs) > before
}

/** Those that lacked money or waited for a limit, market by market. */
const placeWaiting = (runs: Runs): void => {
  if (runs.length === 1) {
    if (runs[0].waitingSlots > 0) Run.placeWaiting(runs[0])
    return
  }
  for (const run of runs) if (run.waitingSlots > 0) Run.placeWaiting(run)
}

/** After a fill or a payout of which the strategy wants to hear, it is asked first. */
export const placeWaitingAfter = (runs: Runs, isNews: boolean): void => {
  if (!isNews || !runs[0].purse.asksOnFill) placeWaiting(runs)
}

/** Something waits that a close may set free, or a close may say that too much is lost. */
export const isWatching = (runs: Runs): boolean =>
  runs.some(({ guard }) => guard !== undefined && LimitGuard.isWatching(guard))

export const isWatchingAll = (runs: Runs): boolean =>
  runs.some(({ guard }) => guard !== undefined && LimitGuard.isWatchingAll(guard, hasChanged(runs, guard)))
