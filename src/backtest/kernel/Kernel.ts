/**
 * The backtest kernel: from event to event, never bar by bar. The next event is the earliest of the nearest buy, the
 * nearest sell, a bound of the last decision (price or time), and something that was under way; whatever lies between is
 * jumped over by the index. Money is exact; equity and drawdown are those of every bar's close.
 *
 * Rules of time: a decision is made at the close of a bar, the first one at the close of bar 0. An order placed in bar i
 * can fill from bar i + 1 on. Within a bar: what was under way, then fills, then the decision. By the rule `arrival` an
 * order that the close has reached as it is placed fills at once, in the same bar, and what follows from that does too.
 */

import type { Candles } from "../../candles/Candles.ts"
import * as CrossingIndex from "../../candles/CrossingIndex.ts"
import { openTime } from "../../candles/TimeAxis.ts"
import type { Amount } from "../../domain/Amount.ts"
import * as Decisions from "./Decisions.ts"
import * as Drawdown from "./Drawdown.ts"
import { isImmediate } from "./FillRules.ts"
import * as Fills from "./Fills.ts"
import * as LimitGuard from "./LimitGuard.ts"
import * as LossWatch from "./LossWatch.ts"
import * as OrderTable from "./OrderTable.ts"
import * as RankSet from "./RankSet.ts"
import * as Run from "./Run.ts"
import * as SlotStates from "./SlotStates.ts"

const { states } = SlotStates

export interface Outcome {
  readonly fills: Run.FillLog
  readonly table: OrderTable.OrderTable
  readonly slotNames: ReadonlyArray<string>
  /** Why each slot last wanted what it wanted. */
  readonly slotReasons: ReadonlyArray<string>
  /** Everything owned at the end, deposits of open orders included. */
  readonly base: Amount
  readonly quote: Amount
  /** By the asset that they were taken from; refunds included. */
  readonly fees: { readonly base: Amount; readonly quote: Amount }
  /** Ratio of the highest equity before it. */
  readonly maxDrawdown: number
  readonly openOrders: number
  readonly counts: Run.Run["counts"]
  /** How often each of the strategy's limits alone kept an order back, and when it had lost too much to go on. */
  readonly deniedBy: LimitGuard.Account["denied"]
  readonly stops: LimitGuard.Account["stops"]
  /** Where orders rested, those that still do included; empty unless asked for. */
  readonly stays: ReadonlyArray<Run.Stay>
}

/** What fills on arrival may lead to an order that does so too: so often within one bar at most. */
export const mostRounds = 1000

/** What was under way until the opening of this bar. Says whether something was paid out, or refunded to one who looks. */
export const wake = (run: Run.Run, bar: number): boolean => {
  run.now = openTime(run.candles.time, bar)
  run.nextBar = bar
  let paid = false
  while ((run.wakes[0]?.bar ?? run.candles.bars) <= bar) {
    const slot = run.wakes.shift()?.slot ?? 0
    const state = run.slots.state[slot]
    if (run.slots.wakeBar[slot] !== bar) continue
    if (state === states.placing) {
      run.slots.state[slot] = states.resting
      run.slots.placedBar[slot] = bar
      Run.rest(run, slot)
      continue
    }
    if (state === states.cancelling) {
      Run.cancel(run, slot)
      paid ||= run.trading.isSeen
    } else if (state === states.paying) {
      const side = run.table.rows[run.slots.order[slot] ?? OrderTable.none]?.side ?? "BUY"
      SlotStates.completeLeg(run.slots, slot, side)
      Run.payOut(run, slot, side)
      paid = true
    } else continue
    Decisions.succeed(run, slot)
    Run.place(run, slot)
  }
  Run.placeWaiting(run)
  for (let round = 0; run.arrivals.length > 0 && round < mostRounds; round++)
    paid = Fills.fillArrivals(run, bar, bar - 1) || paid
  run.arrivals.length = 0
  return paid
}

const nearestBuy = ({ buys }: Run.Run["ladders"]): number => {
  const rank = RankSet.greatest(buys.resting)
  return rank < 0 ? Number.NEGATIVE_INFINITY : (buys.fillsAt[rank] ?? 0)
}

const nearestSell = ({ sells }: Run.Run["ladders"]): number => {
  const rank = RankSet.least(sells.resting)
  return rank < 0 ? Number.POSITIVE_INFINITY : (sells.fillsAt[rank] ?? 0)
}

/** The bar reaches an order that rests. */
export const isReached = ({ ladders }: Run.Run, low: number, high: number): boolean =>
  low <= nearestBuy(ladders) || high >= nearestSell(ladders)

const isBounded = (ask: Decisions.AskAgain): boolean =>
  ask.below !== Number.NEGATIVE_INFINITY || ask.above !== Number.POSITIVE_INFINITY

/** The bar in [from, to) at whose close a bound is reached; `to` when none is. */
export const boundBar = (
  ask: Decisions.AskAgain,
  closes: CrossingIndex.CrossingIndex,
  from: number,
  to: number
): number => {
  const end = Math.min(to, Math.max(from, ask.bar))
  return isBounded(ask) ? CrossingIndex.nextCrossing(closes, from, end, ask.below, ask.above) : end
}

/** The first bar in [from, stop) that fills an order or reaches a bound; `stop` when none does. */
export const nextEvent = (
  run: Run.Run,
  ask: Decisions.AskAgain,
  indices: CrossingIndex.Indices,
  from: number,
  stop: number
): number => {
  const [below, above] = [nearestBuy(run.ladders), nearestSell(run.ladders)]
  if (!isBounded(ask))
    return CrossingIndex.nextCrossing(indices.orders, from, Math.min(stop, Math.max(from, ask.bar)), below, above)
  // Two searches in windows that grow, so that neither reads far beyond what the other finds.
  let start = from
  for (let window = 128; ; window *= 4) {
    const end = Math.min(stop, start + window)
    const crossed = CrossingIndex.nextCrossing(indices.orders, start, end, below, above)
    const asked = boundBar(ask, indices.closes, start, crossed)
    if (asked < end || end === stop) return asked
    start = end
  }
}

/** Runs the strategy over all candles. */
export const simulate = (conditions: Run.Conditions, candles: Candles, indices: CrossingIndex.Indices): Outcome => {
  const quick = LimitGuard.isQuick(conditions) ? simulateWith(Run.make(conditions, candles), indices) : undefined
  if (quick !== undefined) return quick
  const { limits } = conditions
  const account = LimitGuard.makeAccount()
  const run = Run.make(conditions, candles, limits === undefined ? undefined : LimitGuard.make(limits, account))
  account.runs = [run]
  return simulateWith(run, indices) ?? outcomeOf(run)
}

/** `undefined` when the run should have had a guard. */
const simulateWith = (run: Run.Run, indices: CrossingIndex.Indices): Outcome | undefined => {
  const { orders, closes } = indices
  const { candles, guard } = run
  const { bars } = candles
  const fillBar = isImmediate(run.conditions.rules) && guard === undefined ? Fills.fillBar : Fills.fillBarSlices
  let ask: Decisions.AskAgain = { below: 0, above: 0, bar: 0, onFill: true }
  for (let bar = 0; bar < bars; bar++) {
    let filled = bar === 0
    if ((run.wakes[0]?.bar ?? bars) <= bar) {
      Drawdown.advance(run.drawdown, closes, bar, run.base, run.quote)
      filled = wake(run, bar)
    }
    const isWatched = guard !== undefined && LimitGuard.isWatchingAll(guard, Decisions.hasChanged([run], guard))
    const stop = isWatched || (filled && ask.onFill) ? bar + 1 : Math.min(bars, run.wakes[0]?.bar ?? bars)
    bar = nextEvent(run, LimitGuard.orFreed(guard, ask), indices, bar, stop)
    const below = nearestBuy(run.ladders)
    const above = nearestSell(run.ladders)
    Drawdown.know(run.drawdown, bar, below, above)
    if (bar === stop) {
      bar--
      if (!isWatched && (!filled || !ask.onFill)) continue
    }
    const low = CrossingIndex.lowerAt(orders, bar)
    const high = CrossingIndex.upperAt(orders, bar)
    if (low <= below || high >= above) {
      Drawdown.advance(run.drawdown, closes, bar, run.base, run.quote)
      const before = run.log.count
      fillBar(run, bar, low, high)
      filled ||= run.log.count > before
    }
    Drawdown.know(run.drawdown, bar + 1, low, high)
    const isLookedAt = guard !== undefined && LimitGuard.isWatching(guard)
    const changes = guard === undefined ? 0 : Decisions.changesOf([run])
    if (isLookedAt) LossWatch.look(run, guard, bar)
    if (guard?.account.isTurned || (filled && ask.onFill) || boundBar(ask, closes, bar, bar + 1) === bar) {
      Drawdown.advance(run.drawdown, closes, bar + 1, run.base, run.quote)
      ask = Decisions.decideAt(run, bar)
    } else if (isLookedAt && Decisions.placesWaiting([run], bar) && ask.onFill && run.trading.isSeen) {
      ask = Decisions.decideAt(run, bar)
    }
    if (run.neededGuard) return undefined
    if (guard !== undefined) guard.account.changes = changes
    for (let round = 0; run.arrivals.length > 0 && round < mostRounds; round++) {
      Drawdown.advance(run.drawdown, closes, bar + 1, run.base, run.quote)
      if (Fills.fillArrivals(run, bar, bar) && ask.onFill) ask = Decisions.decideAt(run, bar)
    }
    // Setting a length is slow, even to what it is.
    if (run.arrivals.length > 0) run.arrivals.length = 0
  }
  Drawdown.advance(run.drawdown, closes, bars, run.base, run.quote)
  return run.neededGuard ? undefined : outcomeOf(run)
}

export const outcomeOf = (run: Run.Run): Outcome => {
  run.nextBar = run.candles.bars
  for (const [slot, open] of run.slots.openQuantity.entries()) if (open > 0n) Run.note(run, slot)
  const fees = OrderTable.fees(run.table)
  return {
    fills: run.log,
    table: run.table,
    slotNames: run.slots.names,
    slotReasons: run.slots.reasons,
    ...Run.totals(run),
    fees: { base: fees.base + run.refundFeesBase, quote: fees.quote + run.refundFeesQuote },
    maxDrawdown: run.drawdown.greatest,
    openOrders: run.openOrders,
    counts: run.counts,
    deniedBy: run.guard?.account.denied ?? new Map(),
    stops: run.guard?.account.stops ?? [],
    stays: run.stays ?? []
  }
}
