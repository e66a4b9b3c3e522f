/**
 * A strategy of several markets: a run of the kernel for each, from event to event of any of them. Their candles have one
 * time axis, so a bar is the same moment in all. Memory, quote and the count of open orders are one; see `Run.giveTurn`.
 *
 * Rules of time: those of the kernel. At one instant the markets take turns in the order of the strategy file: within a bar
 * what was under way in each, then the fills of each, then one decision at the close, and what fills on arrival. Orders that
 * wait for money try again at the end of each turn of their market, and when all have had theirs. A slot stays in its
 * market. Drawdown is that of all holdings at every close.
 */

import type { Candles } from "../../candles/Candles.ts"
import * as CrossingIndex from "../../candles/CrossingIndex.ts"
import { closeTime } from "../../candles/TimeAxis.ts"
import type { Amount } from "../../domain/Amount.ts"
import type { PriceBounds } from "../../strategy/Decision.ts"
import * as Decisions from "./Decisions.ts"
import * as Drawdown from "./Drawdown.ts"
import { isImmediate } from "./FillRules.ts"
import * as Fills from "./Fills.ts"
import * as Kernel from "./Kernel.ts"
import * as LimitGuard from "./LimitGuard.ts"
import * as LossWatch from "./LossWatch.ts"
import * as Run from "./Run.ts"

/** `conditions.budget.quote` is the first market's, for all. */
export interface InMarket {
  readonly conditions: Run.Conditions
  readonly candles: Candles
  readonly indices: CrossingIndex.Indices
}

export type Markets = readonly [InMarket, ...ReadonlyArray<InMarket>]

/** `outcome.quote` is what the market's trading made of its budget of quote; `maxDrawdown` that of the whole. */
export interface Ran extends InMarket {
  readonly outcome: Kernel.Outcome
}

export type AllRan = readonly [Ran, ...ReadonlyArray<Ran>]

interface Part extends InMarket {
  readonly run: Run.Run
  ask: Decisions.AskAgain
}

interface Whole {
  readonly runs: Decisions.Runs
  readonly parts: readonly [Part, ...ReadonlyArray<Part>]
  readonly drawdown: Drawdown.Drawdown
  asksOnFill: boolean
}

const make = ([first, ...others]: Markets): Whole => {
  const { limits } = first.conditions
  const account = LimitGuard.makeAccount()
  const partOf = (market: InMarket): Part => ({
    ...market,
    run: Run.make(
      market.conditions,
      market.candles,
      limits === undefined ? undefined : LimitGuard.make(limits, account)
    ),
    ask: { below: 0, above: 0, bar: 0, onFill: true }
  })
  const one = partOf(first)
  const more = others.map(partOf)
  account.runs = [one.run, ...more.map(({ run }) => run)]
  return {
    runs: [one.run, ...more.map(({ run }) => run)],
    parts: [one, ...more],
    drawdown: Drawdown.make(),
    asksOnFill: true
  }
}

/** Takes in the closes up to bar `to` (exclusive) with what is held now. */
const countEquity = ({ runs, drawdown }: Whole, to: number): void => {
  const quote = runs.reduce((sum, run) => sum + run.quote, 0)
  for (; drawdown.next < to; drawdown.next++) {
    let equity = quote
    for (const { base, candles } of runs) equity += base * (candles.close[drawdown.next] ?? 0)
    if (equity > drawdown.peak) drawdown.peak = equity
    else drawdown.greatest = Math.max(drawdown.greatest, (drawdown.peak - equity) / drawdown.peak)
  }
}

const nextWake = (runs: Decisions.Runs, bars: number): number =>
  runs.reduce((next, { wakes }) => Math.min(next, wakes[0]?.bar ?? bars), bars)

const isArriving = (runs: Decisions.Runs): boolean => runs.some(({ arrivals }) => arrivals.length > 0)

/** What arrived marketable, market by market; says whether something filled. */
const fillArrivals = (runs: Decisions.Runs, bar: number, closeBar: number): boolean => {
  let filled = false
  for (const run of runs) {
    Run.giveTurn(runs, run)
    if (run.arrivals.length > 0) filled = Fills.fillArrivals(run, bar, closeBar) || filled
  }
  Decisions.placeWaiting(runs)
  return filled
}

/** What was under way until the opening of this bar; says whether something was paid out or filled. */
const wake = (runs: Decisions.Runs, bar: number): boolean => {
  let paid = false
  for (const run of runs) {
    Run.giveTurn(runs, run)
    paid = Kernel.wake(run, bar) || paid
  }
  Decisions.placeWaiting(runs)
  for (let round = 0; isArriving(runs) && round < Kernel.mostRounds; round++)
    paid = fillArrivals(runs, bar, bar - 1) || paid
  for (const run of runs) run.arrivals.length = 0
  return paid
}

/** What the bar fills in each market; says whether something did. */
const fillBar = ({ runs, parts }: Whole, bar: number): boolean => {
  for (const run of runs) {
    run.now = closeTime(run.candles.time, bar)
    run.nextBar = bar + 1
  }
  let filled = false
  for (const { run, indices } of parts) {
    Run.giveTurn(runs, run)
    const before = run.log.count
    const fill = isImmediate(run.conditions.rules) && run.guard === undefined ? Fills.fillBar : Fills.fillBarSlices
    const [low, high] = [CrossingIndex.lowerAt(indices.orders, bar), CrossingIndex.upperAt(indices.orders, bar)]
    if (Kernel.isReached(run, low, high)) fill(run, bar, low, high)
    filled ||= run.log.count > before
  }
  if (filled) Decisions.placeWaiting(runs)
  return filled
}

const decide = (whole: Whole, bar: number): void => {
  countEquity(whole, bar + 1)
  const until = Decisions.decideIn(whole.runs, bar)
  whole.asksOnFill = until.onFill
  for (const [index, part] of whole.parts.entries()) {
    const { name } = part.run.conditions.market
    const prices: PriceBounds = index === 0 ? until : (until.elsewhere?.find(({ market }) => market === name) ?? {})
    part.ask = Decisions.askAgain(part.run, until, prices)
  }
}

const isBoundReached = (parts: ReadonlyArray<Part>, bar: number): boolean =>
  parts.some(({ ask, indices }) => Kernel.boundBar(ask, indices.closes, bar, bar + 1) === bar)

const isWatching = (runs: Decisions.Runs): boolean =>
  runs.some(({ guard }) => guard !== undefined && LimitGuard.isWatching(guard))

const isWatchingAll = (runs: Decisions.Runs): boolean =>
  runs.some(({ guard }) => guard !== undefined && LimitGuard.isWatchingAll(guard, Decisions.hasChanged(runs, guard)))

/** The first bar from `from` on that is an event of one of the markets; `stop` when none is. */
const nextEvent = (parts: ReadonlyArray<Part>, from: number, stop: number): number =>
  parts.reduce(
    (event, { run, ask, indices }) => Kernel.nextEvent(run, LimitGuard.orFreed(run.guard, ask), indices, from, event),
    stop
  )

/** Runs the strategy over all candles. */
export const simulate = (markets: Markets): AllRan => {
  const whole = make(markets)
  const { runs, parts } = whole
  const { bars } = markets[0].candles
  for (let bar = 0; bar < bars; bar++) {
    let filled = bar === 0
    if (nextWake(runs, bars) <= bar) {
      countEquity(whole, bar)
      filled = wake(runs, bar) || filled
    }
    const isWatched = isWatchingAll(runs)
    const stop = isWatched || (filled && whole.asksOnFill) ? bar + 1 : nextWake(runs, bars)
    bar = nextEvent(parts, bar, stop)
    if (bar === stop) {
      bar--
      if (!isWatched && (!filled || !whole.asksOnFill)) continue
    }
    countEquity(whole, bar)
    filled = fillBar(whole, bar) || filled
    const { guard, trading } = runs[0]
    const isLookedAt = isWatching(runs)
    const changes = Decisions.changesOf(runs)
    if (isLookedAt && guard !== undefined) LossWatch.look(runs[0], guard, bar)
    if (guard?.account.isTurned || (filled && whole.asksOnFill) || isBoundReached(parts, bar)) decide(whole, bar)
    else if (isLookedAt && Decisions.placesWaiting(runs, bar) && whole.asksOnFill && trading.isSeen) decide(whole, bar)
    if (guard !== undefined) guard.account.changes = changes
    for (let round = 0; isArriving(runs) && round < Kernel.mostRounds; round++) {
      countEquity(whole, bar + 1)
      if (fillArrivals(runs, bar, bar) && whole.asksOnFill) decide(whole, bar)
    }
    for (const run of runs) run.arrivals.length = 0
  }
  countEquity(whole, bars)
  const ranOf = ({ run, ask: _, ...market }: Part): Ran => ({
    ...market,
    outcome: outcomeOf(run, whole.drawdown.greatest)
  })
  const [first, ...others] = parts
  return [ranOf(first), ...others.map(ranOf)]
}

/** What a market's trading made of its share of the quote: fills and refund fees alone move it. */
const quoteOf = ({ conditions, table, refundFeesQuote }: Run.Run): Amount =>
  table.rows.reduce(
    (sum, { side, input, output }, id) => sum + BigInt(table.fills[id] ?? 0) * (side === "BUY" ? -input : output),
    conditions.budget.quote - refundFeesQuote
  )

const outcomeOf = (run: Run.Run, maxDrawdown: number): Kernel.Outcome => ({
  ...Kernel.outcomeOf(run),
  quote: quoteOf(run),
  maxDrawdown,
  openOrders: run.slots.openQuantity.reduce((open, quantity) => (quantity > 0n ? open + 1 : open), 0)
})
