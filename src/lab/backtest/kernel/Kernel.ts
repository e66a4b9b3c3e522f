/**
 * Runs a strategy over candles from event to event; bar by bar only if it must see every close. The next event is the earliest of the
 * nearest buy, the nearest sell, a bound of the last decision (price or time), and the end of a transit. The index jumps over everything in
 * between. Money is exact; equity and drawdown are those of every bar's close.
 *
 * A strategy has one market or several, with one time axis, so a bar is the same time in all. They share memory, quote, open orders and
 * limits.
 *
 * Rules of time: the strategy decides at the close of a bar, first at that of bar 0. An order placed in bar i can fill from bar i + 1 on.
 * Within a bar, transits end first, then orders fill, then the strategy decides; at one instant the markets take turns in the order of the
 * strategy file. After all of them, waiting orders are tried once, as in a live turn. A strategy that asks for it decides at the close
 * after a fill and at once after a payout, before any waiting order is placed. By the rule `arrival`, an order that the close has reached
 * when it is placed fills at once, in the same bar, and so do the orders that follow from it.
 *
 * By the rule `stops`, a bar that reaches a stop of the first market takes the worst case first (`leaveWithin`).
 */
import { type Candles, openAt } from "../../../candles/Candles.ts"
import * as CrossingIndex from "../../../candles/CrossingIndex.ts"
import { closeTime } from "../../../candles/TimeAxis.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Side } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import { timeframeMillis } from "../../../domain/Timeframe.ts"
import type { Bounds, PriceBounds } from "../../../strategy/Decision.ts"
import * as Watch from "../../../strategy/own/Watch.ts"
import * as AskAgain from "./AskAgain.ts"
import type { Conditions } from "./Conditions.ts"
import * as Decisions from "./Decisions.ts"
import * as Equity from "./Equity.ts"
import { isImmediate } from "./FillRules.ts"
import * as Fills from "./Fills.ts"
import * as LimitGuard from "./LimitGuard.ts"
import * as MarketRun from "./MarketRun.ts"
import * as NextEvent from "./NextEvent.ts"
import * as Outcome from "./Outcome.ts"
import * as SlotState from "./orders/SlotState.ts"
import * as Placing from "./Placing.ts"

/** `conditions.budget.quote` of the first market is the budget of all markets. */
export interface InMarket {
  readonly conditions: Conditions
  readonly candles: Candles
  readonly indices: CrossingIndex.Indices
}

export type InMarkets = readonly [InMarket, ...ReadonlyArray<InMarket>]

export interface Ran extends InMarket {
  readonly outcome: Outcome.Outcome
}

export type AllRan = readonly [Ran, ...ReadonlyArray<Ran>]

/** Limits the rounds within one bar, because an order that fills on arrival may lead to another such order. */
const maxRounds = 1000

const make = ([first, ...others]: InMarkets, isGuarded: boolean): NextEvent.WholeRun => {
  const shared = MarketRun.share(first.conditions, isGuarded)
  const partOf = ({ conditions, candles, indices }: InMarket): NextEvent.MarketPart => {
    const run = MarketRun.make(conditions, candles, shared)
    return {
      run,
      // By this rule only the close of a bar fills an order.
      indices: conditions.rules.touch === "close" ? { ...indices, orders: indices.closes } : indices,
      fillBar: isImmediate(conditions.rules) && run.guard === undefined ? Fills.fillBar : Fills.fillBarSlices,
      glance: { mid: 0, now: 0, candles: undefined },
      stands: undefined,
      ask: { below: 0, above: 0, bar: 0 },
      stops: NextEvent.noStops,
      askedAt: undefined,
      searched: NextEvent.notSearched
    }
  }
  const one = partOf(first)
  const parts = [one, ...others.map(partOf)] as const
  const runs = [one.run, ...parts.slice(1).map(({ run }) => run)] as const
  const isQuick = others.length === 0 && one.fillBar === Fills.fillBar
  return { first: one, parts, runs, equity: Equity.make(parts), isQuick }
}

const nextAlarm = (runs: MarketRun.Runs): number => {
  let next = Number.POSITIVE_INFINITY
  for (const { clock } of runs) next = Math.min(next, clock.alarmBar)
  return next
}

const isArriving = (runs: MarketRun.Runs): boolean => runs.some(({ arrivals }) => arrivals.slots.length > 0)

/** Handles the slot's alarm at the bar's opening. Returns true after a payout or a visible refund. */
const wakeSlot = (run: MarketRun.MarketRun, slot: SlotState.SlotState, bar: number): boolean => {
  switch (slot.phase) {
    case "placing":
      SlotState.rest(slot, run.clock.nextBar)
      Placing.rest(run, slot)
      return false
    case "cancelling":
      if (Fills.fillInHand(run, bar, slot)) return true
      Placing.cancel(run, slot)
      Decisions.adoptSuccessor(run, slot)
      Placing.place(run, slot)
      return run.trading.isSeen
    case "paying": {
      const row = run.orders.rowOf(slot)
      const side = row?.side ?? "BUY"
      if (row?.isPart !== true) SlotState.completeLeg(slot, side)
      Placing.payOut(run, slot, side)
      Fills.advance(run, slot)
      return true
    }
    default:
      return false
  }
}

const wakeMarket = (run: MarketRun.MarketRun, bar: number, due = bar): boolean => {
  let hasPaid = false
  for (const alarm of run.clock.takeAlarms(due)) {
    const slot = run.orders.slots[alarm]
    if (slot !== undefined) hasPaid = wakeSlot(run, slot, bar) || hasPaid
  }
  if (hasPaid) Fills.settle(run)
  return hasPaid
}

const fillArrivals = ({ runs }: NextEvent.WholeRun, bar: number): boolean => {
  const before = NextEvent.fillCount(runs)
  for (const run of runs) if (run.arrivals.slots.length > 0) Fills.fillArrivals(run, bar)
  const filled = NextEvent.fillCount(runs) > before
  Decisions.placeWaitingAfter(runs, filled)
  return filled
}

const arrive = (whole: NextEvent.WholeRun, bar: number, isAsked = true): void => {
  const { runs } = whole
  for (let round = 0; isArriving(runs) && round < maxRounds; round++)
    if (fillArrivals(whole, bar) && isAsked && runs[0].asking.asksOnFill) decideNow(whole)
  // Checks first, because setting an array's length is slow even if it does not change.
  for (const { arrivals } of runs) if (arrivals.slots.length > 0) arrivals.slots.length = 0
}

const wake = (whole: NextEvent.WholeRun, bar: number): void => {
  const { runs } = whole
  let hasPayout = false
  for (const { clock } of runs) clock.open(bar)
  for (const run of runs) hasPayout = wakeMarket(run, bar) || hasPayout
  Decisions.placeWaitingAfter(runs, hasPayout)
  if (hasPayout && runs[0].asking.asksOnFill) decideNow(whole)
  arrive(whole, bar)
}

const fillBar = (whole: NextEvent.WholeRun, bar: number): boolean => {
  const { first, parts, runs, equity } = whole
  let isAny = false
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] ?? first
    const { orders, told } = part.indices
    const isReached = CrossingIndex.isCrossed(orders, bar, NextEvent.nearestBelow(part), NextEvent.nearestAbove(part))
    if (!isReached && told !== undefined) continue
    const [low, high] = [CrossingIndex.lowerAt(orders, bar), CrossingIndex.upperAt(orders, bar)]
    if (isReached) {
      if (!isAny) {
        isAny = true
        Equity.advance(equity, bar)
        if (runs.length > 1) Decisions.standAtClose(runs, bar)
      }
      if (index === 0 && part.run.conditions.rules.stops === "first") leaveWithin(whole, { bar, low, high })
      part.fillBar(part.run, bar, low, high)
    }
    Equity.know(equity, bar + 1, low, high)
  }
  return isAny
}

/** Glances read every close and so compute every small bar, which costs more than running at bounds unless each bar has one. */
const mayGlance = ({ indices: { told }, run }: NextEvent.MarketPart, { barClose }: Bounds): boolean => {
  if (told === undefined) return true
  const millis = barClose === undefined ? undefined : timeframeMillis(barClose)
  return millis !== undefined && millis <= told.parts * run.candles.time.stepMillis
}

const decide = (whole: NextEvent.WholeRun, bar: number): void => {
  Equity.advance(whole.equity, bar + 1)
  Decisions.standAtClose(whole.runs, bar)
  decideNow(whole)
}

const decideNow = (whole: NextEvent.WholeRun): void => {
  const { first, runs, parts } = whole
  const until = Decisions.decideIn(runs)
  if (first.run.conditions.rules.stops === "first") NextEvent.findStops(whole)
  first.stands = runs.length === 1 && mayGlance(first, until) ? Decisions.standsIn(first.run) : undefined
  first.ask =
    first.stands === undefined
      ? AskAgain.of(first.run, until, until)
      : AskAgain.of(first.run, { onFill: until.onFill, ...present({ time: until.time }) }, {})
  for (let index = 1; index < parts.length; index++) {
    const part = parts[index]
    if (part === undefined) continue
    const { name } = part.run.conditions.market
    const prices: PriceBounds = until.elsewhere?.find(({ market }) => market === name) ?? {}
    part.ask = AskAgain.of(part.run, until, prices)
  }
}

/** True if an entry, or an exit on the side of the stop, has filled on arrival: its stop may be in this bar. Other exits are seen at the close. */
const arriveWithin = (whole: NextEvent.WholeRun, bar: number, side: Side): boolean => {
  const { runs } = whole
  const counts = runs.map(({ orders }) => orders.log.count)
  arrive(whole, bar, false)
  for (const { clock, orders } of runs)
    for (const slot of orders.slots) if (slot.placedBar === clock.nextBar) SlotState.tryArrival(slot, slot.placedBar)
  return runs[0].asking.asksOnFill && runs.some(({ orders }, index) => orders.hasEntryAfter(counts[index] ?? 0, side))
}

/**
 * Handles a bar that reaches a stop, the worst case first. Orders in transit arrive. Orders between the market and the stop fill, then the
 * strategy decides. At the stop it decides again, and its exits fill; if the bar opens beyond the stop, they fill at the open. Other kept
 * orders fill with the rest of the bar, and new ones wait for the next bar. After an exit the strategy decides at the close, because the
 * market price at its payout is unknown.
 */
const leaveWithin = (whole: NextEvent.WholeRun, range: Fills.BarRange): void => {
  const { first, runs } = whole
  const { run } = first
  const { bar, low, high } = range
  let [below, above, isWithin] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, false]
  for (;;) {
    NextEvent.findStops(whole)
    const { stops } = first
    const isBelow = stops.below >= low && stops.below < below
    if (!isBelow && (stops.above > high || stops.above <= above)) break
    const open = openAt(run.candles, bar) ?? (isBelow ? high : low)
    const side = isBelow ? "BUY" : "SELL"
    const stop = isBelow ? Math.min(stops.below, open) : Math.max(stops.above, open)
    Decisions.standWithin(runs, bar, stop)
    const last = Fills.fillOnTheWay(run, range, side, stop, !isWithin)
    if (!isWithin) {
      for (const each of runs) wakeMarket(each, bar, bar + 1)
      arriveWithin(whole, bar, side)
    }
    isWithin = true
    if (last !== undefined && run.asking.asksOnFill) Decisions.standWithin(runs, bar, Decimal.toNumber(last))
    else if (isBelow) below = stops.below
    else above = stops.above
    do decideNow(whole)
    while (arriveWithin(whole, bar, side))
  }
  if (!isWithin) return
  first.askedAt = { below, above, changes: Decisions.changesOf(runs) }
  NextEvent.findStops(whole)
  Decisions.standAtClose(runs, bar)
}

const isBoundReachedIn = (part: NextEvent.MarketPart, bar: number): boolean =>
  AskAgain.boundBar(part.ask, part.indices.closes, bar, bar + 1) === bar ||
  (part.stands !== undefined && NextEvent.firstFall(part, part.stands, bar, bar + 1) === bar)

const isBoundReached = ({ first, parts }: NextEvent.WholeRun, bar: number): boolean =>
  isBoundReachedIn(first, bar) || (parts.length > 1 && parts.some((part) => isBoundReachedIn(part, bar)))

/**
 * Makes fills from bar `from` on while nothing else can happen before the next decision. Returns the next bar; the number of bars if the
 * run has ended or must be repeated with a guard. Equals the loop below; separate so that the compiler optimizes it as one piece.
 */
const fillQuickly = (whole: NextEvent.WholeRun, from: number): number => {
  const { equity, first } = whole
  const { run, ask, indices } = first
  const { orders, arrivals, waiting, candles } = run
  const to = Math.min(candles.bars, ask.bar)
  if (AskAgain.isBounded(ask) || from >= to) return from
  for (let bar = from; ; bar++) {
    orders.findNearest()
    const { nearestBuy, nearestSell } = orders
    bar = CrossingIndex.nextCrossing(indices.orders, bar, to, nearestBuy, nearestSell)
    Equity.know(equity, bar, nearestBuy, nearestSell)
    if (bar >= to) return to
    Equity.advance(equity, bar)
    const low = CrossingIndex.lowerAt(indices.orders, bar)
    const high = CrossingIndex.upperAt(indices.orders, bar)
    Fills.fillBar(run, bar, low, high)
    Equity.know(equity, bar + 1, low, high)
    if (waiting.count > 0) Placing.placeWaiting(run)
    if (arrivals.needsGuard) return candles.bars
    if (arrivals.slots.length === 0) continue
    Equity.advance(equity, bar + 1)
    arrive(whole, bar)
  }
}

/** Runs the strategy over all candles. Returns false if the run needs a guard and has none. */
const runThrough = (whole: NextEvent.WholeRun): boolean => {
  const { equity, first } = whole
  const { arrivals, candles, conditions } = first.run
  const { bars } = candles
  let bar = 0
  const step = (mostDecisions: number) => {
    bar = runStretch(whole, bar, mostDecisions)
    return bar < bars
  }
  if (conditions.mayHang === true) Watch.inStretches(() => step(Watch.decisionsPerLook))
  else step(Number.POSITIVE_INFINITY)
  if (arrivals.needsGuard) return false
  Equity.advance(equity, bars)
  return true
}

/** Runs to the end, or until `maxDecisions` decisions are made. Returns the next bar; the number of bars if the run has ended. */
const runStretch = (whole: NextEvent.WholeRun, from: number, maxDecisions: number): number => {
  const { runs, equity, isQuick } = whole
  const { guard, losses, asking, arrivals, trading, candles } = whole.first.run
  const { bars, time } = candles
  const lastDecision = asking.decisions + maxDecisions
  for (let bar = from; bar < bars; bar++) {
    if (asking.decisions > lastDecision) return bar
    let filled = bar === 0
    if (nextAlarm(runs) <= bar) {
      Equity.advance(equity, bar)
      wake(whole, bar)
    }
    if (isQuick && !asking.asksOnFill && whole.first.stands === undefined) bar = fillQuickly(whole, bar)
    if (bar === bars) break
    const isWatched = guard !== undefined && Decisions.isWatchingAll(runs)
    const stop = isWatched || (filled && asking.asksOnFill) ? bar + 1 : nextAlarm(runs)
    bar = NextEvent.nextEvent(whole, bar, stop)
    if (bar === stop) {
      bar--
      if (!isWatched && (!filled || !asking.asksOnFill)) continue
    }
    const before = NextEvent.fillCount(runs)
    const isReached = fillBar(whole, bar)
    filled = NextEvent.fillCount(runs) > before || filled
    const isLookedAt = guard !== undefined && Decisions.isWatching(runs)
    const changes = guard === undefined ? 0 : Decisions.changesOf(runs)
    if (isLookedAt) losses?.look(bar, closeTime(time, bar))
    if (isLookedAt && Decisions.mayReplace(runs)) Equity.advance(equity, bar + 1)
    if (guard?.account.isTurned || (filled && asking.asksOnFill) || isBoundReached(whole, bar)) decide(whole, bar)
    else {
      if (isReached) Decisions.placeWaiting(runs)
      const mayFree = guard !== undefined && Decisions.isWatching(runs)
      if (mayFree && Decisions.placesWaiting(runs, bar) && asking.asksOnFill && trading.isSeen) decide(whole, bar)
    }
    if (arrivals.needsGuard) return bars
    guard?.account.sawChanges(changes)
    if (!isArriving(runs)) continue
    Equity.advance(equity, bar + 1)
    arrive(whole, bar)
  }
  return bars
}

const ranOf = ({ runs, equity }: NextEvent.WholeRun, [first, ...others]: InMarkets): AllRan => {
  const ran = (market: InMarket, run: MarketRun.MarketRun, decisions: number): Ran => ({
    ...market,
    outcome: Outcome.of(run, equity.drawdown.greatest, decisions)
  })
  const one = ran(first, runs[0], runs[0].asking.decisions)
  return [one, ...others.map((market, index) => ran(market, runs[index + 1] ?? runs[0], 0))]
}

export const simulateAll = (markets: InMarkets): AllRan =>
  Watch.repeated(() => {
    if (markets.length === 1 && LimitGuard.isQuick(markets[0].conditions)) {
      const quick = make(markets, false)
      if (runThrough(quick)) return ranOf(quick, markets)
    }
    const whole = make(markets, true)
    runThrough(whole)
    return ranOf(whole, markets)
  })

export const simulate = (conditions: Conditions, candles: Candles, indices: CrossingIndex.Indices): Outcome.Outcome =>
  simulateAll([{ conditions, candles, indices }])[0].outcome
