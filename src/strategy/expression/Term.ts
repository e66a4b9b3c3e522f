/**
 * The meaning of an expression: a type, and a number for every moment. Booleans are 1 and 0, ratios are fractions (5%
 * is 0.05), prices and amounts are in units. A term that depends on closed candles alone is a series: a whole column,
 * computed once per set of candles and shared by all expressions that contain it.
 */

import type { Amount } from "../../domain/Amount.ts"
import type { Depth } from "../../domain/Book.ts"
import { present } from "../../domain/Present.ts"
import type { Signals } from "../../domain/Signal.ts"
import { iso } from "../../domain/Text.ts"
import { commonMillis, timeframeMillis } from "../../domain/Timeframe.ts"
import type { CandleColumns, IndicatorValues } from "../Indicators.ts"
import { type ClosedCandles, frameName, type OwnState } from "../View.ts"
import type { Demands, Range } from "./Never.ts"
import { lately } from "./Same.ts"

export type ValueType =
  | "number"
  | "ratio"
  /** In the strategy's own market; a price in any other one has its name. */
  | "price"
  | `price of ${string}`
  | "boolean"
  | "duration"
  | `amount of ${string}`

/**
 * How a value moves: not at all; as a straight line of each price, of the mid or of other markets; up or down with
 * each price, whatever the others are; as a straight line of the time; or in some other way.
 */
export type PriceDependence = "none" | "linear" | "monotone" | "time" | "other"

/** The name of the strategy's own market among the names of others. */
export const ownMarket = ""

export interface Term {
  readonly type: ValueType
  /** A bare number takes whatever numeric type its partner needs. */
  readonly isLiteral: boolean
  readonly dependence: PriceDependence
  /** The markets whose prices move it; missing: its own alone. */
  readonly moves?: ReadonlySet<string>
  /** Never zero or less, so that others may be divided by it. */
  readonly isPositive?: true
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
  /** An amount of money to the last unit, where it is one that the books have; `value` is near it. */
  readonly exact?: (moment: Moment) => Amount | undefined
}

/** A comparison or crossing as written, with what it looks at. */
export interface Check {
  readonly text: string
  readonly operands: ReadonlyArray<Term>
  readonly value: Term["value"]
}

/** The candles that a series follows, one value for each. */
export interface Frame {
  readonly timeframe: string
  /** If not the strategy's own market. */
  readonly market?: string
  /** Further markets whose candles of the same time it looks at. */
  readonly others?: ReadonlyArray<string>
  /** The markets whose volumes it looks at; its own is `ownMarket`. */
  readonly volumesOf?: ReadonlyArray<string>
}

export interface Series extends Frame {
  /** Closed candles before the first number. */
  readonly warmUp: number
  readonly key: string
  readonly column: (candles: CandleColumns) => IndicatorValues
}

/** Prices of a market. */
interface Quoted {
  readonly mid: number
  readonly bid: number
  readonly ask: number
}

/** The moment at which an expression is evaluated, and what the evaluation found out. */
export interface Moment extends Quoted {
  /** The prices of other markets, by name. */
  readonly elsewhere: ReadonlyMap<string, Quoted>
  /** Epoch milliseconds. */
  readonly now: number
  readonly candles: ReadonlyMap<string, ClosedCandles> | undefined
  /** Price of the entry, for exits. */
  readonly entry: number
  /** The venue's share of the output of every fill. */
  readonly fillBasisPoints?: number
  /** What the strategy holds beyond its budget. */
  readonly position: number
  readonly exactPosition?: Amount
  readonly own: OwnState | undefined
  /** When the strategy first decided, where it remembers that. */
  readonly startedAt?: number
  readonly depth: Depth | undefined
  readonly signals: Signals | undefined
  /** Milliseconds by which `since` is ahead of `now`; not zero only while its line is being measured. */
  readonly elapsed: number
  /** Inside of a recursion: the values of its members one candle before. */
  readonly previous?: Float64Array
  /** Only what holds is asked, not up to where. */
  readonly isGlanced?: true
  /** The text of a comparison whose result is inverted, to find out whether it decides. */
  readonly flipped?: string
  readonly found: {
    /** A needed value is not known yet. */
    isCold: boolean
    /** The last value that was looked at does not exist, such as the average entry without a position. */
    isUndefined: boolean
    /** What divides by zero at this moment, as written. */
    readonly dividesByZero: Set<string>
    /** Names that this view does not know. */
    readonly lacking: Set<string>
    /** Prices at which a comparison changes, or up to which it certainly does not. */
    readonly crossings: Array<{ readonly market: string; readonly price: number }>
    /** Epoch milliseconds at which a comparison changes. */
    readonly times: Array<number>
    readonly consulted: Consulted
  }
}

/** What was looked at besides prices and the strategy's own trading: an answer holds until it changes. Zero or false: it was not. */
export interface Consulted {
  /** Whenever one of the candles closes that were looked at, a candle of this length does. */
  candleMillis: number
  /** The clock's value stays the same for so long, counted from midnight. */
  clockMillis: number
  depth: boolean
  signals: boolean
}

/** Closed candles of this length were looked at. */
export const consultCandles = ({ consulted }: Moment["found"], millis: number): void => {
  consulted.candleMillis = commonMillis(millis, consulted.candleMillis)
}

export const nothingFound = (): Moment["found"] => ({
  isCold: false,
  isUndefined: false,
  dividesByZero: new Set(),
  lacking: new Set(),
  crossings: [],
  times: [],
  consulted: { candleMillis: 0, clockMillis: 0, depth: false, signals: false }
})

const columns = new WeakMap<CandleColumns, Map<string, IndicatorValues>>()

export const columnOf = ({ key, column }: Series, candles: CandleColumns): IndicatorValues => {
  const known = columns.get(candles) ?? new Map<string, IndicatorValues>()
  columns.set(candles, known)
  const computed = known.get(key) ?? column(candles)
  known.set(key, computed)
  return computed
}

export const frameOf = ({ timeframe, market, others, volumesOf }: Frame): Frame => ({
  timeframe,
  ...present({ market, others, volumesOf })
})

/** The markets besides the strategy's own that a series needs candles of. */
export const othersOf = ({ market, others = [] }: Frame): ReadonlyArray<string> =>
  market === undefined ? others : [market, ...others]

/** Reads a series at a moment, `back` candles before the last closed one. */
export const readerOf = (series: Series): ((moment: Moment, back?: number) => number) => {
  const { timeframe, market } = series
  const name = frameName(timeframe, market)
  const others = othersOf(series).map((other) => ({ other, frame: frameName(timeframe, other) }))
  const columnIn = lately((columns: CandleColumns) => columnOf(series, columns))
  const millis = timeframeMillis(timeframe) ?? 0
  return ({ candles, found, isGlanced }, back = 0) => {
    if (isGlanced === undefined) consultCandles(found, millis)
    for (const { frame, other } of others) if (!candles?.has(frame)) found.lacking.add(other)
    const known = candles?.get(name)
    if (known === undefined || back >= known.closed) return Number.NaN
    const last = known.closed - 1 - back
    const value = columnIn(known.columns)[last] ?? Number.NaN
    if (Number.isNaN(value))
      for (const missing of missingVolumes(series, known.columns, last)) found.lacking.add(missing)
    return value
  }
}

const volumeOf = "the volume of "

export const isVolume = (lacking: string): boolean => lacking.startsWith(volumeOf)

/** The newest candle of each market that has no volume, among those that the value at `last` follows from. */
const missingVolumes = (
  { market = ownMarket, timeframe, volumesOf = [], warmUp }: Series,
  columns: CandleColumns,
  last: number
): ReadonlyArray<string> =>
  volumesOf.flatMap((name) => {
    const looked = name === market ? columns : columns.elsewhere?.get(name)
    if (looked === undefined) return []
    const { startMillis = 0, volume } = looked
    const millis = timeframeMillis(timeframe) ?? 1
    const ahead = Math.round(((columns.startMillis ?? 0) - startMillis) / millis)
    for (let bar = last; bar > last - warmUp; bar--) {
      if (!Number.isNaN(volume[bar + ahead] ?? 0)) continue
      const of = name === ownMarket ? "" : ` of ${name}`
      return [`${volumeOf}the ${timeframe} candle${of} from ${iso(startMillis + (bar + ahead) * millis)}`]
    }
    return []
  })

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
  value: readerOf(series)
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
  { dependence, isLiteral, type }: Pick<Term, "type" | "isLiteral" | "dependence">
): Term => {
  const shape = { dependence, isLiteral, type }
  if (a.constant !== undefined && b.constant !== undefined) {
    return constantTerm(apply(a.constant, b.constant), shape.type, shape.isLiteral)
  }
  const series = joint([a, b], (terms) => ({
    key: `(${terms.map(keyOf).join(` ${name} `)})`,
    column: (candles) => {
      const [left = empty, right = empty] = terms.map((term) => asColumn(term, candles))
      return left.map((value, index) => apply(value, right[index] ?? Number.NaN))
    }
  }))
  if (series !== undefined) return { ...shape, series, value: readerOf(series) }
  return { ...shape, ...movedBy([a, b]), value: (moment) => apply(a.value(moment), b.value(moment)) }
}

const empty: IndicatorValues = new Float64Array(0)

/** The prices that move a value made of these. */
export const movedBy = (terms: ReadonlyArray<Term>): Pick<Term, "moves"> => {
  const moves = new Set(terms.flatMap((term) => [...movesOf(term)]))
  return moves.size === 0 || (moves.size === 1 && moves.has(ownMarket)) ? {} : { moves }
}

const itself: ReadonlySet<string> = new Set([ownMarket])
const nothing: ReadonlySet<string> = new Set()

export const movesOf = ({ dependence, moves }: Term): ReadonlySet<string> =>
  dependence === "none" || dependence === "time" ? nothing : (moves ?? itself)

/**
 * A series of several terms, if they depend on candles of one timeframe alone. Where they are of several markets, it has
 * a value for each candle of the strategy's own market, or of the first one named, and takes the others' candles of the
 * same time.
 */
const joint = (
  terms: ReadonlyArray<Term>,
  make: (terms: ReadonlyArray<Term>) => Pick<Series, "key" | "column">
): Series | undefined => {
  const all = terms.flatMap(({ series }) => series ?? [])
  const [first] = all
  const isPure = terms.every(({ series, constant }) => series !== undefined || constant !== undefined)
  if (first === undefined || !isPure || all.some(({ timeframe }) => timeframe !== first.timeframe)) return undefined
  const market = all.some((each) => each.market === undefined) ? undefined : first.market
  const rebased = terms.map((term) =>
    term.series === undefined ? term : { ...term, series: onCandlesOf(market, term.series) }
  )
  const others = new Set(rebased.flatMap(({ series }) => series?.others ?? []))
  return {
    timeframe: first.timeframe,
    ...present({ market }),
    ...(others.size === 0 ? {} : { others: [...others] }),
    ...volumesIn(all),
    warmUp: Math.max(...all.map(({ warmUp }) => warmUp)),
    ...make(rebased)
  }
}

/** The volumes that any of these look at. */
export const volumesIn = (frames: ReadonlyArray<Frame>): Pick<Frame, "volumesOf"> => {
  const volumesOf = new Set(frames.flatMap(({ volumesOf = [] }) => volumesOf))
  return volumesOf.size === 0 ? {} : { volumesOf: [...volumesOf] }
}

/** A series with a value for each candle of that market: the value of its own candle that opened at the same time. */
export const onCandlesOf = (market: string | undefined, series: Series): Series => {
  const { timeframe, market: from, volumesOf } = series
  if (from === market || from === undefined) return series
  const millis = timeframeMillis(timeframe) ?? 1
  return {
    timeframe,
    ...present({ market, volumesOf }),
    others: othersOf(series),
    warmUp: series.warmUp,
    key: `${from}: ${series.key}`,
    column: (candles) => {
      const other = candles.elsewhere?.get(from)
      if (other === undefined) return candles.close.map(() => Number.NaN)
      const values = columnOf(series, other)
      const ahead = Math.round(((candles.startMillis ?? 0) - (other.startMillis ?? 0)) / millis)
      return candles.close.map((_, index) => values[index + ahead] ?? Number.NaN)
    }
  }
}

/** What several terms make of each candle, if they depend on candles of one timeframe alone. */
export const seriesFrom = (
  terms: ReadonlyArray<Term>,
  name: string,
  apply: (values: ReadonlyArray<number>) => number
): Series | undefined =>
  joint(terms, (rebased) => ({
    key: `${name}(${rebased.map(keyOf).join(", ")})`,
    column: (candles) => {
      const parts = rebased.map((term) => asColumn(term, candles))
      return candles.close.map((_, index) => apply(parts.map((part) => part[index] ?? Number.NaN)))
    }
  }))
