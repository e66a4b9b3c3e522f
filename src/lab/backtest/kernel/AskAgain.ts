/** Computes when a strategy must run again: a bar, or prices on the candles' own decimal places. */
import type { Candles } from "../../../candles/Candles.ts"
import * as CrossingIndex from "../../../candles/CrossingIndex.ts"
import * as TimeAxis from "../../../candles/TimeAxis.ts"
import { frameEnd, timeframeMillis } from "../../../domain/Timeframe.ts"
import type { Bounds, PriceBounds } from "../../../strategy/Decision.ts"
import type { Conditions } from "./Conditions.ts"
import { boundAt } from "./FillRules.ts"
import type { Clock } from "./state/Clock.ts"

export type ReachedPrices = Readonly<Record<"below" | "above", number>>

export interface AskAgain extends ReachedPrices {
  /** First bar whose close is late enough; the number of bars if there is none. */
  readonly bar: number
}

interface AskedRun {
  readonly candles: Candles
  readonly clock: Readonly<Clock>
  readonly conditions: Pick<Conditions, "signals">
}

export const reached = ({ priceBelow, priceAbove }: PriceBounds, priceScale: number): ReachedPrices => ({
  below: priceBelow === undefined ? Number.NEGATIVE_INFINITY : boundAt(priceBelow, priceScale, "down"),
  above: priceAbove === undefined ? Number.POSITIVE_INFINITY : boundAt(priceAbove, priceScale, "up")
})

export const of = (
  { candles: { time, priceScale }, clock, conditions: { signals } }: AskedRun,
  until: Bounds,
  prices: PriceBounds
): AskAgain => {
  const moment = Math.min(
    until.time ?? Number.POSITIVE_INFINITY,
    until.barClose === undefined ? Number.POSITIVE_INFINITY : frameEnd(clock.now, timeframeMillis(until.barClose) ?? 1),
    until.signals === undefined || signals === undefined ? Number.POSITIVE_INFINITY : signals.nextAfter(clock.now)
  )
  return {
    ...reached(prices, priceScale),
    bar: moment === Number.POSITIVE_INFINITY ? time.bars : TimeAxis.firstBarFrom(time, moment - time.stepMillis)
  }
}

export const isBounded = ({ below, above }: AskAgain): boolean =>
  below !== Number.NEGATIVE_INFINITY || above !== Number.POSITIVE_INFINITY

/** Returns the bar in [from, to) at whose close a bound is reached; `to` if there is none. */
export const boundBar = (ask: AskAgain, closes: CrossingIndex.CrossingIndex, from: number, to: number): number => {
  const end = Math.min(to, Math.max(from, ask.bar))
  return isBounded(ask) ? CrossingIndex.nextCrossing(closes, from, end, ask.below, ask.above) : end
}
