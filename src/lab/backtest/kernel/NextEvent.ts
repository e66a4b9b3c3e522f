/** Finds the bar of the next event: a fill, a bound of the last decision, or a stop if stops count within bars. */
import { closeAt } from "../../../candles/Candles.ts"
import * as CrossingIndex from "../../../candles/CrossingIndex.ts"
import { closeTime } from "../../../candles/TimeAxis.ts"
import type { Glance, StandsAt } from "../../../strategy/Strategy.ts"
import * as AskAgain from "./AskAgain.ts"
import * as Decisions from "./Decisions.ts"
import * as Equity from "./Equity.ts"
import type * as Fills from "./Fills.ts"
import * as LimitGuard from "./LimitGuard.ts"
import type * as MarketRun from "./MarketRun.ts"

export interface MarketPart {
  readonly run: MarketRun.MarketRun
  readonly indices: CrossingIndex.Indices
  readonly fillBar: typeof Fills.fillBar
  readonly glance: { -readonly [K in keyof Glance]: Glance[K] }
  ask: AskAgain.AskAgain
  stops: AskAgain.ReachedPrices
  askedAt: (AskAgain.ReachedPrices & { readonly changes: number }) | undefined
  stands: StandsAt | undefined
  searched: Searched
}

/** Nothing crosses these bounds before bar `to`. If `isEvent`, something crosses them there. */
type Searched = Readonly<typeof notSearched>

export const notSearched = { buy: 0, sell: 0, below: 0, above: 0, bar: 0, to: -1, isEvent: false }

export interface WholeRun {
  readonly first: MarketPart
  readonly parts: readonly [MarketPart, ...ReadonlyArray<MarketPart>]
  readonly runs: MarketRun.Runs
  readonly equity: Equity.Equity
  /** True for one market without a guard, where orders fill whole. */
  readonly isQuick: boolean
}

export const noStops: AskAgain.ReachedPrices = { below: Number.NEGATIVE_INFINITY, above: Number.POSITIVE_INFINITY }

export const fillCount = (runs: MarketRun.Runs): number => {
  let count = 0
  for (const { orders } of runs) count += orders.log.count
  return count
}

/** Additional decimal places of the market's price within a bar. */
const finer = 3

const stopsOf = ({ asking: { stops }, candles }: MarketRun.MarketRun): AskAgain.ReachedPrices =>
  stops === undefined ? noStops : AskAgain.reached(stops, candles.priceScale + finer)

/** Skips a stop at which the strategy ran without effect because it held nothing. The next order or fill makes the stop count again. */
export const findStops = ({ first, runs }: WholeRun): void => {
  const { askedAt } = first
  if (askedAt !== undefined && askedAt.changes !== Decisions.changesOf(runs)) first.askedAt = undefined
  const { below, above } = stopsOf(first.run)
  first.stops = {
    below: below === first.askedAt?.below ? noStops.below : below,
    above: above === first.askedAt?.above ? noStops.above : above
  }
}

export const nearestBelow = ({ run, stops }: MarketPart): number => Math.max(run.orders.nearestBuy, stops.below)

export const nearestAbove = ({ run, stops }: MarketPart): number => Math.min(run.orders.nearestSell, stops.above)

/**
 * Returns the first bar in [from, to) at whose close the last decision no longer holds; `to` if it holds at all of them. Only strategies
 * that can tell it from the close, the time and the closed candles have `stands`. At earlier closes the strategy does not run.
 */
export const firstFall = ({ glance, run }: MarketPart, stands: StandsAt, from: number, to: number): number => {
  const { candles, conditions, frames } = run
  for (let bar = from; bar < to; bar++) {
    glance.mid = closeAt(candles, bar)
    glance.now = closeTime(candles.time, bar)
    if (conditions.timeframes !== undefined) glance.candles = frames.glancedAt(glance.now)
    if (!stands(glance)) return bar
  }
  return to
}

/** Searches in growing windows, so that no search reads far beyond the result of another. */
const nextBoundedEvent = (part: MarketPart, ask: AskAgain.AskAgain, from: number, stop: number): number => {
  const { indices, stands } = part
  const [below, above] = [nearestBelow(part), nearestAbove(part)]
  let start = from
  for (let window = 128; ; window *= 4) {
    const end = Math.min(stop, start + window)
    const crossed = CrossingIndex.nextCrossing(indices.orders, start, end, below, above)
    const bounded = AskAgain.boundBar(ask, indices.closes, start, crossed)
    const askBar = stands === undefined ? bounded : firstFall(part, stands, start, bounded)
    if (askBar < end || end === stop) return askBar
    start = end
  }
}

const askOf = ({ ask, run: { guard, losses } }: MarketPart): AskAgain.AskAgain => {
  const freed = guard === undefined ? ask : LimitGuard.orFreed(guard, ask)
  return losses === undefined || losses.isAll ? freed : losses.orLost(freed)
}

/** Returns the first bar in [from, stop) that fills an order of this market or reaches one of its bounds; `stop` if there is none. */
const nextEventIn = (part: MarketPart, ask: AskAgain.AskAgain, from: number, stop: number): number => {
  if (AskAgain.isBounded(ask) || part.stands !== undefined) return nextBoundedEvent(part, ask, from, stop)
  const end = Math.min(stop, Math.max(from, ask.bar))
  return CrossingIndex.nextCrossing(part.indices.orders, from, end, nearestBelow(part), nearestAbove(part))
}

/** Like `nextEventIn`, but keeps its result until its bounds change. Events of other markets would otherwise repeat the search. */
const nextEventBeside = (part: MarketPart, from: number, stop: number): number => {
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

export const nextEvent = (whole: WholeRun, from: number, stop: number): number => {
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
