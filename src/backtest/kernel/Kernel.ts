/**
 * The backtest kernel: from event to event, never bar by bar. The next event is the earliest of the nearest buy, the
 * nearest sell, a bound of the last decision (price or time), and something that was under way; whatever lies between is
 * jumped over by the index. Money is exact; equity and drawdown are those of every bar's close.
 *
 * A strategy has one market or several. Their candles have one time axis, so a bar is the same moment in all; memory,
 * quote, open orders and limits are one.
 *
 * Rules of time: a decision is made at the close of a bar, the first one at the close of bar 0. An order placed in bar i
 * can fill from bar i + 1 on. Within a bar: what was under way, then fills, then the decision; at one instant the markets
 * take turns in the order of the strategy file. When all have had theirs, orders that wait are asked for once, as live once
 * a turn. After a fill or a payout, a strategy that asks for it decides before anything that waits is placed. By the rule
 * `arrival` an order that the close has reached as it is placed fills at once, in the same bar, and what follows from that
 * does too.
 *
 * By the rule `stops` a bar that reaches a stop of the first market takes the worse first (`leaveWithin`).
 */

import { type Candles, openAt } from "../../candles/Candles.ts"
import * as CrossingIndex from "../../candles/CrossingIndex.ts"
import { closeTime } from "../../candles/TimeAxis.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { present } from "../../domain/Present.ts"
import { timeframeMillis } from "../../domain/Timeframe.ts"
import type { Bounds, PriceBounds } from "../../strategy/Decision.ts"
import * as Watch from "../../strategy/own/Watch.ts"
import type { StandsAt } from "../../strategy/Strategy.ts"
import * as AskAgain from "./AskAgain.ts"
import type { Conditions } from "./Conditions.ts"
import * as Decisions from "./Decisions.ts"
import * as Equity from "./Equity.ts"
import { isImmediate } from "./FillRules.ts"
import * as Fills from "./Fills.ts"
import * as LimitGuard from "./LimitGuard.ts"
import * as MarketRun from "./MarketRun.ts"
import * as Outcome from "./Outcome.ts"
import * as SlotState from "./orders/SlotState.ts"
import * as Placing from "./Placing.ts"
import { Glances } from "./state/Glances.ts"

/** `conditions.budget.quote` is the first market's, for all. */
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

/** What the loop itself knows of a market. Only this file writes it. */
interface Part {
  readonly run: MarketRun.MarketRun
  readonly indices: CrossingIndex.Indices
  readonly fillBar: typeof Fills.fillBar
  readonly glances: Glances
  ask: AskAgain.AskAgain
  stops: AskAgain.ReachedPrices
  /** The strategy was asked at these stops last, when so many orders had filled. */
  askedAt: (AskAgain.ReachedPrices & { readonly fills: number }) | undefined
  /** While this is so, the strategy need not be asked before the bar in `ask`. */
  stands: StandsAt | undefined
  searched: Searched
}

/** Before bar `to` nothing crosses these; there something does, if `isEvent`. */
interface Searched extends AskAgain.AskAgain {
  readonly buy: number
  readonly sell: number
  readonly to: number
  readonly isEvent: boolean
}

const notSearched: Searched = { buy: 0, sell: 0, below: 0, above: 0, bar: 0, to: -1, isEvent: false }

interface Whole {
  readonly first: Part
  readonly parts: readonly [Part, ...ReadonlyArray<Part>]
  readonly runs: MarketRun.Runs
  readonly equity: Equity.Equity
  /** One market without a guard, where orders fill whole, and none as it arrives. */
  readonly isQuick: boolean
}

const noStops: AskAgain.ReachedPrices = { below: Number.NEGATIVE_INFINITY, above: Number.POSITIVE_INFINITY }

/** What fills on arrival may lead to an order that does so too: so often within one bar at most. */
const mostRounds = 1000

const make = ([first, ...others]: InMarkets, isGuarded: boolean): Whole => {
  const shared = MarketRun.share(first.conditions, isGuarded)
  const partOf = ({ conditions, candles, indices }: InMarket): Part => {
    const run = MarketRun.make(conditions, candles, shared)
    const isWhole = isImmediate(conditions.rules) && run.guard === undefined
    return {
      run,
      indices,
      fillBar: isWhole ? Fills.fillBar : Fills.fillBarSlices,
      glances: new Glances(candles, conditions.timeframes && run.frames),
      stands: undefined,
      ask: { below: 0, above: 0, bar: 0 },
      stops: noStops,
      askedAt: undefined,
      searched: notSearched
    }
  }
  const one = partOf(first)
  const parts = [one, ...others.map(partOf)] as const
  const runs = [one.run, ...parts.slice(1).map(({ run }) => run)] as const
  const isQuick = others.length === 0 && one.fillBar === Fills.fillBar && first.conditions.rules.price !== "arrival"
  return { first: one, parts, runs, equity: Equity.make(parts), isQuick }
}

const nextAlarm = (runs: MarketRun.Runs): number => {
  if (runs.length === 1) return runs[0].clock.alarmBar
  let next = Number.POSITIVE_INFINITY
  for (const { clock } of runs) next = Math.min(next, clock.alarmBar)
  return next
}

const isArriving = (runs: MarketRun.Runs): boolean => {
  if (runs.length === 1) return runs[0].arrivals.count > 0
  return runs.some(({ arrivals }) => arrivals.count > 0)
}

const fillCount = (runs: MarketRun.Runs): number => {
  if (runs.length === 1) return runs[0].orders.log.count
  let count = 0
  for (const { orders } of runs) count += orders.log.count
  return count
}

/** The slot's alarm goes off at the opening of the bar. Says whether something was paid out, or given back visibly. */
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
      const side = run.orders.rowOf(slot)?.side ?? "BUY"
      SlotState.completeLeg(slot, side)
      Placing.payOut(run, slot, side)
      Fills.advance(run, slot)
      return true
    }
    default:
      return false
  }
}

/** What comes to rest, is cancelled or is paid out by the opening of bar `due`. Says whether something was paid out. */
const wakeMarket = (run: MarketRun.MarketRun, bar: number, due = bar): boolean => {
  let paid = false
  for (let alarm = run.clock.takeAlarm(due); alarm !== undefined; alarm = run.clock.takeAlarm(due)) {
    const slot = run.orders.slots[alarm]
    if (slot !== undefined) paid = wakeSlot(run, slot, bar) || paid
  }
  if (paid) Fills.settle(run)
  return paid
}

/** What arrived marketable, market by market; says whether something filled. `isNews`: the strategy has not answered a payout or a fill yet. */
const fillArrivals = ({ runs }: Whole, bar: number, isNews: boolean): boolean => {
  const before = fillCount(runs)
  for (const run of runs) if (run.arrivals.count > 0) Fills.fillArrivals(run, bar)
  const filled = fillCount(runs) > before
  Decisions.placeWaitingAfter(runs, isNews || filled)
  return filled
}

/** What was under way until the opening of this bar; says whether something was paid out or filled. */
const wake = (whole: Whole, bar: number): boolean => {
  const { runs } = whole
  let paid = false
  for (const { clock } of runs) clock.open(bar)
  for (const run of runs) paid = wakeMarket(run, bar) || paid
  Decisions.placeWaitingAfter(runs, paid)
  for (let round = 0; isArriving(runs) && round < mostRounds; round++) paid = fillArrivals(whole, bar, paid) || paid
  for (const { arrivals } of runs) arrivals.clear()
  return paid
}

/** Purchases and stops below the market that are nearest to it. */
const nearestBelow = ({ run, stops }: Part): number => Math.max(run.orders.nearestBuy, stops.below)

const nearestAbove = ({ run, stops }: Part): number => Math.min(run.orders.nearestSell, stops.above)

/** Searches in windows that grow, so that none reads far beyond what another one finds. */
const nextBoundedEvent = (part: Part, ask: AskAgain.AskAgain, from: number, stop: number): number => {
  const { glances, indices, stands } = part
  const [below, above] = [nearestBelow(part), nearestAbove(part)]
  let start = from
  for (let window = 128; ; window *= 4) {
    const end = Math.min(stop, start + window)
    const crossed = CrossingIndex.nextCrossing(indices.orders, start, end, below, above)
    const bounded = AskAgain.boundBar(ask, indices.closes, start, crossed)
    const asked = stands === undefined ? bounded : glances.firstFall(stands, start, bounded)
    if (asked < end || end === stop) return asked
    start = end
  }
}

/** When a bar of this market is to be looked at, whatever its orders. */
const askOf = ({ ask, run: { guard, losses } }: Part): AskAgain.AskAgain => {
  const freed = guard === undefined ? ask : LimitGuard.orFreed(guard, ask)
  return losses === undefined || losses.isAll ? freed : losses.orLost(freed)
}

/** The first bar in [from, stop) that fills an order of this market or reaches one of its bounds; `stop` when none does. */
const nextEventIn = (part: Part, ask: AskAgain.AskAgain, from: number, stop: number): number => {
  if (AskAgain.isBounded(ask) || part.stands !== undefined) return nextBoundedEvent(part, ask, from, stop)
  const end = Math.min(stop, Math.max(from, ask.bar))
  return CrossingIndex.nextCrossing(part.indices.orders, from, end, nearestBelow(part), nearestAbove(part))
}

/**
 * The same beside other markets, whose events would have one market searched again and again: it is known up to which bar nothing
 * happens, until something moves that it was searched for.
 */
const nextEventBeside = (part: Part, from: number, stop: number): number => {
  const { searched, run } = part
  run.orders.findNearest()
  const [buy, sell] = [nearestBelow(part), nearestAbove(part)]
  const ask = askOf(part)
  const { below, above, bar } = ask
  const { to, isEvent } = searched
  const isSame =
    searched.buy === buy &&
    searched.sell === sell &&
    searched.below === below &&
    searched.above === above &&
    searched.bar === bar
  if (isSame && from <= to && (isEvent || stop <= to)) return Math.min(stop, to)
  const event = nextEventIn(part, ask, isSame && from <= to ? to : from, stop)
  part.searched = { buy, sell, below, above, bar, to: event, isEvent: event < stop }
  return event
}

/** The first bar from `from` on that is an event of one of the markets; `stop` when none is. */
const nextEvent = (whole: Whole, from: number, stop: number): number => {
  const { first, parts, equity } = whole
  let event = stop
  if (first.askedAt !== undefined) findStops(whole)
  if (parts.length === 1) {
    first.run.orders.findNearest()
    event = nextEventIn(first, askOf(first), from, stop)
  } else for (const part of parts) event = nextEventBeside(part, from, event)
  const { nearestBuy, nearestSell } = first.run.orders
  Equity.know(equity, event, nearestBuy, nearestSell)
  return event
}

/** What the bar fills in each market; says whether something did. `isNews`: as for `fillArrivals`. */
const fillBar = (whole: Whole, bar: number, isNews: boolean): boolean => {
  const { first, parts, runs, equity } = whole
  let before = -1
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] ?? first
    const { orders, told } = part.indices
    const isReached = CrossingIndex.isCrossed(orders, bar, nearestBelow(part), nearestAbove(part))
    if (!isReached && told !== undefined) continue
    const [low, high] = [CrossingIndex.lowerAt(orders, bar), CrossingIndex.upperAt(orders, bar)]
    if (isReached) {
      if (before < 0) {
        Equity.advance(equity, bar)
        before = fillCount(runs)
        if (runs.length > 1) Decisions.standAtClose(runs, bar)
      }
      if (index === 0 && part.run.conditions.rules.stops === "first") leaveWithin(whole, { bar, low, high })
      part.fillBar(part.run, bar, low, high)
    }
    Equity.know(equity, bar + 1, low, high)
  }
  if (before < 0) return false
  const filled = fillCount(runs) > before
  Decisions.placeWaitingAfter(runs, isNews || filled)
  return filled
}

/**
 * Glances read every close. Small bars within bars are made when somebody looks: to have all of them made costs more than to ask
 * at the bounds, unless those are in every bar anyway.
 */
const mayGlance = ({ indices: { told }, run }: Part, { barClose }: Bounds): boolean => {
  if (told === undefined) return true
  const millis = barClose === undefined ? undefined : timeframeMillis(barClose)
  return millis !== undefined && millis <= told.parts * run.candles.time.stepMillis
}

/** At the close of the bar. */
const decide = (whole: Whole, bar: number): void => {
  Equity.advance(whole.equity, bar + 1)
  Decisions.standAtClose(whole.runs, bar)
  decideNow(whole)
}

/** Within a bar the market has more decimal places than candles have. */
const finer = 3

const stopsOf = ({ asking: { stops }, candles }: MarketRun.MarketRun): AskAgain.ReachedPrices =>
  stops === undefined ? noStops : AskAgain.reached(stops, candles.priceScale + finer)

/** A stop at which the strategy was asked in vain, as it held nothing, counts again once something has filled. */
const findStops = ({ first, runs }: Whole): void => {
  const { askedAt } = first
  if (askedAt !== undefined && askedAt.fills !== fillCount(runs)) first.askedAt = undefined
  const { below, above } = stopsOf(first.run)
  first.stops = {
    below: below === first.askedAt?.below ? noStops.below : below,
    above: above === first.askedAt?.above ? noStops.above : above
  }
}

const decideNow = (whole: Whole): void => {
  const { first, runs, parts } = whole
  const until = Decisions.decideIn(runs)
  if (first.run.conditions.rules.stops === "first") findStops(whole)
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

/** What is placed within a bar fills as it arrives, or waits for the next one. */
const arriveWithin = (whole: Whole, bar: number, mayAsk: boolean): void => {
  const { first, runs } = whole
  for (let round = 0; isArriving(runs) && round < mostRounds; round++)
    if (fillArrivals(whole, bar, false) && mayAsk && first.run.asking.asksOnFill) decideNow(whole)
  for (const { arrivals, clock, orders } of runs) {
    arrivals.clear()
    for (const slot of orders.slots) if (slot.placedBar === clock.nextBar) SlotState.tryArrival(slot, slot.placedBar)
  }
}

/**
 * A bar that reaches a stop takes the worse first, and has time for all that is under way. What lies on the way to the stop fills,
 * and the strategy is asked there. Then it is asked at the stop, and what leaves fills. What its answer leaves fills with the rest of the
 * bar; what it places waits for the next one. A gap over the stop leaves at the open.
 */
const leaveWithin = (whole: Whole, range: Fills.BarRange): void => {
  const { first, runs } = whole
  const { run } = first
  const { bar, low, high } = range
  let [below, above, isWithin] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, false]
  for (;;) {
    findStops(whole)
    const { stops } = first
    const isBelow = stops.below >= low && stops.below < below
    if (!isBelow && (stops.above > high || stops.above <= above)) break
    const open = openAt(run.candles, bar) ?? (isBelow ? high : low)
    const stop = isBelow ? Math.min(stops.below, open) : Math.max(stops.above, open)
    Decisions.standWithin(runs, bar, stop)
    if (!isWithin) {
      for (const each of runs) wakeMarket(each, bar, bar + 1)
      arriveWithin(whole, bar, false)
    }
    isWithin = true
    const last = Fills.fillOnTheWay(run, range, isBelow ? "BUY" : "SELL", stop)
    const isToldFirst = last !== undefined && run.asking.asksOnFill
    if (isToldFirst) Decisions.standWithin(runs, bar, Decimal.toNumber(last))
    else if (isBelow) below = stops.below
    else above = stops.above
    decideNow(whole)
    arriveWithin(whole, bar, true)
  }
  if (!isWithin) return
  first.askedAt = { below, above, fills: fillCount(runs) }
  findStops(whole)
  Decisions.standAtClose(runs, bar)
}

const isBoundReachedIn = ({ ask, glances, indices, stands }: Part, bar: number): boolean =>
  AskAgain.boundBar(ask, indices.closes, bar, bar + 1) === bar ||
  (stands !== undefined && glances.firstFall(stands, bar, bar + 1) === bar)

const isBoundReached = ({ first, parts }: Whole, bar: number): boolean =>
  isBoundReachedIn(first, bar) || (parts.length > 1 && parts.some((part) => isBoundReachedIn(part, bar)))

/**
 * The quick path: until the strategy is asked again nothing can happen but fills. Takes those from bar `from` on, and says
 * which bar is the next one; the number of bars when the run is over, or has to be made once more with a guard. It does what
 * the loop below does, and is apart so that the compiler makes one piece of it.
 */
const fillQuickly = ({ first, equity }: Whole, from: number): number => {
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
  }
}

/** Runs the strategy over all candles; false when the run should have had a guard. */
const runThrough = (whole: Whole): boolean => {
  const { equity, first } = whole
  const { arrivals, candles, conditions } = first.run
  const { bars } = candles
  if (conditions.mayHang !== true) runStretch(whole, 0, Number.POSITIVE_INFINITY)
  else for (let bar = 0; bar < bars; ) bar = Watch.oneStretch(() => runStretch(whole, bar, Watch.decisionsPerStretch))
  if (arrivals.needsGuard) return false
  Equity.advance(equity, bars)
  return true
}

/** Runs from bar `from` until the end, or until so many decisions are made. Returns the next bar; the number of bars if the run is over. */
const runStretch = (whole: Whole, from: number, maxDecisions: number): number => {
  const { runs, equity, isQuick } = whole
  const { guard, losses, asking, arrivals, trading, candles } = whole.first.run
  const { bars, time } = candles
  const lastDecision = asking.decisions + maxDecisions
  for (let bar = from; bar < bars; bar++) {
    if (asking.decisions > lastDecision) return bar
    let filled = bar === 0
    if (nextAlarm(runs) <= bar) {
      Equity.advance(equity, bar)
      filled = wake(whole, bar) || filled
    }
    if (isQuick && !asking.asksOnFill && whole.first.stands === undefined) bar = fillQuickly(whole, bar)
    if (bar === bars) break
    const isWatched = guard !== undefined && Decisions.isWatchingAll(runs)
    const stop = isWatched || (filled && asking.asksOnFill) ? bar + 1 : nextAlarm(runs)
    bar = nextEvent(whole, bar, stop)
    if (bar === stop) {
      bar--
      if (!isWatched && (!filled || !asking.asksOnFill)) continue
    }
    filled = fillBar(whole, bar, filled) || filled
    const isLookedAt = guard !== undefined && Decisions.isWatching(runs)
    const changes = guard === undefined ? 0 : Decisions.changesOf(runs)
    if (isLookedAt) losses?.look(bar, closeTime(time, bar))
    if (isLookedAt && Decisions.mayReplace(runs)) Equity.advance(equity, bar + 1)
    if (guard?.account.isTurned || (filled && asking.asksOnFill) || isBoundReached(whole, bar)) decide(whole, bar)
    else if (isLookedAt && Decisions.placesWaiting(runs, bar) && asking.asksOnFill && trading.isSeen) decide(whole, bar)
    if (arrivals.needsGuard) return bars
    guard?.account.sawChanges(changes)
    for (let round = 0; isArriving(runs) && round < mostRounds; round++) {
      Equity.advance(equity, bar + 1)
      if (fillArrivals(whole, bar, false) && asking.asksOnFill) decide(whole, bar)
    }
    if (isArriving(runs)) for (const run of runs) run.arrivals.clear()
  }
  return bars
}

const ranOf = ({ runs, equity }: Whole, [first, ...others]: InMarkets): AllRan => {
  const drawdown = Equity.maxDrawdown(equity)
  const ran = (market: InMarket, run: MarketRun.MarketRun, decisions: number): Ran => ({
    ...market,
    outcome: Outcome.of(run, drawdown, decisions)
  })
  const one = ran(first, runs[0], runs[0].asking.decisions)
  return [one, ...others.map((market, index) => ran(market, runs[index + 1] ?? runs[0], 0))]
}

/** Runs a strategy over the candles of its market, or of each of its markets. */
export const simulateAll = (markets: InMarkets): AllRan => {
  if (markets.length === 1 && LimitGuard.isQuick(markets[0].conditions)) {
    const quick = make(markets, false)
    if (runThrough(quick)) return ranOf(quick, markets)
  }
  const whole = make(markets, true)
  runThrough(whole)
  return ranOf(whole, markets)
}

/** A run of one market. */
export const simulate = (conditions: Conditions, candles: Candles, indices: CrossingIndex.Indices): Outcome.Outcome =>
  simulateAll([{ conditions, candles, indices }])[0].outcome
