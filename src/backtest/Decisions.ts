/**
 * Asking the strategy, and turning its answer into orders: what is unchanged rests on, what changed is cancelled and
 * placed anew. A strategy sees the close of a bar as bid and ask, at the moment the bar closes.
 */
import * as Decimal from "../domain/Decimal.ts"
import { armedLeg, type Bounds, type DesiredSlot } from "../strategy/Decision.ts"
import type { ClosedCandles, SlotProgress, View } from "../strategy/View.ts"
import { exactPrice } from "./Candles.ts"
import { boundAt } from "./FillRules.ts"
import * as Ladders from "./Ladders.ts"
import * as OrderTable from "./OrderTable.ts"
import * as OwnState from "./OwnState.ts"
import { closedAt } from "./Resample.ts"
import * as Run from "./Run.ts"
import * as SlotStates from "./SlotStates.ts"
import * as TimeAxis from "./TimeAxis.ts"

const { states } = SlotStates

/** When to ask again, as columns see it. */
export interface AskAgain {
  readonly below: number
  readonly above: number
  /** First bar whose close is late enough; the number of bars when none is. */
  readonly bar: number
  readonly onFill: boolean
}

const unitsMillis: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000
}

/** "15m" in milliseconds; undefined for anything that is not a number and one of s, m, h, d, w. */
export const timeframeMillis = (timeframe: string): number | undefined => {
  const [, count, unit] = /^([1-9]\d{0,4})([smhdw])$/.exec(timeframe) ?? []
  const unitMillis = unitsMillis[unit ?? ""]
  return unitMillis === undefined ? undefined : Number(count) * unitMillis
}

/** The next moment at which a candle of this timeframe closes. */
const nextClose = (now: number, timeframe: string): number => {
  const millis = timeframeMillis(timeframe) ?? 1
  return (Math.floor(now / millis) + 1) * millis
}

const askAgain = (run: Run.Run, until: Bounds): AskAgain => {
  const { time, priceScale } = run.candles
  const moment = Math.min(
    until.time ?? Number.POSITIVE_INFINITY,
    until.barClose === undefined ? Number.POSITIVE_INFINITY : nextClose(run.now, until.barClose)
  )
  return {
    below: until.priceBelow === undefined ? Number.NEGATIVE_INFINITY : boundAt(until.priceBelow, priceScale, "down"),
    above: until.priceAbove === undefined ? Number.POSITIVE_INFINITY : boundAt(until.priceAbove, priceScale, "up"),
    bar: moment === Number.POSITIVE_INFINITY ? time.bars : TimeAxis.firstBarFrom(time, moment - time.stepMillis),
    onFill: until.onFill
  }
}

const viewOf = (run: Run.Run, bar: number): View => {
  const { slots, table } = run
  const price = exactPrice(run.candles.close[bar] ?? 0)
  const progress = new Map<string, SlotProgress>()
  for (const [slot, name] of slots.names.entries()) progress.set(name, SlotStates.progressOf(slots, slot, table))
  const { market, timeframes } = run.conditions
  const candles = new Map<string, ClosedCandles>()
  for (const [timeframe, resampled] of timeframes ?? [])
    candles.set(timeframe, { columns: resampled.columns, closed: closedAt(resampled, run.now) })
  return {
    now: run.now,
    market,
    price: { bid: price, ask: price, at: run.now },
    slots: progress,
    ...(timeframes === undefined ? {} : { candles }),
    get own() {
      return OwnState.of(run)
    }
  }
}

const sameSlot = (a: DesiredSlot | undefined, b: DesiredSlot | undefined): boolean => {
  if (a === b) return true
  if (a === undefined || b === undefined || a.cycle !== b.cycle || a.legs.length !== b.legs.length) return false
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

/** Gives slots new legs. Their old orders are gone or kept: a kept one gets its row in the new ladders. */
const relayLadders = (run: Run.Run, changed: ReadonlyMap<number, DesiredSlot | undefined>): void => {
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

const adopt = (run: Run.Run, wanted: ReadonlyMap<number, DesiredSlot>): void => {
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
  for (const slot of wanted.keys()) if (changed.has(slot) && slots.state[slot] === states.idle) Run.place(run, slot)
}

/** One who sees what it has placed is asked again when that changes: so often within one bar at most. */
const mostAnswers = 8

/** Asks at the close of the bar. */
export const decideAt = (run: Run.Run, bar: number): AskAgain => {
  run.now = TimeAxis.closeTime(run.candles.time, bar)
  run.nextBar = bar + 1
  for (let answers = 1; ; answers++) {
    const { placed, cancelled } = run.counts
    const until = decideOnce(run, bar)
    const changed = run.counts.placed > placed || run.counts.cancelled > cancelled
    if (!changed || !until.onFill || !run.trading.isSeen || answers === mostAnswers) return askAgain(run, until)
  }
}

const decideOnce = (run: Run.Run, bar: number): Bounds => {
  const decision = run.conditions.decide(viewOf(run, bar), run.memory)
  run.memory = decision.memory
  run.counts.decisions++
  const wanted = new Map<number, DesiredSlot>()
  for (const desired of decision.desired) {
    const slot = SlotStates.indexOf(run.slots, desired.slot)
    wanted.set(slot, desired)
    run.slots.reasons[slot] = desired.why.text
  }
  adopt(run, wanted)
  Run.placeWaiting(run)
  return decision.until
}
