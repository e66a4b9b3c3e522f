/**
 * The meaning of an expression: a type, and a number for every moment. Booleans are 1 and 0, ratios are fractions (5%
 * is 0.05), prices and amounts are in units. A term that depends on closed candles alone is a series: a whole column,
 * computed once per set of candles and shared by all expressions that contain it.
 */

import type { Depth } from "../../domain/Book.ts"
import { hourMillis } from "../../domain/Durations.ts"
import type { CandleColumns, IndicatorValues } from "../Indicators.ts"
import type { ClosedCandles, OwnState } from "../View.ts"
import type { Demands, Range } from "./Never.ts"

export type ValueType = "number" | "ratio" | "price" | "boolean" | "duration" | `amount of ${string}`

/** How a value moves: not at all, as a straight line of the mid or of the time, or in some other way. */
export type PriceDependence = "none" | "linear" | "time" | "other"

export interface Term {
  readonly type: ValueType
  /** A bare number takes whatever numeric type its partner needs. */
  readonly isLiteral: boolean
  readonly dependence: PriceDependence
  /** Depends on closed candles only. `key` names the computation. */
  readonly series?: Series
  readonly constant?: number
  /** A condition that changes with the price or the time between decisions. */
  readonly isMoving?: true
  /** All its possible values, if they are fewer than its type allows. */
  readonly range?: Range
  /** What a condition demands of values; used to find one that can never be true. */
  readonly demands?: Demands
  /** The parts of a condition, in the order of the file. */
  readonly checks?: ReadonlyArray<Check>
  readonly value: (moment: Moment) => number
}

/** A comparison or crossing as written, with what it looks at. */
export interface Check {
  readonly text: string
  readonly operands: ReadonlyArray<Term>
  readonly value: Term["value"]
}

export interface Series {
  readonly timeframe: string
  /** Closed candles before the first number. */
  readonly warmUp: number
  readonly key: string
  readonly column: (candles: CandleColumns) => IndicatorValues
}

/** The moment at which an expression is evaluated, and what the evaluation found out. */
export interface Moment {
  readonly mid: number
  readonly bid: number
  readonly ask: number
  /** Epoch milliseconds. */
  readonly now: number
  readonly candles: ReadonlyMap<string, ClosedCandles> | undefined
  /** Price of the entry, for exits. */
  readonly entry: number
  /** Base bought minus base sold so far. */
  readonly position: number
  readonly own: OwnState | undefined
  readonly depth: Depth | undefined
  /** Milliseconds by which `since` is ahead of `now`; not zero only while its line is being measured. */
  readonly elapsed: number
  /** Inside of a recursion: its value one candle before. */
  readonly previous?: number
  /** The text of a comparison whose result is inverted, to find out whether it decides. */
  readonly flipped?: string
  readonly found: {
    /** A needed value is not known yet. */
    isCold: boolean
    /** The last value that was looked at does not exist, such as the average entry without a position. */
    isUndefined: boolean
    /** Names that this view does not know. */
    readonly lacking: Set<string>
    /** Prices at which a comparison changes. */
    readonly crossings: Array<number>
    /** Epoch milliseconds at which a comparison changes. */
    readonly times: Array<number>
  }
}

const columns = new WeakMap<CandleColumns, Map<string, IndicatorValues>>()

export const columnOf = ({ key, column }: Series, candles: CandleColumns): IndicatorValues => {
  const known = columns.get(candles) ?? new Map<string, IndicatorValues>()
  columns.set(candles, known)
  const computed = known.get(key) ?? column(candles)
  known.set(key, computed)
  return computed
}

/** `back` candles before the last closed one. */
export const valueOf = (series: Series, { candles }: Moment, back = 0): number => {
  const known = candles?.get(series.timeframe)
  if (known === undefined || back >= known.closed) return Number.NaN
  return columnOf(series, known.columns)[known.closed - 1 - back] ?? Number.NaN
}

export const constantTerm = (value: number, type: ValueType, isLiteral: boolean): Term => ({
  type,
  isLiteral,
  dependence: "none",
  constant: value,
  value: () => value
})

export const seriesTerm = (series: Series, type: ValueType): Term => ({
  type,
  isLiteral: false,
  dependence: "none",
  series,
  value: (moment) => valueOf(series, moment)
})

/** A term as a column of its partner's timeframe: the term itself, or its constant in every candle. */
const asColumn = (term: Term, candles: CandleColumns): IndicatorValues =>
  term.series === undefined
    ? new Float64Array(candles.close.length).fill(term.constant ?? Number.NaN)
    : columnOf(term.series, candles)

export const keyOf = ({ series, constant }: Term): string => series?.key ?? String(constant)

/** Combines two terms number by number. The result for series and constants of one timeframe is again a series. */
export const combine = (
  a: Term,
  b: Term,
  name: string,
  apply: (a: number, b: number) => number,
  shape: { readonly type: ValueType; readonly isLiteral: boolean; readonly dependence: PriceDependence }
): Term => {
  if (a.constant !== undefined && b.constant !== undefined) {
    return constantTerm(apply(a.constant, b.constant), shape.type, shape.isLiteral)
  }
  const [first, second] = [a.series, b.series]
  const isPure = (first ?? a.constant) !== undefined && (second ?? b.constant) !== undefined
  const timeframe = first?.timeframe ?? second?.timeframe
  if (isPure && timeframe !== undefined && (second === undefined || second.timeframe === timeframe)) {
    const series: Series = {
      timeframe,
      warmUp: Math.max(first?.warmUp ?? 0, second?.warmUp ?? 0),
      key: `(${keyOf(a)} ${name} ${keyOf(b)})`,
      column: (candles) => {
        const [left, right] = [asColumn(a, candles), asColumn(b, candles)]
        return left.map((value, index) => apply(value, right[index] ?? Number.NaN))
      }
    }
    return { ...shape, series, value: (moment) => valueOf(series, moment) }
  }
  return { ...shape, value: (moment) => apply(a.value(moment), b.value(moment)) }
}

/** What several terms make of each candle, if they depend on candles of one timeframe alone. */
export const seriesFrom = (
  terms: ReadonlyArray<Term>,
  name: string,
  apply: (values: ReadonlyArray<number>) => number
): Series | undefined => {
  const all = terms.flatMap(({ series }) => series ?? [])
  const [first] = all
  const isPure = terms.every(({ series, constant }) => series !== undefined || constant !== undefined)
  if (first === undefined || !isPure || all.some(({ timeframe }) => timeframe !== first.timeframe)) return undefined
  return {
    timeframe: first.timeframe,
    warmUp: Math.max(...all.map(({ warmUp }) => warmUp)),
    key: `${name}(${terms.map(keyOf).join(", ")})`,
    column: (candles) => {
      const parts = terms.map((term) => asColumn(term, candles))
      return candles.close.map((_, index) => apply(parts.map((part) => part[index] ?? Number.NaN)))
    }
  }
}

/** Records the price or the time at which `a` and `b` are equal, if both are straight lines of it. */
export const noteCrossing = (a: Term, b: Term, moment: Moment): void => {
  if (a.dependence === "none" && b.dependence === "none") return
  if (a.dependence === "time" || b.dependence === "time") return noteTime(a, b, moment)
  const difference = (mid: number) => {
    const there = { ...moment, mid }
    return a.value(there) - b.value(there)
  }
  const here = difference(moment.mid)
  const slope = (difference(2 * moment.mid) - here) / moment.mid
  const crossing = moment.mid - here / slope
  if (slope !== 0 && Number.isFinite(crossing) && crossing > 0) moment.found.crossings.push(crossing)
}

const measuredMillis = hourMillis

/** The milliseconds around the crossing: one side may change at it, the other just after, and doubles are inexact. */
const noteTime = (a: Term, b: Term, moment: Moment): void => {
  const difference = (elapsed: number) => {
    const then = { ...moment, elapsed }
    return a.value(then) - b.value(then)
  }
  const here = difference(0)
  const slope = (difference(measuredMillis) - here) / measuredMillis
  const crossing = Math.floor(moment.now - here / slope)
  if (slope === 0 || !Number.isSafeInteger(crossing)) return
  for (const near of [-1, 0, 1, 2]) if (crossing + near > moment.now) moment.found.times.push(crossing + near)
}
