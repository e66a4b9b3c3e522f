/**
 * Judges conditions at one moment of a view: whether they hold, or depend on something that is not known yet, and the
 * bounds within which everything that was looked at stays the same.
 */
import { type Amount, toDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import { timeframeMillis } from "../../domain/Timeframe.ts"
import type { Bounds } from "../Decision.ts"
import type { View } from "../View.ts"
import type { Needs } from "./Needs.ts"
import type { Moment, Term } from "./Term.ts"

/** Base bought minus base sold by all orders of the strategy, for whatever purpose. */
export const positionIn = ({ slots }: View): Amount =>
  [...slots.values()].reduce((sum, { bought, sold }) => sum + bought - sold, 0n)

export const momentOf = (market: Market, view: View): Moment => {
  const position = positionIn(view)
  return {
    mid: Decimal.toNumber(mid(view.price)),
    bid: Decimal.toNumber(view.price.bid),
    ask: Decimal.toNumber(view.price.ask),
    now: view.now,
    candles: view.candles,
    entry: Number.NaN,
    position: Decimal.toNumber(toDecimal(position, market.base.decimals)),
    own: view.own,
    depth: view.depth,
    elapsed: 0,
    found: { isCold: false, isUndefined: false, lacking: new Set(), crossings: [], times: [] }
  }
}

export type Judgement = "yes" | "no" | "cold" | { readonly lacking: ReadonlySet<string> }

/** Truth of a condition; "cold" while it depends on something that is not known yet. */
export const truth = (term: Term, moment: Moment): Judgement => {
  const found = { ...moment.found, isCold: false, lacking: new Set<string>() }
  const value = term.value({ ...moment, found })
  if (found.lacking.size > 0) return { lacking: found.lacking }
  return found.isCold ? "cold" : value > 0 ? "yes" : "no"
}

/** Comparisons use doubles, so the bounds stay slightly on the near side of where a comparison changes. */
const margin = 1e-9

export const boundsOf = (
  { candles, clockMillis, depth }: Needs,
  { now, mid: price, found }: Moment,
  times: ReadonlyArray<number>
): Bounds => {
  const above = Math.min(...found.crossings.filter((crossing) => crossing >= price))
  const below = Math.max(...found.crossings.filter((crossing) => crossing <= price))
  const clock = clockMillis === undefined ? [] : [(Math.floor(now / clockMillis) + 1) * clockMillis]
  const time = Math.min(...times.filter((moment) => moment > now), ...clock)
  const shortest = [...candles.keys()].sort((a, b) => (timeframeMillis(a) ?? 0) - (timeframeMillis(b) ?? 0))[0]
  return {
    ...(Number.isFinite(below) ? { priceBelow: Decimal.fromNumber(below * (1 + margin)) } : {}),
    ...(Number.isFinite(above) ? { priceAbove: Decimal.fromNumber(above * (1 - margin)) } : {}),
    ...(Number.isFinite(time) ? { time } : {}),
    ...present({ barClose: shortest }),
    ...(depth.size === 0 ? {} : { depth: true }),
    onFill: true
  }
}
